import { expect, test } from "bun:test";
import { IS_LONG } from "../../../tests/long.ts";
import { lookAt } from "../../../tests/move/new.ts";
import {
  addManyChecks,
  change,
  holdMove,
  killMove,
  MANY,
  oldInstallation,
} from "../../../tests/move/old.ts";
import { freshPostgres } from "../../../tests/postgres.ts";
import { closeAtEnd } from "../../../tests/shared.ts";
import { rowsOf } from "../../../tests/upgrades/dump.ts";
import { openSource } from "./source.ts";
import { openTarget } from "./target.ts";

const IN_SECOND_PIECE = ["insert on checks", `new.checked_at = ${(MANY - 10) * 1000}`] as const;

/** Not at the first row of what goes in one piece, and in the second piece of the checks. */
const POINTS = [
  ["before anything is copied", "insert on facts", "new.name = 'move:in'"],
  ["in an early table", "insert on users", "true"],
  ["between two pieces of a table", ...IN_SECOND_PIECE],
  ["in the last table", "insert on webhook_events", "true"],
  ["after all was compared", "delete on facts", "old.name = 'move:in'"],
] as const;

/** In `npm test` in the second piece of a table, where the most can go wrong. */
test.each(POINTS.filter(([point]) => IS_LONG || point.startsWith("between")))(
  "a move that is killed %s goes on, and nothing is there twice",
  async (_, event, row) => {
    const { path, start, run } = await oldInstallation();
    addManyChecks(path);
    const before = rowsOf(path);

    const url = await killMove(start, event, row);
    const { code, err } = await run(["migrate", "--to", url]);

    expect({ code, err }).toEqual({ code: 0, err: "" });
    const there = lookAt(url);
    for (const table of [
      "users",
      "links",
      "link_counts",
      "webhook_events",
      "deliveries",
      "numbers",
    ]) {
      expect([table, await there.rows(table)]).toEqual([table, before[table]!]);
    }
    expect(await there.ask("select count(*), sum(checked_at) from checks")).toEqual([
      { count: before.checks!.length, sum: String(sumOf(before.checks!)) },
    ]);
  },
);

test.if(IS_LONG)("what was copied before a kill is not copied again", async () => {
  const { path, start, run } = await oldInstallation();
  addManyChecks(path);
  const url = await killMove(start, "insert on webhook_events", "true");
  const there = lookAt(url);
  const places = "select count(*), min(xmin::text) as first, max(xmin::text) as last from checks";
  const before = await there.ask(places);

  await run(["migrate", "--to", url]);

  expect(await there.ask(places)).toEqual(before);
});

test("of two that move the same at once, one is refused and adds nothing", async () => {
  const { path } = await oldInstallation();
  const url = await freshPostgres();
  const [source, target] = [openSource(path), openTarget(url)];
  closeAtEnd(target.close);
  await target.begin({ id: "one", head: "", version: "" }, source.tables);
  const accounts = source.tables.find(({ name }) => name === "accounts")!;
  const [page] = source.pages(accounts, null);
  const atFirst = await target.progress(accounts);
  await target.add(accounts, page!, atFirst);

  const again = target.add(accounts, { ...page!, lines: ["b\tb\tfree\t1\t99\t1"] }, atFirst);

  expect(await again.catch(({ message }) => message)).toBe(
    "Another process is moving the same installation.",
  );
  expect(await lookAt(url).rows("accounts")).toHaveLength(page!.lines.length);
  source.close();
});

test("a database that cuts the move off is reported, and the next run goes on", async () => {
  const { path, begin, run } = await oldInstallation();
  addManyChecks(path);
  const { url, obstacle, moving } = await holdMove(begin, ...IN_SECOND_PIECE);

  // Other tests use the same server.
  await lookAt(url).ask(`
    select pg_terminate_backend(pid) from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`);
  await obstacle.remove();

  const { code, err } = await moving.outcome;
  expect(code).toBe(1);
  expect(err).toMatch(/^The move did not finish: .+ run the same command again to continue\.\n$/);
  expect((await run(["migrate", "--to", url])).code).toBe(0);
  expect(await lookAt(url).ask("select count(*) from checks")).toEqual([
    { count: rowsOf(path).checks!.length },
  ]);
});

test("a stopped move says how to go on", async () => {
  const { path, begin, run } = await oldInstallation();
  addManyChecks(path);
  const { url, obstacle, moving } = await holdMove(begin, ...IN_SECOND_PIECE);

  const stopping = moving.stop();
  await obstacle.open();

  expect(await stopping).toBe(130);
  await obstacle.remove();
  expect((await moving.outcome).out).toMatch(
    /^Stopped\. [\d,]+ rows are copied\. The copied rows stay there: run the same command again to continue\.\n$/,
  );
  expect((await run(["migrate", "--to", url])).code).toBe(0);
  expect(await lookAt(url).ask("select count(*) from checks")).toEqual([
    { count: rowsOf(path).checks!.length },
  ]);
});

test("only the old database's note is made up for when that alone is missing", async () => {
  const { path, run } = await oldInstallation();
  const url = await freshPostgres();
  await run(["migrate", "--to", url]);
  const noted = rowsOf(path).facts!;
  const undo = "update facts set value = replace(value, '\"isDone\":true', '\"isDone\":false')";
  change(path, (database) => database.run(undo));

  expect((await run(["migrate", "--to", url])).code).toBe(0);

  expect(String(rowsOf(path).facts![0]!.value).replace(/"at":\d+/, "")).toBe(
    String(noted[0]!.value).replace(/"at":\d+/, ""),
  );
});

/** A change of the new database, how it is undone, and what is said of it. */
const CHANGES = [
  [
    "update links set url = url || 'x' where no = (select min(no) from links)",
    "update links set url = left(url, -1) where no = (select min(no) from links)",
    "links (rows that are not the same)",
  ],
  [
    "create temp table away as select * from webhook_events where type = 'link.dead'; delete from webhook_events where type = 'link.dead'",
    "insert into webhook_events select * from away; drop table away",
    /webhook_events \(\d+ rows here, \d+ there\)/,
  ],
  [
    "insert into host_profiles values ('x', 'honest', null, 1)",
    "delete from host_profiles",
    "host_profiles (0 rows here, 1 there)",
  ],
] as const;

test("a row that is changed, missing or too many in the new database is found, and that is not served", async () => {
  const { start, run } = await oldInstallation();
  const url = await killMove(start, "delete on facts", "old.name = 'move:in'");
  const there = lookAt(url);

  for (const [change, undo, found] of CHANGES) {
    await there.change(change);
    const { code, err } = await run(["migrate", "--to", url]);
    expect(code).toBe(1);
    expect(err).toStartWith("The new database differs from the old one: ");
    expect(err).toMatch(typeof found === "string" ? escaped(found) : found);
    await there.change(undo);
  }
  const served = await run(["serve"], { STILLUP_DATABASE_URL: url });
  expect(served.err).toContain("An installation is being moved into this database");
});

const escaped = (text: string) => new RegExp(RegExp.escape(text));

const sumOf = (rows: Record<string, unknown>[]) =>
  rows.reduce((sum, { checked_at }) => sum + Number(checked_at), 0);
