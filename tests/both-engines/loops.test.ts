import { describe, test } from "bun:test";
import { eq, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { finishDeletions } from "../../server/accounts/delete.ts";
import { housekeeping } from "../../server/app/housekeeping.ts";
import * as tables from "../../server/ground/db/tables.ts";
import { deletePendingHistory } from "../../server/history/pending-deletions.ts";
import { reclassify } from "../../server/links/reclassify.ts";
import { endMutes } from "../../server/links/triage/end-mutes.ts";
import { createLearning, writeLearned } from "../../server/monitor/learning.ts";
import { limitWaits as limitWaitsOfLinks } from "../../server/monitor/longest-waits.ts";
import { limitWaits } from "../../server/notify/leases.ts";
import { sendSummaries } from "../../server/notify/summaries.ts";
import { compareUsage } from "../../server/notify/usage-thresholds.ts";
import { eraseDeletedWebhooks } from "../../server/notify/webhooks.ts";
import { declaredLinks } from "../../server/ops/apply/declare.ts";
import { carryOut, planOf } from "../../server/ops/apply/plan.ts";
import { readDeclaration } from "../../server/ops/apply/read.ts";
import { hourly } from "../../server/ops/upkeep/hourly.ts";
import { claimSources, renewLeases } from "../../server/sources/claim.ts";
import { eraseStep } from "../../server/sources/erase.ts";
import { createLagWatch } from "../../server/work/due.ts";
import { enter, newAdministrator } from "../audit/looking.ts";
import { DAY, saw } from "../checker/ended.ts";
import { callerOf } from "../exports/read-csv.ts";
import type { Asker, Parsed, TestServer } from "../harness.ts";
import { UNLIMITED } from "../http/every-route.ts";
import { sendAll } from "../mail/recipients.ts";
import { startReceiver } from "../receiver.ts";
import { checkDueLinks, deliverDue } from "../rounds.ts";
import { BEHIND_PROXY, openBrowser } from "../session/browser.ts";
import { startSite } from "../site.ts";
import { mailSettings, startMailHost } from "../smtp.ts";
import { SOURCES, startReading } from "../sources/reading.ts";
import { compareEngines } from "./comparing.ts";
import { type FullAccount, fillAccount } from "./full-account.ts";

const LINKS = "/api/v1/links";
const HOOKS = "/api/v1/webhooks";
const NEVER = new AbortController().signal;
const host = await startMailHost();

/** How many rows each table has. */
async function rowsOf({ deps: { store } }: TestServer): Promise<Record<string, number>> {
  const all = Object.entries(tables).filter(([, table]) => is(table, SQLiteTable));
  const counted: [string, number][] = [];
  for (const [name, table] of all) counted.push([name, await store.$count(table as SQLiteTable)]);
  return Object.fromEntries(counted);
}

/** Checks each link once, one after another, whenever it would be due. */
async function checkAll({ deps, clock }: TestServer, ...[reason, more]: Parameters<typeof saw>) {
  await deps.store.update(tables.links).set({ nextCheckAt: 0 });
  const config = { ...deps.config, checkConcurrency: 1 };
  const check = async () => saw(reason, more);
  while ((await checkDueLinks({ ...deps, config, check })) > 0) clock.moveBy(1000);
}

/** Erases what is left of a deleted source, which the reading loop does step by step. */
async function eraseSource({ deps }: TestServer, id: string) {
  const { sources } = tables;
  const find = async () => (await deps.store.select().from(sources).where(eq(sources.id, id)))[0];
  for (let left = await find(); left; left = await find()) {
    const source = left;
    await deps.store.transaction((tx) => eraseStep({ ...deps, store: tx }, source));
  }
}

const itemsOf = async (me: Asker, path: string): Promise<Parsed[]> =>
  (await me.get(path)).body.data.items;

const shownDeliveries = async (me: Asker, id: string) =>
  (await itemsOf(me, `${HOOKS}/${id}/deliveries`)).map(({ event, status, attempts }) => ({
    event,
    status,
    attempts,
  }));

describe("What the server does without being asked comes to the same on both databases", () => {
  const same = compareEngines({
    ...mailSettings(host.port),
    ...BEHIND_PROXY,
    ...UNLIMITED,
    STILLUP_PUBLIC_URL: "https://links.example.org",
  });
  const accounts = new Map<TestServer, FullAccount>();

  test(
    "rounds of checks and deliveries",
    same(async (server) => {
      accounts.set(server, await fillAccount(server));
      return rowsOf(server);
    }),
  );

  test(
    "a digest of many deaths, what fails of it, and what is sent again",
    same(async (server) => {
      const me = await server.account();
      const receiver = startReceiver(500);
      const { id } = (
        await me.post(HOOKS, {
          url: `${receiver.url.replace("/hook", "")}/services/T/B/x`,
          events: ["link.dead"],
          first_verdicts: true,
          format: "slack",
        })
      ).body.data;
      const links = Array.from({ length: 15 }, (_, n) => ({ url: `https://example.net/${n}` }));
      await me.post(`${LINKS}/batch`, { links });
      for (let n = 0; n < 3; n++) {
        server.clock.moveBy(DAY);
        await checkAll(server, "http_404", { statusCode: 404 });
      }
      const { look, latest } = createLagWatch(server.deps);
      await look();
      const daysLate = Math.round(latest().deliveries! / DAY);
      for (let n = 0; n < 4; n++) {
        await deliverDue(server.deps);
        server.clock.moveBy(DAY);
      }
      receiver.answers(204);
      const since = new Date(server.clock.now() - 10 * DAY).toISOString();
      const again = await me.post(`${HOOKS}/${id}/redeliver-failed`, { since });
      while ((await deliverDue(server.deps)) > 0);
      const sent = await shownDeliveries(me, id);
      receiver.answers(410);
      await me.post(`${HOOKS}/${id}/test`);
      await me.patch(`${HOOKS}/${id}`, { is_active: false });
      await me.patch(`${HOOKS}/${id}`, { is_active: true });
      return { again: again.body, sent, daysLate, rows: await rowsOf(server) };
    }),
  );

  test(
    "the end of a mute, a summary, and a share of the limits",
    same(async (server) => {
      const { me } = accounts.get(server)!;
      const { id } = (
        await me.post(HOOKS, {
          url: "https://hooks.example.com/summary",
          events: ["summary.ready", "usage.threshold"],
          summary: { frequency: "daily", at: "08:00", time_zone: "UTC", always: true },
        })
      ).body.data;
      server.clock.moveBy(60 * DAY);
      await endMutes(server.deps);
      await sendSummaries(server.deps);
      await compareUsage(server.deps);
      await me.post(`${HOOKS}/${id}/summary`);
      return { sent: await shownDeliveries(me, id), rows: await rowsOf(server) };
    }),
  );

  test(
    "the checks of a batch by a filter, which is reported when it is complete",
    same(async (server) => {
      const { me, ids } = accounts.get(server)!;
      const { batch_id } = (await me.post(`${LINKS}/check`, { filter: { status: "dead" } })).body
        .data;
      const ofGroup = (await me.post(`${LINKS}/check`, { group_id: ids.groups })).body.data;
      await checkAll(server, "http_404", { statusCode: 404 });
      const shown = await me.get(`/api/v1/batches/${batch_id}`);
      return [shown.body, (await me.get(`/api/v1/batches/${ofGroup.batch_id}`)).body];
    }),
  );

  test(
    "a site whose links come, leave and come back, and whose anchor goes",
    same(async (server) => {
      const me = await server.account();
      const reading = startReading(server);
      let links = ["https://a.example.com/1", "https://b.example.com/2"];
      let anchor = "part";
      const page = () => `<title>P</title>${links.map((to) => `<a href="${to}">x</a>`).join("")}`;
      const html = { headers: { "content-type": "text/html" } };
      const site = startSite({
        "/": () => new Response(`${page()}<a href="/two#part">two</a>`, html),
        "/two": () => new Response(`<title>Two</title><h1 id=${anchor}>Two</h1>`, html),
      });
      // No run comes before those that are asked for.
      const schedule = "0 4 31 12 *";
      const { id } = await reading.add(me, { kind: "site", url: `${site.url}/`, schedule });
      links = links.slice(1);
      for (let n = 0; n < 4; n++) {
        server.clock.moveBy(2 * DAY);
        await reading.again(me, id, { accept_shrink: true });
      }
      const left = (await me.get(LINKS)).body.data.items.map(({ url }: Parsed) => url);
      links = ["https://a.example.com/1"];
      anchor = "another";
      await reading.again(me, id, { accept_shrink: true });
      const { counts } = (await me.get(`${SOURCES}/${id}`)).body.data;
      const shown = await itemsOf(me, `${SOURCES}/${id}/pages`);
      const pages = shown.map(({ id: _, ...page }) => page);
      await reading.stop();
      await site.stop();
      await me.delete(`${SOURCES}/${id}?links=retire`);
      await eraseSource(server, id);
      return { left: left.toSorted().slice(0, 2), counts, pages };
    }),
  );

  test(
    "pages on which very many links stand, of which few are dead",
    same(async (server) => {
      const { me, ids } = accounts.get(server)!;
      const linkAt = (line: number, page: number) => {
        const what = line === page ? "gone" : "alive";
        return { url: `https://${what}.example.com/${what}/1`, line };
      };
      for (const page of [1, 2, 3]) {
        const links = Array.from({ length: 4000 }, (_, line) => linkAt(line + 1, page));
        const items = [{ page_url: `https://blog.example.com/long/${page}`, links }];
        await me.post(`${SOURCES}/${ids.pushed}/items`, { items });
      }
      return (await me.get(`${SOURCES}/${ids.pushed}/pages`)).body;
    }),
  );

  test(
    "settings of a source and of a webhook that are changed",
    same(async (server) => {
      const me = await server.account();
      const list = { kind: "list", name: "Docs", url: "https://docs.invalid/list.txt" };
      const source = (await me.post(SOURCES, list)).body.data.id;
      const hook = { url: "https://hooks.example.com/x", events: ["link.dead"] };
      const { id } = (await me.post(HOOKS, hook)).body.data;
      const credential = { type: "bearer", value: "0123456789" };
      return [
        (await me.patch(`${SOURCES}/${source}`, { credential })).body,
        (await me.patch(`${HOOKS}/${id}`, { first_verdicts: true })).body,
      ];
    }),
  );

  test(
    "a source that is claimed, held for longer, and deleted without its links",
    same(async (server) => {
      const me = await server.account();
      const list = { kind: "list", name: "Held", url: "https://held.invalid/list.txt" };
      const held = (await me.post(SOURCES, list)).body.data.id;
      const { claimed } = await claimSources(server.deps, 9);
      const lost = await renewLeases(server.deps, claimed);
      await me.delete(`${SOURCES}/${held}`);
      const late = await renewLeases(server.deps, claimed);

      const { id } = (await me.post(SOURCES, { kind: "push", name: "Pushed" })).body.data;
      const links = [{ url: "https://kept.example.com/" }];
      await me.post(`${SOURCES}/${id}/items`, {
        items: [{ page_url: "https://blog.test/", links }],
      });
      const before = await itemsOf(me, LINKS);
      for (const gone of [held, id]) {
        await me.delete(`${SOURCES}/${gone}`);
        await eraseSource(server, gone);
      }
      const isMine = ({ name }: { name: string }) => name === "Held";
      return [lost.some(isMine), late.filter(isMine).length, before, await itemsOf(me, LINKS)];
    }),
  );

  test(
    "mail to people, and its confirmation",
    same(async (server) => {
      const { me, owner } = accounts.get(server)!;
      const browser = await enter(server, owner.id);
      await browser.post("/people", { email: "invited9@example.org", role: "viewer" });
      await me.post(HOOKS, {
        url: "mailto:reader9@example.org",
        events: ["link.dead"],
        format: "email",
      });
      await browser.post("/password-mail", { email: owner.email });
      const waiting = await browser.get("/admin/mail");
      await sendAll(server.deps);
      const token = /mail\/confirm\/(\S+)/.exec(
        host.letters.findLast(({ recipients }) => recipients.includes("reader9@example.org"))!
          .text!,
      )![1]!;
      const confirmed = await browser.post(`/mail/confirm/${token}`);
      const refused = await browser.post(`/mail/unsubscribe/${token}`);
      const statuses = [confirmed.status, refused.status];
      return [statuses, waiting.body, (await me.get(HOOKS)).body, await rowsOf(server)];
    }),
  );

  test(
    "the shares of the limits that are used, as they rise and fall",
    same(async (server) => {
      const me = await server.account();
      const ids: string[] = [];
      for (let n = 0; n < 4; n++) {
        const hook = { url: "https://hooks.example.com/usage", events: ["usage.threshold"] };
        ids.push((await me.post(HOOKS, hook)).body.data.id);
      }
      const { config } = server.deps;
      for (const webhooks of [5, 4, 100, 0]) {
        const business = { ...config.tierLimits.business, webhooks };
        const tierLimits = { ...config.tierLimits, business };
        await compareUsage({ ...server.deps, config: { ...config, tierLimits } });
      }
      return [await shownDeliveries(me, ids[0]!), await rowsOf(server)];
    }),
  );

  test(
    "a summary of what each filter chooses",
    same(async (server) => {
      const { me, ids } = accounts.get(server)!;
      const filters = [
        { group_ids: [ids.groups, "none"] },
        { group_ids: [ids.groups] },
        { services: ["generic"] },
        { reasons: ["http_404", "http_*"] },
        { tags: ["press"] },
        { assignee: ids.person },
        { assignee: "none" },
      ];
      const came: unknown[] = [];
      for (const filter of filters) {
        const { body } = await me.post(HOOKS, {
          url: "https://hooks.example.com/summary",
          events: ["summary.ready", "link.dead"],
          summary: { frequency: "daily", at: "08:00", time_zone: "UTC" },
          filter,
        });
        const { id } = body.data;
        came.push(
          (await me.post(`${HOOKS}/matches`, { filter })).body,
          (await me.post(`${HOOKS}/${id}/summary`)).status,
          (await me.patch(`${HOOKS}/${id}`, { url: "https://hooks.example.com/other" })).status,
          await shownDeliveries(me, id),
        );
      }
      return came;
    }),
  );

  test(
    "what checks learn of a service, and of hosts",
    same(async ({ deps, clock }) => {
      const { canaries, profiles, take } = createLearning(deps.store);
      const target = { service: { id: "shop" }, kind: { kind: "item" } };
      const known: unknown[] = [await canaries.read(target)];
      for (const aliveAt of [null, clock.now(), null]) {
        canaries.write(target, { isGood: aliveAt === null, askedAt: clock.now(), aliveAt });
        await deps.store.transaction((tx) => writeLearned(tx, take()));
        clock.moveBy(1000);
        known.push(await canaries.read(target));
      }
      profiles.keep("a.example", { learned: { kind: "page", fingerprint: "f" }, at: clock.now() });
      profiles.keep("b.example", { learned: { kind: "honest" }, at: clock.now() });
      await deps.store.transaction((tx) => writeLearned(tx, take()));
      for (const name of ["a.example", "b.example", "c.example"])
        known.push(await profiles.find(name));
      return known;
    }),
  );

  test(
    "what is known of a link, and comes back with it",
    same(async (server) => {
      const me = await server.account();
      const url = "https://known.example/";
      const link = { url, external_id: "k-1", tags: ["docs"] };
      const { id } = (await me.post(LINKS, link)).body.data;
      const schedule = { cron: "0 6 * * 1", time_zone: "Europe/Berlin" };
      const came = [
        await me.patch(`${LINKS}/${id}`, { check_schedule: schedule }),
        await me.patch(`${LINKS}/${id}`, { expect: { text: "Here" } }),
        await me.patch(`${LINKS}/${id}`, { check_schedule: null, pinned: false }),
        await me.post(`${LINKS}/batch-change`, {
          filter: {},
          change: { add_tags: ["press"], remove_tags: ["docs"] },
        }),
        await me.delete(`${LINKS}/${id}`),
        await me.post(LINKS, { url }),
        await me.get(LINKS),
      ];
      return came.map(({ status, body }) => ({ status, body }));
    }),
  );

  test(
    "links that a file declares",
    same(async (server) => {
      const caller = callerOf(await server.account());
      const text =
        "groups: [{ name: Docs, links: [https://a.example/, { url: https://b.example/, frequency: weekly }] }]";
      const apply = async (file: string) => {
        const planned = await planOf(server.deps, caller, readDeclaration(file, {}));
        return carryOut(server.deps, caller, planned, { prune: true });
      };
      const failed = [await apply(text), await apply(text.replace("weekly", "monthly"))];
      failed.push(await apply("groups: [{ name: Docs, links: [https://a.example/] }]"));
      const declared = await Array.fromAsync(declaredLinks(server.deps, caller));
      return { failed, declared: declared.join("") };
    }),
  );

  test(
    "more lists than may wait to be added",
    same(async (server) => {
      const me = await server.account();
      for (let n = 0; n < 22; n++) await me.post("/api/v1/imports", `https://a.example/${n}`);
      const { items, total } = (await me.get("/api/v1/imports?per_page=100")).body.data;
      return { total, counts: items.map(({ counts }: Parsed) => counts) };
    }),
  );

  test(
    "a clock that was set back",
    same(async (server) => {
      const { owner } = accounts.get(server)!;
      const guess = () => openBrowser(server).signIn(owner.email, "a wrong password");
      await guess();
      server.clock.moveBy(-DAY);
      await guess();
      await limitWaits(server.deps, NEVER);
      await limitWaitsOfLinks(server.deps, NEVER, true);
      return rowsOf(server);
    }),
  );

  test(
    "new services, deletions, and what is forgotten after its time",
    same(async (server) => {
      const { me, ids, account } = accounts.get(server)!;
      await server.deps.store.update(tables.links).set({ service: "other" });
      const filed = await reclassify(server.deps);
      await me.delete(`/api/v1/groups/${ids.groups}`);
      await me.delete(`${HOOKS}/${ids.webhooks}`);
      await eraseDeletedWebhooks(server.deps);
      await me.post(`${LINKS}/batch-delete`, { filter: { status: "dead" } });
      await deletePendingHistory(server.deps);
      for (const days of [3, 40, 100, 400]) {
        server.clock.moveBy(days * DAY);
        await hourly(server.deps, "housekeeping", NEVER, housekeeping);
      }
      const rows = await rowsOf(server);
      await checkAll(server, "ok");
      const { browser } = await newAdministrator(server);
      const gone = await browser.delete(`/admin/accounts/${account.id}`);
      await finishDeletions(server.deps);
      return { filed, rows, gone: gone.status, left: await rowsOf(server) };
    }),
  );
});
