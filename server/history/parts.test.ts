import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, START, startServer, type TestServer } from "../../tests/harness.ts";
import { freshPostgres } from "../../tests/postgres.ts";
import { addCheck, addChecks, addGroup, addLink } from "../../tests/rows.ts";
import { createDeps } from "../app/build.ts";
import { openEngine } from "../ground/db/open.ts";
import { createStore, isGone, type Store } from "../ground/db/store.ts";
import { accounts, checks } from "../ground/db/tables.ts";
import { forgetOldChecks, makeParts } from "./forget-old.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEPT_DAYS = 30;
const NOW = Date.parse(START);
/** Before this moment of 2 December all is old. */
const OLD = NOW - KEPT_DAYS * DAY;
const NOVEMBER = Date.parse("2029-11-20T12:00:00Z");

const iso = (at: number) => new Date(at).toISOString();
const dataOf = async (me: Asker, path: string) => (await me.get(`/api/v1/${path}`)).body.data;
const listed = async (me: Asker) => (await dataOf(me, "history")).pagination.total;
const counted = async (me: Asker) => (await dataOf(me, "history/stats")).totalChecks;

async function partsOf(store: Store): Promise<string[]> {
  const sql = `select cast(inhrelid as regclass)::text from pg_inherits
    where inhparent = cast('checks' as regclass) order by 1`;
  return (await store.engine.run({ sql, params: [] })).flat().map(String);
}

describe("History by the month on PostgreSQL", () => {
  let running: TestServer;
  const server = () => running;
  beforeAll(async () => {
    running = await startServer("postgres", { STILLUP_HISTORY_DAYS: String(KEPT_DAYS) });
  });
  afterAll(() => running.stop());

  const parts = () => partsOf(server().deps.store);
  const makeAll = () => server().deps.store.engine.historyPartitions!.create(NOVEMBER, NOW);
  const rowsOf = ({ accountNo }: Asker) =>
    server().deps.store.$count(checks, eq(checks.accountNo, accountNo));
  const perHour = (me: Asker, link: string, from: number, until: number) =>
    dataOf(
      me,
      `history/series?bucket=hour&link_id=${link}&start_date=${iso(from)}&end_date=${iso(until)}`,
    );

  test("has room for this month and two more, however many make it at once", async () => {
    await Promise.all([1, 2, 3].map(() => makeParts(server().deps)));

    expect(await parts()).toEqual([
      "checks_2030_01",
      "checks_2030_02",
      "checks_2030_03",
      "checks_rest",
    ]);
    expect(await server().deps.store.engine.historyPartitions!.create(NOW, NOW)).toEqual([]);
  });

  test("takes in what was checked before there was room for it", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await addCheck(server(), me, link, { checkedAt: NOVEMBER });

    await makeAll();

    const { engine } = server().deps.store;
    const rows = await engine.run({ sql: "select checked_at from checks_2029_11", params: [] });
    expect(rows).toEqual([[NOVEMBER]]);
    expect(await rowsOf(me)).toBe(1);
  });

  test("is kept by the month once all of it is old, and still returned hour by hour", async () => {
    await makeAll();
    const me = await server().account();
    const link = await addLink(me);
    const moments = [NOVEMBER, NOVEMBER + 1, OLD - HOUR, OLD];
    await addChecks(
      server(),
      moments.map((checkedAt) => ({ linkId: link, checkedAt })),
    );
    const november = await perHour(me, link, NOVEMBER, NOVEMBER + DAY);
    const december = await perHour(me, link, OLD - DAY, OLD + DAY);

    await forgetOldChecks(server().deps);

    expect(await parts()).not.toContain("checks_2029_11");
    // That of an hour ago waits for its month to go.
    expect([await rowsOf(me), await listed(me), await counted(me)]).toEqual([2, 1, 4]);
    expect(await perHour(me, link, NOVEMBER, NOVEMBER + DAY)).toEqual(november);
    expect(await perHour(me, link, OLD - DAY, OLD + DAY)).toEqual(december);
    const edge = `start_date=${iso(OLD - 2 * HOUR)}&end_date=${iso(OLD - HOUR + 1)}`;
    expect((await dataOf(me, `history/stats?link_id=${link}&${edge}`)).totalChecks).toBe(1);
  });

  test("is written once, whichever process does it and however often it is interrupted", async () => {
    await makeAll();
    const me = await server().account();
    const link = await addLink(me);
    const moments = Array.from({ length: 600 }, (_, i) => OLD - 1 - i * 60_000);
    await addChecks(
      server(),
      moments.map((checkedAt) => ({ linkId: link, checkedAt })),
    );
    const before = await perHour(me, link, OLD - DAY, OLD);
    const other = createDeps(
      server().config,
      createStore(openEngine(server().config.databaseUrl)),
      server().clock,
    );

    const ended = AbortSignal.timeout(30);
    await Promise.all([server().deps, other].map((deps) => forgetOldChecks(deps, ended)));
    const meanwhile = await perHour(me, link, OLD - DAY, OLD);
    await Promise.all([server().deps, other].map((deps) => forgetOldChecks(deps)));

    expect(meanwhile).toEqual(before);
    expect(await perHour(me, link, OLD - DAY, OLD)).toEqual(before);
    await other.store.engine.close();
  });

  test("stays counted for its account when the link is deleted after the days of its checks", async () => {
    await makeAll();
    const me = await server().account();
    const link = await addLink(me, { group_id: await addGroup(me) });
    for (const checkedAt of [OLD - HOUR, OLD + HOUR])
      await addCheck(server(), me, link, { checkedAt });
    await forgetOldChecks(server().deps);

    await me.delete(`/api/v1/links/${link}`);

    expect([await listed(me), await counted(me)]).toEqual([0, 1]);
  });

  test("keeps a month whose checks could not be written down", async () => {
    await makeAll();
    const me = await server().account();
    await addCheck(server(), me, await addLink(me), { checkedAt: NOVEMBER });

    await forgetOldChecks(server().deps, AbortSignal.abort());
    const kept = await server().deps.store.engine.historyPartitions!.drop(NOW);

    expect(kept).toEqual([]);
    expect([await rowsOf(me), await listed(me)]).toEqual([1, 0]);
  });

  test("of a moment that no month was made for goes check by check", async () => {
    const me = await server().account();
    const link = await addLink(me);
    for (const checkedAt of [NOW - 5000 * DAY, NOW + 5000 * DAY])
      await addCheck(server(), me, link, { checkedAt });

    await forgetOldChecks(server().deps);

    expect([await rowsOf(me), await counted(me)]).toEqual([1, 2]);
  });
});

test("a month's history is deleted with its account, and refuses checks of none", async () => {
  const engine = openEngine(await freshPostgres());
  const store = createStore(engine);
  await store.insert(accounts).values({
    id: "a",
    email: "a@example.org",
    tier: "business",
    createdAt: NOW,
    no: 1,
    historySince: 0,
  });
  await engine.historyPartitions!.create(NOVEMBER, NOW);
  const row = { checkedAt: NOVEMBER, linkNo: 2, kindNo: 1 };
  await store.insert(checks).values({ ...row, accountNo: 1 });

  const orphan = store.insert(checks).values({ ...row, accountNo: 9 });

  expect(await orphan.catch(isGone)).toBe(true);
  await store.delete(accounts).where(eq(accounts.no, 1));
  expect(await store.$count(checks)).toBe(0);
  await engine.close();
});
