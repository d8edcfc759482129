import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer, startServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { apiKeys, audit } from "../ground/db/tables.ts";
import { apiKeyOf, isApiKey } from "../ground/lib/ids.ts";
import { log } from "../ground/lib/log.ts";
import { createMeter } from "./usage.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const NO_LIMIT = {
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
};

/** Without a socket, which would take most of the time. */
async function statusOf(server: TestServer, key: string, path = "/api/v1/usage") {
  const headers = { authorization: `Bearer ${key}` };
  const response = await server.front(new Request(`http://127.0.0.1${path}`, { headers }));
  await response.body?.cancel();
  return response.status;
}

/** A key of the right form, with its checksum. */
const guess = () => {
  const picks = crypto.getRandomValues(new Uint8Array(32));
  return apiKeyOf([...picks].map((pick) => ALPHABET[pick % ALPHABET.length]).join(""));
};

onServer(
  "an API key",
  (server) => {
    const idOf = async (me: Asker) => (await me.get("/api/v1/keys")).body.data.items[0].id;

    test("is not met by any of many guesses of the right form, and near ones have a wrong checksum", async () => {
      const { key } = await server().account();
      const near = [...key.slice(3, -6)].map((letter, i) => {
        const other = letter === "a" ? "b" : "a";
        return `${key.slice(0, 3 + i)}${other}${key.slice(4 + i)}`;
      });

      const statuses = new Set<number>();
      for (let i = 0; i < 1000; i++) statuses.add(await statusOf(server(), guess()));

      expect([...statuses]).toEqual([401]);
      expect(near.filter(isApiKey)).toEqual([]);
      expect(await statusOf(server(), key)).toBe(200);
    });

    test("is written for at most once a minute, however often it reads", async () => {
      const me = await server().account();
      const { store, clock } = server().deps;
      const id: string = await idOf(me);
      const meter = createMeter(store, clock);
      const moments = new Set<number | null>();

      // Two minutes of reads, written every second as the server does.
      for (let i = 1; i <= 10_000; i++) {
        meter.countRequest(me.accountId, id);
        if (i % 84 > 0) continue;
        await meter.flush();
        const [row] = await store.select().from(apiKeys).where(eq(apiKeys.id, id));
        moments.add(row!.lastUsedAt);
        server().clock.moveBy(1000);
      }

      expect(moments.size).toBe(2);
    });

    test("reads without a write", async () => {
      const { key } = await server().account();
      const { engine } = server().deps.store;
      const before = engine.version();

      for (let i = 0; i < 100; i++) expect(await statusOf(server(), key)).toBe(200);

      expect(engine.version()).toBe(before);
    });
  },
  NO_LIMIT,
);

test("an API key is shown by its beginning only, in errors, in the log and in what is recorded", async () => {
  // Before the server, which looks once whether requests are logged.
  const lines = await logLines("debug");
  const server = await startServer("sqlite");
  const me = await server.account();
  const { key } = me;
  const shown = key.slice(0, 9);

  const replies = [
    await me.get(`/api/v1/${key}`),
    await me.get(`/api/v1/keys/${key}`),
    await server.asker("").get(`/api/v1/links?key=${key}`),
    await server.asker(`${key}x`).get("/api/v1/links"),
    await me.get(`/api/v1/links?page=${key}`),
  ];
  log.error("something failed", { error: `no such thing as ${key}` });
  await me.post("/api/v1/groups", { name: "by a key" });

  const bodies = replies.map(({ body }) => JSON.stringify(body)).join("\n");
  expect(replies.every(({ status }) => status >= 400)).toBe(true);
  expect(bodies).not.toContain(key);
  expect(lines.join("\n")).not.toContain(key);
  expect(lines.join("\n")).toContain(`/api/v1/keys/${shown}…`);
  expect(lines.join("\n")).toContain(`no such thing as ${shown}…`);
  const entries = await server.deps.store
    .select()
    .from(audit)
    .where(eq(audit.accountId, me.accountId));
  expect(JSON.stringify(entries)).not.toContain(key);
  expect(entries.filter(({ actorKind }) => actorKind === "key").map((e) => e.actorName)).toEqual(
    entries.filter(({ actorKind }) => actorKind === "key").map(() => shown),
  );
  await server.stop();
});
