import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncToDisk } from "./file-system.ts";

/** Files that SQLite keeps next to a database. The new database must not find those of the old one. */
const COMPANIONS = ["-wal", "-shm"];

/** The name of a complete database that will replace the one at `path`. */
export const readyName = (path: string, stamp: string) => `${path}.restored-${stamp}`;

/** The name that the replaced database gets. */
export const asideName = (path: string, stamp: string) => `${path}.before-restore-${stamp}`;

/**
 * Replaces the database at `path` by the one with the ready name, and keeps the old one with its journal. Once a ready
 * database exists there is no way back: if the process is killed, the next caller continues. Yields after each step.
 */
export function* placing(path: string): Generator<string, void> {
  const ready = findReady(path);
  if (ready === null) return;
  const aside = asideName(path, ready.slice(readyName(path, "").length));
  for (const part of [...COMPANIONS, ""]) {
    if (moveAside(path + part, aside + part)) yield `moved ${part || "the database"}`;
  }
  renameSync(ready, path);
  yield "placed";
  syncToDisk(dirname(path));
}

/** Finishes a replacement that was started before, if any. */
export function finishPlacing(path: string): void {
  for (const _step of placing(path));
}

/** Whether a replacement was started and not finished. */
export const isPlacing = (path: string) => findReady(path) !== null;

function findReady(path: string): string | null {
  const folder = dirname(path);
  if (!existsSync(folder)) return null;
  const start = readyName(basename(path), "");
  // Excludes copies that are still being verified, and their journals.
  const found = readdirSync(folder).find((name) => name.startsWith(start) && /Z$/.test(name));
  return found ? join(folder, found) : null;
}

function moveAside(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  // Never overwrites a database that was kept earlier.
  renameSync(from, existsSync(to) ? `${to}.${Date.now()}` : to);
  return true;
}
