import { chmodSync, existsSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { type Copied, verifyDatabase } from "./copy.ts";
import { isDamage } from "./damage.ts";
import { reading } from "./reading.ts";
import { Damaged } from "./store.ts";
import { syncToDisk } from "./sync.ts";

/** What this thread is started for. */
export type Task =
  | { kind: "copy"; path: string; unfinished: string; target: string }
  | { kind: "verify"; path: string; name: string };

export type Answer = { copied: Copied } | { problem: string; isDamaged: boolean };

/** A file of its own, started as a thread: does one task, tells how it went, and ends. */
const task = workerData as Task;
parentPort?.postMessage(answer());

function answer(): Answer {
  try {
    return { copied: task.kind === "copy" ? copy(task) : verified(task.path, task.name) };
  } catch (error) {
    return { problem: (error as Error).message, isDamaged: error instanceof Damaged };
  }
}

function copy({ path, unfinished, target }: Task & { kind: "copy" }): Copied {
  try {
    reading(path, (source) => source.run("VACUUM INTO ?", [unfinished]));
  } catch (error) {
    throw isDamage(error) ? new Damaged((error as Error).message) : error;
  }
  chmodSync(unfinished, 0o600);
  const copied = verified(unfinished, `The copy of ${path}`);
  syncToDisk(unfinished);
  if (existsSync(target)) throw new Error(`There is a file ${target} already.`);
  renameSync(unfinished, target);
  syncToDisk(dirname(target));
  return copied;
}

function verified(path: string, name: string): Copied {
  verifyDatabase(path, name);
  return { bytes: statSync(path).size, links: countLinks(path) };
}

function countLinks(path: string): number {
  return reading(path, (database) => {
    const tables = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'links'").values();
    if (tables.length === 0) return 0;
    return database.query("SELECT count(*) FROM links").values()[0]![0] as number;
  });
}
