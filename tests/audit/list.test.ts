import { expect } from "bun:test";
import { recordChange } from "../../server/accounts/audit.ts";
import { type AuditRow, audit } from "../../server/ground/db/tables.ts";
import { newIdAt } from "../../server/ground/lib/ids.ts";
import { onServer, type Parsed, type Reply, type TestServer } from "../harness.ts";
import { addKey, READ_ONLY } from "../keys/asking.ts";
import { addGroup, addLink } from "../rows.ts";
import { newOwner } from "../session/browser.ts";
import { enter, newAdministrator } from "./looking.ts";

const PATH = "/api/v1/audit";
const HOUR = 3_600_000;

const itemsIn = ({ body }: Reply): Parsed[] => body.data.items;

/** Entries of an account, one an hour, the first at the moment. */
async function addEntries(
  { deps: { store } }: TestServer,
  accountId: string,
  since: number,
  count: number,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, n): AuditRow => {
    const createdAt = since + n * HOUR;
    return {
      id: newIdAt(createdAt),
      accountId,
      createdAt,
      actorKind: "operator",
      actorId: null,
      actorName: "n",
      address: null,
      action: "link.created",
      targetId: null,
      targetName: String(n),
      fields: "[]",
      count: n + 1,
    };
  });
  await store.insert(audit).values(rows);
}

