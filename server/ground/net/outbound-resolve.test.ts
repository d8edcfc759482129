import { afterEach, describe, expect, test } from "bun:test";
import { movableClock } from "../../../tests/clock.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { type NameSays, startNameServer as playNameServer } from "../../../tests/name-server.ts";
import { createResolver, findInHosts, parseServer } from "./resolve.ts";

const NX = { rcode: 3 };
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startNameServer(names: Record<string, NameSays>, ttl?: number) {
  const server = await playNameServer(names, ttl);
  closers.push(server.stop);
  return server;
}

const resolverOf = (...servers: string[]) =>
  createResolver({ clock: movableClock(0), servers, timeoutMs: 150 });

describe("a name server's answer", () => {
  eachRow([
    ["both families", { A: ["8.8.8.8"], AAAA: ["2606:4700::1"] }, ["8.8.8.8", "2606:4700::1"]],
    ["one family", { AAAA: ["2606:4700::1"] }, ["2606:4700::1"]],
    ["too long for UDP", "too long", ["8.8.4.4"]],
  ] as const)("gives addresses", async (_, says, addresses) => {
    const server = await startNameServer({ "a.test": says as NameSays });

    expect(await resolverOf(server.address).resolve("a.test")).toEqual({
      ok: true,
      addresses: [...addresses],
    });
  });

  eachRow([
    ["no such name", { rcode: 3 }, "dns_nxdomain"],
    ["a name without addresses", {}, "dns_nodata"],
    ["a failure", { rcode: 2 }, "dns_servfail"],
    ["a refusal", { rcode: 5 }, "dns_refused"],
    ["not implemented", { rcode: 4 }, "dns_refused"],
    ["a format error", { rcode: 1 }, "dns_malformed"],
    ["nonsense", "nonsense", "dns_malformed"],
    ["silence", "silence", "dns_timeout"],
  ] as const)("differs from the others", async (_, says, reason) => {
    const server = await startNameServer({ "a.test": says as NameSays });

    expect(await resolverOf(server.address).resolve("a.test")).toEqual({ ok: false, reason });
  });

  test("is asked of a second server when the first is ill", async () => {
    const ill = await startNameServer({ "a.test": { rcode: 2 } });
    const well = await startNameServer({ "a.test": { A: ["8.8.8.8"] } });

    const resolver = resolverOf(ill.address, well.address);

    expect(await resolver.resolve("a.test")).toEqual({ ok: true, addresses: ["8.8.8.8"] });
    expect(await resolver.askEach("a.test")).toMatchObject([
      { reason: "dns_servfail" },
      { ok: true },
    ]);
  });

  test("of nothing but this machine gives way to a second server's", async () => {
    const filtering = await startNameServer({ "a.test": { A: ["0.0.0.0"] } });
    const well = await startNameServer({ "a.test": { A: ["8.8.8.8"] } });

    const resolve = (...servers: string[]) => resolverOf(...servers).resolve("a.test");

    expect(await resolve(filtering.address, well.address)).toMatchObject({
      addresses: ["8.8.8.8"],
    });
    expect(await resolve(filtering.address)).toMatchObject({ addresses: ["0.0.0.0"] });
  });

  test("that no server gives is a time-out", async () => {
    expect(await resolverOf("127.0.0.1:9").resolve("a.test")).toEqual({
      ok: false,
      reason: "dns_timeout",
    });
  });

  test("that cannot even be sent for, because no network leads there, is a time-out", async () => {
    // Nothing may be sent to all of a network unless it is asked for, so that this fails as if there were none.
    expect(await resolverOf("255.255.255.255").resolve("a.test")).toEqual({
      ok: false,
      reason: "dns_timeout",
    });
  });
});

describe("an address once found", () => {
  eachRow([
    [1, 29_999, 30_001],
    [60, 59_999, 60_001],
    [86_400, 599_999, 600_001],
  ])("is remembered between 30 s and 10 min", async (ttl, stillMs, goneMs) => {
    const clock = movableClock(0);
    const server = await startNameServer({ "a.test": { A: ["8.8.8.8"] } }, ttl);
    const resolver = createResolver({ clock, servers: [server.address] });
    await resolver.resolve("a.test");
    server.names["a.test"] = { A: ["9.9.9.9"] };

    clock.moveBy(stillMs);
    expect(await resolver.resolve("a.test")).toMatchObject({ addresses: ["8.8.8.8"] });
    clock.moveBy(goneMs - stillMs);
    expect(await resolver.resolve("a.test")).toMatchObject({ addresses: ["9.9.9.9"] });
  });

  test("is remembered, but a failure is not", async () => {
    const server = await startNameServer({ "a.test": NX });
    const resolver = resolverOf(server.address);
    await resolver.resolve("a.test");
    server.names["a.test"] = { A: ["8.8.8.8"] };

    expect(await resolver.resolve("a.test")).toMatchObject({ ok: true });
  });
});

