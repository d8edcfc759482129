import { parentPort, workerData } from "node:worker_threads";
import { checkDatabase, isDamage } from "./damage.ts";
import { type Preparation, prepareSqlite, Refused } from "./prepare.ts";

/** What this thread is started for. */
export type Task = { prepare: Preparation } | { checkFully: string };

/** What it says until it ends. Of an error only what crosses threads. */
export type FromPreparing =
  | { doing: string }
  | { done: string[] }
  | { error: { message: string; kind: "refused" | "damaged" | "other" } };

/** A file of its own, started as a thread for one task. */
const say = (message: FromPreparing) => parentPort?.postMessage(message);

try {
  say({ done: await work(workerData as Task) });
} catch (error) {
  say({ error: { message: (error as Error).message, kind: kindOf(error) } });
}

async function work(task: Task): Promise<string[]> {
  if ("prepare" in task) return prepareSqlite(task.prepare, (doing) => say({ doing }));
  checkDatabase(task.checkFully, "full");
  return [];
}

function kindOf(error: unknown) {
  if (error instanceof Refused) return "refused";
  return isDamage(error) ? "damaged" : "other";
}
