import { expect } from "bun:test";
import { and, eq } from "drizzle-orm";
import { onServer } from "../../../tests/harness.ts";
import {
  type Browser,
  newColleague,
  newOwner,
  openBrowser,
} from "../../../tests/session/browser.ts";
import { createSession } from "../../accounts/sessions.ts";
import { audit, users } from "../../ground/db/tables.ts";

onServer("Administration", (server, { test, testOnBoth }) => {
  async function enter(userId: string): Promise<Browser> {
    const { store, clock } = server().deps;
    const token = await createSession(store, userId, clock.now());
    return openBrowser(server(), `session=${token}`);
  }
  async function administrator() {
    const fresh = await newOwner(server());
    await server()
      .deps.store.update(users)
      .set({ isAdmin: true })
      .where(eq(users.id, fresh.owner.id));
    return { ...fresh, browser: await enter(fresh.owner.id) };
  }
  const accountOf = async (browser: Browser, email: string) =>
    (await browser.get(`/admin/accounts?search=${email}`)).body.data.items[0];

  test.each([
    ["GET", "/admin/state"],
    ["GET", "/admin/nodes"],
    ["GET", "/admin/accounts"],
    ["POST", "/admin/accounts"],
    ["PATCH", "/admin/accounts/x"],
    ["DELETE", "/admin/accounts/x"],
    ["POST", "/admin/accounts/x/users"],
    ["PATCH", "/admin/users/x"],
    ["DELETE", "/admin/users/x"],
    ["POST", "/admin/users/x/password-link"],
  ])("%s %s is for administrators only, whatever is sent", async (method, path) => {
    // The first of all is always one.
    await administrator();
    const { owner } = await newOwner(server());
    const browser = await enter(owner.id);

    const refused = await browser.ask(method, path, method === "GET" ? undefined : {});

    expect(refused.status).toBe(403);
    expect(refused.body.error.message).toBe("Only administrators of the installation can do this.");
  });

  test("is for an administrator also where they may only look at their account", async () => {
    await administrator();
    const fresh = await newOwner(server());
    const viewer = await newColleague(server(), fresh, "viewer");
    await server().deps.store.update(users).set({ isAdmin: true }).where(eq(users.id, viewer.id));
    const browser = await enter(viewer.id);

    const changed = await browser.patch(`/admin/accounts/${fresh.account.id}`, { tier: "pro" });

    expect(changed.status).toBe(200);
    expect((await browser.post("/links", { url: "https://example.org/" })).status).toBe(403);
  });

  testOnBoth("tells how the installation is, without a secret", async () => {
    const { browser } = await administrator();

    const { body } = await browser.get("/admin/state");

    expect(body.data.database).toMatchObject({ engine: server().deps.store.engine.name });
    expect(body.data.database.bytes).toBeGreaterThan(10_000);
    expect(body.data.database.migration).toMatch(/^00\d\d_/);
    expect(body.data.tiers.map(({ tier }: { tier: string }) => tier)).toEqual([
      "free",
      "pro",
      "business",
      "enterprise",
    ]);
    expect(JSON.stringify(body)).not.toMatch(/postgres:\/\/|password|secret/i);
  });

  test("lists the processes that check links, running or not, and the one that reads sources while it runs", async () => {
    const { browser } = await administrator();
    const running = (name: string, more: object = {}) => ({
      name,
      pid: 4711,
      isStarting: false,
      memoryBytes: 0,
      checks: 0,
      restarts: 0,
      ...more,
    });
    const { metrics } = server().deps;
    metrics.watchProcesses(() => [
      running("1", { memoryBytes: 118_000_000, checks: 12_345, restarts: 2 }),
      { ...running("2", { checks: 9, restarts: 1 }), pid: null, isStarting: true },
      { ...running("3", { checks: 7 }), pid: null },
      { ...running("reader"), pid: null },
    ]);
    const some = await browser.get("/admin/state");
    metrics.watchProcesses(() => [running("1"), running("reader", { memoryBytes: 90_000_000 })]);
    const reading = await browser.get("/admin/state");
    metrics.watchProcesses(() => []);
    const none = await browser.get("/admin/state");

    expect(some.body.data.checker.processes).toEqual([
      { memory_bytes: 118_000_000, checks: 12_345, restarts: 2, state: "running" },
      { memory_bytes: 0, checks: 9, restarts: 1, state: "starting" },
      { memory_bytes: 0, checks: 7, restarts: 0, state: "idle" },
    ]);
    expect(reading.body.data.checker.processes[1]).toMatchObject({ memory_bytes: 90_000_000 });
    expect(none.body.data.checker.processes).toEqual([]);
  });

  test("lists no processes where a server does not check links", async () => {
    const { browser } = await administrator();
    const { deps } = server();
    const { config } = deps;
    Object.assign(deps, { config: { ...config, role: ["api"] } });

    const { body } = await browser.get("/admin/state");

    Object.assign(deps, { config });
    expect(body.data.checker.processes).toBeNull();
  });

  testOnBoth(
    "tells which processes serve the database, and what part of the work is whose",
    async () => {
      const { browser } = await administrator();
      const { nodes, store } = server().deps;

      const { body } = await browser.get("/admin/nodes");

      expect(body.data.is_shared).toBe(store.engine.name === "postgres");
      expect(body.data.items).toHaveLength(1);
      expect(body.data.items[0]).toMatchObject({
        id: nodes.id,
        roles: ["api", "checker", "delivery"],
        is_live: true,
        is_this: true,
        clock_off_ms: 0,
        share: { checks: 1, deliveries: 1 },
      });
    },
  );

  test("finds an account by the e-mail of any of its people", async () => {
    const { browser } = await administrator();
    const fresh = await newOwner(server());
    const editor = await newColleague(server(), fresh, "editor");

    const found = await accountOf(browser, editor.email);

    expect(found).toMatchObject({ id: fresh.account.id, tier: "business", links_used: 0 });
    expect(found.users.map(({ email }: { email: string }) => email).sort()).toEqual(
      [fresh.owner.email, editor.email].sort(),
    );
  });

  test("makes an account, whose owner sets a password by a link that works once", async () => {
    const { browser } = await administrator();
    const email = `new-${crypto.randomUUID()}@example.org`;

    const made = await browser.post("/admin/accounts", { email, tier: "pro" });
    const { token } = made.body.data;
    const password = "a password of many words";
    const stranger = openBrowser(server());
    const first = await stranger.post("/password", { token, password });
    const second = await openBrowser(server()).post("/password", { token, password });

    expect(made.status).toBe(201);
    expect(first.body.data.user).toMatchObject({ email, role: "owner", is_admin: false });
    expect(second.status).toBe(404);
    expect((await stranger.get("/account")).body.data.tier).toBe("pro");
  });

  test("changes the tier, and with it what the account may have", async () => {
    const { browser } = await administrator();
    const { account, owner } = await newOwner(server());

    const changed = await browser.patch(`/admin/accounts/${account.id}`, { tier: "free" });

    expect(changed.body.data.tier).toBe("free");
    const theirs = await (await enter(owner.id)).get("/account");
    expect(theirs.body.data.limits.links).toBe(50);
  });

  testOnBoth("a tier that is changed twice at once, or to what it is, is logged once", async () => {
    const { browser } = await administrator();
    const { account } = await newOwner(server());
    const change = () => browser.patch(`/admin/accounts/${account.id}`, { tier: "free" });

    const replies = await Promise.all([change(), change()]);

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const changes = and(eq(audit.accountId, account.id), eq(audit.action, "account.changed"));
    expect(await server().deps.store.$count(audit, changes)).toBe(1);
  });

  test("adds people to an account, and refuses an e-mail that is taken", async () => {
    const { browser } = await administrator();
    const { account, owner } = await newOwner(server());
    const email = `viewer-${crypto.randomUUID()}@example.org`;
    const path = `/admin/accounts/${account.id}/users`;

    const added = await browser.post(path, { email, role: "viewer" });
    const taken = await browser.post(path, { email: owner.email, role: "viewer" });

    expect(added.status).toBe(201);
    expect(taken.body.error.details).toEqual({ reason: "duplicate_email" });
    expect((await accountOf(browser, email)).users).toHaveLength(2);
  });

  testOnBoth("an account keeps an owner, also when two are demoted at once", async () => {
    const { browser } = await administrator();
    const fresh = await newOwner(server());
    const second = await newColleague(server(), fresh, "owner");
    const demote = (id: string) => browser.patch(`/admin/users/${id}`, { role: "editor" });

    const replies = await Promise.all([demote(fresh.owner.id), demote(second.id)]);

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { users: people } = await accountOf(browser, second.email);
    expect(people.filter(({ role }: { role: string }) => role === "owner")).toHaveLength(1);
  });

  test("no one can remove their own rights, their own user or their own account", async () => {
    const { browser, owner, account } = await administrator();

    const rights = await browser.patch(`/admin/users/${owner.id}`, { is_admin: false });
    const self = await browser.delete(`/admin/users/${owner.id}`);
    const own = await browser.delete(`/admin/accounts/${account.id}`);

    expect([rights.status, self.status, own.status]).toEqual([409, 409, 409]);
  });

  testOnBoth("of two who take away each other's administration at once one stays", async () => {
    for (const ask of [
      (browser: Browser, id: string) => browser.patch(`/admin/users/${id}`, { is_admin: false }),
      (browser: Browser, id: string) => browser.delete(`/admin/users/${id}`),
    ]) {
      const [one, other] = [await administrator(), await administrator()];
      // With another owner in the account either could be removed.
      for (const each of [one, other]) await newColleague(server(), each, "owner");

      const replies = await Promise.all([
        ask(one.browser, other.owner.id),
        ask(other.browser, one.owner.id),
      ]);

      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      const reads = [
        await one.browser.get("/admin/state"),
        await other.browser.get("/admin/state"),
      ];
      expect(reads.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  test("does not remove an account's last owner, so that the account keeps its owner", async () => {
    const fresh = await administrator();
    const { store } = server().deps;
    const editor = await newColleague(server(), fresh, "editor");
    await store.update(users).set({ isAdmin: true }).where(eq(users.id, editor.id));
    const browser = await enter(editor.id);

    const refused = await browser.delete(`/admin/users/${fresh.owner.id}`);

    expect([refused.status, refused.body.error.details]).toEqual([409, { reason: "last_owner" }]);
    expect((await browser.get("/account")).status).toBe(200);
  });

  testOnBoth("an account keeps an owner, also when two are removed at once", async () => {
    const { browser } = await administrator();
    const fresh = await newOwner(server());
    const second = await newColleague(server(), fresh, "owner");

    const replies = await Promise.all(
      [fresh.owner.id, second.id].map((id) => browser.delete(`/admin/users/${id}`)),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test("removes someone, whose sessions end", async () => {
    const { browser } = await administrator();
    const fresh = await newOwner(server());
    const editor = await newColleague(server(), fresh, "editor");
    const theirs = await enter(editor.id);

    const removed = await browser.delete(`/admin/users/${editor.id}`);

    expect(removed.status).toBe(204);
    expect((await theirs.get("/links")).status).toBe(401);
  });

  test("resets a password: sessions end, and the link sets a new one", async () => {
    const { browser } = await administrator();
    const { owner } = await newOwner(server());
    const theirs = await enter(owner.id);

    const { body } = await browser.post(`/admin/users/${owner.id}/password-link`);

    expect(body.data.email).toBe(owner.email);
    expect((await theirs.get("/links")).status).toBe(401);
    const password = "another long password";
    const set = await openBrowser(server()).post("/password", { token: body.data.token, password });
    expect(set.status).toBe(200);
  });

  test("deletes an account with everything in it", async () => {
    const { browser } = await administrator();
    const { account, owner } = await newOwner(server());
    const theirs = await enter(owner.id);
    await theirs.post("/links", { url: "https://example.org/" });

    const deleted = await browser.delete(`/admin/accounts/${account.id}`);

    expect(deleted.status).toBe(204);
    expect(await accountOf(browser, owner.email)).toBeUndefined();
    expect((await browser.delete(`/admin/accounts/${account.id}`)).status).toBe(404);
  });
});
