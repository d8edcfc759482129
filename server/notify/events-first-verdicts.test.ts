import { afterEach, expect } from "bun:test";
import { ALIVE, checkAll, GONE } from "../../tests/batches/playing.ts";
import { DAY } from "../../tests/checker/ended.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { deliverAll, deliveriesOf, startReceiver, subscribe } from "../../tests/receiver.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import { completeBatches } from "../links/complete-batches.ts";

const MINUTE = 60_000;
/** Links of one request, fewer than are pasted. */
const PART = sized(200, 1000);
const CHANGES = ["link.dead", "link.alive"];

let pastes = 0;

/** So many links as a person pastes them, in the parts in which the dashboard sends them. */
async function paste(me: Asker, count: number): Promise<void> {
  pastes++;
  const made = Array.from({ length: count }, (_, n) => ({
    url: `https://example.org/${pastes}/${n}${n % 100 === 37 ? "/gone" : ""}`,
    check_frequency: "monthly",
  }));
  for (const links of chunksOf(PART, made)) await me.post("/api/v1/links/batch", { links });
}

const endOf = (url: string) => (url.endsWith("/gone") ? GONE : ALIVE);

/** Checks what is due, some at a time, and delivers after each part. */
async function checkInParts(server: TestServer, atOnce: number): Promise<void> {
  const config = { ...server.deps.config, checkConcurrency: atOnce };
  const check = async ({ url }: { url: string }) => endOf(url);
  while ((await checkDueLinks({ ...server.deps, config, check })) > 0) {
    server.clock.moveBy(20_000);
    await completeBatches(server.deps);
    await deliverAll(server);
  }
}

async function pass(server: TestServer, ms: number): Promise<void> {
  server.clock.moveBy(ms);
  await completeBatches(server.deps);
  // A look that closes a digest leaves it to the next one.
  await deliverAll(server);
  await deliverAll(server);
}

async function chatOf(me: Asker, events: string[], firstVerdicts: boolean) {
  const receiver = startReceiver(200);
  const { id, path } = await subscribe(me, receiver.url, events, "slack");
  await me.patch(path, { first_verdicts: firstVerdicts });
  const heads = () => receiver.requests.map(({ body }) => JSON.parse(String(body)).text as string);
  const lines = (): string[] =>
    JSON.parse(String(receiver.requests.at(-1)!.body)).blocks[1].text.text.split("\n");
  return { id, path, receiver, heads, lines };
}

