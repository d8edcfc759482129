import { expect, test } from "bun:test";
import { badBodies, badIds, NO_ID } from "../bad-values.ts";
import { onBothEngines } from "../harness.ts";
import { addLink } from "../rows.ts";

onBothEngines("POST /links/batch-delete", (server) => {
  const path = "/api/v1/links/batch-delete";

  test("deletes what is there and ours, and tells of each of the rest why not", async () => {
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

  test.each(badIds)("refuses an id that is %s", async (_, id, problem) => {
    const me = await server().account();

    for (const reply of [
      await me.post(path, { link_ids: [id] }),
      await me.delete("/api/v1/links/batch", { link_ids: [id] }),
    ]) {
      expect(reply.status).toBe(400);
      expect(reply.body.error.details.fields).toEqual({ "link_ids[0]": [problem] });
    }
  });

  test.each([
    ["missing", undefined],
    ["null", null],
    ["one id", NO_ID],
    ["empty", []],
    ["an object", {}],
  ])("refuses a list that is %s", async (_, link_ids) => {
    const me = await server().account();

    const { status, body } = await me.post(path, { link_ids });

    expect(status).toBe(400);
    expect(Object.keys(body.error.details.fields)).toEqual(["link_ids"]);
  });

  test.each(badBodies)("refuses a body that is %s", async (_, given) => {
    const me = await server().account();

    expect((await me.post(path, given)).status).toBe(400);
    expect((await me.delete("/api/v1/links/batch", given)).status).toBe(400);
  });
});
