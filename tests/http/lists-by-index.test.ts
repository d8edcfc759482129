import { afterAll, beforeAll, expect, test } from "bun:test";
import { createService } from "../../server/app/app.ts";
import { createStore, type Engine, type Query } from "../../server/db/store.ts";
import { type Asker, startServer, type TestServer } from "../harness.ts";
import { addGroup, addLink } from "../rows.ts";

let server: TestServer;
let me: Asker;
let group: string;
let link: string;
let webhook: string;
beforeAll(async () => {
  server = await startServer("sqlite");
  me = await server.account();
  group = await addGroup(me);
  link = await addLink(me, { group_id: group });
  const hook = { url: "https://example.org/hook", events: ["link.dead"] };
  webhook = (await me.post("/api/v1/webhooks", hook)).body.data.id;
});
afterAll(() => server.stop());

/** The statements that a request of this path runs. */
async function statementsOf(path: string): Promise<Query[]> {
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
  });
  const { front } = await createService({ ...server.deps, store });
  const headers = { authorization: `Bearer ${me.key}` };
  const reply = await front(new Request(`${server.url}/api/v1${path}`, { headers }));
  expect([path, reply.status]).toEqual([path, 200]);
  await reply.text();
  return queries;
}

/** What SQLite does for a query, a line for each step. */
async function planOf({ sql, params }: Query): Promise<string[]> {
  const rows = await server.deps.store.engine.run({ sql: `explain query plan ${sql}`, params });
  return rows.map((row) => String(Object.values(row).at(-1)));
}

/** Tables that may have millions of rows, most of them of others. */
const LARGE =
  /^SCAN (links|checks|events|deliveries|delivery_attempts|audit|changes|link_tags|groups|webhooks|api_keys)\b/;

async function plansOf(path: string): Promise<string[]> {
  const selects = (await statementsOf(path)).filter(({ sql }) => /^\s*(select|with)/i.test(sql));
  return (await Promise.all(selects.map(planOf))).flat();
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
  const plans = await plansOf(path());

  expectIndexes(plans);
  expect(plans.filter((step) => step.startsWith("USE TEMP B-TREE FOR ORDER BY"))).toEqual([]);
});

test.each([
  ["webhooks, of which an account has few", () => "/webhooks"],
  ["deliveries of each webhook", () => "/webhooks/deliveries"],
  ["a webhook's deliveries", () => `/webhooks/${webhook}/deliveries`],
])("The list of %s reads its rows by an index, and sorts a page at most", async (_, path) => {
  expectIndexes(await plansOf(path()));
});
