import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { freePort } from "../../tests/free-port.ts";
import {
  type Asker,
  ENGINES,
  onServer,
  startServer,
  type TestServer,
} from "../../tests/harness.ts";
import { startNameServer } from "../../tests/name-server.ts";
import { deliveriesOf, makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { startRawSite } from "../../tests/site.ts";
import { webhooks } from "../ground/db/tables.ts";
import { sealedUrl } from "./secrets.ts";

/** Names of which a name server says that they are inside. */
const NAMES = {
  "loopback.example": { A: ["127.0.0.1"] },
  "loopback6.example": { AAAA: ["::1"] },
  "mapped.example": { AAAA: ["::ffff:127.0.0.1"] },
  "nowhere.example": { A: ["0.0.0.0"], AAAA: ["::"] },
  "private.example": { A: ["10.0.0.1", "192.168.1.1"], AAAA: ["fd12::1"] },
  "metadata.example": { A: ["169.254.169.254"], AAAA: ["fd00:ec2::254"] },
  "alias.example": { CNAME: "loopback.example", A: ["127.0.0.1"] },
};

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ address }) => !address.startsWith("fe80"))
  .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));

/** Hosts that lead to this machine, in every way to write them. */
const HERE = [
  ...["127.0.0.1", "127.1", "127.8.8.8", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "0", "0.0.0.0"],
  ...[
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
  ],
  ...["localhost", "LOCALHOST.", "a.localhost", ...ownAddresses],
  ...["loopback.example", "loopback6.example", "mapped.example", "alias.example"],
];

/** Hosts that lead inside, where no one listens for this test. */
const INSIDE = [
  ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "168.63.129.16"],
  ...["198.18.0.1", "224.0.0.1", "255.255.255.255", "[fd12::1]", "[fe80::1]", "[ff02::1]"],
  ...["[2002:a00:1::]", "[64:ff9b::a00:1]", "[fd00:ec2::254]", "metadata.google.internal"],
  ...["private.example", "metadata.example"],
];

describe.each(ENGINES)("where webhooks may not lead on %s", (engine) => {
  let server: TestServer;
  let names: Awaited<ReturnType<typeof startNameServer>>;
  let listener: Awaited<ReturnType<typeof startRawSite>>;

  beforeAll(async () => {
    names = await startNameServer(NAMES);
    // Of both families.
    listener = await startRawSite((socket) => socket.end("HTTP/1.1 204 Open\r\n\r\n"), {
      host: "::",
    });
    server = await startServer(engine, {
      STILLUP_WEBHOOK_ALLOWED_HOSTS: "external",
      STILLUP_DNS_SERVERS: names.address,
    });
  });

  afterAll(async () => {
    await server.stop();
    await listener.stop();
    names.stop();
  });

  afterEach(async () => {
    await server.deps.store.delete(webhooks);
  });

  /** A webhook to where none may be made to lead, as when it was allowed once. */
  async function webhookTo(me: Asker, url: string) {
    const webhook = await subscribe(me, "https://example.com/");
    const { store } = server.deps;
    await store
      .update(webhooks)
      .set(sealedUrl(url, server.deps.secrets))
      .where(eq(webhooks.id, webhook.id));
    return webhook;
  }

  const urlsOf = (hosts: string[]) => hosts.map((host) => `http://${host}:${listener.port}/hook`);

  test("nothing is delivered: each attempt is recorded as blocked, and no connection is made", async () => {
    const me = await server.account("enterprise");
    const urls = urlsOf([...HERE, ...INSIDE]);
    const made = [];
    for (const url of urls) made.push(await webhookTo(me, url));
    await makeNews(me);
    const fetched = spyOn(globalThis, "fetch");

    while ((await deliverDue(server.deps)) > 0);
    const asked = fetched.mock.calls.map(([url]) => String(url));
    fetched.mockRestore();

    const rows = await Promise.all(made.map(({ id }) => deliveriesOf(server, id)));
    const seen = rows.map(([row], i) => [urls[i], row!.status, row!.lastError]);
    expect(seen).toEqual(urls.map((url) => [url, "failed", "blocked"]));
    expect(asked).toEqual([]);
    expect(listener.connections).toBe(0);
  });

  test("no test is sent: each is reported as blocked, and no connection is made", async () => {
    const seen: unknown[] = [];
    for (const url of urlsOf([...HERE, ...INSIDE])) {
      const me = await server.account();
      const { path } = await webhookTo(me, url);
      const { message, response } = (await me.post(`${path}/test`)).body.data;
      seen.push([url, message, response.statusCode]);
    }

    expect(seen).toEqual(urlsOf([...HERE, ...INSIDE]).map((url) => [url, "blocked", 0]));
    expect(listener.connections).toBe(0);
  });

  test("a name that leads to no address at all is reported as one that does not exist", async () => {
    const me = await server.account();
    const { path } = await webhookTo(me, `http://nowhere.example:${listener.port}/`);

    expect((await me.post(`${path}/test`)).body.data.message).toBe("dns");
    expect(listener.connections).toBe(0);
  });

  test("a port that is open answers like one that is closed", async () => {
    const me = await server.account();
    const open = await webhookTo(me, `http://127.0.0.1:${listener.port}/`);
    const closed = await webhookTo(me, `http://127.0.0.1:${freePort()}/`);

    const replies = [await me.post(`${open.path}/test`), await me.post(`${closed.path}/test`)];

    expect(replies[0]!.body).toEqual(replies[1]!.body);
    expect(replies[0]!.body.data).toEqual({
      success: false,
      message: "blocked",
      response: { statusCode: 0, duration: expect.any(Number) },
    });
    expect(listener.connections).toBe(0);
  });

  test("no webhook is made or changed to lead there, as far as the URL tells", async () => {
    const me = await server.account();
    const { path } = await subscribe(me, "https://example.com/");
    const hosts = [...HERE, ...INSIDE].filter((host) => !host.endsWith(".example"));

    const seen: unknown[] = [];
    for (const url of urlsOf(hosts)) {
      const made = await me.post("/api/v1/webhooks", { url, events: ["link.dead"] });
      const changed = await me.patch(path, { url });
      seen.push([url, made.status, changed.status]);
    }

    expect(seen).toEqual(urlsOf(hosts).map((url) => [url, 400, 400]));
    expect((await me.get(path)).body.data.url).toBe("https://example.com/");
  });
});

onServer("a receiver that sends us elsewhere", (server) => {
  eachRow([300, 301, 302, 303, 307, 308])(
    "with %i is not followed, not even to where we may send",
    async (code) => {
      const me = await server().account();
      const elsewhere = await startRawSite((socket) => socket.end());
      const headers = { location: elsewhere.url };
      const receiver = startReceiver(() => new Response(null, { status: code, headers }));
      const { id, path } = await subscribe(me, receiver.url);
      await makeNews(me);

      await deliverDue(server().deps);
      const { body } = await me.post(`${path}/test`);

      expect((await deliveriesOf(server(), id))[0]).toMatchObject({
        status: "failed",
        lastStatusCode: code,
        lastError: null,
      });
      expect(body.data.message).toBe(`The receiver answered ${code}.`);
      expect(receiver.requests).toHaveLength(2);
      expect(elsewhere.connections).toBe(0);
      await elsewhere.stop();
    },
  );
});
