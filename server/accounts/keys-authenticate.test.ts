import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { addKey, READ_ONLY, WRITE_ONLY } from "../../tests/keys/asking.ts";
import { apiKeyOf, hashToken, newApiKey } from "../ground/lib/ids.ts";

test("a key is su_, 32 characters and their CRC-32 in base62", () => {
  const first = apiKeyOf("0123456789ABCDEFGHIJKLMNOPQRSTUV");

  expect(first).toBe("su_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL");
  expect(apiKeyOf("zQ3Zk0bXw9Yt7Rr2Lm8Nn4Pp6Ss1Uu5V").slice(-6)).toBe("3iILdB");
  expect(hashToken(first)).toBe("1b3971dab2b15d5b7c889e11bb0de59cb1f0ac61b15e3e8e5fbe8eb55b7d00b6");
});

onServer("The Authorization header", (server) => {
  const withHeader = (authorization: string | undefined, query = "") =>
    fetch(`${server().url}/api/v1/links${query}`, {
      headers: authorization === undefined ? {} : { authorization },
    }).then(async (reply) => ({
      status: reply.status,
      challenge: reply.headers.get("www-authenticate"),
      body: (await reply.json()) as { error?: { code: string } },
    }));

  eachRow(["Bearer", "bearer", "BEARER"])("takes the scheme as %s", async (scheme) => {
    const me = await server().account();

    expect((await withHeader(`${scheme} ${me.key}`)).status).toBe(200);
  });

  eachRow([
    ["missing", () => undefined],
    ["empty", () => ""],
    ["the scheme alone", () => "Bearer"],
    ["the key alone", (key: string) => key],
    ["another scheme", (key: string) => `Basic ${key}`],
    ["two spaces", (key: string) => `Bearer  ${key}`],
    ["two keys", (key: string) => `Bearer ${key}, Bearer ${key}`],
  ])("that is %s does not authorize", async (_, headerOf) => {
    const me = await server().account();

    const { status, challenge, body } = await withHeader(headerOf(me.key));

    expect([status, body.error?.code]).toEqual([401, "UNAUTHORIZED"]);
    expect(challenge).toBe('Bearer realm="api"');
  });

  eachRow([
    ["unknown", () => newApiKey()],
    ["mistyped", (key: string) => `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`],
    ["of another product", (key: string) => key.replace("su_", "sk_")],
    ["cut", (key: string) => key.slice(0, -1)],
    ["full of signs", () => "su_<>'\"%00"],
  ])("with a key that is %s is invalid", async (_, keyOf) => {
    const me = await server().account();

    const { status, challenge, body } = await withHeader(`Bearer ${keyOf(me.key)}`);

    expect([status, body.error?.code]).toEqual([401, "INVALID_API_KEY"]);
    expect(challenge).toBe('Bearer realm="api", error="invalid_token"');
  });

  test("is the only place where a key is read", async () => {
    const me = await server().account();

    for (const name of ["access_token", "api_key", "key", "token"]) {
      expect((await withHeader(undefined, `?${name}=${me.key}`)).status).toBe(401);
    }
  });

  test("a key works until the very second of its expiry, and can be revived", async () => {
    const me = await server().account();
    const expires_at = new Date(server().clock.now() + 10_000).toISOString();
    const key = await addKey(server(), me, { expires_at });

    server().clock.moveBy(9_999);
    expect((await key.get("/api/v1/links")).status).toBe(200);
    server().clock.moveBy(1);
    expect((await key.get("/api/v1/links")).body.error.code).toBe("EXPIRED_API_KEY");

    await me.patch(`/api/v1/keys/${key.id}`, { expires_at: null });
    expect((await key.get("/api/v1/links")).status).toBe(200);
  });

  test("a key that only reads may only look, and one that only writes may not", async () => {
    const me = await server().account();
    const reader = await addKey(server(), me, READ_ONLY);
    const writer = await addKey(server(), me, WRITE_ONLY);

    const statuses = async (asker: typeof reader) => [
      (await asker.get("/api/v1/groups")).status,
      (await asker.post("/api/v1/groups", { name: "a" })).status,
      (await asker.patch("/api/v1/groups/x", {})).status,
      (await asker.delete("/api/v1/groups/x")).status,
    ];
    expect(await statuses(reader)).toEqual([200, 403, 403, 403]);
    expect(await statuses(writer)).toEqual([403, 201, 404, 404]);
  });

  test("a missing permission has an error code of its own", async () => {
    const reader = await addKey(server(), await server().account(), READ_ONLY);

    const { body } = await reader.post("/api/v1/groups", { name: "a" });

    expect(body.error).toEqual({
      code: "INSUFFICIENT_PERMISSIONS",
      message: "This needs the write permission.",
      status: 403,
    });
  });

  eachRow(["free", "pro"] as const)("an account on the %s plan has no API access", async (tier) => {
    const me = await server().account(tier);

    const { status, body } = await me.get("/api/v1/account");

    expect([status, body.error.code]).toEqual([403, "BUSINESS_PLAN_REQUIRED"]);
  });
});
