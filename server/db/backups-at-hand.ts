import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type BackupName, readName } from "./backup-names.ts";
import { targetOf, verifyDatabase } from "./copy.ts";
import { reading } from "./reading.ts";
import { appliedTo } from "./sqlite-upgrade.ts";

/** A copy of a database that is there; those that were named by hand have no kind. */
export type BackupFile = {
  name: string;
  path: string;
  kind: BackupName["kind"] | null;
  madeAt: number;
  bytes: number;
};

/** The copies in the folder, newest first. */
export const backupsIn = (folder: string): BackupFile[] =>
  namesIn(folder)
    .filter((name) => name.endsWith(".db"))
    .flatMap((name) => sizeUp(folder, name) ?? [])
    .sort((a, b) => b.madeAt - a.madeAt || (a.name < b.name ? 1 : -1));

/** What copies of this kind have left in the folder that were cut short, unless one is being made. */
export const cutShortIn = (folder: string, kind: BackupName["kind"]): string[] =>
  namesIn(folder)
    .filter((name) => readName(targetOf(name) ?? "")?.kind === kind)
    .map((name) => join(folder, name));

/** The newest copy that is whole, each of which is read through for that; null when there is none. */
export const newestGoodBackup = (folder: string, known: Set<string>): string | null =>
  backupsIn(folder).find(({ path }) => isReadable(path, known) && isWhole(path))?.path ?? null;

/** The newest copy that a program with these migrations can read, as far as a moment tells; null when there is none. */
export const newestReadable = (folder: string, known: Set<string>): string | null =>
  backupsIn(folder).find(({ path }) => isReadable(path, known))?.path ?? null;

/** The newest copy made before an upgrade that a program with these migrations can read; null when there is none. */
export const newestBeforeUpgrade = (folder: string, known: Set<string>): string | null =>
  backupsIn(folder).find(({ kind, path }) => kind === "before_upgrade" && isReadable(path, known))
    ?.path ?? null;

/** What to type to have a copy back. */
export const restoreCommand = (path: string) =>
  `stillup restore ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`;

/** None where there is no folder yet. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null when it is gone by now, or no file. */
function sizeUp(folder: string, name: string): BackupFile | null {
  const path = join(folder, name);
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile()) return null;
  const { kind, madeAt } = readName(name) ?? { kind: null, madeAt: file.mtimeMs };
  return { name, path, kind, madeAt, bytes: file.size };
}

function isReadable(path: string, known: Set<string>): boolean {
  try {
    const applied = reading(path, appliedTo);
    return applied.length > 0 && applied.every((name) => known.has(name));
  } catch {
    return false;
  }
}

function isWhole(path: string): boolean {
  try {
    verifyDatabase(path, path);
    return true;
  } catch {
    return false;
  }
}
