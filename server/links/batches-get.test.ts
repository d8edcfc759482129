import { expect, test } from "bun:test";
import { ALIVE, CHECK, checkAll, GONE } from "../../tests/batches/playing.ts";
import { onServer, START } from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";

onServer("GET /batches/{id}", (server) => {
  test("shows how far it has come, and what its checks came to", async () => {
    const me = await server().account();
    const link_ids = [await addLink(me), await addLink(me, { url: "https://example.org/gone" })];
    const { batch_id: id } = (await me.post(CHECK, { link_ids })).body.data;

    const before = await me.get(`/api/v1/batches/${id.toUpperCase()}`);
    server().clock.moveBy(1000);
    await checkAll(server(), (url) => (url.endsWith("gone") ? GONE : ALIVE));
    const after = await me.get(`/api/v1/batches/${id}`);

    const none = { checked: 0, active: 0, dead: 0, unknown: 0, skipped: 0 };
    const running = { id, status: "running", total: 2, ...none };
    expect(before.body).toEqual({ data: { ...running, started_at: START, completed_at: null } });
    expect(after.body).toEqual({
      data: {
        ...running,
        status: "complete",
        checked: 2,
        active: 1,
        dead: 1,
        started_at: START,
        completed_at: new Date(server().clock.now()).toISOString(),
      },
    });
  });

  test("shows the first checks of links that were made together as well", async () => {
    const me = await server().account();
    const links = [{ url: "https://example.org/1" }, { url: "ftp://example.org/2" }];
    const { batch_id: id } = (await me.post("/api/v1/links/batch", { links })).body.data;

    const { body } = await me.get(`/api/v1/batches/${id}`);

    expect(body.data).toMatchObject({ id, status: "running", total: 1, checked: 0 });
  });

  test("tells who has it already that nothing changed", async () => {
    const me = await server().account();
    const { body } = await me.post(CHECK, { link_ids: [await addLink(me)] });
    const path = `/api/v1/batches/${body.data.batch_id}`;
    const { headers } = await me.get(path);

    const known = { "if-none-match": headers.get("etag")! };

    expect((await me.get(path, known)).status).toBe(304);
    await checkAll(server());
    expect((await me.get(path, known)).status).toBe(200);
  });

  test("is visible to no one else", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const { body } = await me.post(CHECK, { link_ids: [await addLink(me)] });

    const reply = await stranger.get(`/api/v1/batches/${body.data.batch_id}`);

    expect([reply.status, reply.body.error]).toEqual([
      403,
      { code: "FORBIDDEN", message: "This batch belongs to another account.", status: 403 },
    ]);
  });
});
