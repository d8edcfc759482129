import type { Engine } from "./store.ts";

/** A file of drizzle/: `0002_name.sql` for both databases, `0002_name.sqlite.sql` for one. */
export type Migration = { name: string; statements: string };

/**
 * Brings the database up to date, one migration at a time, each with its own record.
 * @returns the names of what was applied.
 * @throws when the database is newer than this program.
 */
export async function migrate(engine: Engine, files: Migration[], now: number): Promise<string[]> {
  const ours = files.filter(({ name }) => isFor(engine, name)).sort(byName);
  const done = await appliedTo(engine);
  refuseNewer(done, ours);
  const missing = ours.filter(({ name }) => !done.has(name));
  for (const { name, statements } of missing) {
    await engine.script(statements, {
      sql: "insert into migrations (name, applied_at) values (?, ?)",
      params: [name, now],
    });
  }
  return missing.map(({ name }) => name);
}

async function appliedTo(engine: Engine): Promise<Set<string>> {
  await engine.batch([
    {
      sql: "create table if not exists migrations (name text primary key, applied_at bigint not null)",
      params: [],
    },
  ]);
  const rows = await engine.run({ sql: "select name from migrations", params: [] });
  return new Set(rows.map(([name]) => name as string));
}

function refuseNewer(done: Set<string>, ours: Migration[]) {
  const known = new Set(ours.map(({ name }) => name));
  const strange = [...done].find((name) => !known.has(name));
  if (!strange) return;
  throw new Error(
    `The database was written by a newer version (${strange}). Start that version, or restore a backup.`,
  );
}

function isFor(engine: Engine, name: string): boolean {
  const dialect = /\.(sqlite|postgres)\.sql$/.exec(name)?.[1];
  return !dialect || dialect === engine.name;
}

const byName = (a: Migration, b: Migration) => (a.name < b.name ? -1 : 1);
