import { expect } from "bun:test";
import { addDeliveries, addDelivery, logOf, UNTRIED } from "../../tests/deliveries/logged.ts";
import { onServer, START } from "../../tests/harness.ts";
import { startReceiver, subscribe } from "../../tests/receiver.ts";
import { newOwner, openBrowser } from "../../tests/session/browser.ts";

const HOOK = "https://ops.example.com/hook";
const idsIn = (items: { id: string }[]) => items.map(({ id }) => id);

onServer("GET /webhooks/{id}/deliveries", (server, { test, testOnBoth }) => {
  test("shows the beginning of a long answer, which the delivery itself has in full", async () => {
    const me = await server().account();
    const { id: webhookId, path } = await subscribe(me, "https://ops.example.com/hook");
    const lastBody = `${"x".repeat(999)}💀${"y".repeat(3000)}`;
    const id = await addDelivery(server(), me, webhookId, { lastBody });

    const [{ last_attempt: listed }] = await logOf(me, path);
    const { body } = await me.get(`${path}/deliveries/${id}`);

    expect(listed.response_body).toBe(`${"x".repeat(999)}\ufffd`);
    expect(listed.response_truncated).toBe(true);
    expect(body.data.last_attempt).toMatchObject({
      response_body: lastBody,
      response_truncated: false,
    });
  });

  test("lists the outcome of each delivery, newest first", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const at = Date.parse(START);
    const sent = await addDelivery(server(), me, id, {
      type: "link.dead",
      createdAt: at,
      completedAt: at + 2000,
      attempts: 2,
      lastStartedAt: at + 1000,
      lastDurationMs: 143,
      lastStatusCode: 200,
      lastContentType: "text/plain",
      lastBody: "ok",
      lastTruncated: true,
    });
    const waiting = await addDelivery(server(), me, id, {
      ...UNTRIED,
      createdAt: at,
      nextAttemptAt: at + 5000,
      dueAt: at + 5000,
    });

    const { status, body } = await me.get(`${path}/deliveries`);

    expect(status).toBe(200);
    expect(body.data.items).toEqual([
      {
        id: waiting,
        message_id: expect.stringMatching(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/),
        event: "link.created",
        status: "pending",
        attempts: 0,
        next_attempt_at: "2030-01-01T00:00:05.000Z",
        digest_id: null,
        created_at: START,
        completed_at: null,
        last_attempt: null,
      },
      {
        id: sent,
        message_id: expect.stringMatching(/^msg_/),
        event: "link.dead",
        status: "succeeded",
        attempts: 2,
        next_attempt_at: null,
        digest_id: null,
        created_at: START,
        completed_at: "2030-01-01T00:00:02.000Z",
        last_attempt: {
          number: 2,
          trigger: "scheduled",
          started_at: "2030-01-01T00:00:01.000Z",
          duration_ms: 143,
          status_code: 200,
          error_code: null,
          response_content_type: "text/plain",
          response_body: "ok",
          response_truncated: true,
        },
      },
    ]);
  });

  test("an attempt under way is counted, and the one before it is the last that is shown", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const now = server().clock.now();
    await addDelivery(server(), me, id, { status: "delivering", attempts: 3, dueAt: now + 60_000 });

    const [delivery] = await logOf(me, path);

    expect(delivery).toMatchObject({ status: "delivering", attempts: 3, next_attempt_at: null });
    expect(delivery.last_attempt.number).toBe(2);
  });

  testOnBoth("can be narrowed to a status, to an event and to both", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const [dead, failed, both] = await addDeliveries(server(), me, id, [
      { type: "link.dead" },
      { status: "failed" },
      { type: "link.dead", status: "failed" },
      {},
    ]);

    expect(idsIn(await logOf(me, path, "?event=link.dead"))).toEqual([both!, dead!]);
    expect(idsIn(await logOf(me, path, "?status=failed"))).toEqual([both!, failed!]);
    expect(idsIn(await logOf(me, path, "?status=failed&event=link.dead"))).toEqual([both!]);
    expect(await logOf(me, path, "?status=paused&event=digest")).toEqual([]);
  });

  test("comes in pages, and the links between them keep what it is narrowed to", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const ids = await addDeliveries(server(), me, id, [{}, {}, {}, { status: "failed" }]);

    const { headers, body } = await me.get(`${path}/deliveries?status=succeeded&per_page=2&page=2`);

    expect(idsIn(body.data.items)).toEqual([ids[0]!]);
    expect(body.data.pagination).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
    expect(headers.get("link")).toContain(
      `<${path}/deliveries?status=succeeded&per_page=2&page=1>; rel="prev"`,
    );
  });

  testOnBoth("a long log is counted whole, and every page of it can be reached", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const many = Array.from({ length: 10_030 }, (_, n) =>
      n % 100 === 0 ? { type: "link.dead" as const } : {},
    );
    const newestFirst = (await addDeliveries(server(), me, id, many)).reverse();

    const [across, last, dead] = await Promise.all([
      me.get(`${path}/deliveries?per_page=30&page=134`),
      me.get(`${path}/deliveries?per_page=100&page=101`),
      me.get(`${path}/deliveries?per_page=60&page=1&event=link.dead`),
    ]);

    expect(across.body.data.pagination.total).toBe(10_030);
    expect(idsIn(across.body.data.items)).toEqual(newestFirst.slice(3990, 4020));
    expect(idsIn(last.body.data.items)).toEqual(newestFirst.slice(10_000));
    expect(dead.body.data.pagination.total).toBe(101);
    expect(idsIn(dead.body.data.items)).toEqual(
      newestFirst.filter((_, n) => (10_029 - n) % 100 === 0).slice(0, 60),
    );
  });

  test("holds nothing of another webhook", async () => {
    const me = await server().account();
    const { id } = await subscribe(me, HOOK);
    const other = await subscribe(me, HOOK);
    await addDelivery(server(), me, id);

    expect(await logOf(me, other.path)).toEqual([]);
  });

  test("an unknown webhook is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const { path } = await subscribe(await server().account(), startReceiver().url);

    expect((await me.get("/api/v1/webhooks/x/deliveries")).status).toBe(404);
    expect((await me.get(`${path}/deliveries`)).status).toBe(403);
  });

  test("is there for who signed in, too", async () => {
    const { account, owner } = await newOwner(server());
    const browser = openBrowser(server());
    await browser.signIn(owner.email);
    const made = await browser.post("/webhooks", { url: HOOK, events: ["link.dead"] });
    const { id } = made.body.data;
    const delivery = await addDelivery(server(), { accountId: account.id }, id);

    const { body } = await browser.get(`/webhooks/${id}/deliveries`);

    expect(idsIn(body.data.items)).toEqual([delivery]);
  });
});
