import { expect, test } from "bun:test";
import { clientAddress, rangeOf } from "../../server/http/client-address.ts";

const PROXIES = ["10.0.0.1", "2001:db8::1"];

test.each([
  ["no proxy is trusted", "192.0.2.1", "198.51.100.7", [], "192.0.2.1"],
  ["the peer is no proxy of ours", "192.0.2.1", "198.51.100.7", PROXIES, "192.0.2.1"],
  ["a proxy names nobody", "10.0.0.1", null, PROXIES, "10.0.0.1"],
  ["a proxy names its client", "10.0.0.1", "198.51.100.7", PROXIES, "198.51.100.7"],
  ["the client names somebody else", "10.0.0.1", "1.2.3.4, 198.51.100.7", PROXIES, "198.51.100.7"],
  ["two proxies in a row", "10.0.0.1", "198.51.100.7, 2001:db8::1", PROXIES, "198.51.100.7"],
  ["an IPv4 peer in an IPv6 coat", "::ffff:10.0.0.1", "198.51.100.7", PROXIES, "198.51.100.7"],
  ["a client that names nonsense", "10.0.0.1", "unknown", PROXIES, "10.0.0.1"],
  ["only proxies", "10.0.0.1", "10.0.0.1", PROXIES, "10.0.0.1"],
])("when %s, the client of %s with %p is known", (_, peer, forwarded, trusted, expected) => {
  expect(clientAddress(peer, forwarded, trusted)).toBe(expected);
});

test("addresses of one IPv6 /64 count as one, and every IPv4 address by itself", () => {
  expect(rangeOf("2001:db8:1:2::1")).toBe(rangeOf("2001:db8:1:2:ffff::9"));
  expect(rangeOf("2001:db8:1:2::1")).not.toBe(rangeOf("2001:db8:1:3::1"));
  expect(rangeOf("192.0.2.1")).not.toBe(rangeOf("192.0.2.2"));
});
