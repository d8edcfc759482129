import { beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import {
  type Asker,
  onBothEngines,
  onServer,
  type Parsed,
  START,
  startServer,
} from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";
import { audit, hostSettings, idempotencyKeys } from "../ground/db/tables.ts";
import { createSecretBox } from "../ground/lib/secret-box.ts";

const PATH = "/api/v1/host-settings";
const VALUE = "s3cret/value+1";
const PASSWORD = "pass:word 1";

const whole = {
  host: "Docs.Example.org",
  headers: [{ name: "X-Api-Key", value: VALUE }],
  auth: { type: "basic", user: "monitor", password: PASSWORD },
  user_agent: "ExampleCheck/1.0",
};

onBothEngines("/host-settings", (server) => {
  test("a new setting is shown without its values, which are stored sealed", async () => {
    const me = await server().account();
    const key = { "idempotency-key": crypto.randomUUID() };

    const { status, headers, body } = await me.post(PATH, whole, key);
    const again = await me.post(PATH, whole, key);

    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`${PATH}/${body.data.id}`);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      host: "docs.example.org",
      headers: [{ name: "X-Api-Key", is_set: true }],
      auth: { type: "basic", user: "monitor", is_set: true },
      user_agent: "ExampleCheck/1.0",
      allow_http: false,
      is_readable: true,
      last_success_at: null,
      failing_since: null,
      links: 0,
      created_at: START,
      updated_at: START,
    });
    expect(again.body).toEqual(body);
    const { store } = server().deps;
    const kept = [store.select().from(hostSettings), store.select().from(idempotencyKeys)];
    const stored = JSON.stringify([
      ...(await Promise.all(kept)),
      await store.select().from(audit),
      (await me.get(PATH)).body,
      (await me.get(`${PATH}/${body.data.id}`)).body,
    ]);
    expect(stored).not.toContain(VALUE);
    expect(stored).not.toContain(PASSWORD);
  });

  test("counts the links of each host once, for the name before the longest pattern", async () => {
    const me = await server().account();
    for (const host of ["*.example.org", "*.docs.example.org", "a.docs.example.org"]) {
      await me.post(PATH, { host });
    }
    for (const host of ["a.docs", "a.docs", "b.docs", "b.c.docs", "docs", "other"]) {
      await addLink(me, { url: `https://${host}.example.org/${crypto.randomUUID()}` });
    }
    await addLink(me, { url: "https://b.docs.example.org:8443/" });
    await addLink(me, { url: "https://example.org/" });

    const { body } = await me.get(PATH);

    const counts = body.data.items.map(({ host, links }: Parsed) => [host, links]);
    expect(counts).toEqual([
      ["*.docs.example.org", 2],
      ["*.example.org", 2],
      ["a.docs.example.org", 2],
    ]);
    expect(body.data.pagination.total).toBe(3);
  });

  test("a host has one setting, and an account a hundred", async () => {
    const me = await server().account();
    const first = await me.post(PATH, { host: "example.org" });

    const second = await me.post(PATH, { host: "EXAMPLE.org" });
    for (let i = 1; i < 100; i++) await me.post(PATH, { host: `h${i}.example.org` });
    const last = await me.post(PATH, { host: "h100.example.org" });
    const other = await (await server().account()).post(PATH, { host: "example.org" });

    expect(second.status).toBe(409);
    const { id } = first.body.data;
    expect(second.body.error.details).toEqual({ reason: "duplicate_host", existingId: id });
    expect(last.body.error.details).toEqual({ reason: "limit_reached", limit: 100, used: 100 });
    expect(other.status).toBe(201);
  });

  test("of two settings for a host that are made at once, one is", async () => {
    const me = await server().account();

    const replies = await Promise.all([1, 2, 3, 4].map(() => me.post(PATH, whole)));

    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test("a change keeps what it leaves out, and null removes", async () => {
    const me = await server().account();
    const two = [...whole.headers, { name: "Cookie", value: "session=0123456789" }];
    const { id } = (await me.post(PATH, { ...whole, headers: two })).body.data;
    const path = `${PATH}/${id}`;
    const opened = async () => {
      const { store, secrets } = server().deps;
      const [row] = await store.select().from(hostSettings).where(eq(hostSettings.id, id));
      return { ...JSON.parse(secrets.open(row!.sealed)), version: row!.version };
    };

    const same = await me.patch(path, {
      user_agent: "ExampleCheck/1.0",
      auth: { type: "basic", user: "monitor" },
    });
    expect(await opened()).toMatchObject({ version: 1 });
    expect(same.status).toBe(200);
    await me.patch(path, {
      headers: [{ name: "cookie", value: null }, { name: "x-api-key" }],
      user_agent: null,
    });
    expect(await opened()).toEqual({
      headers: [["x-api-key", VALUE]],
      auth: { type: "basic", user: "monitor", password: PASSWORD },
      version: 2,
    });
    await me.patch(path, { auth: { type: "basic", user: "other" } });
    expect((await opened()).auth).toEqual({ type: "basic", user: "other", password: PASSWORD });
    const bearer = await me.patch(path, { auth: { type: "bearer" } });
    expect(bearer.body.error.details.fields).toEqual({ "auth.token": ["is required"] });
    const unknown = await me.patch(path, { headers: [{ name: "X-New" }] });
    expect(unknown.body.error.details.fields).toEqual({ "headers[0].value": ["is required"] });
    const both = await me.patch(path, { headers: [{ name: "Authorization", value: VALUE }] });
    expect(both.status).toBe(400);
    const { body } = await me.patch(path, { headers: null, auth: null });
    expect(body.data).toMatchObject({ headers: [], auth: null, user_agent: null });
  });

  test("other credentials have neither success nor failure yet, and another user agent keeps both", async () => {
    const me = await server().account();
    const { id } = (await me.post(PATH, whole)).body.data;
    const { store, clock } = server().deps;
    const seen = { lastSuccessAt: clock.now(), failingSince: clock.now() };
    await store.update(hostSettings).set(seen).where(eq(hostSettings.id, id));

    const agent = await me.patch(`${PATH}/${id}`, { user_agent: "Other/1" });
    const token = await me.patch(`${PATH}/${id}`, { auth: { type: "bearer", token: VALUE } });

    expect(agent.body.data.last_success_at).not.toBeNull();
    expect(agent.body.data.failing_since).not.toBeNull();
    expect(token.body.data).toMatchObject({ last_success_at: null, failing_since: null });
  });

  test("a host cannot be changed, since its values would go to another one", async () => {
    const me = await server().account();
    const { id } = (await me.post(PATH, whole)).body.data;

    const other = await me.patch(`${PATH}/${id}`, { host: "evil.example" });
    const same = await me.patch(`${PATH}/${id}`, { host: "docs.example.org" });

    expect(other.body.error.details.fields).toEqual({
      host: ["cannot be changed; delete it and create another"],
    });
    expect(same.status).toBe(200);
  });

  test("is changed and deleted only as it is known, and only by its account", async () => {
    const me = await server().account();
    const { id } = (await me.post(PATH, whole)).body.data;
    const path = `${PATH}/${id}`;
    const old = { "if-match": (await me.get(path)).headers.get("etag")! };
    await me.patch(path, { user_agent: null });
    const stranger = await server().account();

    const replies = [
      await me.patch(path, { user_agent: "x" }, old),
      await me.delete(path, undefined, old),
      await stranger.get(path),
      await stranger.patch(path, { user_agent: "x" }),
      await stranger.delete(path),
      await me.delete(path),
      await me.get(path),
    ];

    expect(replies.map(({ status }) => status)).toEqual([412, 412, 403, 403, 403, 204, 404]);
  });
});

