import { expect, test } from "bun:test";
import { onServer, type Reply } from "../../tests/harness.ts";
import { addKey, READ_ONLY } from "../../tests/keys/asking.ts";
import { addLink } from "../../tests/rows.ts";

const TOO_LARGE = JSON.stringify({ name: "x".repeat(70_000) });
const TEXT = { "content-type": "text/plain" };

onServer("A request that is wrong in several ways", (server) => {
  const codeOf = ({ status, body }: Reply) => [status, body.error.code];

  test("is too large before it is anything else", async () => {
    const stranger = server().asker("nonsense");

    expect(codeOf(await stranger.post("/api/v1/nothing", TOO_LARGE))).toEqual([
      413,
      "PAYLOAD_TOO_LARGE",
    ]);
  });

  test("is unauthorized before the path is looked at", async () => {
    const stranger = server().asker("");

    for (const path of ["/api/v1/nothing", "/api/v1", "/api/v1/", "/api/v1/links/"])
      expect((await stranger.get(path)).status).toBe(401);
    expect(codeOf(await stranger.patch("/api/v1/links", "{"))).toEqual([401, "UNAUTHORIZED"]);
  });

  test("is over the limit before the plan and the permission are looked at", async () => {
    const poor = await server().account("free");
    for (let i = 0; i < 120; i++) await poor.get("/api/v1/nothing");

    expect(codeOf(await poor.get("/api/v1/nothing"))).toEqual([429, "RATE_LIMITED"]);
  });

  test("lacks the plan before the permission, and the permission before the path", async () => {
    const poor = await server().account("free");
    const reader = await addKey(server(), await server().account(), READ_ONLY);

    expect(codeOf(await poor.post("/api/v1/nothing"))).toEqual([403, "BUSINESS_PLAN_REQUIRED"]);
    expect(codeOf(await reader.post("/api/v1/nothing"))).toEqual([403, "INSUFFICIENT_PERMISSIONS"]);
    expect(codeOf(await reader.patch("/api/v1/links"))).toEqual([403, "INSUFFICIENT_PERMISSIONS"]);
  });

  test("has the wrong path or method before its body is looked at", async () => {
    const me = await server().account();

    expect(codeOf(await me.post("/api/v1/nothing", "{", TEXT))).toEqual([404, "NOT_FOUND"]);
    expect(codeOf(await me.patch("/api/v1/links", "{", TEXT))).toEqual([405, "METHOD_NOT_ALLOWED"]);
  });

  test("has the wrong type before bad JSON, and bad JSON before bad fields", async () => {
    const me = await server().account();

    expect(codeOf(await me.post("/api/v1/groups", "{", TEXT))).toEqual([
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    const { body } = await me.post("/api/v1/groups", "{");
    expect(Object.keys(body.error.details.fields)).toEqual(["body"]);
  });

  test("has a bad body before its record is looked for, and one of a stranger before conflicts", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect(codeOf(await me.patch("/api/v1/groups/x", { name: 7 }))).toEqual([
      400,
      "VALIDATION_ERROR",
    ]);
    expect(codeOf(await me.get("/api/v1/links/x/history?page=0"))).toEqual([
      400,
      "VALIDATION_ERROR",
    ]);
    const stale = { "if-match": '"stale"' };
    expect(codeOf(await me.patch(`/api/v1/links/${foreign}`, {}, stale))).toEqual([
      403,
      "FORBIDDEN",
    ]);
  });
});
