import { isBeside, refuseOlderNodes } from "./beside-versions.ts";
import type { Applied, Engine, LiveNode, Migration, Upgrade } from "./store.ts";

/**
 * Brings the database up to date: all that is missing or nothing. Processes that do so at once share the work.
 * @param onStep is told before each migration of a database that has been in use
 * @returns the names of what was applied here.
 * @throws NewerDatabase when it has a migration beside which this program cannot go on
 * @throws OlderNodes when a process serves it that could not go on beside these
 */
export async function migrate(
  engine: Engine,
  files: Migration[],
  now: number,
  onStep: Upgrade["onStep"] = () => {},
): Promise<string[]> {
  const choose = (applied: Applied[], nodes: LiveNode[] = []) => {
    const pending = missing(engine.name, files, applied);
    refuseOlderNodes(pending, nodes);
    return pending;
  };
  const found = await engine.applied();
  // Who only looks need not wait for those that write.
  if (choose(found).length === 0) return [];
  return engine.upgrade({ at: now, choose, onStep: found.length > 0 ? onStep : () => {} });
}

/**
 * Waits for an upgrade that is under way, if any: whoever makes one has looked at its beginning who is there.
 * @throws NewerDatabase when it has a migration beside which this program cannot go on
 */
export async function refuseNewer(engine: Engine, files: Migration[], now: number): Promise<void> {
  const choose = (applied: Applied[]) => {
    missing(engine.name, files, applied);
    return [];
  };
  await engine.upgrade({ at: now, choose, onStep: () => {} });
}

/** The database has a migration beside which this program cannot go on. */
export class NewerDatabase extends Error {
  constructor(migration: string) {
    super(
      `The database was written by a newer version (${migration}). Start that version, or restore a backup.`,
    );
  }
}

/**
 * What the database lacks of the migrations, in their order.
 * @throws NewerDatabase when it has others that this program cannot go on beside
 */
export function missing(
  engine: Engine["name"],
  files: Migration[],
  applied: Applied[],
): Migration[] {
  const ours = files.filter(({ name }) => isFor(engine, name)).sort(byName);
  const known = new Set(ours.map(({ name }) => name));
  const strange = applied.find((each) => !known.has(each.name) && !isBeside(each));
  if (strange) throw new NewerDatabase(strange.name);
  const there = new Set(applied.map(({ name }) => name));
  return ours.filter(({ name }) => !there.has(name));
}

function isFor(engine: Engine["name"], name: string): boolean {
  const dialect = /\.(sqlite|postgres)\.sql$/.exec(name)?.[1];
  return !dialect || dialect === engine;
}

/** A file for both databases comes before those for one. */
const byName = (a: Migration, b: Migration) => (withoutEnding(a) < withoutEnding(b) ? -1 : 1);

const withoutEnding = ({ name }: Migration) => name.replace(/\.sql$/, "");
