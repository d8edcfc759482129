import { Database, type SQLQueryBindings } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Asker, startServer, type TestServer } from "../../tests/harness.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { addGroup, addLink } from "../../tests/rows.ts";
import { createService } from "../app/app.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { createStore, type Engine, type Query } from "../db/store.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import type { Deps } from "../work/deps.ts";

let server: TestServer;
let me: Asker;
let group: string;
let link: string;
let webhook: string;
let database: Database;
beforeAll(async () => {
  server = await startServer("sqlite");
  database = new Database(server.config.databaseUrl.slice("sqlite:".length), { readonly: true });
  me = await server.account();
  group = await addGroup(me);
  link = await addLink(me, { group_id: group });
  const hook = { url: "https://example.org/hook", events: ["link.dead"] };
  webhook = (await me.post("/api/v1/webhooks", hook)).body.data.id;
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

async function readList(deps: Deps, path: string) {
  const { front } = await createService(deps);
  const headers = { authorization: `Bearer ${me.key}` };
  const reply = await front(new Request(`${server.url}/api/v1${path}`, { headers }));
  expect([path, reply.status]).toEqual([path, 200]);
  await reply.text();
}

/** What SQLite does for a query, a line for each step, as another process is told. */
function planOf({ sql, params }: Query): string[] {
  const rows = database
    .query(`explain query plan ${sql}`)
    .values(...(params as SQLQueryBindings[]));
  return rows.map((row) => String(row.at(-1)));
}

/** Tables that may have millions of rows, most of them of others. */
const LARGE =
  /^SCAN (links|checks|events|deliveries|delivery_attempts|audit|changes|link_tags|groups|api_keys)\b/;

async function plansOf(work: (deps: Deps) => Promise<unknown>): Promise<string[]> {
  const reads = (await statementsOf(work)).filter(({ sql }) => !/^\s*insert/i.test(sql));
  return reads.flatMap(planOf);
}

function expectIndexes(plans: string[]) {
  expect(plans.filter((step) => step.includes(" USING "))).not.toEqual([]);
  expect(plans.filter((step) => LARGE.test(step))).toEqual([]);
}

test.each([
  ["links", () => "/links"],
  ["links, a later page", () => "/links?page=2"],
  ["links of a status", () => "/links?status=dead"],
  ["links of a service", () => "/links?service=generic"],
  ["links of a group", () => `/groups/${group}/links`],
  ["a link's checks", () => `/links/${link}/history`],
  ["a link's events", () => `/links/${link}/events`],
  ["checks", () => "/history"],
  ["groups", () => "/groups"],
  ["keys", () => "/keys"],
  ["the audit log", () => "/audit"],
])("The list of %s reads its rows by an index, in order", async (_, path) => {
  const plans = await plansOf((deps) => readList(deps, path()));

  expectIndexes(plans);
  expect(plans.filter((step) => step.startsWith("USE TEMP B-TREE FOR ORDER BY"))).toEqual([]);
});

test.each([
  ["webhooks, of which an account has few", () => "/webhooks"],
  ["deliveries of each webhook", () => "/webhooks/deliveries"],
  ["a webhook's deliveries", () => `/webhooks/${webhook}/deliveries`],
])("The list of %s reads its rows by an index, and sorts a page at most", async (_, path) => {
  expectIndexes(await plansOf((deps) => readList(deps, path())));
});

test.each<[string, (deps: Deps) => Promise<unknown>]>([
  ["links that are due", (deps) => claimDueLinks(deps, 10)],
  ["deliveries that are due", (deps) => deliverDue(deps)],
  ["what is old", (deps) => housekeeping(deps)],
])("The work finds %s by an index", async (_, work) => {
  expectIndexes(await plansOf(work));
});
