import { existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { newId } from "../lib/ids.ts";
import { refuseWithoutRoom } from "./file-system.ts";
import { runInThread } from "./in-thread.ts";
import { isDamage, reading } from "./sqlite-file.ts";

const PROGRESS_MS = 200;

/** An intact copy: its size, and the number of its links. */
export type Copied = { bytes: number; links: number };

type CopyOptions = {
  /** Bytes that must still be free on the disk after the copy. */
  leaveFree?: number;
  /** Receives the share that is written, from 0 to 1. The copy is verified after that. */
  onProgress?: (written: number) => void;
};

/**
 * Copies an SQLite database as it is at one moment, even while it is in use, in a thread of its own. The copy gets its
 * name only once it is complete, verified and on the disk.
 * @throws if `target` exists, the disk has no room, or the copy is inconsistent; Damaged if the database itself cannot
 * be read
 */
export async function copyDatabase(
  path: string,
  target: string,
  { leaveFree = 0, onProgress }: CopyOptions = {},
): Promise<Copied> {
  if (existsSync(target)) throw new Error(`The file ${target} already exists.`);
  const needed = sizeOf(path);
  refuseWithoutRoom(dirname(target), needed + leaveFree);
  const unfinished = `${target}.${newId()}.unfinished`;
  const timer =
    onProgress && setInterval(() => onProgress(written(unfinished, needed)), PROGRESS_MS);
  try {
    return await runInThread({ kind: "copy", path, unfinished, target });
  } finally {
    clearInterval(timer);
    // A full disk leaves an empty file.
    for (const end of ["", "-journal"]) rmSync(unfinished + end, { force: true });
  }
}

/** Verifies the database in a thread of its own. @throws as `verifyDatabase` does */
export const verifyInThread = (path: string, name: string): Promise<Copied> =>
  runInThread({ kind: "verify", path, name });

/**
 * @param name what the error calls it, since the file may be renamed or deleted by then
 * @throws if the file is not a database, is damaged, or has rows that refer to missing rows
 */
export function verifyDatabase(path: string, name: string): void {
  const fault = faultOf(path);
  if (fault !== null) throw new Error(`${name} is damaged: ${fault}.`);
}

function faultOf(path: string): string | null {
  try {
    return reading(path, (database) => {
      const [verdict] = database.query("PRAGMA integrity_check(1)").values()[0] as [string];
      if (verdict !== "ok") return verdict;
      const orphan = database.query("PRAGMA foreign_key_check").values()[0];
      return orphan ? `${orphan[0]} refers to missing rows` : null;
    });
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}

/** Returns the name of the copy whose unfinished file this is; null for any other file. */
export const targetOf = (name: string): string | null =>
  /^(.*)\.[^.]+\.unfinished(-journal)?$/.exec(name)?.[1] ?? null;

/** The size of the database with what is still in its journal. */
function sizeOf(path: string): number {
  const sql = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
  return reading(path, (database) => database.query(sql).values()[0]![0] as number);
}

function written(unfinished: string, needed: number): number {
  const size = statSync(unfinished, { throwIfNoEntry: false })?.size ?? 0;
  return Math.min(size / Math.max(needed, 1), 1);
}
