import { type Engine, isDuplicate, type Query } from "./store.ts";

/** A file of drizzle/: `0002_name.sql` for both databases, `0002_name.sqlite.sql` for one. */
type Migration = { name: string; statements: string };

/**
 * Brings the database up to date, one migration at a time, each with its own record. Processes that
 * do so at once share the work.
 * @returns the names of what was applied here.
 * @throws when the database is newer than this program.
 */
export async function migrate(engine: Engine, files: Migration[], now: number): Promise<string[]> {
  const ours = files.filter(({ name }) => isFor(engine, name)).sort(byName);
  const done = await appliedTo(engine);
  refuseNewer(done, ours);
  const applied: string[] = [];
  for (const { name, statements } of ours.filter((each) => !done.has(each.name))) {
    const record = {
      sql: "insert into migrations (name, applied_at) values (?, ?)",
      params: [name, now],
    };
    try {
      await engine.script(record, statements);
      applied.push(name);
    } catch (error) {
      // A migration may itself meet a row or a table that is in its way: that is no work of others.
      const isDoneElsewhere = isDuplicate(error) && (await namesIn(engine)).has(name);
      if (!isDoneElsewhere) throw error;
    }
  }
  return applied;
}

const TABLE: Query = {
  sql: "create table if not exists migrations (name text primary key, applied_at bigint not null)",
  params: [],
};

async function appliedTo(engine: Engine): Promise<Set<string>> {
  try {
    await engine.batch([TABLE]);
  } catch (error) {
    // PostgreSQL refuses one of two that make the same table at once, whatever "if not exists" says.
    if (!isDuplicate(error)) throw error;
  }
  return namesIn(engine);
}

async function namesIn(engine: Engine): Promise<Set<string>> {
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
