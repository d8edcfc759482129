import { eq } from "drizzle-orm";
import { createSetup } from "../../server/accounts/users.ts";
import type { AuditRow } from "../../server/ground/db/tables.ts";
import { links, replacements } from "../../server/ground/db/tables.ts";
import { begin } from "../../server/judge/identity/compare.ts";
import { writeMemories } from "../../server/links/memories.ts";
import { addDelivery } from "../deliveries/logged.ts";
import type { Reply, TestServer } from "../harness.ts";
import { addPatterns } from "../patterns.ts";
import { startReceiver, subscribe } from "../receiver.ts";
import { addGroup, addLink, anyUrl, setLink } from "../rows.ts";
import {
  createPasswordLink,
  newColleague,
  newOwner,
  openBrowser,
  PASSWORD,
} from "../session/browser.ts";
import { type Administrator, codeOf, enter, newAdministrator } from "./looking.ts";

/** What the one entry of a request must hold. `target` is its id and name. */
type Expected = Partial<Pick<AuditRow, "action" | "count" | "accountId" | "actorKind">> & {
  target?: [id: string, name: string | null] | null;
  fields?: string[];
};

/** A link of whose page something is remembered. */
async function rememberedLink(server: TestServer, admin: Administrator) {
  const link = await linkOf(admin);
  const at = server.clock.now();
  await setLink(server, link.id, { status: "active", lastStatus: "active", lastCheckedAt: at });
  const [row] = await server.deps.store.select().from(links).where(eq(links.id, link.id));
  const seen = { at, url: link.url, finalUrl: link.url, facts: null };
  const memory = begin({ ...seen, isPermanent: false, isUnchanged: false, wasMissing: false });
  const change = { linkNo: row!.no, accountNo: row!.accountNo, memory, moved: null, version: null };
  await writeMemories(server.deps.store, [change]);
  return link;
}

/**
 * Prepares what a request needs; then the request, and the entry that it is to leave. There is no story where the
 * database does not know such a thing.
 */
type Story = (
  server: TestServer,
  admin: Administrator,
) => Promise<{ ask: () => Promise<Reply>; entry: Expected | null } | null>;

const LINKS = "/api/v1/links";
const NEXT = "another one, quite as long";
const HOSTS = "/api/v1/host-settings";
const SOURCES = "/api/v1/sources";
const REPLACEMENTS = "/api/v1/replacements";
const IMPORTS = "/api/v1/imports";
const SHOWN_HOST = "ops.example.com";

/** A link with its URL. */
async function linkOf({ me }: Administrator): Promise<{ id: string; url: string; path: string }> {
  const url = anyUrl();
  const id = await addLink(me, { url });
  return { id, url, path: `${LINKS}/${id}` };
}

/** A link that stands in a source. */
async function standingLinkOf({ me }: Administrator) {
  const url = anyUrl();
  const { id: sourceId } = (await me.post(SOURCES, { kind: "push", name: "Docs" })).body.data;
  const items = [{ page_url: `https://${SHOWN_HOST}/page`, links: [{ url }] }];
  await me.post(`${SOURCES}/${sourceId}/items`, { items });
  const [{ id }] = (await me.get(`${LINKS}?source_id=${sourceId}`)).body.data.items;
  return { id, url, path: `${LINKS}/${id}` };
}

/** A rule by which a link may get another URL. */
async function ruleOf(admin: Administrator) {
  const { id, url } = await linkOf(admin);
  const from = new URL(".", url).href;
  const to = "https://new.example.com/";
  return { id, from, to, ask: () => admin.me.post(REPLACEMENTS, { from, to }) };
}

async function webhookOf({ me }: Administrator) {
  const { id, path } = await subscribe(me, `https://${SHOWN_HOST}/hook`);
  return { id, path, target: [id, SHOWN_HOST] as [string, string] };
}

async function hostOf({ me }: Administrator) {
  const { id } = (await me.post(HOSTS, { host: SHOWN_HOST, user_agent: "Test" })).body.data;
  return { id, path: `${HOSTS}/${id}` };
}

