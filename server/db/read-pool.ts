import { Worker } from "node:worker_threads";
import { threadFile } from "./in-thread.ts";
import type { FoundLinks, LinkSearch } from "./link-search.ts";
import type { Answer, FromThread, Question, ToThread } from "./read-thread.ts";
import { type Query, type Rows, Unavailable } from "./store.ts";

/** What the thread keeps in memory is read again within about a second per million links. */
const IDLE_MS = 10 * 60_000;

/** Reads that would block the event loop with SQLite, run in a thread of their own. */
export type ReadPool = {
  /**
   * @throws an error with SQLite's code, or Unavailable if the thread failed. The next call starts another.
   */
  find(search: LinkSearch): Promise<FoundLinks>;
  /** Runs a select. @throws as `find` does */
  read(query: Query): Promise<Rows>;
  /** Moves what was written from the journal into the file, which waits some 30 ms for the disk. */
  checkpoint(): void;
  close(): Promise<void>;
};

/** The thread has its own connection. It starts on first use and ends after `idleMs` without use. */
export function createReadPool(path: string, idleMs = IDLE_MS): ReadPool {
  let thread: Thread | undefined;
  const running = () => {
    if (!thread || thread.isOver()) thread = startThread(path, idleMs);
    return thread;
  };
  return {
    find: (search) => running().ask({ search }) as Promise<FoundLinks>,
    read: (query) => running().ask({ query }) as Promise<Rows>,
    checkpoint: () => running().checkpoint(),
    close: async () => thread?.end(),
  };
}

type Thread = ReturnType<typeof startThread>;

function startThread(path: string, idleMs: number) {
  const worker = new Worker(threadFile("read"), { workerData: path });
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const exited = Promise.withResolvers<void>();
  const send = (message: ToThread) => worker.postMessage(message);
  let [last, over] = [0, false];

  const ask = (question: Question): Promise<Answer> => {
    const answer = Promise.withResolvers<Answer>();
    waiting.set(++last, answer);
    send({ id: last, question });
    return answer.promise;
  };
  /** The thread answers all earlier questions first. */
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
    const answer = waiting.get(id);
    waiting.delete(id);
    idle.refresh();
    if ("answer" in result) answer?.resolve(result.answer);
    else answer?.reject(Object.assign(new Error(result.error.message), result.error));
  });
  worker.on("error", ({ message }) => fail(`The reading thread failed: ${message}`));
  worker.on("exit", () => {
    clearTimeout(idle);
    fail("The reading thread has ended.");
    exited.resolve();
  });
  return { ask, checkpoint, end, isOver: () => over };
}
