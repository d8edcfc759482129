import { afterEach, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { type AddressInfo, createServer } from "node:net";
import { decode, encode, streamDecode, streamEncode } from "dns-packet";
import { findInHosts } from "../../server/outbound/hosts-file.ts";
import { createResolver, parseServer } from "../../server/outbound/resolve.ts";
import { movableClock } from "../clock.ts";

/** What a played name server says for a name: addresses, a code, silence, nonsense, or "ask by TCP". */
type Says = { A?: string[]; AAAA?: string[]; rcode?: number } | "silence" | "nonsense" | "too long";
type Query = { id: number; questions: { type: string; name: string }[] };

const CUT_SHORT = 1 << 9;
const NX = { rcode: 3 };
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A name server on 127.0.0.1, over UDP and TCP on the same port. `asked` counts questions. */
async function startNameServer(names: Record<string, Says>, ttl = 60) {
  const udp = createSocket("udp4");
  const server = { address: "", asked: 0, names };
  const reply = ({ id, questions }: Query, says: Exclude<Says, string>, flags = 0) => {
    const { type, name } = questions[0]!;
    const found = (type === "A" ? says.A : says.AAAA) ?? [];
    const answers = found.map((data) => ({ type, name, ttl, data }));
    return {
      type: "response" as const,
      id,
      flags: flags | (says.rcode ?? 0),
      questions: questions,
      answers,
    };
  };
  udp.on("message", (bytes, from) => {
    const query = decode(bytes);
    const says = server.names[query.questions[0]!.name] ?? NX;
    server.asked += 1;
    if (says === "silence") return;
    if (says === "nonsense") return udp.send(bytes.subarray(0, 7), from.port, from.address);
    if (says === "too long")
      return udp.send(encode(reply(query, {}, CUT_SHORT)), from.port, from.address);
    udp.send(encode(reply(query, says)), from.port, from.address);
  });
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes: Buffer) =>
      socket.write(streamEncode(reply(streamDecode(bytes), { A: ["8.8.4.4"] }))),
    );
  });
  // TCP chooses the port, since nearly all that is taken on this machine is taken there.
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const { port } = tcp.address() as AddressInfo;
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  closers.push(
    () => udp.close(),
    () => tcp.close(),
  );
  server.address = `127.0.0.1:${port}`;
  return server;
}

const resolverOf = (...servers: string[]) =>
  createResolver({ clock: movableClock(0), servers, timeoutMs: 150 });

describe("a name server's answer", () => {
  test.each([
    ["both families", { A: ["8.8.8.8"], AAAA: ["2606:4700::1"] }, ["8.8.8.8", "2606:4700::1"]],
    ["one family", { AAAA: ["2606:4700::1"] }, ["2606:4700::1"]],
    ["too long for UDP", "too long", ["8.8.4.4"]],
  ] as const)("with %s gives addresses", async (_, says, addresses) => {
    const server = await startNameServer({ "a.test": says as Says });

    expect(await resolverOf(server.address).resolve("a.test")).toEqual({
      ok: true,
      addresses: [...addresses],
    });
  });

  test.each([
    ["no such name", { rcode: 3 }, "dns_nxdomain"],
    ["a name without addresses", {}, "dns_nodata"],
    ["a failure", { rcode: 2 }, "dns_servfail"],
    ["a refusal", { rcode: 5 }, "dns_refused"],
    ["not implemented", { rcode: 4 }, "dns_refused"],
    ["a format error", { rcode: 1 }, "dns_malformed"],
    ["nonsense", "nonsense", "dns_malformed"],
    ["silence", "silence", "dns_timeout"],
  ] as const)("%s is told from the others", async (_, says, reason) => {
    const server = await startNameServer({ "a.test": says as Says });

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

  test("that nobody gives, because no server is there, is a time-out", async () => {
    expect(await resolverOf("127.0.0.1:9").resolve("a.test")).toEqual({
      ok: false,
      reason: "dns_timeout",
    });
  });
});

describe("an address once found", () => {
  test.each([
    [1, 29_999, 30_001],
    [60, 59_999, 60_001],
    [86_400, 599_999, 600_001],
  ])("with a TTL of %i s is remembered between 30 s and 10 min", async (ttl, stillMs, goneMs) => {
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

  test("names under .invalid do not exist, and nobody is asked", async () => {
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
  test.each([
    ["9.9.9.9", { address: "9.9.9.9", port: 53 }],
    ["9.9.9.9:5353", { address: "9.9.9.9", port: 5353 }],
    ["2620:fe::fe", { address: "2620:fe::fe", port: 53 }],
    ["[2620:fe::fe]:5353", { address: "2620:fe::fe", port: 5353 }],
  ])("%s can be read", (text, expected) => expect(parseServer(text)).toEqual(expected));

  test.each(["dns.example", "9.9.9.9:0", "9.9.9.9:70000", "", "9.9.9"])("%p cannot", (text) =>
    expect(() => parseServer(text)).toThrow("is not an address of a name server"),
  );
});
