import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINES } from "../../../tests/harness.ts";
import { emptyPostgres } from "../../../tests/postgres.ts";
import { migrate } from "./migrate.ts";
import { openEngine } from "./open.ts";
import type { Migration } from "./store.ts";

/** A small invented schema, with a file for both databases and one for each. */
const OLD: Migration[] = [
  { name: "0001_init.postgres.sql", statements: "CREATE INDEX shops_by_city ON shops (city);" },
  {
    name: "0001_init.sql",
    statements: `
CREATE TABLE shops (
  id TEXT PRIMARY KEY,
  city TEXT NOT NULL
);
CREATE TABLE sales (
  shop_id TEXT NOT NULL REFERENCES shops (id) ON DELETE CASCADE,
  cents BIGINT NOT NULL
);
`,
  },
  { name: "0001_init.sqlite.sql", statements: "CREATE INDEX shops_by_city ON shops (city, id);" },
];

/** Numbers the shops, and replaces the sales by one that refers to the number. */
const NEW: Migration[] = [
  ...OLD,
  {
    name: "0002_numbers.sql",
    statements: `
ALTER TABLE shops ADD COLUMN no BIGINT NOT NULL DEFAULT 0;
UPDATE shops SET no = counted.n
FROM (SELECT id AS of, row_number() OVER (ORDER BY id) AS n FROM shops) AS counted
WHERE id = counted.of;
CREATE TABLE numbered_sales (
  shop_no BIGINT NOT NULL,
  cents BIGINT NOT NULL,
  PRIMARY KEY (shop_no, cents)
) /* WITHOUT ROWID */;
INSERT INTO numbered_sales SELECT no, cents FROM sales JOIN shops ON id = shop_id;
DROP TABLE sales;
ALTER TABLE numbered_sales RENAME TO sales;
`,
  },
];

async function openOld(name: (typeof ENGINES)[number]) {
  const file = () => `sqlite:${join(mkdtempSync(join(tmpdir(), "stillup-")), "test.db")}`;
  const engine = openEngine(name === "postgres" ? await emptyPostgres() : file());
  const run = (sql: string, ...params: unknown[]) => engine.run({ sql, params });
  expect(await migrate(engine, OLD, 1)).toEqual(["0001_init.sql", `0001_init.${name}.sql`]);
  await run("insert into shops values ('a', 'Bern'), ('b', 'Graz')");
  await run("insert into sales values ('b', 5), ('a', 7), ('b', 6)");
  return { engine, run };
}

test.each(ENGINES)("rows of an older schema are kept on %s", async (name) => {
  const { engine, run } = await openOld(name);
  const steps: string[] = [];

  const applied = await migrate(engine, NEW, 2, (step) => steps.push(`${step.n} of ${step.of}`));

  expect([applied, steps]).toEqual([["0002_numbers.sql"], ["1 of 1"]]);
  expect(await run("select id, city, no from shops order by id")).toEqual([
    ["a", "Bern", 1],
    ["b", "Graz", 2],
  ]);
  expect(await run("select shop_no, cents from sales order by cents")).toEqual([
    [2, 5],
    [2, 6],
    [1, 7],
  ]);
  await engine.close();
});

test.each(ENGINES)("a migration that fails leaves the older schema on %s", async (name) => {
  const { engine, run } = await openOld(name);
  const failing = [...NEW, { name: "0003_more.sql", statements: "create table shops (id text);" }];

  await expect(migrate(engine, failing, 2)).rejects.toThrow("already exists");

  expect(await run("select * from shops order by id")).toEqual([
    ["a", "Bern"],
    ["b", "Graz"],
  ]);
  expect(await run("select shop_id from sales where cents = 5")).toEqual([["b"]]);
  expect(await migrate(engine, NEW, 3)).toEqual(["0002_numbers.sql"]);
  await engine.close();
});

test("a migration that would leave rows without what they refer to is refused on sqlite", async () => {
  const { engine, run } = await openOld("sqlite");
  const orphaning = [
    ...OLD,
    { name: "0002_fewer.sql", statements: "DELETE FROM shops WHERE id = 'a';" },
  ];

  await expect(migrate(engine, orphaning, 2)).rejects.toThrow("sales");

  expect(await run("select count(*) from shops")).toEqual([[2]]);
  await engine.close();
});
