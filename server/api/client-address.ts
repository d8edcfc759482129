import ipaddr from "ipaddr.js";

/** Prefixes of IPv6 networks that one customer may hold whole, the usual one first. */
const IPV6_PREFIXES = [64, 56, 48];

/** Whether an address is a trusted proxy's. */
type IsTrusted = (address: string) => boolean;

/** @param proxies IP addresses and CIDR ranges, as the setting holds them */
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
 * The client's address. `X-Forwarded-For` is believed only from trusted proxies; the rightmost
 * address that is not one of them counts, since everything left of it is the client's own word.
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
 * The networks that limits count an address by, the narrowest first: an IPv4 address alone; the /64, /56 and /48 of an
 * IPv6 one, since a customer with many of the narrow ones would have as many limits.
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

/** Whether the address can only be reached from a network of our own, as a proxy in front of us usually is. */
export const isPrivate = (address: string): boolean =>
  ipaddr.isValid(address) && PRIVATE.has(ipaddr.process(address).range());

const PRIVATE = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** `::ffff:192.0.2.1` is IPv4 address 192.0.2.1 written as IPv6. */
const plain = (address: string) =>
  address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
