import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { deliveries, webhookEvents } from "../../server/db/tables.ts";
import { onBothEngines } from "../harness.ts";
import { makeNews, subscribe } from "../receiver.ts";

onBothEngines("DELETE /webhooks/{id}", (server) => {
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

  test("another account's webhook stays", async () => {
    const owner = await server().account();
    const { path } = await subscribe(owner, "https://example.com/");

    expect((await (await server().account()).delete(path)).status).toBe(403);
    expect((await owner.get(path)).status).toBe(200);
  });
});

onBothEngines(
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