/** Not read by anything here, so its first run waits. */
async function sourceOf({ me }: Administrator) {
  const url = `https://${SHOWN_HOST}/list.txt`;
  const { id, name } = (await me.post(SOURCES, { kind: "list", name: "Docs", url })).body.data;
  return { path: `${SOURCES}/${id}`, target: [id, name] as [string, string] };
}

/** Its links are recorded when they are added, and when they are deleted. */
async function importOf({ me }: Administrator) {
  const { id } = (await me.post(IMPORTS, anyUrl())).body.data;
  const path = `${IMPORTS}/${id}`;
  return { path, start: () => me.post(`${path}/start`) };
}

async function keyOf({ me }: Administrator) {
  const { id, prefix } = (await me.post("/api/v1/keys", { name: "k" })).body.data;
  return { id, prefix, path: `/api/v1/keys/${id}` };
}

/** With two-factor sign-in, and a code that was not used yet. */
async function secure(server: TestServer, { browser }: Administrator) {
  const begun = await browser.post("/session/two-factor", { password: PASSWORD });
  const { secret } = begun.body.data;
  await browser.post("/session/two-factor/confirm", { code: codeOf(server, secret) });
  server.clock.moveBy(30_000);
  return () => codeOf(server, secret);
}

/** Asks for a backup and waits until it is made, or is not. */
async function backUp(server: TestServer, { browser }: Administrator): Promise<Reply> {
  // Backups are named by their seconds.
  server.clock.moveBy(1000);
  const begun = await browser.post("/admin/backups");
  for (;;) {
    const { is_under_way } = (await browser.get("/admin/backups")).body.data;
    if (!is_under_way) return begun;
  }
}

const isSqlite = ({ deps }: TestServer) => deps.store.engine.name === "sqlite";

const own = ({ owner }: Administrator): [string, string] => [owner.id, owner.email];

/**
 * Every request that may change something, by its route, where it leaves an entry; and those that leave none, since
 * they change nothing that is anybody's.
 */
