import { parentPort } from "node:worker_threads";
import type { Read } from "./document.ts";
import { DOCUMENT_FORMATS, type DocumentFormat } from "./formats.ts";

/** A document for this thread, which reads one at a time. */
export type ToRead = { text: string; name: string; format: DocumentFormat };

/** Of an error, only what crosses threads. */
export type HasRead = { read: Read } | { error: string };

parentPort?.on("message", async ({ text, name, format }: ToRead) => {
  const send = (message: HasRead) => parentPort?.postMessage(message);
  try {
    const read = await DOCUMENT_FORMATS[format].load();
    send({ read: read(text, { name }) });
  } catch (error) {
    send({ error: (error as Error).message });
  }
});
