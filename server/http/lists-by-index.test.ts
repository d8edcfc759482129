import { Database, type SQLQueryBindings } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Asker, startServer, type TestServer } from "../../tests/harness.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { addCheck, addGroup, addLink } from "../../tests/rows.ts";
import { mailSettings } from "../../tests/smtp.ts";
import { CONTENTS } from "../accounts/mail-contents.ts";
import { createService } from "../app/app.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { createStore, type Engine, type Query } from "../ground/db/store.ts";
import { endMutes } from "../links/triage/end-mutes.ts";
import { sendDue } from "../mail/send.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import { sendSummaries } from "../notify/summaries.ts";
import { claimSources } from "../sources/claim.ts";
import type { Deps } from "../work/deps.ts";

let server: TestServer;
let me: Asker;
let group: string;
let link: string;
let webhook: string;
let source: string;
let database: Database;
beforeAll(async () => {
  server = await startServer("sqlite", mailSettings(1));
  database = new Database(server.config.databaseUrl.slice("sqlite:".length), { readonly: true });
  me = await server.account();
  group = await addGroup(me);
  link = await addLink(me, { group_id: group });
  await addLink(me);
  await addCheck(server, me, link);
  const hook = { url: "https://example.org/hook", events: ["link.dead"] };
  webhook = (await me.post("/api/v1/webhooks", hook)).body.data.id;
  source = (await me.post("/api/v1/sources", { kind: "push", name: "Docs" })).body.data.id;
  await me.patch(`/api/v1/links/${link}`, { tags: ["docs"], handling: "acknowledged" });
});
afterAll(async () => {
  database.close();
  await server.stop();
});

/** The statements that the work runs. */
async function statementsOf(work: (deps: Deps) => Promise<unknown>): Promise<Query[]> {
  const { engine } = server.deps.store;
  const queries: Query[] = [];
  const noting =
    (run: Engine["run"]): Engine["run"] =>
    (query) => {
      queries.push(query);
      return run(query);
    };
  const store = createStore({
    ...engine,
    run: noting(engine.run),
    runInReadPool: noting(engine.runInReadPool),
    transaction: (inside) => engine.transaction((run) => inside(noting(run))),
  });
  await work({ ...server.deps, store });
  return queries;
}

async function ask(deps: Deps, path: string, method = "GET") {
  const { front } = await createService(deps);
  const headers = { authorization: `Bearer ${me.key}` };
  const reply = await front(new Request(`${server.url}/api/v1${path}`, { headers, method }));
  expect([path, reply.ok]).toEqual([path, true]);
  await reply.text();
}

/** What SQLite does for a query, a line for each step, as another process receives it. */
function planOf({ sql, params }: Query): string[] {
  const rows = database
    .query(`explain query plan ${sql}`)
    .values(...(params as SQLQueryBindings[]));
  return rows.map((row) => String(row.at(-1)));
}

/** Tables that may have millions of rows, most of them of others. */
const LARGE = [
  ...["links", "checks", "events", "deliveries", "delivery_attempts", "audit", "changes", "groups"],
  ...["api_keys", "link_tags", "link_details", "mails", "sites"],
  ...["occurrences", "source_links", "source_pages", "source_runs", "status_days"],
];
const SCANS = new RegExp(`^SCAN (${LARGE.join("|")})\\b`);

async function plansOf(work: (deps: Deps) => Promise<unknown>): Promise<string[]> {
  const reads = (await statementsOf(work)).filter(({ sql }) => !/^\s*insert/i.test(sql));
  return reads.flatMap(planOf);
}

const PLACES = ["occurrences_by_target", "source_pages_by_link"];

/** @param by indexes that must be used: others may have all rows of the account */
function expectIndexes(plans: string[], ...by: string[]) {
  expect(plans.filter((step) => SCANS.test(step))).toEqual([]);
  const used = plans.flatMap((step) => / USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1] ?? []);
  expect(used).toEqual(expect.arrayContaining(by));
}