export const STORIES: Record<string, Story> = {
  "POST /keys": async (_, { me }) => ({
    ask: () => me.post("/api/v1/keys", { name: "new" }),
    entry: { action: "key.created" },
  }),
  "PATCH /keys/:id": async (_, admin) => {
    const { id, prefix, path } = await keyOf(admin);
    const change = { name: "other", permissions: { read: true } };
    return {
      ask: () => admin.me.patch(path, change),
      entry: { action: "key.changed", target: [id, prefix], fields: ["name"] },
    };
  },
  "DELETE /keys/:id": async (_, admin) => {
    const { id, prefix, path } = await keyOf(admin);
    return {
      ask: () => admin.me.delete(path),
      entry: { action: "key.revoked", target: [id, prefix] },
    };
  },
  "POST /keys/:id/rotate": async (_, admin) => {
    const { path } = await keyOf(admin);
    return { ask: () => admin.me.post(`${path}/rotate`), entry: { action: "key.rotated" } };
  },
  "POST /links": async (_, { me }) => ({
    ask: () => me.post(LINKS, { url: anyUrl() }),
    entry: { action: "link.created" },
  }),
  "PATCH /links/:id": async (_, admin) => {
    const { id, url, path } = await linkOf(admin);
    const group_id = await addGroup(admin.me);
    return {
      ask: () => admin.me.patch(path, { group_id, check_frequency: "weekly" }),
      entry: {
        action: "link.changed",
        target: [id, url],
        fields: ["group_id", "check_frequency"],
      },
    };
  },
  "DELETE /links/:id": async (_, admin) => {
    const { id, url, path } = await linkOf(admin);
    return {
      ask: () => admin.me.delete(path),
      entry: { action: "link.deleted", target: [id, url] },
    };
  },
  "POST /links/:id/check": async (_, admin) => {
    const { path } = await linkOf(admin);
    return { ask: () => admin.me.post(`${path}/check`), entry: null };
  },
  "POST /links/:id/try": async (server, admin) => {
    const { id, path } = await linkOf(admin);
    await setLink(server, id, { url: "http://127.0.0.1/" });
    return { ask: () => admin.me.post(`${path}/try`, {}), entry: null };
  },
  "POST /links/:id/suggestions": async (server, admin) => {
    const { id, path } = await linkOf(admin);
    await setLink(server, id, { status: "dead", reason: "http_404" });
    return { ask: () => admin.me.post(`${path}/suggestions`, {}), entry: null };
  },
  "POST /links/check": async (_, admin) => {
    const { id } = await linkOf(admin);
    return { ask: () => admin.me.post(`${LINKS}/check`, { link_ids: [id] }), entry: null };
  },
  "POST /imports": async (_, { me }) => ({ ask: () => me.post(IMPORTS, anyUrl()), entry: null }),
  "POST /imports/:id/start": async (_, admin) => {
    const { start } = await importOf(admin);
    return { ask: start, entry: null };
  },
  "POST /imports/:id/stop": async (_, admin) => {
    const { path, start } = await importOf(admin);
    await start();
    return { ask: () => admin.me.post(`${path}/stop`), entry: null };
  },
  "POST /imports/:id/undo": async (_, admin) => {
    const { path, start } = await importOf(admin);
    await start();
    return { ask: () => admin.me.post(`${path}/undo`), entry: null };
  },
  "DELETE /imports/:id": async (_, admin) => {
    const { path } = await importOf(admin);
    return { ask: () => admin.me.delete(path), entry: null };
  },
  "POST /links/preview": async (_, { me }) => ({
    ask: () => me.post(`${LINKS}/preview`, { links: [{ url: anyUrl() }] }),
    entry: null,
  }),
  "POST /links/batch": async (_, { me }) => ({
    ask: () => me.post(`${LINKS}/batch`, { links: [{ url: anyUrl() }, { url: anyUrl() }, {}] }),
    entry: { action: "link.created", target: null, count: 2 },
  }),
  "DELETE /links/batch": async (_, admin) => {
    const [a, b] = [await linkOf(admin), await linkOf(admin)];
    return {
      ask: () => admin.me.delete(`${LINKS}/batch`, { link_ids: [a.id, b.id] }),
      entry: { action: "link.deleted", target: null, count: 2 },
    };
  },
  "POST /links/batch-delete": async (_, admin) => {
    const links = Array.from({ length: 120 }, () => ({ url: anyUrl() }));
    await admin.me.post(`${LINKS}/batch`, { links });
    return {
      ask: () => admin.me.post(`${LINKS}/batch-delete`, { filter: {} }),
      entry: { action: "link.deleted", target: null, count: 120 },
    };
  },
  "POST /links/batch-change": async (_, admin) => {
    const [a, b] = [await linkOf(admin), await linkOf(admin)];
    const change = { check_frequency: "weekly" };
    await admin.me.patch(b.path, change);
    return {
      ask: () => admin.me.post(`${LINKS}/batch-change`, { link_ids: [a.id, b.id], change }),
      entry: { action: "link.changed", target: [a.id, a.url], fields: ["check_frequency"] },
    };
  },
  "POST /links/:id/replace": async (_, admin) => {
    const { id, url, path } = await linkOf(admin);
    return {
      ask: () => admin.me.post(`${path}/replace`, { url: anyUrl() }),
      entry: { action: "link.replaced", target: [id, url] },
    };
  },
  "DELETE /links/:id/replace": async (_, admin) => {
    const { id, url, path } = await standingLinkOf(admin);
    await admin.me.post(`${path}/replace`, { url: anyUrl() });
    return {
      ask: () => admin.me.delete(`${path}/replace`),
      entry: { action: "link.changed", target: [id, url], fields: ["accepted_url"] },
    };
  },
  "POST /replacements": async (_, admin) => {
    const { ask } = await ruleOf(admin);
    return { ask, entry: null };
  },
  "POST /replacements/:id/apply": async (server, admin) => {
    const { ask, id: linkId, from, to } = await ruleOf(admin);
    const { id } = (await ask()).body.data;
    await server.deps.store.update(replacements).set({ state: "ready" });
    return {
      ask: () => admin.me.post(`${REPLACEMENTS}/${id}/apply`, { link_ids: [linkId] }),
      entry: { action: "replacement.applied", target: [id, `${from} → ${to}`], count: 1 },
    };
  },
  "DELETE /replacements/:id": async (_, admin) => {
    const { ask } = await ruleOf(admin);
    const { id } = (await ask()).body.data;
    return { ask: () => admin.me.delete(`${REPLACEMENTS}/${id}`), entry: null };
  },
  "POST /links/:id/url": async (_, admin) => {
    const { id, path } = await linkOf(admin);
    const url = anyUrl();
    return {
      ask: () => admin.me.post(`${path}/url`, { url }),
      entry: { action: "link.url_changed", target: [id, url] },
    };
  },
  "POST /links/:id/override": async (server, admin) => {
    const { id, url, path } = await linkOf(admin);
    await setLink(server, id, {
      status: "dead",
      reason: "http_404",
      decidedStatus: "dead",
      lastStatus: "dead",
      lastReason: "http_404",
      lastCheckedAt: server.clock.now(),
    });
    return {
      ask: () => admin.me.post(`${path}/override`, { note: "It works in a browser." }),
      entry: { action: "link.override_set", target: [id, url] },
    };
  },
  "DELETE /links/:id/override": async (server, admin) => {
    const { id, url, path } = await linkOf(admin);
    await setLink(server, id, {
      status: "dead",
      reason: "http_404",
      decidedStatus: "dead",
      lastStatus: "dead",
      lastReason: "http_404",
      lastCheckedAt: server.clock.now(),
    });
    await admin.me.post(`${path}/override`, { note: "It works in a browser." });
    return {
      ask: () => admin.me.delete(`${path}/override`),
      entry: { action: "link.override_ended", target: [id, url] },
    };
  },
  "POST /links/:id/identity": async (server, admin) => {
    const { id, url, path } = await rememberedLink(server, admin);
    return {
      ask: () => admin.me.post(`${path}/identity`, { accept: true }),
      entry: { action: "link.page_accepted", target: [id, url] },
    };
  },
  "POST /links/batch-accept": async (server, admin) => {
    const { id, url } = await rememberedLink(server, admin);
    return {
      ask: () => admin.me.post(`${LINKS}/batch-accept`, { link_ids: [id] }),
      entry: { action: "link.page_accepted", target: [id, url] },
    };
  },
  "POST /links/upsert": async (_, { me }) => {
    const links = [{ external_id: "p-1", url: anyUrl() }];
    await me.post(`${LINKS}/upsert`, { links });
    const [{ id, url }] = (await me.get(`${LINKS}?external_id=p-1`)).body.data.items;
    return {
      ask: () => me.post(`${LINKS}/upsert`, { links: [{ ...links[0], title: "One" }] }),
      entry: { action: "link.changed", target: [id, url], fields: ["title"] },
    };
  },
  "POST /sources": async (_, { me }) => ({
    ask: () => me.post(SOURCES, { kind: "push", name: "Docs" }),
    entry: { action: "source.created" },
  }),
  "PATCH /sources/:id": async (_, admin) => {
    const { path, target } = await sourceOf(admin);
    return {
      ask: () => admin.me.patch(path, { name: "Handbook" }),
      entry: { action: "source.changed", target, fields: ["name"] },
    };
  },
  "DELETE /sources/:id": async (_, admin) => {
    const { path, target } = await sourceOf(admin);
    return { ask: () => admin.me.delete(path), entry: { action: "source.deleted", target } };
  },
  "POST /sources/:id/cancel": async (_, admin) => {
    const { path, target } = await sourceOf(admin);
    return {
      ask: () => admin.me.post(`${path}/cancel`),
      entry: { action: "source.cancelled", target },
    };
  },
  "POST /sources/preview": async (_, { me }) => ({
    ask: () => me.post(`${SOURCES}/preview`, { kind: "list", url: "https://docs.invalid/list" }),
    entry: null,
  }),
  "POST /sources/:id/items": async (_, { me }) => {
    const { id } = (await me.post(SOURCES, { kind: "push", name: "Blog" })).body.data;
    const items = [{ page_url: anyUrl(), links: [{ url: anyUrl() }] }];
    return { ask: () => me.post(`${SOURCES}/${id}/items`, { items }), entry: null };
  },
  "POST /sources/:id/items/delete": async (_, { me }) => {
    const { id } = (await me.post(SOURCES, { kind: "push", name: "Blog" })).body.data;
    const page_urls = [anyUrl()];
    return { ask: () => me.post(`${SOURCES}/${id}/items/delete`, { page_urls }), entry: null };
  },
  "POST /sources/:id/run": async (_, admin) => {
    const { path, target } = await sourceOf(admin);
    await admin.me.post(`${path}/cancel`);
    return {
      ask: () => admin.me.post(`${path}/run`),
      entry: { action: "source.run_asked", target },
    };
  },
  "PATCH /tags/:tag": async (_, { me }) => {
    await me.post(LINKS, { url: anyUrl(), tags: ["docs"] });
    return {
      ask: () => me.patch("/api/v1/tags/docs", { name: "press" }),
      entry: { action: "tag.changed", fields: ["name"] },
    };
  },
  "DELETE /tags/:tag": async (_, { me }) => {
    await me.post(LINKS, { url: anyUrl(), tags: ["docs"] });
    return { ask: () => me.delete("/api/v1/tags/docs"), entry: { action: "tag.deleted" } };
  },
  "POST /views": async (_, { me }) => ({
    ask: () => me.post("/api/v1/views", { name: "Press", filter: {}, is_shared: true }),
    entry: { action: "view.shared" },
  }),
  "PATCH /views/:id": async (_, { me }) => {
    const view = { name: "Press", filter: {}, is_shared: true };
    const { body } = await me.post("/api/v1/views", view);
    return {
      ask: () => me.patch(`/api/v1/views/${body.data.id}`, { name: "Other" }),
      entry: null,
    };
  },
  "DELETE /views/:id": async (_, { me }) => {
    const view = { name: "Press", filter: {}, is_shared: true };
    const { body } = await me.post("/api/v1/views", view);
    return { ask: () => me.delete(`/api/v1/views/${body.data.id}`), entry: null };
  },
  "POST /groups": async (_, { me }) => ({
    ask: () => me.post("/api/v1/groups", { name: "new" }),
    entry: { action: "group.created" },
  }),
  "PATCH /groups/:id": async (_, { me }) => {
    const id = await addGroup(me, "Docs");
    return {
      ask: () => me.patch(`/api/v1/groups/${id}`, { name: "Docs", description: "all" }),
      entry: { action: "group.changed", target: [id, "Docs"], fields: ["description"] },
    };
  },
  "PATCH /sites/:site": async (server, { me }) => {
    await addLink(me, { url: "https://docs.example.org/a" });
    const until = new Date(server.clock.now() + 86_400_000).toISOString();
    return {
      ask: () => me.patch("/api/v1/sites/example.org", { muted_until: until }),
      entry: {
        action: "site.changed",
        target: ["example.org", "example.org"],
        fields: ["muted_until"],
      },
    };
  },
  "DELETE /groups/:id": async (_, { me }) => {
    const id = await addGroup(me, "Docs");
    await addLink(me, { group_id: id });
    return {
      ask: () => me.delete(`/api/v1/groups/${id}`),
      entry: { action: "group.deleted", target: [id, "Docs"] },
    };
  },
  "POST /groups/:id/links": async (_, { me }) => {
    const id = await addGroup(me, "Docs");
    const link_ids = [await addLink(me), await addLink(me), await addLink(me, { group_id: id })];
    return {
      ask: () => me.post(`/api/v1/groups/${id}/links`, { link_ids }),
      entry: { action: "link.moved", target: [id, "Docs"], count: 2 },
    };
  },
  "POST /webhooks": async (_, { me }) => ({
    ask: () =>
      me.post("/api/v1/webhooks", { url: `https://${SHOWN_HOST}/x`, events: ["link.dead"] }),
    entry: { action: "webhook.created" },
  }),
  "PATCH /webhooks/:id": async (_, admin) => {
    const { path, target } = await webhookOf(admin);
    return {
      ask: () => admin.me.patch(path, { is_active: false, events: ["link.dead"] }),
      entry: { action: "webhook.changed", target, fields: ["events", "is_active"] },
    };
  },
  "DELETE /webhooks/:id": async (_, admin) => {
    const { path, target } = await webhookOf(admin);
    return {
      ask: () => admin.me.delete(path),
      entry: { action: "webhook.deleted", target },
    };
  },
  "POST /webhooks/:id/rotate-secret": async (_, admin) => {
    const { path, target } = await webhookOf(admin);
    return {
      ask: () => admin.me.post(`${path}/rotate-secret`, {}),
      entry: { action: "webhook.secret_rotated", target },
    };
  },
  "POST /webhooks/:id/test": async (_, { me }) => {
    const { url } = startReceiver(204);
    const { id, path } = await subscribe(me, url);
    return {
      ask: () => me.post(`${path}/test`),
      entry: { action: "webhook.tested", target: [id, new URL(url).host] },
    };
  },
  "POST /webhooks/:id/deliveries/:delivery_id/redeliver": async (server, admin) => {
    const { id, path, target } = await webhookOf(admin);
    const delivery = await addDelivery(server, admin.me, id, { status: "exhausted" });
    return {
      ask: () => admin.me.post(`${path}/deliveries/${delivery}/redeliver`),
      entry: { action: "delivery.sent_again", target },
    };
  },
  "POST /webhooks/:id/redeliver-failed": async (server, admin) => {
    const { id, path, target } = await webhookOf(admin);
    const since = new Date(server.clock.now() - 60_000).toISOString();
    const failed = { status: "exhausted" as const, createdAt: server.clock.now() - 1000 };
    for (let i = 0; i < 3; i++) await addDelivery(server, admin.me, id, failed);
    return {
      ask: () => admin.me.post(`${path}/redeliver-failed`, { since }),
      entry: { action: "delivery.sent_again", target, count: 3 },
    };
  },
  "POST /host-settings": async (_, { me }) => ({
    ask: () =>
      me.post(HOSTS, { host: SHOWN_HOST, headers: [{ name: "X-Key", value: "a secret" }] }),
    entry: { action: "host_setting.created" },
  }),
  "PATCH /host-settings/:id": async (_, admin) => {
    const { id, path } = await hostOf(admin);
    const auth = { type: "bearer", token: "another secret" };
    return {
      ask: () => admin.me.patch(path, { auth, user_agent: "Test" }),
      entry: { action: "host_setting.changed", target: [id, SHOWN_HOST], fields: ["auth"] },
    };
  },
  "DELETE /host-settings/:id": async (_, admin) => {
    const { id, path } = await hostOf(admin);
    return {
      ask: () => admin.me.delete(path),
      entry: { action: "host_setting.deleted", target: [id, SHOWN_HOST] },
    };
  },
  "DELETE /patterns/:id": async (server, { me }) => {
    await addPatterns(server, me, 1);
    const [{ id, from, to }] = (await me.get("/api/v1/patterns")).body.data.items;
    return {
      ask: () => me.delete(`/api/v1/patterns/${id}`),
      entry: { action: "pattern.deleted", target: [id, `${from} → ${to}`] },
    };
  },
  "POST /session": async (server, admin) => ({
    ask: () => openBrowser(server).signIn(admin.owner.email),
    entry: { action: "person.signed_in", target: own(admin) },
  }),
  "DELETE /session": async (_, admin) => ({
    ask: () => admin.browser.delete("/session"),
    entry: { action: "person.signed_out", target: own(admin) },
  }),
  "POST /password": async (server, admin) => {
    const token = await createPasswordLink(server.deps, admin.owner);
    return {
      ask: () => openBrowser(server).post("/password", { token, password: NEXT }),
      entry: { action: "person.password_changed", target: own(admin) },
    };
  },
  // This server sends no e-mail: tests/mail has their stories.
  "POST /password-mail": async () => null,
  "POST /mail/confirm/:token": async () => null,
  "POST /mail/unsubscribe/:token": async () => null,
  "POST /admin/mail/test": async () => null,
  // There is no OpenID provider: tests/session/oidc.test.ts has their stories.
  "POST /session/oidc": async () => null,
  "DELETE /session/identities/:id": async () => null,
  "POST /admin/oidc/check": async () => null,
  "POST /mail/me": async () => null,
  "POST /webhooks/:id/confirm": async () => null,
  // tests/webhooks/summaries.test.ts has its story.
  "POST /webhooks/:id/summary": async () => null,
  "POST /webhooks/matches": async (_, { me }) => ({
    ask: () => me.post("/api/v1/webhooks/matches", { filter: { reasons: ["http_404"] } }),
    entry: null,
  }),
  "POST /links/verdicts": async (_, { me }) => ({
    ask: () => me.post("/api/v1/links/verdicts", { urls: ["https://example.org/"] }),
    entry: null,
  }),
  "POST /links/suggestions": async (_, { me }) => ({
    ask: () => me.post("/api/v1/links/suggestions", { urls: ["https://example.org/"] }),
    entry: null,
  }),
  "PATCH /session/password": async (_, admin) => ({
    ask: () => admin.browser.patch("/session/password", { current: PASSWORD, new: NEXT }),
    entry: { action: "person.password_changed", target: own(admin) },
  }),
  "POST /visit": async (_, { browser }) => ({ ask: () => browser.post("/visit"), entry: null }),
  "DELETE /session/failed-sign-ins": async (_, { browser }) => ({
    ask: () => browser.delete("/session/failed-sign-ins"),
    entry: null,
  }),
  "DELETE /sessions": async (server, admin) => {
    await enter(server, admin.owner.id);
    await enter(server, admin.owner.id);
    return {
      ask: () => admin.browser.delete("/sessions"),
      entry: { action: "person.sessions_ended", target: own(admin), count: 2 },
    };
  },
  "DELETE /sessions/:id": async (_, admin) => {
    const [session] = (await admin.browser.get("/sessions")).body.data.items;
    return {
      ask: () => admin.browser.delete(`/sessions/${session.id}`),
      entry: { action: "person.sessions_ended", target: own(admin) },
    };
  },
  "POST /session/two-factor": async (_, admin) => ({
    ask: () => admin.browser.post("/session/two-factor", { password: PASSWORD }),
    entry: { action: "person.two_factor_begun", target: own(admin) },
  }),
  "POST /session/two-factor/confirm": async (server, admin) => {
    const { browser } = admin;
    const begun = await browser.post("/session/two-factor", { password: PASSWORD });
    const code = codeOf(server, begun.body.data.secret);
    return {
      ask: () => browser.post("/session/two-factor/confirm", { code }),
      entry: { action: "person.two_factor_on", target: own(admin) },
    };
  },
  "DELETE /session/two-factor": async (server, admin) => {
    const code = await secure(server, admin);
    const proof = () => ({ password: PASSWORD, code: code() });
    return {
      ask: () => admin.browser.ask("DELETE", "/session/two-factor", proof()),
      entry: { action: "person.two_factor_off", target: own(admin) },
    };
  },
  "POST /session/recovery-codes": async (server, admin) => {
    const code = await secure(server, admin);
    const proof = () => ({ password: PASSWORD, code: code() });
    return {
      ask: () => admin.browser.post("/session/recovery-codes", proof()),
      entry: { action: "person.recovery_codes_made", target: own(admin) },
    };
  },
  "PATCH /account": async (_, admin) => ({
    ask: () => admin.browser.patch("/account", { archive_lookup: true, archive_save: false }),
    entry: { action: "archive.setting_changed", fields: ["archive_lookup"] },
  }),
  "POST /people": async (_, { browser }) => ({
    ask: () =>
      browser.post("/people", { email: `${crypto.randomUUID()}@example.org`, role: "viewer" }),
    entry: { action: "person.invited" },
  }),
  "PATCH /people/:id": async (server, admin) => {
    const { id, email } = await newColleague(server, admin, "viewer");
    return {
      ask: () => admin.browser.patch(`/people/${id}`, { role: "editor" }),
      entry: { action: "person.changed", target: [id, email], fields: ["role"] },
    };
  },
  "DELETE /people/:id": async (server, admin) => {
    const { id, email } = await newColleague(server, admin, "viewer");
    return {
      ask: () => admin.browser.delete(`/people/${id}`),
      entry: { action: "person.removed", target: [id, email] },
    };
  },
  "POST /people/:id/password-link": async (server, admin) => {
    const { id, email } = await newColleague(server, admin, "viewer");
    return {
      ask: () => admin.browser.post(`/people/${id}/password-link`),
      entry: { action: "person.password_link_made", target: [id, email] },
    };
  },
  "DELETE /account": async (server, admin) => {
    await newAdministrator(server);
    const { account, browser } = admin;
    const proof = { email: account.email, password: PASSWORD };
    return {
      ask: () => browser.ask("DELETE", "/account", proof),
      entry: { action: "account.deleted", target: [account.id, account.email] },
    };
  },
  "POST /admin/backups": async (server, admin) => {
    if (!isSqlite(server)) return null;
    return {
      ask: () => backUp(server, admin),
      entry: { action: "backup.made", accountId: null },
    };
  },
  "DELETE /admin/backups/:name": async (server, admin) => {
    if (!isSqlite(server)) return null;
    await backUp(server, admin);
    const { name } = (await admin.browser.get("/admin/backups")).body.data.items[0];
    return {
      ask: () => admin.browser.delete(`/admin/backups/${name}`),
      entry: { action: "backup.deleted", accountId: null, target: [name, name] },
    };
  },
  "POST /admin/accounts": async (_, { browser }) => ({
    ask: () => browser.post("/admin/accounts", { email: `${crypto.randomUUID()}@example.org` }),
    entry: { action: "account.created" },
  }),
  "PATCH /admin/accounts/:id": async (server, { browser }) => {
    const { account } = await newOwner(server);
    return {
      ask: () => browser.patch(`/admin/accounts/${account.id}`, { tier: "pro" }),
      entry: {
        action: "account.changed",
        accountId: account.id,
        target: [account.id, account.email],
        fields: ["tier"],
      },
    };
  },
  "DELETE /admin/accounts/:id": async (server, { browser }) => {
    const { account } = await newOwner(server);
    return {
      ask: () => browser.delete(`/admin/accounts/${account.id}`),
      entry: {
        action: "account.deleted",
        accountId: account.id,
        target: [account.id, account.email],
      },
    };
  },
  "POST /admin/accounts/:id/users": async (server, { browser }) => {
    const { account } = await newOwner(server);
    const person = { email: `${crypto.randomUUID()}@example.org`, role: "viewer" };
    return {
      ask: () => browser.post(`/admin/accounts/${account.id}/users`, person),
      entry: { action: "person.invited", accountId: account.id },
    };
  },
  "PATCH /admin/users/:id": async (server, { browser }) => {
    const fresh = await newOwner(server);
    const { id, email } = await newColleague(server, fresh, "viewer");
    return {
      ask: () => browser.patch(`/admin/users/${id}`, { role: "editor", is_admin: false }),
      entry: {
        action: "person.changed",
        accountId: fresh.account.id,
        target: [id, email],
        fields: ["role"],
      },
    };
  },
  "DELETE /admin/users/:id": async (server, { browser }) => {
    const fresh = await newOwner(server);
    const { id, email } = await newColleague(server, fresh, "viewer");
    return {
      ask: () => browser.delete(`/admin/users/${id}`),
      entry: { action: "person.removed", accountId: fresh.account.id, target: [id, email] },
    };
  },
  "POST /admin/users/:id/password-link": async (server, { browser }) => {
    const { owner, account } = await newOwner(server);
    return {
      ask: () => browser.post(`/admin/users/${owner.id}/password-link`),
      entry: {
        action: "person.password_link_made",
        accountId: account.id,
        target: [owner.id, owner.email],
      },
    };
  },
};

/** Where there is no account yet, and so no one; it has a server of its own. */
export const SETUP = async (server: TestServer) => {
  const token = await createSetup(server.deps);
  return openBrowser(server).post("/setup", {
    token,
    email: "first@example.org",
    password: PASSWORD,
  });
};
