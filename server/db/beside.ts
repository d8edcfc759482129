import { Worker } from "node:worker_threads";
import type { Answer, FromThread, Question, ToThread } from "./beside-thread.ts";
import type { FoundLinks, LinkSearch } from "./reader-links.ts";
import { type Query, type Rows, Unavailable } from "./store.ts";
import { threadFile } from "./thread-file.ts";

/** What it keeps in memory is read again in about a second for each million links. */
const REST_MS = 10 * 60_000;

/** What SQLite would block the event loop for, in a thread of its own. */
export type Beside = {
  /**
   * @throws an error with SQLite's code, or Unavailable when the searching thread broke down; the next
   * search begins another
   */
  find(search: LinkSearch): Promise<FoundLinks>;
  /** Runs a select. @throws as `find` does */
  read(query: Query): Promise<Rows>;
  /** Brings what was written from the journal into the file: some 30 ms of waiting for the disk. */
  checkpoint(): void;
  close(): Promise<void>;
};

/**
 * A thread with a connection and a memory of its own, which begins when it is first asked and ends when
 * it was not for `restMs`.
 */
export function createBeside(path: string, restMs = REST_MS): Beside {
  let thread: Thread | undefined;
  const awake = () => {
    if (!thread || thread.isOver()) thread = startThread(path, restMs);
    return thread;
  };
  return {
    find: (search) => awake().ask({ search }) as Promise<FoundLinks>,
    read: (query) => awake().ask({ query }) as Promise<Rows>,
    checkpoint: () => awake().checkpoint(),
    close: async () => thread?.end(),
  };
}

type Thread = ReturnType<typeof startThread>;

function startThread(path: string, restMs: number) {
  const worker = new Worker(threadFile("beside"), { workerData: path });
  const asked = new Map<number, PromiseWithResolvers<Answer>>();
  const gone = Promise.withResolvers<void>();
  const send = (message: ToThread) => worker.postMessage(message);
  let [last, over] = [0, false];

  const ask = (question: Question): Promise<Answer> => {
    const waiting = Promise.withResolvers<Answer>();
    asked.set(++last, waiting);
    send({ id: last, question });
    return waiting.promise;
  };
  /** Once what was asked before is answered. */
  const end = (): Promise<void> => {
    over = true;
    send("end");
    return gone.promise;
  };
  const checkpoint = () => {
    rest.refresh();
    send("checkpoint");
  };
  const fail = (message: string) => {
    over = true;
    for (const { reject } of asked.values()) reject(new Unavailable(message));
    asked.clear();
  };
  const rest = setTimeout(end, restMs);
  // Neither is anything that the process would live on for.
  rest.unref();
  worker.unref();

  worker.on("message", ({ id, ...told }: FromThread) => {
    const waiting = asked.get(id);
    asked.delete(id);
    rest.refresh();
    if ("answer" in told) waiting?.resolve(told.answer);
    else waiting?.reject(Object.assign(new Error(told.error.message), told.error));
  });
  worker.on("error", ({ message }) => fail(`The searching thread broke down: ${message}`));
  worker.on("exit", () => {
    clearTimeout(rest);
    fail("The searching thread has ended.");
    gone.resolve();
  });
  return { ask, checkpoint, end, isOver: () => over };
}
