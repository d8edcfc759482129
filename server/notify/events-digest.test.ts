import { afterEach, expect } from "bun:test";
import { MINUTE_MS, oneByOne, openChat } from "../../tests/events/chat.ts";
import { onServer, type Parsed } from "../../tests/harness.ts";
import {
  deliverAll,
  deliveriesOf,
  hoursPass,
  makeMuchNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { webhooks } from "../ground/db/tables.ts";

onServer("a chat with many events", (server, { test, testOnBoth }) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("gets ten events at once one by one", async () => {
    const chat = await openChat(server());

    await chat.news(10);
    await chat.pass(0);
    await chat.pass(2 * MINUTE_MS);

    expect(chat.heads()).toHaveLength(10);
    expect(chat.heads().every((head) => head.startsWith("*Added:* <https://example.org/"))).toBe(
      true,
    );
    expect(await chat.statuses()).toEqual({ succeeded: 10 });
  });

  test("gets eleven events at once in one message, at once", async () => {
    const chat = await openChat(server());

    await chat.news(11);
    await chat.pass(0);
    await chat.pass(2 * MINUTE_MS);

    expect(chat.heads()).toEqual(["*11 links were added*"]);
    const lines = chat.lines();
    expect(lines).toHaveLength(12);
    expect(lines[0]).toStartWith("Added: <https://example.org/");
    expect(lines[10]).toBe("and 1 more");
    expect(await chat.statuses()).toEqual({ digested: 11 });
  });

  test("gets the number of each kind, and the first ten", async () => {
    const chat = await openChat(server());
    const { body } = await chat.me.post("/api/v1/links", { url: "https://example.org/first" });
    await chat.news(14);
    await chat.me.delete(`/api/v1/links/${body.data.id}`);

    await chat.pass(0);

    expect(chat.heads()).toEqual(["*15 links were added, 1 was deleted*"]);
    expect(chat.lines()[0]).toContain("https://example.org/first");
    expect(chat.lines()[10]).toBe("and 6 more");
  });

  testOnBoth("gets events one by one, until there are too many in a minute", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 10);

    await oneByOne(chat, 1);
    await chat.pass(30_000);
    await oneByOne(chat, 3);
    expect(chat.heads()).toHaveLength(10);
    await chat.pass(MINUTE_MS - 34_001);
    expect(chat.heads()).toHaveLength(10);
    await chat.pass(1);

    expect(chat.heads().slice(10)).toEqual(["*4 links were added*"]);
    expect(await chat.statuses()).toEqual({ succeeded: 10, digested: 4 });
  });

  test("gets each of them while they are few, however many in all", async () => {
    const chat = await openChat(server());

    await oneByOne(chat, 30, MINUTE_MS / 10);

    expect(chat.heads()).toHaveLength(30);
    expect(await chat.digests()).toEqual([]);
  });

  test("never gets two digests within a minute", async () => {
    const chat = await openChat(server());
    await chat.news(11);
    await chat.pass(0);
    await chat.pass(10_000);
    await chat.news(20);
    await chat.pass(20_000);
    await chat.news(5);
    await chat.pass(MINUTE_MS - 30_001);
    expect(chat.heads()).toHaveLength(1);

    await chat.pass(1);
    await chat.pass(MINUTE_MS);
    await chat.news(12);
    await chat.pass(0);

    expect(chat.heads()).toEqual([
      "*11 links were added*",
      "*25 links were added*",
      "*12 links were added*",
    ]);
  });

  test("gets an event that was gathered alone like any other", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 10);
    const [single] = [chat.lines()];

    await oneByOne(chat, 1);
    await chat.pass(MINUTE_MS);

    expect(chat.heads()).toHaveLength(11);
    expect(chat.heads()[10]).toStartWith("*Added:* <https://example.org/");
    expect(chat.lines()).toHaveLength(single.length);
    expect(chat.lines()[0]).toBe(single[0]!);
  });

  test("gets in one message what was held back while it was switched off", async () => {
    const chat = await openChat(server());
    await chat.news(30);
    await chat.me.patch(chat.path, { is_active: false });
    hoursPass(server(), 20);

    await chat.me.patch(chat.path, { is_active: true });
    await chat.pass(0);
    await chat.pass(MINUTE_MS);

    expect(chat.heads()).toEqual(["*30 links were added*"]);
  });

  test("gets in one message what is left of an outage of its own", async () => {
    const chat = await openChat(server(), { answer: 503 });
    await oneByOne(chat, 24, 10 * MINUTE_MS);
    const before = chat.heads().length;
    chat.receiver.answers(200);

    hoursPass(server(), 8);
    await chat.pass(0);

    expect(chat.heads().slice(before)).toEqual(["*24 links were added*"]);
  });

  test("gets more than fits one statement in one message all the same", async () => {
    const chat = await openChat(server());
    await chat.news(1200);

    await chat.pass(0);
    await chat.pass(MINUTE_MS);

    expect(chat.heads()).toEqual(["*1,200 links were added*"]);
    expect(chat.lines()[10]).toBe("and 1,190 more");
    expect(await chat.statuses()).toEqual({ digested: 1200 });
  });

  test("gets a test at once, which does not count towards a flood", async () => {
    const chat = await openChat(server());
    await oneByOne(chat, 9);

    for (const _ of [1, 2, 3]) await chat.me.post(`${chat.path}/test`);
    await oneByOne(chat, 1);

    expect(chat.heads()).toHaveLength(13);
    expect(chat.heads().filter((head) => head.startsWith("*Test: Added:*"))).toHaveLength(3);
    expect(chat.heads().at(-1)).toStartWith("*Added:*");
  });

  test("does not affect its neighbour, and programs get each message", async () => {
    const chat = await openChat(server());
    const other = await openChat(server());
    const program = startReceiver();
    const { id } = await subscribe(chat.me, program.url);

    await chat.news(15);
    await makeMuchNews(other.me, 2);
    await deliverAll(server());

    expect(chat.heads()).toEqual(["*15 links were added*"]);
    expect(other.heads()).toHaveLength(2);
    expect(program.requests).toHaveLength(15);
    const rows = await deliveriesOf(server(), id);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["succeeded"]));
  });

  test("shows in its log which events were sent together, and in which message", async () => {
    const chat = await openChat(server());
    await chat.news(11);
    await chat.pass(0);

    const { items } = (await chat.me.get(`${chat.path}/deliveries`)).body.data;

    const [digest] = await chat.digests();
    expect(digest).toMatchObject({ event: "digest", status: "succeeded", digest_id: null });
    const members = items.filter(({ event }: Parsed) => event !== "digest");
    expect(members).toHaveLength(11);
    const at = new Date(server().clock.now()).toISOString();
    for (const member of members) {
      expect(member).toMatchObject({
        status: "digested",
        digest_id: digest.id,
        attempts: 0,
        completed_at: at,
        next_attempt_at: null,
        last_attempt: null,
      });
    }
  });
});
