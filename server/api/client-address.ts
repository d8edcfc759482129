import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import { HOUR } from "./rate-limit.ts";

/** Peers whose `X-Forwarded-For` was reported as ignored. */
const MOST_REPORTED = 100;
/** Prefixes of IPv6 networks that one customer may have, the usual one first. */
const IPV6_PREFIXES = [64, 56, 48];

/** Returns the client's address of a request, and logs peers that look like our own proxies but are not trusted. */
export function clientAddresses({ config, clock }: Deps) {
  const isTrusted = trustedProxies(config.trustedProxies);
  const reported = new LRUCache<string, number>({ max: MOST_REPORTED });
  return (request: Request, peer: string): string => {
    const forwarded = request.headers.get("x-forwarded-for");
    if (forwarded && isPrivate(peer) && !isTrusted(peer)) report(peer);
    return clientAddress(peer, forwarded, isTrusted);
  };

  function report(peer: string) {
    const at = reported.get(peer);
    if (at !== undefined && clock.elapsed() - at < HOUR) return;
    reported.set(peer, clock.elapsed());
    log.warn("X-Forwarded-For ignored: the peer is not in STILLUP_TRUSTED_PROXIES", { peer });
  }
}

type IsTrusted = (address: string) => boolean;

/** @param proxies IP addresses and CIDR ranges */
export function trustedProxies(proxies: string[]): IsTrusted {
  const ranges = proxies.map(parseRange);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => {
      return network.kind() === parsed.kind() && parsed.match([network, bits]);
    });
  };
}

/** @throws when the text is neither an IP address nor a CIDR range */
function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * The client's address. `X-Forwarded-For` is used only from trusted proxies: its rightmost address that is not a
 * trusted proxy, since the client may have sent everything left of it.
 */
export function clientAddress(
  peer: string,
  forwarded: string | null,
  isTrusted: IsTrusted,
): string {
  if (!forwarded || !isTrusted(plain(peer))) return plain(peer);
  const named = forwarded.split(",").map((part) => plain(part.trim()));
  const client = named.findLast((address) => !isTrusted(address));
  return client && ipaddr.isValid(client) ? client : plain(peer);
}

/**
 * The networks that count against limits for an address, the narrowest first: for IPv4 the address itself, for IPv6 its
 * /64, /56 and /48, since a customer with many narrow networks would otherwise have as many limits.
 */
export function rangesOf(address: string): [string, ...string[]] {
  if (!ipaddr.IPv6.isValid(address)) return [address];
  const parts = ipaddr.IPv6.parse(address);
  const [usual, ...wider] = IPV6_PREFIXES.map((bits) => {
    const network = ipaddr.IPv6.networkAddressFromCIDR(`${parts}/${bits}`);
    return `${network}/${bits}`;
  });
  return [usual!, ...wider];
}

/** The narrowest of them. */
export const rangeOf = (address: string): string => rangesOf(address)[0];

/** Whether the address is one of a private network, as that of a proxy in front of us usually is. */
const isPrivate = (address: string): boolean =>
  ipaddr.isValid(address) && PRIVATE.has(ipaddr.process(address).range());

const PRIVATE = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** `::ffff:192.0.2.1` is IPv4 address 192.0.2.1 written as IPv6. */
const plain = (address: string) =>
  address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
