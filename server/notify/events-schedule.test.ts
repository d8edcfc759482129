import { afterEach, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliveriesOf,
  makeNews,
  startReceiver,
  subscribe,
  verified,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";

/** No jitter. */
const plain = { random: () => 0.5 };

const HOUR_MS = 3_600_000;

/** As HTTP has it, in whole seconds. */
const dateIn2Hours = (now: number) => new Date(now + 2 * HOUR_MS).toUTCString();

const deliveryOf = async (server: TestServer, webhookId: string) =>
  (await deliveriesOf(server, webhookId))[0];

/** Milliseconds until the only message of the webhook is sent again. */
const waitOf = async (server: TestServer, webhookId: string) =>
  (await deliveryOf(server, webhookId))!.nextAttemptAt! - server.clock.now();

onServer("the schedule of retries", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("a message is sent ten times over three days, the same bytes under the same id", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { id, secret } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);

    for (const seconds of [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]) {
      server().clock.moveBy(seconds * 1000 - 1);
      expect(await deliverDue(server().deps, plain)).toBe(0);
      server().clock.moveBy(1);
      expect(await deliverDue(server().deps, plain)).toBe(1);
      const last = receiver.requests.at(-1)!;
      expect(verified(last, secret, server().clock.now()).webhookId).toBe(id);
    }

    expect(await deliveryOf(server(), id)).toMatchObject({
      status: "exhausted",
      attempts: 10,
      completedAt: server().clock.now(),
    });
    const distinct = (values: unknown[]) => new Set(values).size;
    expect(distinct(receiver.requests.map(({ body }) => String(body)))).toBe(1);
    expect(distinct(receiver.requests.map((r) => r.headers.get("webhook-id")))).toBe(1);
    expect(distinct(receiver.requests.map((r) => r.headers.get("webhook-timestamp")))).toBe(10);
    server().clock.moveBy(30 * 86_400_000);
    expect(await deliverDue(server().deps, plain)).toBe(0);
  });

  test("waits are spread by a fifth", async () => {
    const me = await server().account();
    const { id } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);

    await deliverDue(server().deps, { random: () => 0 });

    expect(await waitOf(server(), id)).toBe(4000);
  });

  eachRow<[what: string, asked: (now: number) => string, waitMs: (now: number) => number]>([
    ["3600", () => "3600", () => HOUR_MS],
    ["a date", dateIn2Hours, (now) => Date.parse(dateIn2Hours(now)) - now],
    ["a date that is past", () => "Mon, 31 Dec 2029 00:00:00 GMT", () => 5000],
    ["-1", () => "-1", () => 5000],
    ["1000000000", () => "1000000000", () => 24 * HOUR_MS],
    ["soon", () => "soon", () => 5000],
  ])("a receiver that asks for %s in Retry-After gets it, within reason", async (_, asked, ms) => {
    await server().deps.store.delete(webhooks);
    const me = await server().account();
    const now = server().clock.now();
    const headers = { "retry-after": asked(now) };
    const receiver = startReceiver(() => new Response(null, { status: 503, headers }));
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);

    await deliverDue(server().deps, plain);

    expect(await waitOf(server(), id)).toBe(ms(now));
    server().clock.moveBy(ms(now) - 1);
    expect(await deliverDue(server().deps, plain)).toBe(0);
    server().clock.moveBy(1);
    expect(await deliverDue(server().deps, plain)).toBe(1);
  });

  test("a receiver that recovers gets the message, and all is forgiven", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { id, path } = await subscribe(me, receiver.url);
    await makeNews(me);
    const failedAt = new Date(server().clock.now()).toISOString();
    await deliverDue(server().deps, plain);
    expect((await me.get(path)).body.data).toMatchObject({
      failing_since: failedAt,
      last_status_code: 500,
    });

    receiver.answers(200);
    server().clock.moveBy(5000);
    await deliverDue(server().deps, plain);

    expect(await deliveryOf(server(), id)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect((await me.get(path)).body.data).toMatchObject({
      failing_since: null,
      last_status_code: 200,
    });
  });

  test("an attempt that a crash interrupted is made again when its lease is over", async () => {
    const me = await server().account();
    const never = startReceiver(() => new Promise<Response>(() => {}));
    const { id, path } = await subscribe(me, never.url);
    await makeNews(me);
    const crash = new AbortController();
    const lost = deliverDue(server().deps, { ...plain, signal: crash.signal });
    await never.seen(1);
    crash.abort();
    await lost;
    const receiver = startReceiver();
    await me.patch(path, { url: receiver.url });

    server().clock.moveBy(59_999);
    expect(await deliverDue(server().deps, plain)).toBe(0);
    server().clock.moveBy(1);
    expect(await deliverDue(server().deps, plain)).toBe(1);

    expect(await deliveryOf(server(), id)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(receiver.requests[0]!.headers.get("webhook-id")).toBe(
      never.requests[0]!.headers.get("webhook-id"),
    );
  });

  test("what an attempt came to counts only while its lease holds", async () => {
    const me = await server().account();
    const slow = Promise.withResolvers<Response>();
    const receiver = startReceiver(() => slow.promise);
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    const late = deliverDue(server().deps, plain);
    await receiver.seen(1);

    server().clock.moveBy(60_000);
    receiver.answers(200);
    await deliverDue(server().deps, plain);
    slow.resolve(new Response(null, { status: 500 }));
    await late;

    expect(await deliveryOf(server(), id)).toMatchObject({ status: "succeeded", attempts: 2 });
  });

  test("two rounds at once never send the same delivery", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    for (let n = 0; n < 8; n++) await makeNews(me);

    const rounds = Array.from({ length: 6 }, () => deliverDue(server().deps, plain));
    await Promise.all(rounds);
    while ((await deliverDue(server().deps, plain)) > 0);

    expect(receiver.requests).toHaveLength(8);
  });
});
