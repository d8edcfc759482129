import { VERSION } from "../lib/runtime.ts";
import type { Applied, Engine, LiveNode, Migration, Upgrade } from "./store.ts";

/**
 * Runs all missing migrations, or none. Processes that do so at the same time share the work.
 * @param onStep is called before each migration of a database that is in use already
 * @returns the names of the migrations that ran here
 * @throws NewerDatabase if the database has a migration that this program must not run next to
 * @throws OlderNodes if a live node must not run next to the missing migrations
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
  // If nothing is missing, there is no need to wait for the upgrade lock.
  if (choose(found).length === 0) return [];
  return engine.upgrade({ at: now, choose, onStep: found.length > 0 ? onStep : () => {} });
}

/**
 * Waits for an upgrade that is running, if any: it looked for live nodes only when it began.
 * @throws NewerDatabase if the database has a migration that this program must not run next to
 */
export async function refuseNewer(engine: Engine, files: Migration[], now: number): Promise<void> {
  const choose = (applied: Applied[]) => {
    missing(engine.name, files, applied);
    return [];
  };
  await engine.upgrade({ at: now, choose, onStep: () => {} });
}

/** The database has a migration that this program must not run next to. */
export class NewerDatabase extends Error {
  constructor(migration: string) {
    super(
      `The database was written by a newer version (${migration}). Start that version, or restore a backup.`,
    );
  }
}

/**
 * Returns the migrations that the database lacks, in order.
 * @throws NewerDatabase if it has others that this program must not run next to
 */
export function missing(
  engine: Engine["name"],
  files: Migration[],
  applied: Applied[],
): Migration[] {
  const ours = files.filter(({ name }) => isFor(engine, name)).sort(byName);
  const known = new Set(ours.map(({ name }) => name));
  const unknown = applied.find((each) => !known.has(each.name) && !allowsVersion(each));
  if (unknown) throw new NewerDatabase(unknown.name);
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

const HEADER = /^-- Runs next to (\d+\.\d+\.\d+)$/m;

/** Returns the oldest version that may run next to a migration, as its file states; null if none may. */
export const oldestAllowed = (statements: string): string | null =>
  HEADER.exec(statements)?.[1] ?? null;

/** Whether this program may run next to a migration that it does not know. */
const allowsVersion = ({ oldest }: Applied): boolean =>
  oldest !== null && isAtLeast(VERSION, oldest);

/** Live nodes must not run next to the missing migrations. */
export class OlderNodes extends Error {
  /** A message that names the nodes that the upgrade waits for. */
  readonly waiting: string;

  constructor(nodes: LiveNode[], oldest: string) {
    const named = nodes.map(({ name, version }) => `${name} (${version})`).join(", ");
    super(
      `The database cannot be upgraded while older nodes serve it: ${named}. Stop them, or upgrade them to ${oldest} or newer first.`,
    );
    this.waiting = `waiting until older nodes are stopped or upgraded to ${oldest} or newer: ${named}`;
  }
}

/**
 * A release may run next to those of the previous minor version, unless its migrations say otherwise.
 * @throws OlderNodes if a live node is older than that
 */
export function refuseOlderNodes(pending: Migration[], nodes: LiveNode[], version = VERSION): void {
  const oldest = pending
    .map(({ statements }) => oldestAllowed(statements) ?? version)
    .reduce(newer, previousMinor(version));
  const older = nodes.filter((node) => !isAtLeast(node.version, oldest));
  if (pending.length > 0 && older.length > 0) throw new OlderNodes(older, oldest);
}

/** The first release of the previous minor version, or of the previous major version after x.0. */
function previousMinor(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return minor > 0 ? `${major}.${minor - 1}.0` : `${Math.max(major - 1, 0)}.0.0`;
}

const isAtLeast = (version: string, oldest: string) => Bun.semver.order(version, oldest) >= 0;

const newer = (a: string, b: string) => (isAtLeast(a, b) ? a : b);