test.each([
  ["links", () => "/links", "links_by_account"],
  ["links, a later page", () => "/links?per_page=1&page=2", "links_by_account"],
  ["links of a status", () => "/links?status=unknown", "links_by_status"],
  [
    "links that died since a day",
    () => "/links?status=dead&sort=-status_changed_at&changed_after=2030-01-01",
    "links_by_change",
  ],
  ["links of a service", () => "/links?service=generic", "links_by_service"],
  ["links of a site", () => "/links?site=example.org", "links_by_site"],
  ["links that are acknowledged", () => "/links?handling=acknowledged", "links_handled"],
  ["links that lack an anchor", () => "/links?fragment=missing", "links_missing_fragments"],
  ["links with a suggestion", () => "/links?suggestion=archive", "suggestions_by_kind"],
  ["links that have moved", () => "/links?suggestion=moved", "page_memories_moved"],
  ["links of a group", () => `/groups/${group}/links`, "links_by_group"],
  ["links of a tag", () => "/links?tag=docs", "link_tags_by_link"],
  ["a link's checks", () => `/links/${link}/history`, "checks_by_link"],
  ["a link's events", () => `/links/${link}/events`, "events_by_link"],
  ["checks", () => "/history", ""],
  ["groups", () => "/groups", "groups_by_account"],
  ["views", () => "/views", "views_by_account"],
  ["keys", () => "/keys", "api_keys_by_account"],
  ["the audit log", () => "/audit", "audit_by_account"],
  ["a source's pages", () => `/sources/${source}/pages`, "source_pages_by_source"],
])("The list of %s reads its rows by an index, in order", async (_, path, index) => {
  const plans = await plansOf((deps) => ask(deps, path()));

  expectIndexes(plans, ...(index ? [index] : []));
  expect(plans.filter((step) => step.startsWith("USE TEMP B-TREE FOR ORDER BY"))).toEqual([]);
});

test.each([
  ["webhooks, of which an account has few", () => "/webhooks", ["webhooks_by_account"]],
  ["deliveries of each webhook", () => "/webhooks/deliveries", ["deliveries_by_status"]],
  ["a webhook's deliveries", () => `/webhooks/${webhook}/deliveries`, []],
  ["sites", () => "/sites", ["sites_by_dead", "links_by_cause", "links_by_site"]],
  ["changes", () => "/changes", []],
  ["changes of a group", () => `/changes?group_id=${group}`, ["changes_by_group"]],
  ["changes of a site", () => "/changes?site=example.org", ["changes_by_site"]],
  ["places of a link", () => `/links/${link}/occurrences`, PLACES],
])("The list of %s reads its rows by an index, and sorts a page at most", async (_, path, by) => {
  expectIndexes(await plansOf((deps) => ask(deps, path())), ...by);
});

test.each<[string, (deps: Deps) => Promise<unknown>, by: string[]]>([
  ["links that are due", (deps) => claimDueLinks(deps, 10), ["links_due"]],
  ["deliveries that are due", (deps) => deliverDue(deps), ["deliveries_due"]],
  ["mails that are due", (deps) => sendDue(deps, CONTENTS), ["mails_due"]],
  ["sources that are due", (deps) => claimSources(deps, 10), ["sources_due"]],
  ["mutes that end", (deps) => endMutes(deps), ["link_mutes"]],
  ["summaries that are due", (deps) => sendSummaries(deps), ["webhooks_summaries"]],
  [
    "where a deleted link was found",
    async (deps) => ask(deps, `/links/${await addLink(me)}`, "DELETE"),
    ["source_links_by_link"],
  ],
  ["what is old", (deps) => housekeeping(deps), ["events_by_age", "mails_by_age", "audit_by_age"]],
])("The work finds %s by an index", async (_, work, by) => {
  expectIndexes(await plansOf(work), ...by);
});