describe("names that need no server:", () => {
  test("the hosts file comes first, with own servers and without", async () => {
    const server = await startNameServer({});

    expect(await resolverOf(server.address).resolve("localhost")).toMatchObject({ ok: true });
    expect(await resolverOf().resolve("localhost")).toMatchObject({ ok: true });
    expect(server.asked).toBe(0);
  });

  test("names under .invalid do not exist, and no server is asked", async () => {
    const server = await startNameServer({});

    for (const resolver of [resolverOf(), resolverOf(server.address)]) {
      expect(await resolver.resolve("never.invalid.")).toEqual({
        ok: false,
        reason: "dns_nxdomain",
      });
    }
    expect(server.asked).toBe(0);
  });

  test("the hosts file may hold comments, aliases and several addresses", () => {
    const text = "# mine\n10.0.0.1  wiki Wiki.corp # the wiki\n::1 wiki.corp\n\n10.0.0.2 other";

    expect(findInHosts(text, "WIKI.corp.")).toEqual(["10.0.0.1", "::1"]);
    expect(findInHosts(text, "mine")).toEqual([]);
  });
});

describe("the address of a name server", () => {
  eachRow([
    ["9.9.9.9", { address: "9.9.9.9", port: 53 }],
    ["9.9.9.9:5353", { address: "9.9.9.9", port: 5353 }],
    ["2620:fe::fe", { address: "2620:fe::fe", port: 53 }],
    ["[2620:fe::fe]:5353", { address: "2620:fe::fe", port: 5353 }],
  ])("can be read", (text, expected) => expect(parseServer(text)).toEqual(expected));

  eachRow(["dns.example", "9.9.9.9:0", "9.9.9.9:70000", "", "9.9.9"])(
    "cannot be anything else",
    (text) => expect(() => parseServer(text)).toThrow("is not an address of a name server"),
  );
});

describe("who serves a host's names", () => {
  test("is recognized by its domain, with what the host is an alias of", async () => {
    const server = await startNameServer({
      "www.shop.test": { CNAME: "Shops.Example.", A: ["8.8.8.8"] },
      "shop.test": { NS: ["NS1.Provider.test", "ns2.provider.test"] },
    });

    expect(await resolverOf(server.address).namesOf("www.shop.test")).toEqual({
      nameServers: ["ns1.provider.test", "ns2.provider.test"],
      aliases: ["shops.example"],
    });
  });

  test("is asked of the second server when the first is ill", async () => {
    const ill = await startNameServer({ "shop.test": { rcode: 2 } });
    const well = await startNameServer({ "shop.test": { NS: ["ns1.provider.test"] } });

    expect(await resolverOf(ill.address, well.address).namesOf("shop.test")).toEqual({
      nameServers: ["ns1.provider.test"],
      aliases: [],
    });
  });

  test("may be known by half", async () => {
    const server = await startNameServer({
      "www.shop.test": { rcode: 2 },
      "shop.test": { NS: ["ns1.provider.test"] },
    });

    expect(await resolverOf(server.address).namesOf("www.shop.test")).toEqual({
      nameServers: ["ns1.provider.test"],
      aliases: [],
    });
  });

  eachRow(["127.0.0.1", "[2606:4700::1111]", "intranet"])(
    "is not asked for what stands under no domain",
    async (host) => {
      const server = await startNameServer({});

      expect(await resolverOf(server.address).namesOf(host)).toBeNull();
      expect(server.asked).toBe(0);
    },
  );

  eachRow(["shop.test", "127.0.0.1"])("is not known when no server says so", async (host) => {
    const server = await startNameServer({ "shop.test": { rcode: 2 } });

    expect(await resolverOf(server.address).namesOf(host)).toBeNull();
  });
});

test("A resolver tells whether its servers were chosen by the operator", () => {
  expect(createResolver({ clock: movableClock(0) }).isChosen).toBe(false);
  expect(resolverOf("127.0.0.1:53").isChosen).toBe(true);
});

describe("name servers that are well", () => {
  const names = ["a.known", "b.known"];

  test("know at least one of the names that everybody knows", async () => {
    const one = await startNameServer({ "a.known": { A: ["8.8.8.8"] } });
    const two = await startNameServer({ "b.known": { AAAA: ["2606:4700::1"] } });

    expect(await resolverOf(one.address, two.address).answersFor(names)).toBe(true);
  });

  test("are all asked, and now", async () => {
    const well = await startNameServer({ "a.known": { A: ["8.8.8.8"] } });
    const lost = await startNameServer({});
    const resolver = resolverOf(well.address, lost.address);

    expect(await resolver.answersFor(names)).toBe(false);
    lost.names["b.known"] = { A: ["8.8.8.8"] };

    expect(await resolver.answersFor(names)).toBe(true);
  });

  eachRow([
    ["has the names without addresses", { "a.known": {}, "b.known": {} }],
    ["fails", { "a.known": { rcode: 2 }, "b.known": { rcode: 5 } }],
    ["is silent", { "a.known": "silence", "b.known": "silence" }],
  ] as [string, Record<string, NameSays>][])(
    "are not all well when one does not answer rightly",
    async (_, says) => {
      const well = await startNameServer({ "a.known": { A: ["8.8.8.8"] } });
      const ill = await startNameServer(says);

      expect(await resolverOf(well.address, ill.address).answersFor(names)).toBe(false);
      expect(await resolverOf(ill.address, well.address).answersFor(names)).toBe(false);
    },
  );

  test("are unknown without a name to ask for", async () => {
    const well = await startNameServer({ "a.known": { A: ["8.8.8.8"] } });

    expect(await resolverOf(well.address).answersFor([])).toBe(false);
  });
});
