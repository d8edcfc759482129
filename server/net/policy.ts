import ipaddr from "ipaddr.js";
import {
  type Address,
  type HostList,
  holdsAddress,
  isInside,
  namesAddress,
  namesHost,
  parseAddress,
  type Range,
} from "./host-list.ts";

/** Whom the operator lets the program talk to. The block list wins. */
export type TargetPolicy = { allowed: HostList; blocked: HostList };

type Kind = Range | "metadata" | "special";

/** Networks where clouds answer with credentials. Never opened by a range, a network or a name. */
const METADATA_NETWORKS = networks(
  "169.254.0.0/16",
  "fe80::/10",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "168.63.129.16/32",
  "100.100.100.200/32",
  "192.0.0.192/32",
);

const METADATA_NAMES = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata",
  "metadata.internal",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "rancher-metadata",
]);

/** The IPv6 space that is handed out to the public (IANA), and what of it is not. */
const GLOBAL_IPV6 = networks("2000::/3");
const RESERVED_IPV6 = networks(
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "2620:4f:8000::/48",
);

const WRAPPERS = networks("::ffff:0:0/96", "64:ff9b::/96");

/**
 * Whether a connection for `host` may go to `address` (a literal without brackets). What cannot be
 * read is refused.
 */
export function mayConnect(policy: TargetPolicy, host: string, address: string): boolean {
  const outer = parseAddress(address);
  if (!outer) return false;
  const inner = unwrap(outer);
  if (isBlocked(policy.blocked, host, outer) || isBlocked(policy.blocked, host, inner)) {
    return false;
  }
  const kind = kindOf(inner);
  if (kind === "metadata") return namesAddress(policy.allowed, inner);
  if (holdsAddress(policy.allowed, inner)) return true;
  if (kind === "special") return false;
  return policy.allowed.ranges.has(kind) || namesHost(policy.allowed, host);
}

/** Whether the name belongs to a cloud's metadata service. */
const isMetadataName = (host: string) => METADATA_NAMES.has(host.toLowerCase().replace(/\.$/, ""));

/** Whether a name may be asked at all, before anything is known about its addresses. */
export function mayName(policy: TargetPolicy, host: string): boolean {
  if (isMetadataName(host) || namesHost(policy.blocked, host)) return false;
  if (!/(^|\.)localhost\.?$/i.test(host)) return true;
  return policy.allowed.ranges.has("loopback") || namesHost(policy.allowed, host);
}

/** Whether the address means "nowhere", as name servers that filter answer. */
export const isNowhere = (address: string) => {
  const outer = parseAddress(address);
  return outer !== null && unwrap(outer).range() === "unspecified";
};

/** Whether the way to an address leads out of this machine and its own network. */
export function isOutside(address: string): boolean {
  const outer = parseAddress(address);
  return outer !== null && kindOf(unwrap(outer)) === "external";
}

const isBlocked = (blocked: HostList, host: string, address: Address) =>
  holdsAddress(blocked, address) ||
  namesHost(blocked, host) ||
  [...blocked.ranges].some((range) => range === kindOf(address));

/** NAT64 is unwrapped too: behind DNS64 every IPv4-only site has such an address. */
function unwrap(address: Address): Address {
  if (!WRAPPERS.some((wrapper) => isInside(address, wrapper))) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

function kindOf(address: Address): Kind {
  if (METADATA_NETWORKS.some((network) => isInside(address, network))) return "metadata";
  const range = address.range();
  if (range === "loopback") return "loopback";
  if (range === "private" || range === "carrierGradeNat" || range === "uniqueLocal") {
    return "private";
  }
  if (address.kind() === "ipv4") return range === "unicast" ? "external" : "special";
  return isGlobalIpv6(address) ? "external" : "special";
}

/** An allow-list, because ipaddr.js calls every address that it has no name for unicast. */
const isGlobalIpv6 = (address: Address) =>
  GLOBAL_IPV6.some((network) => isInside(address, network)) &&
  !RESERVED_IPV6.some((network) => isInside(address, network));

function networks(...texts: string[]): [Address, number][] {
  return texts.map((text) => ipaddr.parseCIDR(text));
}
