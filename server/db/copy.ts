import { existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { newId } from "../lib/ids.ts";
import type { Answer, Task } from "./copy-thread.ts";
import { isDamage } from "./damage.ts";
import { refuseWithoutRoom } from "./file-system.ts";
import { reading } from "./reading.ts";
import { Damaged } from "./store.ts";
import { threadFile } from "./thread-file.ts";

const PROGRESS_MS = 200;

/** A copy that is whole: its length in bytes, and how many links it holds. */
export type Copied = { bytes: number; links: number };

type CopyOptions = {
  /** So many bytes must still be free on the disk when the copy is there. */
  leaveFree?: number;
  /** Is told now and then how much is written, from 0 to 1; the copy is verified after that. */
  onProgress?: (written: number) => void;
};

/**
 * Copies an SQLite database as it is at one moment, also while it is in use, in a thread of its own. The
 * copy gets its name only once it is complete, whole and on the disk.
 * @throws when `target` is there already, the disk has no room, or the copy does not hold together; Damaged
 * when it is the database that cannot be read
 */
export async function copyDatabase(
  path: string,
  target: string,
  { leaveFree = 0, onProgress }: CopyOptions = {},
): Promise<Copied> {
  if (existsSync(target)) throw new Error(`There is a file ${target} already.`);
  const needed = sizeOf(path);
  refuseWithoutRoom(dirname(target), needed + leaveFree);
  const unfinished = unfinishedName(target);
  const telling =
    onProgress && setInterval(() => onProgress(written(unfinished, needed)), PROGRESS_MS);
  try {
    return await inThread({ kind: "copy", path, unfinished, target });
  } finally {
    clearInterval(telling);
    // A full disk leaves an empty file.
    for (const end of ["", "-journal"]) rmSync(unfinished + end, { force: true });
  }
}

/** Verifies the database beside the event loop. @throws as `verifyDatabase` does */
export const verifyBeside = (path: string, name: string): Promise<Copied> =>
  inThread({ kind: "verify", path, name });

/**
 * @param name what the error calls it: who reads that may find no such file any more
 * @throws when the file is no database, is damaged, or has rows that refer to none
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
      return orphan ? `${orphan[0]} refers to rows that are gone` : null;
    });
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}

/** What a copy that a crash cut short is called; no two are called the same. */
const unfinishedName = (target: string) => `${target}.${newId()}.unfinished`;

/** Which copy this is the beginning of; null for any other file. */
export const targetOf = (name: string): string | null =>
  /^(.*)\.[^.]+\.unfinished(-journal)?$/.exec(name)?.[1] ?? null;

/** The length of the database with what is still in its journal. */
function sizeOf(path: string): number {
  const sql = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
  return reading(path, (database) => database.query(sql).values()[0]![0] as number);
}

function written(unfinished: string, needed: number): number {
  const size = statSync(unfinished, { throwIfNoEntry: false })?.size ?? 0;
  return Math.min(size / Math.max(needed, 1), 1);
}

function inThread(task: Task): Promise<Copied> {
  const { promise, resolve, reject } = Promise.withResolvers<Copied>();
  const worker = new Worker(threadFile("copy"), { workerData: task });
  worker.on("message", (answer: Answer) => {
    if ("copied" in answer) resolve(answer.copied);
    else reject(answer.isDamaged ? new Damaged(answer.problem) : new Error(answer.problem));
  });
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("The copying thread ended before it was done.")));
  return promise;
}
