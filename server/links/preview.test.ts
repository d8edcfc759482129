import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { type Asker, onServer, type Reply } from "../../tests/harness.ts";
import { addKey, READ_ONLY } from "../../tests/keys/asking.ts";
import { addGroup, anyUrl } from "../../tests/rows.ts";

const path = "/api/v1/links/preview";

onServer("POST /links/preview", (server) => {
  test("reports what would become of each item, in order", async () => {
    const me = await server().account();
    const taken = await me.post("/api/v1/links", { url: "https://example.org/taken" });

    const { status, body } = await me.post(path, {
      links: [
        { url: " HTTPS://Example.org ", check_frequency: "weekly" },
        { url: "https://example.org/#again" },
        { url: "https://example.org/taken" },
        { url: "https://youtu.be/jNQXAC9IVRw", group_id: await addGroup(me) },
        { url: "ftp://x", group_id: NO_ID },
      ],
    });

    expect(status).toBe(200);
    const { summary, results } = body.data;
    expect(summary).toEqual({ total: 5, accepted: 2, failed: 3 });
    const made = { index: 0, status: "accepted", url: "https://example.org/", service: "generic" };
    expect(results[0]).toEqual(made);
    expect(results[1].error.details).toEqual({ reason: "duplicate_url", firstIndex: 0 });
    const existingId = taken.body.data.id;
    expect(results[2].error.details).toEqual({ reason: "duplicate_url", existingId });
    expect(results[3]).toMatchObject({ status: "accepted", service: "youtube" });
    expect(results[4]).toMatchObject({ index: 4, status: "failed", url: "ftp://x" });
    expect(results[4].error.details.fields).toEqual({
      url: ["must be an http or https URL"],
      group_id: ["no such group"],
    });
  });

  test("says of every item what the batch then does", async () => {
    const me = await server().account();
    const url = anyUrl();
    const group_id = await addGroup(await server().account());
    const links = [
      { url },
      { url },
      { url: `${url}#part` },
      { url: anyUrl(), group_id },
      { url: "javascript:alert(1)" },
      { url: anyUrl(), check_frequency: "yearly" },
      { url: `https://example.org/${"a".repeat(2048)}` },
      { url: ["x"] },
      { url: "a\u0000b" },
      null,
      7,
    ];

    const preview = await me.post(path, { links });
    const batch = await me.post("/api/v1/links/batch", { links });

    expect(errorsOf(preview)).toEqual(errorsOf(batch));
    expect(preview.body.data.summary.accepted).toBe(batch.body.data.summary.created);
  });

  test("writes nothing", async () => {
    const me = await server().account();

    await me.post(path, { links: [{ url: anyUrl() }] });

    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(0);
    expect((await me.get("/api/v1/account")).body.data.limits.linksUsed).toBe(0);
  });

  test("takes a thousand items of the longest kind, and no more", async () => {
    const me = await server().account();
    const links = Array.from({ length: 1000 }, (_, i) => ({
      url: `https://example.org/${i}/`.padEnd(2048, "a"),
    }));

    const judged = await me.post(path, { links });
    const refused = await me.post(path, { links: [...links, { url: anyUrl() }] });

    expect(judged.body.data.summary).toEqual({ total: 1000, accepted: 1000, failed: 0 });
    expect(refused.body.error.details.fields).toEqual({ links: ["must have at most 1000 items"] });
  });

  test("is refused to a key that may only read", async () => {
    const me = await server().account();
    const looker = await addKey(server(), me, READ_ONLY);

    expect((await looker.post(path, { links: [{ url: anyUrl() }] })).status).toBe(403);
  });
});

onServer(
  "POST /links/preview for an account of three links",
  (server) => {
    const urls = () => Array.from({ length: 3 }, () => ({ url: anyUrl() }));
    const statusesOf = async (me: Asker, body: unknown) =>
      (await me.post(path, body)).body.data.results.map(({ status }: { status: string }) => status);

    test("applies its limit in order", async () => {
      const me = await server().account();
      await me.post("/api/v1/links", { url: anyUrl() });

      const { body } = await me.post(path, { links: urls() });

      expect(body.data.summary).toEqual({ total: 3, accepted: 2, failed: 1 });
      expect(body.data.results[2].error.details).toEqual({
        reason: "limit_reached",
        limit: 3,
        used: 3,
      });
    });

    test("counts what earlier parts of the same list would have added", async () => {
      const me = await server().account();

      expect(await statusesOf(me, { links: urls(), already: 2 })).toEqual([
        "accepted",
        "failed",
        "failed",
      ]);
      expect(await statusesOf(me, { links: urls(), already: 9_000_000 })).toEqual([
        "failed",
        "failed",
        "failed",
      ]);
    });
  },
  { STILLUP_TIER_LIMITS: '{"business":{"links":3}}' },
);

const errorsOf = ({ body }: Reply) =>
  body.data.results.map(({ error }: { error?: unknown }) => error);
