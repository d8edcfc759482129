import { VERSION } from "../lib/runtime.ts";
import type { Applied, LiveNode, Migration } from "./store.ts";

const HEADER = /^-- Runs beside (\d+\.\d+\.\d+)$/m;

/** The oldest version that goes on beside a migration, as its file says; null when none does. */
export const oldestBeside = (statements: string): string | null =>
  HEADER.exec(statements)?.[1] ?? null;

/** Whether a program goes on beside a migration that it does not know. */
export const isBeside = ({ oldest }: Applied, version = VERSION): boolean =>
  oldest !== null && isAtLeast(version, oldest);

/** Nodes serve the database that could not go on after an upgrade. */
export class OlderNodes extends Error {
  /** Names the nodes that are waited for. */
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
 * A release goes beside those of the minor version before it, as far as its migrations do.
 * @throws OlderNodes when one is alive that could not go on
 */
export function refuseOlderNodes(pending: Migration[], nodes: LiveNode[], version = VERSION): void {
  const oldest = pending
    .map(({ statements }) => oldestBeside(statements) ?? version)
    .reduce(newer, previousMinor(version));
  const older = nodes.filter((node) => !isAtLeast(node.version, oldest));
  if (pending.length > 0 && older.length > 0) throw new OlderNodes(older, oldest);
}

/** The first of the minor version before; of the major version before where there is none. */
function previousMinor(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return minor > 0 ? `${major}.${minor - 1}.0` : `${Math.max(major - 1, 0)}.0.0`;
}

const isAtLeast = (version: string, oldest: string) => Bun.semver.order(version, oldest) >= 0;

const newer = (a: string, b: string) => (isAtLeast(a, b) ? a : b);
