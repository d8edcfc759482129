import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { startServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { readConfig } from "../ground/config/config.ts";
import { clientAddress, rangeOf, rangesOf, trustedProxies } from "./caller.ts";

const PROXIES = ["10.0.0.1", "2001:db8::1"];

eachRow([
  ["no proxy is trusted", "192.0.2.1", "198.51.100.7", [], "192.0.2.1"],
  ["the peer is not one of our proxies", "192.0.2.1", "198.51.100.7", PROXIES, "192.0.2.1"],
  ["a proxy names no client", "10.0.0.1", null, PROXIES, "10.0.0.1"],
  ["a proxy names its client", "10.0.0.1", "198.51.100.7", PROXIES, "198.51.100.7"],
  ["the client names someone else", "10.0.0.1", "1.2.3.4, 198.51.100.7", PROXIES, "198.51.100.7"],
  ["two proxies in a row", "10.0.0.1", "198.51.100.7, 2001:db8::1", PROXIES, "198.51.100.7"],
  ["an IPv4 peer in an IPv6 coat", "::ffff:10.0.0.1", "198.51.100.7", PROXIES, "198.51.100.7"],
  ["a client that names nonsense", "10.0.0.1", "unknown", PROXIES, "10.0.0.1"],
  ["only proxies", "10.0.0.1", "10.0.0.1", PROXIES, "10.0.0.1"],
])("when %s, the client of %s with %p is known", (_, peer, forwarded, trusted, expected) => {
  expect(clientAddress(peer, forwarded, trustedProxies(trusted))).toBe(expected);
});

eachRow([
  ["10.1.2.3", true],
  ["::ffff:10.1.2.3", true],
  ["11.0.0.1", false],
  ["fd00:1::9", true],
  ["fe00::1", false],
  ["192.0.2.1", true],
  ["unknown", false],
])("a proxy at %s is in one of the trusted ranges: %p", (address, expected) => {
  const isTrusted = trustedProxies(["10.0.0.0/8", "fd00::/8", "192.0.2.1"]);

  expect(isTrusted(address)).toBe(expected);
});

test("an IPv6 address counts by its /64, /56 and /48, and an IPv4 address alone", () => {
  expect(rangesOf("2001:db8:1:2ff::1")).toEqual([
    "2001:db8:1:2ff::/64",
    "2001:db8:1:200::/56",
    "2001:db8:1::/48",
  ]);
  expect(rangesOf("192.0.2.1")).toEqual(["192.0.2.1"]);
});

test("a private peer that is not trusted is reported once an hour, with the setting to change", async () => {
  const server = await startServer("sqlite");
  const lines = await logLines("warning", "json");
  const ask = () =>
    fetch(`${server.url}/api/v1/links`, { headers: { "x-forwarded-for": "1.2.3.4" } });
  const warnings = () => lines.filter((line) => line.includes("STILLUP_TRUSTED_PROXIES"));

  for (let i = 0; i < 3; i++) await ask();
  const first = warnings();
  server.clock.moveBy(3_600_000);
  await ask();

  expect(first).toHaveLength(1);
  expect(JSON.parse(first[0]!)).toMatchObject({ level: "warning", peer: "127.0.0.1" });
  expect(warnings()).toHaveLength(2);
  await server.stop();
});

test("addresses of one IPv6 /64 count as one, and every IPv4 address separately", () => {
  expect(rangeOf("2001:db8:1:2::1")).toBe(rangeOf("2001:db8:1:2:ffff::9"));
  expect(rangeOf("2001:db8:1:2::1")).not.toBe(rangeOf("2001:db8:1:3::1"));
  expect(rangeOf("192.0.2.1")).not.toBe(rangeOf("192.0.2.2"));
});

test("trusted proxies are set as addresses and CIDR ranges, and nothing else", () => {
  const set = (text: string) => () => readConfig({ STILLUP_TRUSTED_PROXIES: text });

  expect(set("10.0.0.0/8, fd00::/8,192.0.2.1")().trustedProxies).toHaveLength(3);
  for (const wrong of ["10.0.0.0/33", "10.0.0.0/", "proxy", "10.0/8"]) {
    expect(set(wrong)).toThrow("must be a list of IP addresses and CIDR ranges");
  }
});
