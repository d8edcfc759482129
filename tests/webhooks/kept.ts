import { existsSync, readFileSync } from "node:fs";
import type { TestServer } from "../harness.ts";

/** All that the database holds, as anyone reads it who copies its files or dumps its tables. */
export async function keptBy({ deps: { store }, config }: TestServer): Promise<string> {
  if (store.engine.name === "sqlite") {
    const path = config.databaseUrl.replace("sqlite:", "");
    const files = [path, `${path}-wal`].filter(existsSync);
    return files.map((file) => readFileSync(file, "latin1")).join();
  }
  const run = (text: string) => store.engine.run({ sql: text, params: [] });
  const tables = await run(
    "select table_name from information_schema.tables where table_schema = 'public'",
  );
  const rows = await Promise.all(
    tables.map(([name]) => run(`select cast(row_to_json(t) as text) from "${name}" t`)),
  );
  return rows.flat(2).join();
}
