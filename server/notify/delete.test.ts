import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { onServer } from "../../tests/harness.ts";
import { makeNews, subscribe } from "../../tests/receiver.ts";
import { audit, deliveries, webhookEvents, webhookFilters, webhooks } from "../ground/db/tables.ts";
import { eraseDeletedWebhooks } from "./webhooks.ts";

onServer("DELETE /webhooks/{id}", (server, { test, testOnBoth }) => {
  test("the webhook goes, and what waits for it", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, "https://example.com/");
    await makeNews(me);

    const { status, body } = await me.delete(path);

    expect([status, body]).toEqual([204, ""]);
    expect((await me.get(path)).status).toBe(404);
    expect((await me.delete(path)).status).toBe(404);
    const { store } = server().deps;
    expect(await store.select().from(deliveries).where(eq(deliveries.webhookId, id))).toEqual([]);
    expect(await store.select().from(webhookEvents).where(eq(webhookEvents.webhookId, id))).toEqual(
      [],
    );
  });

  test("a webhook whose deletion was cut short is gone from every answer, and housekeeping finishes it", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, "https://example.com/");
    await makeNews(me);
    const { deps, clock } = server();
    await deps.store
      .update(webhooks)
      .set({ isActive: false, disabledReason: "failing", deletedAt: clock.now() })
      .where(eq(webhooks.id, id));

    const asked = await Promise.all([
      me.get(path),
      me.patch(path, { is_active: true }),
      me.delete(path),
      me.post(`${path}/test`),
      me.post(`${path}/rotate-secret`, {}),
      me.get(`${path}/deliveries`),
    ]);
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    for (const list of ["", "/deliveries", "/deliveries/days"])
      expect((await me.get(`/api/v1/webhooks${list}`)).body.data.items).toEqual([]);
    expect((await me.get("/api/v1/overview")).body.data.webhooks.disabled.total).toBe(0);

    await eraseDeletedWebhooks(deps);
    expect(await deps.store.$count(webhooks, eq(webhooks.id, id))).toBe(0);
    expect(await deps.store.$count(deliveries, eq(deliveries.webhookId, id))).toBe(0);
  });

  testOnBoth(
    "of two deletions at the same time one is made, and is in the audit log once",
    async () => {
      const me = await server().account();
      const { id, path } = await subscribe(me, "https://example.com/");
      await makeNews(me);
      expect((await me.patch(path, { filter: { services: ["generic"] } })).status).toBe(200);
      const { store } = server().deps;

      const answers = await Promise.all([me.delete(path), me.delete(path)]);

      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
      const isIt = and(eq(audit.action, "webhook.deleted"), eq(audit.targetId, id));
      expect(await store.$count(audit, isIt)).toBe(1);
      expect(await store.$count(webhooks, eq(webhooks.id, id))).toBe(0);
      for (const table of [deliveries, webhookEvents, webhookFilters])
        expect(await store.$count(table, eq(table.webhookId, id))).toBe(0);
    },
  );

  test("another account's webhook stays", async () => {
    const owner = await server().account();
    const { path } = await subscribe(owner, "https://example.com/");

    expect((await (await server().account()).delete(path)).status).toBe(403);
    expect((await owner.get(path)).status).toBe(200);
  });
});

onServer(
  "DELETE /webhooks/{id} at the account's limit",
  (server) => {
    test("a deleted webhook makes room for another", async () => {
      const me = await server().account();
      const { path } = await subscribe(me, "https://example.com/");
      const another = { url: "https://example.com/", events: ["link.dead"] };
      expect((await me.post("/api/v1/webhooks", another)).status).toBe(409);

      await me.delete(path);

      expect((await me.post("/api/v1/webhooks", another)).status).toBe(201);
    });
  },
  { STILLUP_TIER_LIMITS: '{"business":{"webhooks":1}}' },
);
