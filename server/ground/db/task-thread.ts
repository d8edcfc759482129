import { chmodSync, existsSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { verifyDatabase } from "./backup-files.ts";
import { syncToDisk } from "./folder.ts";
import { prepareSqlite } from "./open.ts";
import { checkDatabase, isDamage, reading } from "./sqlite-file.ts";
import { Damaged, Refused } from "./store.ts";
import type { Copied, Message, Results, Task } from "./threads.ts";

const send = (message: Message) => parentPort?.postMessage(message);

try {
  send({ done: await run(workerData as Task) });
} catch (error) {
  send({ error: { message: (error as Error).message, kind: kindOf(error) } });
}

async function run(task: Task): Promise<Results[keyof Results]> {
  if (task.kind === "prepare") return prepareSqlite(task.what, (doing) => send({ doing }));
  if (task.kind === "copy") return copy(task);
  if (task.kind === "verify") return verified(task.path, task.name);
  checkDatabase(task.path, task.how);
  return null;
}

function kindOf(error: unknown) {
  if (error instanceof Refused) return "refused";
  return isDamage(error) ? "damaged" : "other";
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
  if (existsSync(target)) throw new Error(`The file ${target} already exists.`);
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
