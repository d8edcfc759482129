import { Worker } from "node:worker_threads";
import { type Preparation, Refused } from "./prepare.ts";
import type { FromPreparing, Task } from "./prepare-thread.ts";
import { Damaged } from "./store.ts";
import { threadFile } from "./thread-file.ts";

/** As `prepareSqlite`, in a thread of its own, so that requests are answered meanwhile. */
export const prepareAside = (what: Preparation, tell: (doing: string) => void): Promise<string[]> =>
  inThread({ prepare: what }, tell);

/**
 * Looks through the whole database and its indexes, in a thread of its own.
 * @param signal ends it unfinished
 * @throws Damaged with the first thing found
 */
export async function checkFullyAside(path: string, signal?: AbortSignal): Promise<void> {
  await inThread({ checkFully: path }, () => {}, signal);
}

function inThread(
  task: Task,
  tell: (doing: string) => void,
  signal?: AbortSignal,
): Promise<string[]> {
  const worker = new Worker(threadFile("prepare"), { workerData: task });
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const stop = () => {
    reject(new Error("The work was stopped."));
    void worker.terminate();
  };
  signal?.addEventListener("abort", stop);
  worker.on("message", (said: FromPreparing) => {
    if ("doing" in said) tell(said.doing);
    else if ("done" in said) resolve(said.done);
    else reject(errorOf(said.error));
  });
  worker.on("error", reject);
  // After all that it said.
  worker.on("exit", () => reject(new Error("The preparing thread has ended.")));
  return promise.finally(() => signal?.removeEventListener("abort", stop));
}

function errorOf({ message, kind }: Extract<FromPreparing, { error: unknown }>["error"]): Error {
  if (kind === "refused") return new Refused(message);
  return kind === "damaged" ? new Damaged(message) : new Error(message);
}
