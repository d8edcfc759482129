import ipaddr from "ipaddr.js";

/** Bytes of an IPv6 address that one customer usually holds whole. */
const IPV6_RANGE_BYTES = 8;

/**
 * The client's address. `X-Forwarded-For` is believed only from trusted proxies; the rightmost
 * address that is not one of them counts, since everything left of it is the client's own word.
 */
export function clientAddress(peer: string, forwarded: string | null, trusted: string[]): string {
  if (!forwarded || !trusted.includes(plain(peer))) return plain(peer);
  const named = forwarded.split(",").map((part) => plain(part.trim()));
  const client = named.findLast((address) => !trusted.includes(address));
  return client && ipaddr.isValid(client) ? client : plain(peer);
}

/** What limits by address count as one: an IPv4 address, or the /64 of an IPv6 one. */
export function rangeOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const range = ipaddr.IPv6.parse(address).toByteArray().slice(0, IPV6_RANGE_BYTES);
  return Buffer.from(range).toString("hex");
}

/** `::ffff:192.0.2.1` is 192.0.2.1 in an IPv6 coat. */
const plain = (address: string) =>
  address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
