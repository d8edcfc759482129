import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import leven from "leven";
import { parse } from "tldts";
import { SettingProblem } from "../lib/errors.ts";

/** Hosts that the operator allows and blocks. The block list takes precedence. */
export type TargetPolicy = { allowed: HostList; blocked: HostList };

type Kind = Range | "metadata" | "special";

/** Networks where cloud services return credentials. Only an exact address in the allow list opens them. */
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

/** IPv6 space that IANA assigns to the public, and the reserved parts of it. */
const GLOBAL_IPV6 = networks("2000::/3");
const RESERVED_IPV6 = networks(
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "2620:4f:8000::/48",
);

const WRAPPERS = networks("::ffff:0:0/96", "64:ff9b::/96");

/** Whether a connection for `host` to `address` (without brackets) is allowed. Invalid addresses are not. */
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

/** Whether a name is one of the internet, and not one that the operator allows by name. */
export const isExternalName = ({ allowed }: TargetPolicy, host: string): boolean =>
  parse(host).isIcann === true && !namesHost(allowed, host);

const isMetadataName = (host: string) => METADATA_NAMES.has(host.toLowerCase().replace(/\.$/, ""));

/** Whether requests to a name are allowed at all, before its addresses are known. */
function mayName(policy: TargetPolicy, host: string): boolean {
  if (isMetadataName(host) || namesHost(policy.blocked, host)) return false;
  if (!/(^|\.)localhost\.?$/i.test(host)) return true;
  return policy.allowed.ranges.has("loopback") || namesHost(policy.allowed, host);
}

/** Whether the address is unspecified (0.0.0.0), as filtering name servers return. */
export const isNowhere = (address: string) => {
  const outer = parseAddress(address);
  return outer !== null && unwrap(outer).range() === "unspecified";
};

/** Whether an address is outside of this machine and its private networks. */
export function isOutside(address: string): boolean {
  const outer = parseAddress(address);
  return outer !== null && kindOf(unwrap(outer)) === "external";
}

const isBlocked = (blocked: HostList, host: string, address: Address) =>
  holdsAddress(blocked, address) ||
  namesHost(blocked, host) ||
  [...blocked.ranges].some((range) => range === kindOf(address));

/** Includes NAT64, since behind DNS64 every IPv4-only site has such an address. */
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

/** An allow list, since ipaddr.js reports unknown ranges as unicast. */
const isGlobalIpv6 = (address: Address) =>
  GLOBAL_IPV6.some((network) => isInside(address, network)) &&
  !RESERVED_IPV6.some((network) => isInside(address, network));

