import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { eventsOf, subscribe } from "../../tests/batches/playing.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { onServer, type Parsed } from "../../tests/harness.ts";
import { addCheck, addLink, setLink } from "../../tests/rows.ts";

onServer("POST /links/batch-delete", (server) => {
  const path = "/api/v1/links/batch-delete";

  test("deletes the caller's links, and says why for each of the rest", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [link, foreign] = [await addLink(me), await addLink(stranger)];

    const { status, body } = await me.post(path, { link_ids: [link, foreign, NO_ID] });

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        summary: { total: 3, deleted: 1, failed: 2 },
        results: [
          { id: link, status: "deleted" },
          {
            id: foreign,
            status: "failed",
            error: {
              code: "FORBIDDEN",
              message: "This link belongs to another account.",
              status: 403,
            },
          },
          {
            id: NO_ID,
            status: "failed",
            error: { code: "NOT_FOUND", message: "No such link.", status: 404 },
          },
        ],
        next: null,
      },
    });
    expect((await me.get(`/api/v1/links/${link}`)).status).toBe(404);
    expect((await stranger.get(`/api/v1/links/${foreign}`)).status).toBe(200);
  });

  test("an id given twice counts once, in either case", async () => {
    const me = await server().account();
    const link = await addLink(me);

    const { body } = await me.post(path, { link_ids: [link, link.toUpperCase()] });

    expect(body.data.results).toEqual([{ id: link, status: "deleted" }]);
  });

  test("may be asked with DELETE as well", async () => {
    const me = await server().account();
    const link = await addLink(me);

    const { status, body } = await me.delete("/api/v1/links/batch", { link_ids: [link] });

    expect(status).toBe(200);
    expect(body.data.summary).toEqual({ total: 1, deleted: 1, failed: 0 });
  });

  test("takes a thousand ids, and no more", async () => {
    const me = await server().account();
    const links = Array.from({ length: 1000 }, (_, i) => ({ url: `https://example.org/${i}` }));
    const made = await me.post("/api/v1/links/batch", { links });
    const ids: string[] = made.body.data.results.map((r: { link: { id: string } }) => r.link.id);

    const refused = await me.post(path, { link_ids: [...ids, NO_ID] });
    const deleted = await me.post(path, { link_ids: ids });

    expect(refused.body.error.details.fields).toEqual({
      link_ids: ["must have at most 1000 items"],
    });
    expect(deleted.body.data.summary.deleted).toBe(1000);
    expect((await me.get("/api/v1/account")).body.data.limits.linksUsed).toBe(0);
  });

  test("takes all that fit a filter in steps, and no link that is made meanwhile", async () => {
    const me = await server().account("enterprise");
    const many = { count: 1200, url: "https://a.test/", dueAt: server().clock.now() + 1e9 };
    await addMany(server(), me, many);
    const kept = await addLink(me, { url: "https://b.test/" });

    const filter = { search: "A.TEST" };
    const first = await me.post(path, { filter });
    const late = await addLink(me, { url: "https://a.test/late" });
    const second = await me.post(path, { filter, before: first.body.data.next });

    const step = (total: number) => ({
      summary: { total, deleted: total, failed: 0 },
      results: [],
    });
    expect(first.body.data).toEqual({ ...step(1000), next: expect.any(String) });
    expect(second.body.data).toEqual({ ...step(200), next: null });
    const { items } = (await me.get("/api/v1/links")).body.data;
    expect(items.map(({ id }: Parsed) => id)).toEqual([late, kept]);
  });

  test("deletes what a list with the same filter shows, with its history, and sends an event for each", async () => {
    const me = await server().account();
    const stranger = await server().account();
    await subscribe(me, "link.deleted");
    const [dead, alive, checked] = [await addLink(me), await addLink(me), await addLink(me)];
    const theirs = await addLink(stranger);
    for (const id of [dead, checked, theirs]) await setLink(server(), id, { status: "dead" });
    await addCheck(server(), me, dead);
    await me.post(`/api/v1/links/${checked}/check`);

    const { body } = await me.post(path, { filter: { status: "dead" } });

    expect(body.data.summary).toEqual({ total: 1, deleted: 1, failed: 0 });
    expect((await me.get("/api/v1/history")).body.data.items).toEqual([]);
    expect(await eventsOf(server(), me)).toMatchObject([{ data: { linkId: dead } }]);
    const { items } = (await me.get("/api/v1/links")).body.data;
    expect(items.map(({ id }: Parsed) => id)).toEqual([checked, alive]);
    expect((await stranger.get(`/api/v1/links/${theirs}`)).status).toBe(200);
  });

  test("happens once for one idempotency key, also by filter", async () => {
    const me = await server().account();
    await addLink(me);

    const first = await me.post(path, { filter: {} }, { "idempotency-key": "one" });
    await addLink(me);
    const second = await me.post(path, { filter: {} }, { "idempotency-key": "one" });

    expect(first.body.data.summary.deleted).toBe(1);
    expect([second.body, second.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    expect((await me.get("/api/v1/links")).body.data.items).toHaveLength(1);
  });
});
