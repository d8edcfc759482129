import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, saw } from "../../tests/checker/ended.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { addLink } from "../../tests/rows.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import type { Reason } from "../judge/reasons/reasons.ts";

const EVERYTHING = ["link.created", "link.dead", "link.alive", "link.deleted", "check.complete"];

async function addWebhook(me: Asker, url: string, of = EVERYTHING): Promise<string> {
  return (await me.post("/api/v1/webhooks", { url, events: of })).body.data.id;
}

/** Lets everything be due, and end like this. */
async function checkAs({ deps, clock }: TestServer, reason: Reason) {
  clock.moveBy(2 * DAY);
  await checkDueLinks({ ...deps, check: async () => saw(reason) });
}

const eventsOf = async (me: Asker, link: string, query = "") =>
  (await me.get(`/api/v1/links/${link}/events${query}`)).body.data;
const namesIn = ({ items }: { items: { event: string }[] }) => items.map(({ event }) => event);

onServer("GET /links/{id}/events", (server) => {
  test("tells what happened to this link, newest first, and nothing of others", async () => {
    const me = await server().account();
    await addWebhook(me, "https://ops.example.org/hook");
    const link = await addLink(me);
    await addLink(me);
    await checkAs(server(), "http_410");
    await checkAs(server(), "ok");

    const found = await eventsOf(me, link);

    const types = ["check.complete", "link.alive", "check.complete", "link.dead", "link.created"];
    expect(namesIn(found).sort()).toEqual([...types].sort());
    expect(namesIn(found).at(-1)).toBe("link.created");
    expect(found.pagination.total).toBe(5);
    const moments = found.items.map((item: { created_at: string }) => item.created_at);
    expect(moments).toEqual([...moments].sort().reverse());
  });

  test("shows the receiver and progress of each delivery, but no secret of the address", async () => {
    const { deps } = server();
    const me = await server().account();
    const url = "https://hooks.slack.com/services/T000/B000/secret";
    const quiet = await addWebhook(me, url, ["link.created"]);
    const loud = await addWebhook(me, "https://ops.example.org:8443/hook?key=secret");
    const link = await addLink(me);
    await deps.store
      .update(deliveries)
      .set({ status: "succeeded", attempts: 2, lastStatusCode: 204, dueAt: null })
      .where(eq(deliveries.webhookId, quiet));

    const { items } = await eventsOf(me, link);

    expect(items).toMatchObject([{ event: "link.created" }]);
    const usual = { webhook_format: "standard", webhook_name: null };
    expect(items[0].deliveries).toEqual([
      {
        ...usual,
        webhook_id: quiet,
        webhook_name: null,
        webhook_host: "hooks.slack.com",
        status: "succeeded",
        attempts: 2,
        last_status_code: 204,
        next_attempt_at: null,
      },
      {
        ...usual,
        webhook_id: loud,
        webhook_name: null,
        webhook_host: "ops.example.org:8443",
        status: "pending",
        attempts: 0,
        last_status_code: null,
        next_attempt_at: items[0].created_at,
      },
    ]);
    expect(JSON.stringify(items)).not.toContain("secret");
  });

  test("keeps what happened when its webhook goes", async () => {
    const { deps } = server();
    const me = await server().account();
    const webhook = await addWebhook(me, "https://ops.example.org/hook");
    const link = await addLink(me);

    await deps.store.delete(webhooks).where(eq(webhooks.id, webhook));

    expect((await eventsOf(me, link)).items).toMatchObject([
      { event: "link.created", deliveries: [] },
    ]);
  });

  test("has nothing to tell where no webhook asked", async () => {
    const me = await server().account();
    const link = await addLink(me);

    expect(await eventsOf(me, link)).toEqual({
      items: [],
      pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 },
    });
  });

  test("comes in pages", async () => {
    const me = await server().account();
    await addWebhook(me, "https://ops.example.org/hook");
    const link = await addLink(me);
    await checkAs(server(), "http_410");
    await checkAs(server(), "ok");
    const all = await eventsOf(me, link);

    const second = await eventsOf(me, link, "?per_page=2&page=2");

    expect(second.items).toEqual(all.items.slice(2, 4));
    expect(second.pagination).toEqual({ page: 2, per_page: 2, total: 5, total_pages: 3 });
  });

  test("names no link where none is meant, as of a batch that is over", async () => {
    const { deps } = server();
    const me = await server().account();
    await addWebhook(me, "https://ops.example.org/hook", ["batch.complete", "link.created"]);
    const links = [{ url: "https://example.org/one" }, { url: "https://example.org/two" }];
    const { body } = await me.post("/api/v1/links/batch", { links });
    await checkAs(server(), "ok");

    const mine = eq(events.accountId, me.accountId);
    const rows = await deps.store.select().from(events).where(mine);

    const ids = body.data.results.map(({ link }: { link: { id: string } }) => link.id);
    const of = (type: string) => rows.filter((row) => row.type === type).map((row) => row.linkId);
    expect(of("batch.complete")).toEqual([null]);
    expect(of("link.created").sort()).toEqual(ids.sort());
  });

  test("of a stranger's link is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.get(`/api/v1/links/${foreign}/events`)).status).toBe(403);
  });
});