onServer("GET /audit", (server, { test, testOnBoth }) => {
  test("lists what was changed, newest first, with who and what", async () => {
    const me = await server().account();
    const id = await addLink(me, { url: "https://example.org/a" });
    server().clock.moveBy(1000);
    await me.patch(`/api/v1/links/${id}`, { check_frequency: "weekly" });
    const at = new Date(server().clock.now()).toISOString();

    const reply = await me.get(PATH);

    expect(reply.status).toBe(200);
    const [first, second, third] = itemsIn(reply);
    expect(first).toEqual({
      id: expect.any(String),
      created_at: at,
      action: "link.changed",
      actor: {
        kind: "key",
        id: second.actor.id,
        name: me.key.slice(0, 9),
        address: "127.0.0.1",
      },
      target: { type: "link", id, name: "https://example.org/a", exists: true },
      fields: ["check_frequency"],
      count: 1,
    });
    expect([second.action, third.action]).toEqual(["link.created", "key.created"]);
    expect(third.actor).toEqual({
      kind: "operator",
      id: null,
      name: "command line",
      address: null,
    });
  });

  test("says when what it is about is gone", async () => {
    const me = await server().account();
    const id = await addGroup(me);
    await me.delete(`/api/v1/groups/${id}`);

    const [deleted, created] = itemsIn(await me.get(PATH));

    expect([deleted.action, deleted.target.exists]).toEqual(["group.deleted", false]);
    expect([created.action, created.target.exists]).toEqual(["group.created", false]);
  });

  test("is filtered by action, actor, target and time", async () => {
    const me = await server().account();
    const other = await addKey(server(), me);
    const group = await addGroup(me);
    server().clock.moveBy(HOUR);
    const noon = server().clock.now();
    const link = await addLink(other, { group_id: group });
    server().clock.moveBy(HOUR);
    await other.delete(`/api/v1/groups/${group}`);
    const actions = async (query: string) =>
      itemsIn(await me.get(`${PATH}?${query}`)).map(({ action }) => action);
    const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString());

    expect(await actions("action=link.created")).toEqual(["link.created"]);
    expect(await actions(`actor=${other.id}`)).toEqual(["group.deleted", "link.created"]);
    expect(await actions(`target=${group}`)).toEqual(["group.deleted", "group.created"]);
    expect(await actions(`target=${link}`)).toEqual(["link.created"]);
    expect(await actions(`from=${iso(noon)}&to=${iso(noon)}`)).toEqual(["link.created"]);
    expect(await actions(`from=${iso(noon + 1)}`)).toEqual(["group.deleted"]);
    expect(await actions(`to=${iso(noon - 1)}`)).not.toContain("link.created");
  });

  test("tells every problem of a query", async () => {
    const me = await server().account();

    const { status, body } = await me.get(`${PATH}?action=link.eaten&actor=me&from=soon`);

    expect(status).toBe(400);
    expect(Object.keys(body.error.details.fields).sort()).toEqual(["action", "actor", "from"]);
  });

  test("goes page by page, from either end", async () => {
    const me = await server().account();
    await addEntries(server(), me.accountId, Date.parse("2029-12-01T00:00:00Z"), 60);
    const namesOf = async (page: number) => {
      const reply = await me.get(`${PATH}?action=link.created&per_page=25&page=${page}`);
      return itemsIn(reply).map(({ count }) => count);
    };

    expect((await namesOf(1)).slice(0, 3)).toEqual([60, 59, 58]);
    expect((await namesOf(2)).at(-1)).toBe(11);
    expect(await namesOf(3)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await namesOf(4)).toEqual([]);
  });

  test("hides other accounts' entries, and shows a read-only key all of its own", async () => {
    const [me, stranger] = [await server().account(), await server().account()];
    await addGroup(me, "Mine");
    const reader = await addKey(server(), me, READ_ONLY);

    expect(JSON.stringify((await stranger.get(PATH)).body)).not.toContain("Mine");
    expect((await stranger.get(`${PATH}?target=${me.accountId}`)).body.data.items).toEqual([]);
    expect(itemsIn(await reader.get(PATH)).map(({ action }) => action)).toContain("group.created");
  });

  test("shows administrators all accounts, also one that is gone", async () => {
    const admin = await newAdministrator(server());
    const me = await server().account();
    await addGroup(me, "Mine");
    const { owner, account } = await newAdministrator(server());
    // Entries of one moment stand in no order that could be counted on.
    server().clock.moveBy(1000);
    await admin.browser.delete(`/admin/accounts/${account.id}`);

    const [deleted] = itemsIn(await admin.browser.get("/admin/audit"));

    expect(deleted).toMatchObject({
      action: "account.deleted",
      actor: { kind: "administrator", name: admin.owner.email },
      target: { type: "account", id: account.id, name: owner.email },
      account: { id: account.id, email: null },
    });
    const groups = await admin.browser.get("/admin/audit?action=group.created");
    expect(itemsIn(groups)[0]).toMatchObject({ account: { id: me.accountId } });
  });

  testOnBoth(
    "does not name administrators of the installation to other accounts, but to each other",
    async () => {
      const admin = await newAdministrator(server());
      const { account, owner } = await newOwner(server());
      const me = await enter(server(), owner.id);
      await admin.browser.patch(`/admin/accounts/${account.id}`, { tier: "enterprise" });
      await admin.browser.post(`/admin/users/${owner.id}/password-link`);
      const mine = await enter(server(), owner.id);

      const reply = await mine.get("/audit");
      const asked = await mine.get(`/audit?actor=${admin.owner.id}`);
      const ofAll = await admin.browser.get(`/admin/audit?actor=${admin.owner.id}`);

      const [first, second] = itemsIn(reply);
      expect([first.action, second.action]).toEqual([
        "person.password_link_made",
        "account.changed",
      ]);
      const unnamed = { kind: "administrator", id: null, name: "an administrator", address: null };
      expect([first.actor, second.actor]).toEqual([unnamed, unnamed]);
      expect(JSON.stringify(reply.body)).not.toContain(admin.owner.email);
      expect(itemsIn(asked)).toEqual([]);
      expect(itemsIn(ofAll)[0].actor).toMatchObject({
        kind: "administrator",
        name: admin.owner.email,
        address: expect.any(String),
      });
      expect((await me.get("/audit")).status).toBe(401);
    },
  );

  test("names an administrator in their own account, and hides them in entries of before", async () => {
    const admin = await newAdministrator(server());
    const { account, owner } = await newOwner(server());
    await admin.browser.post("/people", {
      email: `${crypto.randomUUID()}@example.org`,
      role: "viewer",
    });
    const by = { kind: "user", id: admin.owner.id, name: admin.owner.email } as const;
    const change = { action: "account.changed", accountId: account.id } as const;
    const { deps } = server();
    await recordChange(deps, { ...change, by: { ...by, address: () => "192.0.2.9" } });
    const mine = await enter(server(), owner.id);

    const own = itemsIn(await admin.browser.get("/audit"))[0].actor;
    const earlier = itemsIn(await mine.get("/audit"))[0].actor;

    expect(own).toMatchObject({ kind: "user", name: admin.owner.email });
    expect(earlier).toMatchObject({ kind: "administrator", id: null, address: null });
  });
});
