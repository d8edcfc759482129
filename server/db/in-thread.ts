import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Preparation } from "./prepare.ts";
import { Damaged, Refused } from "./store.ts";
import type { Message, Results, Task } from "./task-thread.ts";

type Options = {
  /** Receives what the task reports while it runs. */
  report?: ((doing: string) => void) | undefined;
  /** Stops the task before its end. */
  signal?: AbortSignal | undefined;
};

/** As `prepareSqlite`, in a thread of its own. */
export const prepareInThread = (what: Preparation, report: Options["report"]) =>
  runInThread({ kind: "prepare", what }, { report });

/**
 * Checks the whole database and its indexes in a thread of its own.
 * @throws Damaged with the first problem found
 */
export const checkFullyInThread = (path: string, signal?: AbortSignal) =>
  runInThread({ kind: "checkFully", path }, { signal });

/**
 * Runs a task in a thread of its own, so that requests are served meanwhile.
 * @throws Damaged, Refused, or an Error with the message of what the task threw
 */
export function runInThread<Kind extends keyof Results>(
  task: Task & { kind: Kind },
  { report, signal }: Options = {},
): Promise<Results[Kind]> {
  const worker = new Worker(threadFile("task"), { workerData: task });
  const { promise, resolve, reject } = Promise.withResolvers<Results[Kind]>();
  const stop = () => {
    reject(new Error("The task was stopped."));
    void worker.terminate();
  };
  signal?.addEventListener("abort", stop);
  worker.on("message", (message: Message) => {
    if ("doing" in message) report?.(message.doing);
    // The thread returns the result of the task that it was given.
    else if ("done" in message) resolve(message.done as Results[Kind]);
    else reject(errorOf(message.error));
  });
  worker.on("error", reject);
  // Comes after all messages.
  worker.on("exit", () => reject(new Error("The thread ended before its task was done.")));
  return promise.finally(() => signal?.removeEventListener("abort", stop));
}

function errorOf({ message, kind }: Extract<Message, { error: unknown }>["error"]): Error {
  if (kind === "refused") return new Refused(message);
  return kind === "damaged" ? new Damaged(message) : new Error(message);
}

/**
 * Returns the file of a thread's program: next to this file in a checkout. In the executable it is under the bundle of
 * the whole program, or next to that of another thread.
 */
export function threadFile(name: "read" | "task"): string {
  const places = [`db/${name}-thread.js`, `${name}-thread.js`, `${name}-thread.ts`];
  return places.map((place) => join(import.meta.dir, place)).find(existsSync)!;
}
