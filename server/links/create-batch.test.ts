import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { NO_ID } from "../../tests/bad-values.ts";
import { cutEverywhere } from "../../tests/events/failing-store.ts";
import { onServer } from "../../tests/harness.ts";
import { addGroup, addLink, anyUrl } from "../../tests/rows.ts";
import { operatorOf } from "../accounts/users.ts";
import { batches, events, links } from "../ground/db/tables.ts";
import { createLinks } from "./create.ts";

const path = "/api/v1/links/batch";

onServer("POST /links/batch", (server) => {
  test("creates what it can and reports each item in order", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const taken = await me.post("/api/v1/links", { url: "https://example.org/taken" });

    const { status, body } = await me.post(path, {
      links: [
        { url: "https://example.org/1", group_id: group, check_frequency: "weekly" },
        { url: "ftp://x", group_id: NO_ID },
        { url: "https://example.org/1#again" },
        { url: "https://example.org/taken" },
        {},
        7,
      ],
    });

    expect(status).toBe(201);
    const { batch_id, summary, results } = body.data;
    expect(batch_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(summary).toEqual({ total: 6, created: 1, failed: 5 });
    expect(results[0]).toMatchObject({
      index: 0,
      status: "created",
      link: { url: "https://example.org/1", group_id: group, check_frequency: "weekly" },
    });
    expect(results[1]).toEqual({
      index: 1,
      status: "failed",
      url: "ftp://x",
      error: {
        code: "VALIDATION_ERROR",
        message: "The item is not valid.",
        status: 400,
        details: {
          fields: { url: ["must be an http or https URL"], group_id: ["no such group"] },
        },
      },
    });
    expect(results[2].error.details).toEqual({ reason: "duplicate_url", firstIndex: 0 });
    expect(results[3].error.details).toEqual({
      reason: "duplicate_url",
      existingId: taken.body.data.id,
    });
    expect(results[4]).toMatchObject({ index: 4, url: null, error: { code: "VALIDATION_ERROR" } });
    expect(results[5].error.details.fields).toEqual({ body: ["must be a JSON object"] });
  });

  test("when nothing could be made there is no batch", async () => {
    const me = await server().account();

    const { status, body } = await me.post(path, { links: [{ url: "ftp://x" }] });

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      batch_id: null,
      summary: { total: 1, created: 0, failed: 1 },
    });
  });

  test("the links are full records, found afterwards", async () => {
    const me = await server().account();

    const { body } = await me.post(path, { links: [{ url: anyUrl() }] });

    const { link } = body.data.results[0];
    const found = await me.get(`/api/v1/links/${link.id}`);
    expect(found.body.data).toMatchObject({ ...link, evidence: null, last_change: null });
  });

  test("a URL that failed does not take the place of a good one", async () => {
    const me = await server().account();
    const url = anyUrl();

    const { body } = await me.post(path, {
      links: [{ url, group_id: NO_ID }, { url }],
    });

    expect(body.data.summary).toEqual({ total: 2, created: 1, failed: 1 });
  });

  test("takes a thousand items of the longest kind, and no more", async () => {
    const me = await server().account();
    const links = Array.from({ length: 1000 }, (_, i) => ({
      url: `https://example.org/${i}/`.padEnd(2048, "a"),
    }));

    const made = await me.post(path, { links });
    const refused = await me.post(path, { links: [...links, { url: anyUrl() }] });

    expect(made.body.data.summary).toEqual({ total: 1000, created: 1000, failed: 0 });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.fields).toEqual({ links: ["must have at most 1000 items"] });
    expect((await me.get("/api/v1/account")).body.data.limits.linksUsed).toBe(1000);
  });

  test("two batches of the same URLs at once make each link once", async () => {
    const me = await server().account();
    const links = Array.from({ length: 50 }, () => ({ url: anyUrl() }));

    const replies = await Promise.all([me.post(path, { links }), me.post(path, { links })]);

    const created = replies.map(({ body }) => body.data.summary.created);
    expect(created[0] + created[1]).toBe(50);
    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(50);
  });

  test("links, their batch and their events are all there or none, wherever the database goes away", async () => {
    const { deps } = server();
    const me = await server().account();
    await me.post("/api/v1/webhooks", { url: anyUrl(), events: ["link.created"] });
    const caller = await operatorOf(deps, me.accountId);
    const items = [{ url: anyUrl() }, { url: anyUrl() }];
    const { accountId } = me;

    const seen = await cutEverywhere(
      deps,
      (cut) => createLinks(cut, caller, items),
      async () => [
        await deps.store.$count(links, eq(links.accountId, accountId)),
        await deps.store.$count(batches, eq(batches.accountId, accountId)),
        await deps.store.$count(events, eq(events.accountId, accountId)),
      ],
    );

    expect(seen.slice(0, -1)).toEqual(Array(seen.length - 1).fill([0, 0, 0]));
    expect(seen.at(-1)).toEqual([2, 1, 2]);
  });

  test("a failed item tells its URL as it came, whatever that is", async () => {
    const me = await server().account();
    await addLink(me);
    const urls = ["a\u0000b", "\ud800", 7, null, ["x"], { y: 1 }, ""];

    const { status, body } = await me.post(path, { links: urls.map((url) => ({ url })) });

    expect(status).toBe(200);
    expect(body.data.results.map((result: { url: unknown }) => result.url)).toEqual(urls);
  });
});
