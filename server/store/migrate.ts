import type { Engine, Migration, Upgrade } from "./store.ts";

/**
 * Brings the database up to date: all that is missing or nothing. Processes that do so at once share the work.
 * @param onStep is told before each migration of a database that has been in use
 * @returns the names of what was applied here.
 * @throws NewerDatabase when it has a migration that is none of these
 */
export async function migrate(
  engine: Engine,
  files: Migration[],
  now: number,
  onStep: Upgrade["onStep"] = () => {},
): Promise<string[]> {
  const choose = (applied: string[]) => missing(engine.name, files, applied);
  const found = await engine.applied();
  // Who only looks need not wait for those that write.
  if (choose(found).length === 0) return [];
  return engine.upgrade({ at: now, choose, onStep: found.length > 0 ? onStep : () => {} });
}

/** The database has a migration that this program does not know. */
export class NewerDatabase extends Error {
  constructor(migration: string) {
    super(
      `The database was written by a newer version (${migration}). Start that version, or restore a backup.`,
    );
  }
}

/**
 * What the database lacks of the migrations, in their order.
 * @throws NewerDatabase when it has others
 */
export function missing(
  engine: Engine["name"],
  files: Migration[],
  applied: string[],
): Migration[] {
  const ours = files.filter(({ name }) => isFor(engine, name)).sort(byName);
  const known = new Set(ours.map(({ name }) => name));
  const strange = applied.find((name) => !known.has(name));
  if (strange) throw new NewerDatabase(strange);
  return ours.filter(({ name }) => !applied.includes(name));
}

function isFor(engine: Engine["name"], name: string): boolean {
  const dialect = /\.(sqlite|postgres)\.sql$/.exec(name)?.[1];
  return !dialect || dialect === engine;
}

const byName = (a: Migration, b: Migration) => (a.name < b.name ? -1 : 1);
