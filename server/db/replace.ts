import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncToDisk } from "./sync.ts";

/** What SQLite keeps beside a database. What the new one found of the old would be played into it. */
const COMPANIONS = ["-wal", "-shm"];

/** What a complete database is called that is to take the place of the one at `path`. */
export const readyName = (path: string, stamp: string) => `${path}.restored-${stamp}`;

/** What the one that was there is called from then on. */
export const asideName = (path: string, stamp: string) => `${path}.before-restore-${stamp}`;

/**
 * Puts the database that has the ready name in the place of the one at `path`, which is kept aside together
 * with its journal. From the moment when there is a ready one nothing leads back: whoever is killed in
 * between has the next one who calls this go on. Each turn is one step that is done.
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

/** Finishes what was begun before; nothing where nothing was. */
export function finishPlacing(path: string): void {
  for (const _step of placing(path));
}

/** Whether a database stands ready to take the place, since somebody was killed who placed it. */
export const isPlacing = (path: string) => findReady(path) !== null;

function findReady(path: string): string | null {
  const folder = dirname(path);
  if (!existsSync(folder)) return null;
  const start = readyName(basename(path), "");
  // A copy of its own is being verified still, or has a journal beside it.
  const found = readdirSync(folder).find((name) => name.startsWith(start) && /Z$/.test(name));
  return found ? join(folder, found) : null;
}

function moveAside(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  // Whatever was made here meanwhile: nothing that was kept is ever written over.
  renameSync(from, existsSync(to) ? `${to}.${Date.now()}` : to);
  return true;
}
