import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { NO_ID } from "../../tests/bad-values.ts";
import { addDeliveries, addDelivery, UNTRIED } from "../../tests/deliveries/logged.ts";
import { type Asker, onServer, type Parsed, START } from "../../tests/harness.ts";
import { subscribe } from "../../tests/receiver.ts";
import { type DeliveryRow, events } from "../ground/db/tables.ts";
import { firstIdAt } from "../ground/lib/ids.ts";

const ALL = "/api/v1/webhooks/deliveries";
const at = Date.parse(START);
const idsIn = ({ items }: Parsed) => items.map(({ id }: Parsed) => id);

onServer("GET /webhooks/deliveries", (server, { test, testOnBoth }) => {
  const list = async (me: Asker, query = ""): Promise<Parsed> =>
    (await me.get(ALL + query)).body.data;

  const webhook = async (me: Asker, host: string) =>
    (await subscribe(me, `https://${host}/hook`)).id;

  /** A delivery of an event that happened so many minutes after the start. */
  async function deliver(
    me: Asker,
    webhookId: string,
    minute: number,
    more: Partial<DeliveryRow> & { data?: object } = {},
  ) {
    const { data = {}, ...columns } = more;
    const createdAt = at + minute * 60_000;
    const eventId = firstIdAt(createdAt).replace(/.{12}$/, crypto.randomUUID().slice(-12));
    const id = await addDelivery(server(), me, webhookId, { eventId, createdAt, ...columns });
    await server()
      .deps.store.update(events)
      .set({ data: JSON.stringify(data) })
      .where(eq(events.id, id));
    return id;
  }

  test("shows the messages of all webhooks, newest first, each with its link or their number", async () => {
    const me = await server().account();
    const [docs, press] = [
      await webhook(me, "docs.example.com"),
      await webhook(me, "press.example.com"),
    ];
    const link = { linkId: NO_ID, url: "https://example.org/a" };
    const died = await deliver(me, docs, 1, { type: "link.dead", data: link });
    const digest = await deliver(me, press, 2, { type: "digest", data: { total: 12 } });
    const waiting = await deliver(me, docs, 3, {
      ...UNTRIED,
      type: "batch.complete",
      data: { total: 40 },
      dueAt: at + 200_000,
    });

    const { items, next_cursor: next } = await list(me);

    expect(next).toBeNull();
    expect(items).toMatchObject([
      {
        id: waiting,
        webhook_id: docs,
        link: null,
        count: 40,
        status: "pending",
        next_attempt_at: "2030-01-01T00:03:20.000Z",
      },
      { id: digest, webhook_id: press, webhook_host: "press.example.com", link: null, count: 12 },
      {
        id: died,
        webhook_id: docs,
        webhook_host: "docs.example.com",
        event: "link.dead",
        webhook_format: "standard",
        link: { id: NO_ID, url: link.url },
        count: null,
        created_at: "2030-01-01T00:01:00.000Z",
        last_attempt: { status_code: 204 },
      },
    ]);
  });

  test("can be walked from cursor to cursor while new messages come", async () => {
    const me = await server().account();
    const hooks = [await webhook(me, "a.example.com"), await webhook(me, "b.example.com")];
    const made: string[] = [];
    for (let minute = 0; minute < 7; minute++)
      made.unshift(await deliver(me, hooks[minute % 2]!, minute));

    const seen: string[] = [];
    let path: string | null = `${ALL}?per_page=3`;
    while (path) {
      const { body, headers } = await me.get(path);
      seen.push(...idsIn(body.data));
      await deliver(me, hooks[0]!, 100 + seen.length);
      path = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? null;
      expect(path !== null).toBe(body.data.next_cursor !== null);
    }

    expect(seen).toEqual(made);
  });

  testOnBoth("loses none of the deliveries of one event between two pages", async () => {
    const me = await server().account();
    const hooks = [];
    for (const name of ["a", "b", "c"]) hooks.push(await webhook(me, `${name}.example.com`));
    const { deps } = server();
    const id = await deliver(me, hooks[0]!, 1);
    for (const webhookId of hooks.slice(1)) {
      const [other] = await addDeliveries(server(), me, webhookId, [{ createdAt: at }]);
      await deps.store.engine.run({
        sql: "update deliveries set event_id = ? where event_id = ?",
        params: [id, other],
      });
    }

    const seen: string[] = [];
    let query = "?per_page=1";
    for (let page = 0; page < 3; page++) {
      const { items, next_cursor: next } = await list(me, query);
      seen.push(...items.map((item: Parsed) => item.webhook_id));
      query = `?per_page=1&cursor=${next}`;
    }

    expect(seen.sort()).toEqual(hooks.sort());
  });

  test("can be narrowed to a status and to a webhook", async () => {
    const me = await server().account();
    const [docs, press] = [
      await webhook(me, "docs.example.com"),
      await webhook(me, "press.example.com"),
    ];
    const failed = await deliver(me, docs, 1, { status: "exhausted" });
    const sent = await deliver(me, docs, 2);
    const other = await deliver(me, press, 3);

    expect(idsIn(await list(me, "?status=exhausted"))).toEqual([failed]);
    expect(idsIn(await list(me, `?webhook_id=${docs}`))).toEqual([sent, failed]);
    expect(idsIn(await list(me, `?webhook_id=${press}&status=succeeded`))).toEqual([other]);
    expect(await list(me, `?webhook_id=${NO_ID}`)).toEqual({ items: [], next_cursor: null });
  });

  testOnBoth("can be narrowed to several statuses and to an event", async () => {
    const me = await server().account();
    const docs = await webhook(me, "docs.example.com");
    const [dead, alive] = [{ type: "link.dead" }, { type: "link.alive" }] as const;
    const failed = await deliver(me, docs, 1, { ...dead, status: "exhausted" });
    const retried = await deliver(me, docs, 2, { ...alive, status: "failed" });
    const sent = await deliver(me, docs, 3, dead);
    await deliver(me, docs, 4, alive);

    expect(idsIn(await list(me, "?status=exhausted,failed"))).toEqual([retried, failed]);
    expect(idsIn(await list(me, "?event=link.dead"))).toEqual([sent, failed]);
    expect(idsIn(await list(me, "?event=link.dead&status=exhausted,failed"))).toEqual([failed]);
    expect(idsIn(await list(me, "?event=link.dead&status=succeeded"))).toEqual([sent]);
    expect(idsIn(await list(me, "?event=digest"))).toEqual([]);
  });

  test("shows a digest instead of what it covers, unless that is what is asked for", async () => {
    const me = await server().account();
    const docs = await webhook(me, "docs.example.com");
    const single = await deliver(me, docs, 1, { status: "digested" });
    const digest = await deliver(me, docs, 2, { type: "digest", data: { total: 1 } });

    expect(idsIn(await list(me))).toEqual([digest]);
    expect(idsIn(await list(me, "?status=digested"))).toEqual([single]);
  });

  test("shows nothing of other accounts, also not by their cursors and webhooks", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const theirs = await webhook(other, "theirs.example.com");
    await deliver(other, theirs, 1);
    await deliver(other, theirs, 2);
    const { next_cursor: cursor } = await list(other, "?per_page=1");

    for (const query of ["", `?cursor=${cursor}`, `?webhook_id=${theirs}`])
      expect(await list(me, query)).toEqual({ items: [], next_cursor: null });
  });
});
