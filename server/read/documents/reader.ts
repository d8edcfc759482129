import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../ground/lib/clock.ts";
import type { Read } from "./document.ts";
import type { HasRead, ToRead } from "./document-thread.ts";

/** A document that cannot be read. The message is a sentence. */
export class UnreadableDocument extends Error {}

/** Reads documents that anyone may have written: text made for it keeps a parser busy for minutes. */
export type DocumentReader = {
  /** @throws UnreadableDocument after the limit of time */
  read(document: ToRead): Promise<Read>;
  close(): Promise<void>;
};

const LIMIT_MS = 5000;

/** Reads one document at a time in a thread of its own, which ends with a document that takes too long. */
export function createDocumentReader(limitMs = LIMIT_MS, { sleep } = systemClock): DocumentReader {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function read(document: ToRead): Promise<Read> {
    worker ??= startThread();
    const thread = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Read>();
    const fail = (message: string) => reject(new UnreadableDocument(message));
    const over = new AbortController();
    sleep(limitMs, over.signal).then(() => {
      if (over.signal.aborted) return;
      end();
      fail(`Reading it takes longer than ${limitMs / 1000} s.`);
    });
    thread.once("message", (message: HasRead) => {
      if ("read" in message) resolve(message.read);
      else fail(`It cannot be read: ${message.error}.`);
    });
    thread.once("error", (error: Error) => fail(`It cannot be read: ${error.message}.`));
    thread.once("exit", () => {
      if (worker === thread) worker = undefined;
      fail("Reading it needs too much memory.");
    });
    thread.postMessage(document);
    return promise.finally(() => {
      over.abort();
      thread.removeAllListeners();
    });
  }
  async function end() {
    const thread = worker;
    worker = undefined;
    await thread?.terminate();
  }
  return {
    read(document) {
      const result = last.then(() => read(document));
      last = result.catch(() => {});
      return result;
    },
    close: end,
  };
}

/** The program of the thread stands next to this file in a checkout, and in a folder of the executable. */
function startThread(): Worker {
  const places = ["read/documents/document-thread.js", "document-thread.js", "document-thread.ts"];
  const file = places.map((place) => join(import.meta.dir, place)).find(existsSync)!;
  const worker = new Worker(file);
  worker.unref();
  return worker;
}
