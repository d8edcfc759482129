import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Damaged, type Query, Refused, type Rows, Unavailable } from "./store.ts";

/** What to do with an SQLite file before it is used. Plain values, since they may cross threads. */
export type Preparation = {
  path: string;
  /** The backup folder. */
  backups: string;
  /** The default path of the secret key. */
  keyFile: string;
  /** Whether to create an empty database even if an earlier one left its key or its backups. */
  fresh: boolean;
  /** Whether to check the whole file first. */
  check: boolean;
  /** Whether to copy the database before an upgrade. */
  copy: boolean;
  /** Why it must not be upgraded now; null if it may. */
  heldBy: string | null;
  now: number;
};

/** An intact copy: its size, and the number of its links. */
export type Copied = { bytes: number; links: number };

/** The task of a thread, which ends when it is done. */
export type Task =
  | { kind: "prepare"; what: Preparation }
  | { kind: "check"; path: string; how: "quick" | "full" }
  | { kind: "copy"; path: string; unfinished: string; target: string }
  | { kind: "verify"; path: string; name: string };

export type Results = { prepare: string[]; check: null; copy: Copied; verify: Copied };

/** Sent by the thread. Of an error, only what crosses threads. */
export type Message =
  | { doing: string }
  | { done: Results[keyof Results] }
  | { error: { message: string; kind: "refused" | "damaged" | "other" } };

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
 * As `checkDatabase`, in a thread of its own.
 * @throws Damaged with the first problem found
 */
export const checkInThread = (path: string, how: "quick" | "full", signal?: AbortSignal) =>
  runInThread({ kind: "check", path, how }, { signal });

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
function threadFile(name: "read" | "task"): string {
  const places = [`ground/db/${name}-thread.js`, `${name}-thread.js`, `${name}-thread.ts`];
  return places.map((place) => join(import.meta.dir, place)).find(existsSync)!;
}

const IDLE_MS = 10 * 60_000;

/** Reads that would block the event loop with SQLite, run in a thread of their own. */
export type ReadPool = {
  /**
   * Runs a select.
   * @throws an error with SQLite's code, or Unavailable if the thread failed. The next call starts another.
   */
  read(query: Query): Promise<Rows>;
  /** Moves what was written from the journal into the file, which waits some 30 ms for the disk. */
  checkpoint(): void;
  close(): Promise<void>;
};

/** To the thread of a pool. */
export type ToThread = { id: number; query: Query } | "checkpoint" | "end";

/** Of an error, only what crosses threads: `code` is SQLite's. */
export type FromThread = { id: number } & (
  | { rows: Rows }
  | { error: { message: string; code: string | undefined } }
);

/** The thread has its own connection. It starts on first use and ends after `idleMs` without use. */
export function createReadPool(path: string, idleMs = IDLE_MS): ReadPool {
  let thread: Thread | undefined;
  const running = () => {
    if (!thread || thread.isOver()) thread = startThread(path, idleMs);
    return thread;
  };
  return {
    read: (query) => running().read(query),
    checkpoint: () => running().checkpoint(),
    close: async () => thread?.end(),
  };
}

type Thread = ReturnType<typeof startThread>;

function startThread(path: string, idleMs: number) {
  const worker = new Worker(threadFile("read"), { workerData: path });
  const waiting = new Map<number, PromiseWithResolvers<Rows>>();
  const exited = Promise.withResolvers<void>();
  const send = (message: ToThread) => worker.postMessage(message);
  let [last, over] = [0, false];

  const read = (query: Query): Promise<Rows> => {
    const rows = Promise.withResolvers<Rows>();
    waiting.set(++last, rows);
    send({ id: last, query });
    return rows.promise;
  };
  /** The thread runs all earlier queries first. */
  const end = (): Promise<void> => {
    over = true;
    send("end");
    return exited.promise;
  };
  const checkpoint = () => {
    idle.refresh();
    send("checkpoint");
  };
  const fail = (message: string) => {
    over = true;
    for (const { reject } of waiting.values()) reject(new Unavailable(message));
    waiting.clear();
  };
  const idle = setTimeout(end, idleMs);
  // Neither must keep the process alive.
  idle.unref();
  worker.unref();

  worker.on("message", ({ id, ...result }: FromThread) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    idle.refresh();
    if ("rows" in result) asked?.resolve(result.rows);
    else asked?.reject(Object.assign(new Error(result.error.message), result.error));
  });
  worker.on("error", ({ message }) => fail(`The reading thread failed: ${message}`));
  worker.on("exit", () => {
    clearTimeout(idle);
    fail("The reading thread has ended.");
    exited.resolve();
  });
  return { read, checkpoint, end, isOver: () => over };
}
