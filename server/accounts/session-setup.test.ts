import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ENGINES, startServer, type TestServer } from "../../tests/harness.ts";
import { BEHIND_PROXY, newOwner, openBrowser, PASSWORD } from "../../tests/session/browser.ts";
import { accounts, users } from "../ground/db/tables.ts";
import { createSetup } from "./users.ts";

const EMAIL = "first@example.org";

describe.each(ENGINES)("setting up on %s", (engine) => {
  let server: TestServer;
  let token: string;
  let path: string;
  beforeEach(async () => {
    server = await startServer(engine, BEHIND_PROXY);
    token = (await createSetup(server.deps))!;
    path = join(server.config.dataDir, "setup-token");
  });
  afterEach(() => server.stop());

  test("makes the first account, its first key, and signs its owner in", async () => {
    const browser = openBrowser(server);
    expect((await browser.get("/session")).body.data.state).toBe("setup");

    const done = await browser.post("/setup", { token, email: EMAIL, password: PASSWORD });

    expect(done.status).toBe(201);
    expect(done.body.data).toMatchObject({
      state: "signed-in",
      user: { email: EMAIL, role: "owner", is_admin: true },
    });
    expect((await server.asker(done.body.data.key).get("/api/v1/links")).status).toBe(200);
    const { items } = (await browser.get("/keys")).body.data;
    expect(items.map((key: { name: string }) => key.name)).toEqual(["First key"]);
    expect((await openBrowser(server).signIn(EMAIL)).status).toBe(200);
    expect((await openBrowser(server).get("/session")).body.data.state).toBe("signed-out");
  });

  test("happens once out of a hundred times at the same moment", async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        openBrowser(server).post("/setup", {
          token,
          email: `u${i}@example.org`,
          password: PASSWORD,
        }),
      ),
    );

    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([201, 404, 503]));
    expect(await server.deps.store.select().from(accounts)).toHaveLength(1);
    expect(await server.deps.store.select().from(users)).toHaveLength(1);
  });

  test("is over once there is an account, and the token is gone", async () => {
    await openBrowser(server).post("/setup", { token, email: EMAIL, password: PASSWORD });

    const again = { token, email: "second@example.org", password: PASSWORD };

    expect((await openBrowser(server).post("/setup", again)).status).toBe(404);
    expect((await openBrowser(server).post("/setup", {})).status).toBe(404);
    expect(existsSync(path)).toBe(false);
    expect(await createSetup(server.deps)).toBeNull();
    expect(existsSync(path)).toBe(false);
  });
});

describe("the set-up token", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer("sqlite");
  });
  afterEach(() => server.stop());

  test("is in a file that only we can read, and another one at every start", async () => {
    const first = await createSetup(server.deps);
    const second = await createSetup(server.deps);

    const path = join(server.config.dataDir, "setup-token");
    expect(first).toMatch(/^([A-Z2-7]{5}-){5}[A-Z2-7]{5}$/);
    expect(second).not.toBe(first);
    expect(readFileSync(path, "utf8")).toBe(`${second}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const outdated = { token: first, email: EMAIL, password: PASSWORD };
    expect((await openBrowser(server).post("/setup", outdated)).status).toBe(401);
  });

  test("is not needed where the command line made an account", async () => {
    await newOwner(server);

    expect(await createSetup(server.deps)).toBeNull();
  });

  test("may be typed in small letters and without its dashes", async () => {
    const token = (await createSetup(server.deps))!.replaceAll("-", "").toLowerCase();

    const done = await openBrowser(server).post("/setup", {
      token,
      email: EMAIL,
      password: PASSWORD,
    });

    expect(done.status).toBe(201);
  });

  test("can be guessed 20 times a minute, wrong ones all refused", async () => {
    await createSetup(server.deps);
    const browser = openBrowser(server);
    const guess = () =>
      browser.post("/setup", { token: "AAAAA", email: EMAIL, password: PASSWORD });

    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await guess()).status);

    expect(statuses).toEqual([...Array(20).fill(401), 429]);
  });

  test("is not there, so nothing fits", async () => {
    const nothing = { token: "", email: EMAIL, password: PASSWORD };

    expect((await openBrowser(server).post("/setup", nothing)).status).toBe(401);
  });

  test("comes with every problem of the rest at once", async () => {
    await createSetup(server.deps);

    const { status, body } = await openBrowser(server).post("/setup", {
      email: "not-an-email",
      password: "passwordpassword",
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      token: ["is required"],
      email: ["must be an e-mail address"],
      password: ["is one of the commonest; choose another"],
    });
  });
});
