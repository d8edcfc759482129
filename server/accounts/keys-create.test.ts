import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, START } from "../../tests/harness.ts";
import { addKey, READ_ONLY, WRITE_ONLY } from "../../tests/keys/asking.ts";
import { newOwner, openBrowser } from "../../tests/session/browser.ts";
import { apiKeys } from "../ground/db/tables.ts";
import { hashToken, isApiKey } from "../ground/lib/ids.ts";

const YEAR = 365 * 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

onServer("POST /keys", (server) => {
  test("a new key may read and write, never expires, and is shown once", async () => {
    const me = await server().account();

    const { status, headers, body } = await me.post("/api/v1/keys", { name: " ci " });

    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/api/v1/keys/${body.data.id}`);
    expect(isApiKey(body.data.key)).toBe(true);
    const { key, ...record } = body.data;
    expect(record).toEqual({
      id: expect.any(String),
      name: "ci",
      prefix: key.slice(0, 9),
      permissions: { read: true, write: true },
      expires_at: null,
      last_used_at: null,
      created_at: START,
      updated_at: START,
    });
    expect((await me.get(`/api/v1/keys/${record.id}`)).body).toEqual({ data: record });
  });

  test("works at once, and only its hash is stored", async () => {
    const me = await server().account();

    const fresh = await addKey(server(), me);

    expect((await fresh.get("/api/v1/links")).status).toBe(200);
    const [row] = await server().deps.store.select().from(apiKeys).where(eq(apiKeys.id, fresh.id));
    expect(row?.hash).toBe(hashToken(fresh.key));
    expect(JSON.stringify(row)).not.toContain(fresh.key.slice(10));
  });

  eachRow([
    [{ read: false }, { read: false, write: true }],
    [{ write: false }, { read: true, write: false }],
    [{}, { read: true, write: true }],
  ])("the permissions %j mean %j", async (permissions, expected) => {
    const me = await server().account();

    const { body } = await me.post("/api/v1/keys", { name: "a", permissions });

    expect(body.data.permissions).toEqual(expected);
  });

  eachRow([
    ["2031-05-01", "2031-05-01T00:00:00.000Z"],
    ["2031-05-01T12:00:00.5+02:00", "2031-05-01T10:00:00.500Z"],
    ["2032-02-29T23:59:60z", "2032-03-01T00:00:00.000Z"],
    [null, null],
  ])("takes the expiry %p as %p", async (expires_at, expected) => {
    const me = await server().account();

    const { body } = await me.post("/api/v1/keys", { name: "a", expires_at });

    expect(body.data.expires_at).toBe(expected);
  });

  test("an expiry is in the future and within ten years", async () => {
    const me = await server().account();
    const now = server().clock.now();
    const problemOf = async (expires_at: string) =>
      (await me.post("/api/v1/keys", { name: "a", expires_at })).body.error?.details.fields
        .expires_at;

    expect(await problemOf(iso(now))).toEqual(["must be in the future"]);
    expect(await problemOf(iso(now + 1))).toBeUndefined();
    expect(await problemOf(iso(now + 10 * YEAR))).toBeUndefined();
    expect(await problemOf(iso(now + 11 * YEAR))).toEqual(["must be within 10 years"]);
  });

  test("tells every problem at once, also of what needs the time", async () => {
    const me = await server().account();

    const { status, body } = await me.post("/api/v1/keys", {
      permissions: { read: 1, write: null },
      expires_at: "2020-01-01",
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      name: ["is required"],
      "permissions.read": ["must be true or false"],
      "permissions.write": ["must be true or false"],
      expires_at: ["must be in the future"],
    });
  });

  test("100 emoji are a name", async () => {
    const me = await server().account();

    expect((await me.post("/api/v1/keys", { name: "😀".repeat(100) })).status).toBe(201);
  });

  test("a caller cannot grant a permission that they lack", async () => {
    const writer = await addKey(server(), await server().account(), WRITE_ONLY);

    const refused = await writer.post("/api/v1/keys", { name: "a", ...READ_ONLY });
    const allowed = await writer.post("/api/v1/keys", { name: "a", ...WRITE_ONLY });

    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({
      code: "INSUFFICIENT_PERMISSIONS",
      details: { reason: "exceeds_caller" },
    });
    expect(allowed.status).toBe(201);
  });

  test("a key that expires makes none that outlives it; without an expiry the new one has its own", async () => {
    const me = await server().account();
    const brief = await addKey(server(), me, { expires_at: "2031-01-01" });
    const make = async (more: object) => {
      const { status, body } = await brief.post("/api/v1/keys", { name: "a", ...more });
      return status === 201 ? body.data.expires_at : [status, body.error];
    };
    const refused = [
      403,
      {
        code: "INSUFFICIENT_PERMISSIONS",
        message:
          "Your key expires at 2031-01-01T00:00:00.000Z. It cannot create, rotate or extend a key that expires later or never.",
        status: 403,
        details: { reason: "exceeds_caller", expires_at: "2031-01-01T00:00:00.000Z" },
      },
    ];

    expect(await make({})).toBe("2031-01-01T00:00:00.000Z");
    expect(await make({ expires_at: "2031-01-01" })).toBe("2031-01-01T00:00:00.000Z");
    expect(await make({ expires_at: "2030-02-01" })).toBe("2030-02-01T00:00:00.000Z");
    expect(await make({ expires_at: null })).toEqual(refused);
    expect(await make({ expires_at: "2031-01-01T00:00:00.001Z" })).toEqual(refused);
  });

  test("a person's key may outlive every other key", async () => {
    const { owner } = await newOwner(server());
    const browser = openBrowser(server());
    await browser.signIn(owner.email);

    const { status, body } = await browser.post("/keys", { name: "a", expires_at: null });

    expect([status, body.data.expires_at]).toEqual([201, null]);
  });

  test("stops at the account's limit, also when all ask at once; revoked keys leave room", async () => {
    const me = await server().account();
    const ask = () => me.post("/api/v1/keys", { name: "a" });

    const made = await Promise.all(Array.from({ length: 30 }, ask));

    const created = made.filter(({ status }) => status === 201);
    expect(created).toHaveLength(24);
    expect(made.find(({ status }) => status === 409)?.body.error).toMatchObject({
      code: "CONFLICT",
      details: { reason: "limit_reached", limit: 25, used: 25 },
    });
    await me.delete(`/api/v1/keys/${created[0]!.body.data.id}`);
    expect((await ask()).status).toBe(201);
  });
});
