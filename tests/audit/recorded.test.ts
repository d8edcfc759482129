import { expect, onTestFinished, test } from "bun:test";
import { sql } from "drizzle-orm";
import { operatorOf } from "../../server/accounts/users.ts";
import { createApp } from "../../server/app/app.ts";
import { audit, users } from "../../server/ground/db/tables.ts";
import { deleteGroup } from "../../server/links/groups/groups.ts";
import { onServer, type Reply, startServer, type TestServer } from "../harness.ts";
import { addLink, anyUrl } from "../rows.ts";
import { BEHIND_PROXY, newColleague, newOwner } from "../session/browser.ts";
import { enter, entriesOf, newAdministrator } from "./looking.ts";
import { SETUP, STORIES } from "./stories.ts";

const DOORS = /^\/(api\/v1|dashboard\/api)(?=\/)/;
const SETUP_ROUTE = "POST /setup";

const ofSession = (route: string) =>
  / \/(session|sessions|password|admin|people|account)(\/|$)/.test(route);

/** Answered before it is done, and so before it is logged. */
const BEGUN = "POST /admin/backups";

/** Makes every entry fail until it is given back. */
async function breakLog({ deps: { store } }: TestServer) {
  await store.run(sql.raw("alter table audit rename to audit_away"));
  return async () => {
    await store.run(sql.raw("alter table audit_away rename to audit"));
  };
}

const TABLES = [
  "accounts",
  "users",
  "sessions",
  "recovery_codes",
  "api_keys",
  "links",
  "groups",
].concat(["webhooks", "webhook_events", "deliveries", "events", "password_links"]);
/** A code or a one-time link that was shown is spent, whatever comes of it. */
const SPENT: Record<string, string[]> = { "POST /password": ["password_links"] };

type Played = NonNullable<Awaited<ReturnType<(typeof STORIES)[string]>>>;

/** All that is kept but the log, and but what is spent by the route's request. */
async function contentOf({ deps: { store } }: TestServer, route: string): Promise<string> {
  await store.update(users).set({ totpStep: null });
  const tables = TABLES.filter((table) => !SPENT[route]?.includes(table));
  const contents = tables.map(async (table) => {
    const rows: unknown[] = await store.all(sql.raw(`select * from ${table}`));
    return [table, rows.map((row) => JSON.stringify(row)).sort()];
  });
  return JSON.stringify(await Promise.all(contents));
}