onServer("first verdicts", (server, { test, testOnBoth }) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
    await server().deps.store.delete(events);
  });

  test("of thousands of pasted links reach only those who ask, a chat in a few digests", async () => {
    // PostgreSQL takes long for 10,000, and shows nothing that it does not show with 2,000.
    const pasted = sized(500, server().deps.store.engine.name === "sqlite" ? 10_000 : 2000);
    const me = await server().account("business");
    const program = await subscribe(me, startReceiver().url, ["link.alive"]);
    await me.patch(program.path, { first_verdicts: false });
    const quiet = await chatOf(me, ["link.alive"], false);
    const chat = await chatOf(me, CHANGES, true);
    await paste(me, pasted);

    await checkInParts(server(), pasted / 20);
    await pass(server(), MINUTE);
    await pass(server(), 10 * MINUTE);

    expect(await deliveriesOf(server(), program.id)).toHaveLength(0);
    expect(await deliveriesOf(server(), quiet.id)).toHaveLength(0);
    expect(quiet.heads()).toEqual([]);
    const rows = await deliveriesOf(server(), chat.id);
    const digests = rows.filter(({ type }) => type === "digest");
    expect(rows.filter(({ status }) => status === "digested")).toHaveLength(pasted);
    expect(digests.length).toBeLessThanOrEqual(3);
    expect(chat.heads()).toHaveLength(digests.length);
    const counts = chat
      .heads()
      .flatMap((head) => head.replaceAll(",", "").match(/\d+/g)!.map(Number));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(pasted);
  });

  test("of a batch that are dead come as one digest, the dead named first", async () => {
    const me = await server().account();
    const chat = await chatOf(me, CHANGES, true);
    await paste(me, 300);

    await checkAll(server(), endOf);
    await pass(server(), 0);
    expect(chat.heads()).toEqual([]);
    await pass(server(), MINUTE);

    expect(chat.heads()).toEqual(["*3 links are dead, 297 are alive*"]);
    const dead = chat
      .lines()
      .slice(0, 4)
      .map((line) => line.startsWith("Dead: "));
    expect(dead).toEqual([true, true, true, false]);
  });

  test("that are dead are sent to people, and all of them to programs", async () => {
    const me = await server().account();
    const program = startReceiver();
    await subscribe(me, program.url, CHANGES);
    const chat = await chatOf(me, CHANGES, false);
    await paste(me, 200);

    await checkAll(server(), endOf);
    await pass(server(), 0);
    await pass(server(), MINUTE);

    expect(chat.heads()).toEqual(["*2 links are dead*"]);
    const events = program.requests.map(({ body }) => JSON.parse(String(body)).event);
    expect(events.filter((event) => event === "link.dead")).toHaveLength(2);
    expect(events.filter((event) => event === "link.alive")).toHaveLength(198);
  });

  test("of a link that was added alone are sent at once", async () => {
    const me = await server().account();
    const chat = await chatOf(me, CHANGES, true);
    const url = `https://example.org/${crypto.randomUUID()}`;
    await me.post("/api/v1/links", { url });

    await checkAll(server(), endOf);
    await pass(server(), 0);

    expect(chat.heads()).toEqual([`*Alive:* <${url}>`]);
  });

  test("are not a recovery, and a recovery is sent to everyone", async () => {
    const me = await server().account();
    const program = startReceiver();
    const { path } = await subscribe(me, program.url, CHANGES);
    await me.patch(path, { first_verdicts: false });
    await me.post("/api/v1/links", { url: `https://example.org/${crypto.randomUUID()}` });
    const turn = async (end: typeof ALIVE) => {
      await checkAll(server(), () => end);
      await pass(server(), 2 * DAY);
    };

    await turn(ALIVE);
    const afterFirst = program.requests.length;
    await turn(GONE);
    await turn(ALIVE);

    expect(afterFirst).toBe(0);
    const names = program.requests.map(({ body }) => JSON.parse(String(body)).event);
    expect(names).toEqual(["link.dead", "link.alive"]);
  });

  test("wait in a digest no longer than a quarter of an hour, and delay nothing else", async () => {
    const me = await server().account();
    const chat = await chatOf(me, [...CHANGES, "link.deleted"], true);
    const spare = (
      await me.post("/api/v1/links", { url: `https://example.org/${crypto.randomUUID()}` })
    ).body.data.id;
    await paste(me, 100);
    const config = { ...server().deps.config, checkConcurrency: 50 };
    await checkDueLinks({ ...server().deps, config, check: async () => ALIVE });

    await pass(server(), 0);
    await pass(server(), 5 * MINUTE);
    const before = chat.heads().filter((head) => head.includes("links"));
    await me.delete(`/api/v1/links/${spare}`);
    await pass(server(), 0);
    const deleted = chat.heads().filter((head) => head.startsWith("*Deleted:*"));
    await pass(server(), 10 * MINUTE);

    expect(before).toEqual([]);
    expect(deleted).toHaveLength(1);
    expect(chat.heads().filter((head) => /^\*\d+ links are alive\*$/.test(head))).toHaveLength(1);
  });

  testOnBoth("of a batch are in one digest also when two nodes deliver", async () => {
    const me = await server().account();
    const chat = await chatOf(me, CHANGES, true);
    await paste(me, 300);
    const other = { deps: server().deps };

    await checkAll(server(), endOf);
    for (let n = 0; n < 4; n++) {
      await Promise.all([deliverAll(server()), deliverAll(other)]);
      await completeBatches(server().deps);
      server().clock.moveBy(MINUTE);
    }
    await deliverAll(server());

    expect(chat.heads()).toEqual(["*3 links are dead, 297 are alive*"]);
    const rows = await server().deps.store.select().from(deliveries);
    expect(rows.filter(({ type, digestId }) => type !== "digest" && digestId === null)).toEqual([]);
  });
});
