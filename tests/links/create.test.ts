import { expect, test } from "bun:test";
import { onBothEngines } from "../harness.ts";

onBothEngines("POST /links", (server) => {
  test("a new link is unknown, due at once, and told where it is", async () => {
    const me = await server().account();

    const { status, headers, body } = await me.post("/api/v1/links", {
      url: " https://example.org/a ",
    });

    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/api/v1/links/${body.data.id}`);
    expect(body.data).toMatchObject({
      url: "https://example.org/a",
      status: "unknown",
      check_frequency: "daily",
      group_id: null,
      last_check: null,
      service: "generic",
    });
  });

  test("tells every problem of a request at once", async () => {
    const me = await server().account();

    const { status, body } = await me.post("/api/v1/links", {
      check_frequency: "yearly",
      group_id: "0197a1b2-0000-7000-8000-000000000000",
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      url: ["is required"],
      check_frequency: ["must be one of: hourly, daily, weekly, monthly"],
      group_id: ["no such group"],
    });
  });

  test("the same URL twice is a conflict that names the first", async () => {
    const me = await server().account();
    const first = await me.post("/api/v1/links", { url: "https://example.org/a" });

    const { status, body } = await me.post("/api/v1/links", { url: "https://example.org/a#part" });

    expect(status).toBe(409);
    expect(body.error.details).toEqual({ reason: "duplicate_url", existingId: first.body.data.id });
  });

  test("the same key twice gives the same answer and one link", async () => {
    const me = await server().account();
    const key = { "idempotency-key": "once" };
    const ask = () => me.post("/api/v1/links", { url: "https://example.org/b" }, key);

    const first = await ask();
    const second = await ask();

    expect(second.body).toEqual(first.body);
    expect(second.status).toBe(201);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(1);
  });

  test("a batch makes what it can and tells of each item", async () => {
    const me = await server().account();
    const urls = ["https://example.org/1", "ftp://x", "https://example.org/1", 7];

    const { status, body } = await me.post("/api/v1/links/batch", {
      links: urls.map((url) => ({ url })),
    });

    expect(status).toBe(201);
    expect(body.data.summary).toEqual({ total: 4, created: 1, failed: 3 });
    expect(body.data.results[2].error.details).toEqual({ reason: "duplicate_url", firstIndex: 0 });
    expect(body.data.results.map((r: { status: string }) => r.status)).toEqual([
      "created",
      "failed",
      "failed",
      "failed",
    ]);
  });

  test("links can be listed, found, changed, checked and deleted", async () => {
    const me = await server().account();
    const made = await me.post("/api/v1/links", { url: "https://example.org/c" });
    const path = `/api/v1/links/${made.body.data.id}`;

    expect((await me.get("/api/v1/links?search=EXAMPLE.org/C")).body.data.items).toHaveLength(1);
    const changed = await me.patch(path, { check_frequency: "weekly" });
    expect(changed.body.data.check_frequency).toBe("weekly");
    const started = await me.post(`${path}/check`);
    expect(started.body.data).toEqual({
      id: made.body.data.id,
      status: "checking",
      message: "Check initiated.",
    });
    expect((await me.post(`${path}/check`)).body.data.message).toBe("A check is already running.");
    expect((await me.get(`${path}`)).body.data.status).toBe("checking");
    expect((await me.delete(path)).status).toBe(204);
    expect((await me.delete(path)).status).toBe(404);
  });
});