onServer(
  "The audit log",
  (server, { test, testOnBoth }) => {
    const succeeded = ({ status }: Reply) => status >= 200 && status < 300;

    test("has a story for every route that may change something", () => {
      const unsafe = createApp(server().deps).routes.filter(({ method, path }) => {
        return DOORS.test(path) && !["GET", "HEAD", "OPTIONS"].includes(method);
      });
      const routes = unsafe.map(({ method, path }) => `${method} ${path.replace(DOORS, "")}`);

      const known = [...Object.keys(STORIES), SETUP_ROUTE];

      expect([...new Set(routes)].sort()).toEqual(known.sort());
    });

    /** Asks while every entry fails, which must leave all as it was. */
    async function askUnlogged(route: string, { ask }: Played) {
      const before = await contentOf(server(), route);
      const repair = await breakLog(server());

      const reply = await ask().finally(repair);

      expect(reply.status).toBe(route === BEGUN ? 202 : 500);
      expect(await contentOf(server(), route)).toBe(before);
    }

    test.each(Object.entries(STORIES))(
      "takes %s back when it cannot log it, and logs it once when it can",
      async (route, story) => {
        const first = await newAdministrator(server());
        const unlogged = await story(server(), first);
        if (!unlogged) return;
        if (unlogged.entry) await askUnlogged(route, unlogged);
        const admin = route in SPENT ? await newAdministrator(server()) : first;
        const { ask, entry } = route in SPENT ? (await story(server(), admin))! : unlogged;

        const { result, entries } = await entriesOf(server(), ask);

        expect(succeeded(result)).toBe(true);
        expect(entries).toHaveLength(entry ? 1 : 0);
        if (!entry) return;
        const { target, fields, ...others } = entry;
        const { owner, account, keyId, me } = admin;
        const byKey = { actorKind: "key", actorId: keyId, actorName: me.key.slice(0, 9) };
        const isElsewhere = /admin\/(accounts|users)/.test(route);
        const actorKind = isElsewhere ? "administrator" : "user";
        const byUser = { actorKind, actorId: owner.id, actorName: owner.email };
        expect(entries[0]).toMatchObject({
          ...(ofSession(route) ? byUser : byKey),
          ...(/admin\/accounts$/.test(route) ? {} : { accountId: account.id }),
          createdAt: server().clock.now(),
          address: expect.stringMatching(ofSession(route) ? /^10\.0\./ : /^127\./),
          count: 1,
          fields: JSON.stringify(fields ?? []),
          ...others,
        });
        if (target !== undefined) {
          expect([entries[0]!.targetId, entries[0]!.targetName]).toEqual(target ?? [null, null]);
        }
      },
    );

    test("records what is done in the dashboard under the person's name", async () => {
      const { browser, owner } = await newAdministrator(server());

      const { entries } = await entriesOf(server(), () => browser.post("/groups", { name: "a" }));

      expect(entries).toMatchObject([
        { action: "group.created", actorKind: "user", actorId: owner.id, actorName: owner.email },
      ]);
    });

    test("has nothing of what changed nothing", async () => {
      const { me, browser } = await newAdministrator(server());
      const id = await addLink(me);
      const group = (await me.post("/api/v1/groups", { name: "a" })).body.data;
      const { url } = (await me.get(`/api/v1/links/${id}`)).body.data;
      const key = { "idempotency-key": "once" };
      await me.post("/api/v1/groups", { name: "b" }, key);
      const gone = crypto.randomUUID();

      const { entries } = await entriesOf(server(), async () => {
        await me.patch(`/api/v1/links/${id}`, {});
        await me.patch(`/api/v1/links/${id}`, { check_frequency: "daily" });
        await me.patch(`/api/v1/groups/${group.id}`, { name: "a" });
        await me.delete(`/api/v1/links/${gone}`);
        await me.post("/api/v1/links", { url });
        await me.post("/api/v1/links/batch", { links: [{ url }] });
        await me.post("/api/v1/links/batch-delete", { link_ids: [gone] });
        await me.post("/api/v1/links/batch-delete", { filter: { search: "nowhere" } });
        await me.post(`/api/v1/groups/${group.id}/links`, { link_ids: [gone] });
        await me.post("/api/v1/groups", { name: "b" }, key);
        await me.post("/api/v1/groups", { name: "" });
        await browser.delete("/sessions");
        await browser.post("/session", { email: "unknown@example.org", password: "wrong" });
      });

      expect(entries.map(({ action }) => action)).toEqual([]);
    });

    testOnBoth("records a deletion once, however many ask for it at once", async () => {
      const { me } = await newAdministrator(server());
      const link = `/api/v1/links/${await addLink(me)}`;
      const { id } = (await me.post("/api/v1/groups", { name: "a" })).body.data;
      const hook = { url: "https://ops.example.com/x", events: ["link.dead"] };
      const webhook = (await me.post("/api/v1/webhooks", hook)).body.data.id;
      const paths = [link, `/api/v1/groups/${id}`, `/api/v1/webhooks/${webhook}`];

      const { entries } = await entriesOf(server(), () =>
        Promise.all(paths.flatMap((path) => Array.from({ length: 8 }, () => me.delete(path)))),
      );

      const actions = entries.map(({ action }) => action);
      expect(actions.sort()).toEqual(["group.deleted", "link.deleted", "webhook.deleted"]);
    });

    testOnBoth("has one entry for a group that two requests delete at once", async () => {
      const { deps } = server();
      const { me } = await newAdministrator(server());
      const { id } = (await me.post("/api/v1/groups", { name: "a" })).body.data;
      const caller = await operatorOf(deps, me.accountId);

      const { entries } = await entriesOf(server(), () =>
        Promise.allSettled([deleteGroup(deps, caller, id), deleteGroup(deps, caller, id)]),
      );

      expect(entries.map(({ action }) => action)).toEqual(["group.deleted"]);
    });

    test("lets a backup be that it could not tell the deletion of", async () => {
      const admin = await newAdministrator(server());
      const deletion = await STORIES["DELETE /admin/backups/:name"]!(server(), admin);
      if (!deletion) return;
      const list = async () => (await admin.browser.get("/admin/backups")).body.data.items;
      const before = await list();
      const repair = await breakLog(server());

      await deletion.ask().finally(repair);

      expect(await list()).toEqual(before);
    });

    test("holds no password, no secret, no token, and nothing of a URL that may be one", async () => {
      const admin = await newAdministrator(server());
      const { me, browser } = admin;
      const hidden = [
        "canary-user",
        "canary-pass",
        "canary-query",
        "canary-fragment",
        "canary-hook",
      ];
      const url = `https://canary-user:canary-pass@example.org/page?token=canary-query#canary-fragment`;
      const made = await me.post("/api/v1/links", { url });
      await me.delete(`/api/v1/links/${made.body.data?.id}`);
      await me.post("/api/v1/links", { url: `${anyUrl()}?token=canary-query#canary-fragment` });
      const hook = {
        url: "https://ops.example.com/canary-hook?a=canary-query",
        events: ["link.dead"],
      };
      const webhook = (await me.post("/api/v1/webhooks", hook)).body.data;
      hidden.push(
        webhook.signing_secret,
        (await me.post("/api/v1/keys", { name: "k" })).body.data.key,
      );
      hidden.push(me.key, browser.cookie()!.split("=")[1]!);
      const { account } = admin;
      const person = { email: `${crypto.randomUUID()}@example.org`, role: "viewer" };
      const invited = await browser.post(`/admin/accounts/${account.id}/users`, person);
      hidden.push(invited.body.data.token);

      const text = JSON.stringify(await server().deps.store.select().from(audit));

      expect(hidden.filter((secret) => text.includes(secret))).toEqual([]);
      expect(hidden.every((secret) => typeof secret === "string" && secret.length > 8)).toBe(true);
      expect(text).toContain("ops.example.com");
    });

    testOnBoth.each([
      ["changed", "update audit set actor_name = 'someone else'", /not changed/],
      ["deleted", "delete from audit", /kept for a year/],
    ])("cannot be %s, even in the database", async (_, statement, refusal) => {
      const { me } = await newAdministrator(server());
      await addLink(me);
      const { store } = server().deps;
      const before = await store.$count(audit);

      const refused = await store.run(sql.raw(statement)).then(
        () => "done",
        (error) => String(error.cause ?? error),
      );

      expect(refused).toMatch(refusal);
      expect(await store.$count(audit)).toBe(before);
    });

    test("names the demoted person and the actor, only when it was done", async () => {
      const { browser } = await newAdministrator(server());
      const { owner } = await newOwner(server());

      const { result, entries } = await entriesOf(server(), () =>
        browser.patch(`/admin/users/${owner.id}`, { role: "viewer" }),
      );

      expect(result.status).toBe(409);
      expect(entries).toEqual([]);
    });

    test("may be read by a viewer", async () => {
      const fresh = await newAdministrator(server());
      await addLink(fresh.me);
      const viewer = await newColleague(server(), fresh, "viewer");
      const browser = await enter(server(), viewer.id);

      expect((await browser.get("/audit")).body.data.items[0].action).toBe("link.created");
    });
  },
  BEHIND_PROXY,
);

test("The audit log records the set-up", async () => {
  const server = await startServer("sqlite", BEHIND_PROXY);
  onTestFinished(server.stop);

  const { result, entries } = await entriesOf(server, () => SETUP(server));

  expect(result.status).toBe(201);
  expect(entries).toMatchObject([
    { action: "account.created", actorKind: "stranger", targetName: "first@example.org" },
  ]);
  expect(entries[0]!.accountId).toBe(entries[0]!.targetId!);
});