onServer("A host setting", (server) => {
  /** The names of the fields for which a setting is refused. */
  async function refused(setting: object): Promise<string[]> {
    const { status, body } = await me.post(PATH, { host: "example.org", ...setting });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain(VALUE);
    return Object.keys(body.error.details.fields);
  }
  let me: Asker;
  beforeAll(async () => {
    me = await server().account();
  });

  eachRow([
    ...["example.org:0", "example.org:65536", "example.org:8443:1", "example.org:", "[::1]:8443"],
    ...["https://example.org", "example.org/path", "user@example.org", "127.0.0.1", "[::1]"],
    ...["2130706433", "*", "*.", "a.*.example.org", "a b.example.org", "*.com", "*.co.uk"],
    ...["*.github.io", "metadata.google.internal", "", 1],
  ])("is rejected for what is not a host, and for too many", async (host) => {
    expect(await refused({ host })).toEqual(["host"]);
  });

  eachRow([
    ...["Host", "Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade"],
    ...["Expect", "Range", "If-None-Match", "Accept-Encoding", "Proxy-Authorization"],
    ...["Sec-Fetch-Mode", "x-forwarded-for", "FORWARDED", "X Key", "X-Key:", "", "Schlüssel"],
  ])("has no header that a check needs for its own", async (name) => {
    expect(await refused({ headers: [{ name, value: VALUE }] })).toEqual(["headers[0].name"]);
  });

  eachRow([
    ...["short", "two\r\nX-Other: lines", "two\nlines", "with a tab\t.", "contrôle"],
    ...[" spaces around ", "x".repeat(4097)],
  ])("has no value that no header has, and repeats none", async (value) => {
    const { status, body } = await me.post(PATH, {
      host: "example.org",
      headers: [{ name: "X-Key", value }],
    });

    expect(status).toBe(400);
    expect(Object.keys(body.error.details.fields)).toEqual(["headers[0].value"]);
    expect(JSON.stringify(body)).not.toContain(value.trim());
  });

  const header = (name: string) => ({ name, value: VALUE });
  eachRow<[what: string, setting: object, field: string]>([
    ["eleven headers", { headers: [..."abcdefghijk"].map((x) => header(`X-${x}`)) }, "headers"],
    ["a header twice", { headers: [header("X-A"), header("x-a")] }, "headers[1].name"],
    [
      "two ways to sign in",
      { headers: [header("authorization")], auth: { type: "bearer", token: VALUE } },
      "headers[0].name",
    ],
    ["another way to sign in", { auth: { type: "digest" } }, "auth.type"],
    ["a user with a colon", { auth: { ...whole.auth, user: "a:b" } }, "auth.user"],
    ["a short password", { auth: { ...whole.auth, password: "12345" } }, "auth.password"],
    ["no token", { auth: { type: "bearer" } }, "auth.token"],
    ["http to a host of the internet", { allow_http: true }, "allow_http"],
  ])("has only what goes together", async (_, setting, field) => {
    expect(await refused(setting)).toEqual([field]);
  });

  test("keeps a host in the form that URLs have", async () => {
    const me = await server().account();

    const hosts = [
      "BÜCHER.example.",
      "*.me.github.io",
      "intranet",
      "a.example:443",
      "*.a.example:08443",
    ];
    const replies = await Promise.all(hosts.map((host) => me.post(PATH, { host })));

    expect(replies.map(({ body }) => body.data?.host)).toEqual([
      "xn--bcher-kva.example",
      "*.me.github.io",
      "intranet",
      "a.example",
      "*.a.example:8443",
    ]);
  });

  test("allows http to a host of the own network", async () => {
    const me = await server().account();

    const { status, body } = await me.post(PATH, { host: "*.wiki.internal", allow_http: true });

    expect([status, body.data?.allow_http]).toEqual([201, true]);
  });
});

test("values that were sealed with another key can only be given again", async () => {
  const server = await startServer("sqlite");
  const me = await server.account();
  const { id } = (await me.post(PATH, whole)).body.data;
  const { store } = server.deps;
  const sealed = createSecretBox(new Uint8Array(32)).seal("{}");
  await store.update(hostSettings).set({ sealed }).where(eq(hostSettings.id, id));

  const lost = await me.get(`${PATH}/${id}`);
  const agent = await me.patch(`${PATH}/${id}`, { user_agent: "Other/1" });
  const { body } = await me.patch(`${PATH}/${id}`, { headers: whole.headers });

  expect(lost.body.data).toMatchObject({ is_readable: false, headers: [], auth: null });
  expect(agent.body.data).toMatchObject({ is_readable: false, user_agent: "Other/1" });
  expect(body.data).toMatchObject({ is_readable: true, headers: [{ name: "X-Api-Key" }] });
  await server.stop();
});