function networks(...texts: string[]): [Address, number][] {
  return texts.map((text) => ipaddr.parseCIDR(text));
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const RANGES = ["external", "private", "loopback"] as const;
type Range = (typeof RANGES)[number];

/** An operator's list of hosts. */
type HostList = {
  ranges: Set<Range>;
  /** A single address is a network of /32 or /128. */
  networks: [Address, number][];
  /** Lower-case host names in which `*` stands for any characters. */
  patterns: string[];
  /** As written in the setting. */
  text: string;
};

const PATTERN = /^[a-z0-9*_-]+(\.[a-z0-9*_-]+)*$/;
const ONLY_DIGITS_AND_DOTS = /^[\d.]+$/;

/** Reads `external, 10.0.0.0/8, *.corp.example`. @throws Error with the invalid entry */
export function parseHostList(text: string): HostList {
  const list: HostList = { ranges: new Set(), networks: [], patterns: [], text };
  for (const part of text.split(",")) {
    const entry = part.trim().toLowerCase();
    if (entry) addEntry(list, entry);
  }
  return list;
}

function namesHost(list: HostList, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return list.patterns.some((pattern) => globToRegExp(pattern).test(name));
}

export const holdsAddress = (list: HostList, address: Address) =>
  list.networks.some((network) => isInside(address, network));

/** Whether the list contains this exact address, not only a network around it. */
const namesAddress = (list: HostList, address: Address) =>
  list.networks.some(
    ([base, bits]) => bits === base.toByteArray().length * 8 && isInside(address, [base, bits]),
  );

/** Like `match`, but returns false for different families instead of throwing. */
const isInside = (address: Address, [base, bits]: [Address, number]) =>
  address.kind() === base.kind() && address.match(base, bits);

/** Parses an address; null for anything else, also for shorthand such as `127.1` and zones. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return new ipaddr.IPv4(text.split(".").map(Number));
  // Most targets are names, which this rules out cheaply.
  if (!text.includes(":") || text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.IPv6.parse(text);
}

function addEntry(list: HostList, entry: string): void {
  const range = RANGES.find((name) => name === entry);
  if (range) {
    list.ranges.add(range);
    return;
  }
  const meant = misspelled(entry);
  if (meant) {
    throw new SettingProblem(
      `"${entry}" is not a keyword; did you mean "${meant}"? If a host has this name, enter its address.`,
    );
  }
  const network = parseNetwork(entry);
  if (network) list.networks.push(network);
  else if (PATTERN.test(entry) && !ONLY_DIGITS_AND_DOTS.test(entry)) list.patterns.push(entry);
  else
    throw new Error(
      `"${entry}" is not external, private, loopback, an address, a network or a host name.`,
    );
}

const MOST_EDITS = 2;
const SINGLE_LABEL = /^[a-z0-9_-]+$/;

/** Returns the keyword that an entry misspells, which would otherwise be accepted as a host name without effect. */
function misspelled(entry: string): Range | undefined {
  if (!SINGLE_LABEL.test(entry)) return undefined;
  const [nearest] = RANGES.map((name) => ({ name, edits: leven(entry, name) })).sort(
    (a, b) => a.edits - b.edits,
  );
  return nearest && nearest.edits <= MOST_EDITS ? nearest.name : undefined;
}

function parseNetwork(entry: string): [Address, number] | null {
  const [text = "", bits, ...rest] = entry.split("/");
  const address = parseAddress(text);
  if (!address || rest.length > 0) return null;
  const width = address.toByteArray().length * 8;
  if (bits === undefined) return [address, width];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width ? [address, Number(bits)] : null;
}

const globToRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.]/g, "\\.").replace(/\*+/g, ".*")}$`);

export type TargetProblem = "url_invalid" | "scheme_unsupported" | "target_forbidden";

/** `problem` continues a sentence that begins with the field, such as "url must be …". */
type Target = { ok: true; url: URL } | { ok: false; reason: TargetProblem; problem: string };

/** Longest stored URL, before and after normalization. */
export const MAX_URL_LENGTH = 2048;

/** Ports that browsers block, since they belong to other protocols (WHATWG Fetch, "bad port"). */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/**
 * Validates a URL for links and webhooks. Names are not resolved, since each request validates the addresses.
 * @param setting named in the problem if it would allow the target
 */
export function parseTarget(raw: string, policy: TargetPolicy, setting?: string): Target {
  const target = vetTarget(raw, policy);
  if (!target.ok && target.reason === "target_forbidden" && setting) {
    return { ...target, problem: `${target.problem} (see ${setting})` };
  }
  const length = Math.max(raw.length, target.ok ? target.url.href.length : 0);
  if (length > MAX_URL_LENGTH) return invalid(`must be at most ${MAX_URL_LENGTH} characters long`);
  return target;
}

/** Applies the same rules without the length limit, for redirects. A URL is not parsed again. */
export function vetTarget(target: string | URL, policy: TargetPolicy): Target {
  const raw = String(target);
  // URL parsing drops tabs and newlines and turns "\" into "/", so test for them first.
  if (/[\p{Cc}\s\\]/u.test(raw)) {
    return invalid("must not contain spaces, control characters or backslashes");
  }
  if (!/^https?:/i.test(raw)) return unsupported(raw);
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (!authority) return invalid("must name a host after http:// or https://");
  if (authority.includes("@")) return invalid("must not contain a user name or a password");
  const url = typeof target === "string" ? URL.parse(raw) : target;
  if (!url) return invalid("must be a valid http or https URL");
  return vetHost(url, policy);
}

/** Returns the host, IPv6 without brackets. */
export const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, "");

function vetHost(url: URL, policy: TargetPolicy): Target {
  if (url.port && BAD_PORTS.has(Number(url.port))) {
    return invalid(`must not use port ${url.port}, which is not a web server's`);
  }
  const host = bareHost(url);
  if (parseAddress(host)) {
    return mayConnect(policy, host, host) ? { ok: true, url } : forbidden(host);
  }
  if (!hasGoodLabels(host)) return invalid("must name a host that can exist");
  return mayName(policy, host) ? { ok: true, url } : forbidden(host);
}

/** RFC 1035 §2.3.4: labels of 1 to 63 octets, 253 in all. URL parsing accepts characters that names cannot contain. */
const hasGoodLabels = (host: string) =>
  host.length - (host.endsWith(".") ? 1 : 0) <= 253 && GOOD_LABELS.test(host);

const GOOD_LABELS = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?$/;

function unsupported(raw: string): Target {
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(raw);
  const reason = hasScheme ? "scheme_unsupported" : "url_invalid";
  return { ok: false, reason, problem: "must be an http or https URL" };
}

const invalid = (problem: string): Target => ({ ok: false, reason: "url_invalid", problem });

const forbidden = (host: string): Target => ({
  ok: false,
  reason: "target_forbidden",
  problem: `must not lead to ${host}, which this server is not allowed to reach`,
});

/** Whether a host is this machine by its own name or address, without asking a name server. */
export const isLoopbackHost = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, "");
  return (
    bare === "localhost" || (ipaddr.isValid(bare) && ipaddr.parse(bare).range() === "loopback")
  );
};
