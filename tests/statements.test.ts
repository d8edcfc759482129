import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { sendSummaries } from "../server/notify/summaries.ts";
import { startServer } from "./harness.ts";
import { newScratchFolder } from "./scratch.ts";
import { onlyOnSqlite, saveStatements } from "./statements.ts";

/** What is said where the processes ran these statements. */
function saidOf(...runs: { sqlite: string[]; postgres: string[] }[]): string[] {
  const folder = newScratchFolder("stillup-statements-");
  const from = (texts: string[]) => texts.map((text) => [text, "server/links/list.ts listLinks"]);
  for (const [n, { sqlite, postgres }] of runs.entries()) {
    const saved = { sqlite: from(sqlite), postgres: from(postgres) };
    writeFileSync(join(folder, `${n}.statements`), JSON.stringify(saved));
  }
  return onlyOnSqlite(folder);
}

const BY_GROUP =
  'select "no" from "links" where ("links"."account_no" = ? and "links"."group_id" = ?)';
const BY_TAG =
  'select "no" from "links" where ("links"."account_no" = ? and "links"."tag" in (?, ?))';

test("a statement that no process ran on PostgreSQL is named, with what is new in it", () => {
  const said = saidOf(
    { sqlite: [BY_GROUP], postgres: [BY_GROUP] },
    { sqlite: [BY_TAG], postgres: [] },
  );

  expect(said).toEqual([
    'server/links/list.ts listLinks: select "no" from "links" where ("links"."account_no" = ? and "links"."tag" in (?))\n' +
      '  not on PostgreSQL: links: "links"."tag" in (?)',
  ]);
});

test("a statement of which each part ran on PostgreSQL is fine, in whichever process and however many values", () => {
  const both = BY_GROUP.replace(")", ' and "links"."tag" in (?, ?, ?))');
  const runs = { sqlite: [both], postgres: [BY_GROUP] };

  expect(saidOf(runs, { sqlite: [], postgres: [BY_TAG] })).toEqual([]);
});

test("what the databases write differently on purpose is not a difference", () => {
  const unpack = (before: string, after: string) =>
    `update links set status = ? from (select cast(value ->> 0 as bigint) as no from ${before}?${after}) as given`;
  const sqlite = [unpack("json_each(", ")"), "pragma page_count"];
  const postgres = [
    unpack("json_array_elements(cast(cast(", " as text) as json)) as unpacked(value)"),
  ];

  expect(saidOf({ sqlite, postgres })).toEqual([]);
});

test("a statement with the same condition on another table is a different one", () => {
  const of = (table: string) => `delete from "${table}" where id = ?`;

  expect(saidOf({ sqlite: [of("groups")], postgres: [of("links")] })).toHaveLength(1);
});

test("a statement that puts known parts together in another way is fine", () => {
  const counted = (n: number) => `select ${n} as i, count(*) as many from links where no = ?`;
  const inOne = `select i, many from (${counted(0)} union all ${counted(1)}) as spans order by i`;
  const grouped = "select tag from links where (status = ? and (site = ?)) group by tag";
  const postgres = [
    ...[`select i, many from (${counted(7)}) as spans order by i`, "select site from links"],
    "select tag from links where site = ? and status = ? order by tag",
  ];

  expect(saidOf({ sqlite: [inOne, grouped], postgres })).toEqual([]);
});

test("what the product runs is remembered, and what a test itself runs is not", async () => {
  const folder = newScratchFolder("stillup-statements-");
  // One function of a test that awaits another is what the stack ends with.
  const begun = async () => {
    const server = await startServer("sqlite");
    await sendSummaries(server.deps);
    return server;
  };

  const server = await begun();
  await server.deps.store.run(sql`select 'of a test'`);
  saveStatements(folder);

  const saved = readFileSync(join(folder, `${process.pid}.statements`), "utf8");
  expect(saved).toContain("summary_at");
  expect(saved).not.toContain("of a test");
  await server.stop();
});
