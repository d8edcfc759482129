import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../commands/program.ts";
import { freshPostgres } from "../postgres.ts";
import { usedDatabase } from "../upgrades/used.ts";
import { obstruct } from "./new.ts";

/** An installation that people have used, with the program for its data folder. */
export async function oldInstallation() {
  const { folder, path, key } = await usedDatabase();
  const program = createProgram({
    STILLUP_DATA_DIR: folder,
    STILLUP_LOG_LEVEL: "error",
    STILLUP_PORT: "0",
  });
  return { ...program, folder, path, key };
}

/**
 * A move into a new database that has come to where it writes a certain row, and waits there.
 * @param start runs the program with these arguments
 * @param row as a trigger may name it, such as `new.id = 'x'`
 */
export async function holdMove<T>(start: (args: string[]) => T, event: string, row: string) {
  const url = await freshPostgres();
  const obstacle = await obstruct(url, event, row);
  const moving = start(["migrate", "--to", url]);
  await obstacle.reached();
  return { url, obstacle, moving };
}

/** The same, killed there. @returns the URL of the new database */
export async function killMove(
  start: ReturnType<typeof createProgram>["start"],
  event: string,
  row: string,
): Promise<string> {
  const { url, obstacle, moving } = await holdMove(start, event, row);
  moving.kill("SIGKILL");
  await moving.exited;
  await obstacle.remove();
  return url;
}

/** Writes to the file, as its server would. */
export function change(path: string, work: (database: Database) => void): void {
  const database = new Database(path, { readwrite: true, strict: true });
  try {
    database.run("PRAGMA foreign_keys = ON");
    work(database);
  } finally {
    database.close(true);
  }
}

/** Texts that break what is not written with care. */
const HARD_TEXTS = [
  "a\ttab, a\nline, a\r\nline, \\ and \\N and \\.",
  "\\.",
  "",
  "ü 漢字 🛰️ \u2028",
  "\b\f\v\u0001\u007f",
  "NULL",
  '{"a":"\\u0000"}',
];

/** One group each. */
export function addHardTexts(path: string): void {
  change(path, (database) => {
    const add = database.prepare(
      `insert into groups select 'hard-' || ?1, account_id, ?2, ?2, color, created_at, updated_at, 9000000 + ?1, null, null
       from groups limit 1`,
    );
    for (const [i, text] of HARD_TEXTS.entries()) add.run(i, text);
    add.finalize();
  });
}

/** Enough to be copied in several pieces. */
export const MANY = 6000;

/** Adds checks of the first link, one a second from 1970 on, each with a long URL. */
export function addManyChecks(path: string): void {
  change(path, (database) =>
    database.run(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MANY})
       insert into checks
       select l.account_no, i * 1000, l.no, 1, 5, null, 'https://example.org/' || i || '?' || hex(zeroblob(200)), null
       from n, (select no, account_no from links order by no limit 1) as l`,
    ),
  );
}

/** A row in every table that has none, whatever it means. */
export function fillAllTables(path: string): string[] {
  const filled: string[] = [];
  change(path, (database) => {
    const values = (sql: string) => database.query(sql).values();
    const names =
      "select name from pragma_table_list where type = 'table' and name not like 'sqlite%'";
    for (const [table] of values(names) as [string][]) {
      if (values(`select 1 from ${table} limit 1`).length > 0) continue;
      const parents = new Map(
        values(`select "from", "table", "to" from pragma_foreign_key_list('${table}')`).map(
          ([column, parent, to]) => [column, `(select ${to} from ${parent} limit 1)`],
        ),
      );
      const columns = values(`select name, type from pragma_table_info('${table}')`);
      const cells = columns.map(
        ([name, type]) => parents.get(name) ?? (type === "TEXT" ? `'${name}'` : "7"),
      );
      database.run(`insert into ${table} (${columns.map(([name]) => name)}) values (${cells})`);
      filled.push(table);
    }
  });
  return filled;
}

export const copiesIn = (folder: string) => readdirSync(join(folder, "backups"));
