import { expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { movableClock } from "../../tests/clock.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { type Message, startReceiver, subscribe, verified } from "../../tests/receiver.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { events } from "../ground/db/tables.ts";
import { createDeliverer } from "./deliverer.ts";

const LINKS = sized(150, 1000);
const DEAD = 41;
const ALL = [
  ...["link.created", "link.alive", "link.dead", "check.complete"],
  ...["link.deleted", "batch.complete"],
];

/** Every link that is due, checked: some are gone, the others are there. */
async function checkAll(server: TestServer) {
  const check = async ({ url }: { url: string }) =>
    Number(url.split("/").at(-1)) < DEAD ? saw("http_404", { statusCode: 404 }) : saw("ok");
  while ((await checkDueLinks({ ...server.deps, check })) > 0);
}

const countsOf = (messages: Message[]) => {
  const byEvent = Map.groupBy(messages, ({ event }) => event);
  return Object.fromEntries([...byEvent].map(([event, some]) => [event, some.length]));
};

const distinct = (messages: Message[], event: string, of: string) =>
  new Set(messages.flatMap(({ event: its, data }) => (its === event ? [data[of]] : []))).size;

onServer("a batch of many links", (server) => {
  test("is reported whole: each link, each check, and its end once, after them all", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { secret, path } = await subscribe(me, receiver.url, ALL);
    await me.patch(path, { first_verdicts: true });
    const links = Array.from({ length: LINKS }, (_, n) => ({ url: `https://example.org/b/${n}` }));
    const { body } = await me.post("/api/v1/links/batch", { links });
    server().clock.moveBy(1000);
    await checkAll(server());
    const expected = 3 * LINKS + 1;

    const clock = movableClock(server().clock.now());
    const deliverer = createDeliverer({ ...server().deps, clock });
    await receiver.seen(expected);
    await deliverer.stop();

    const now = server().clock.now();
    const messages = receiver.requests.map((request) => verified(request, secret, now));
    expect(countsOf(messages)).toEqual({
      "link.created": LINKS,
      "check.complete": LINKS,
      "link.alive": LINKS - DEAD,
      "link.dead": DEAD,
      "batch.complete": 1,
    });
    expect(distinct(messages, "link.created", "linkId")).toBe(LINKS);
    expect(distinct(messages, "check.complete", "checkId")).toBe(LINKS);
    const complete = messages.find(({ event }) => event === "batch.complete")!;
    expect(complete.data).toMatchObject({
      batchId: body.data.batch_id,
      total: LINKS,
      checked: LINKS,
      skipped: 0,
      active: LINKS - DEAD,
      dead: DEAD,
      unknown: 0,
    });
    const ids = receiver.requests.map(({ headers }) => headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(expected);
  });

  test("is complete after the last of its checks, and is reported so after them", async () => {
    const me = await server().account();
    await subscribe(me, startReceiver().url, ALL);
    const links = Array.from({ length: LINKS }, (_, n) => ({ url: `https://example.org/c/${n}` }));
    await me.post("/api/v1/links/batch", { links });
    await checkAll(server());
    const { store } = server().deps;

    const happened = await store
      .select({ type: events.type, createdAt: events.createdAt })
      .from(events)
      .where(eq(events.accountId, me.accountId))
      .orderBy(asc(events.id));

    const order = happened.map(({ type }) => type);
    expect(order.lastIndexOf("link.created")).toBe(LINKS - 1);
    expect(order.indexOf("batch.complete")).toBe(order.length - 1);
    const last = happened.at(-1)!.createdAt;
    expect(happened.every(({ createdAt }) => createdAt <= last)).toBe(true);
  });
});
