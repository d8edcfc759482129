import * as z from "zod";
import { describeError, log } from "../ground/lib/log.ts";
import { type Cell, toCsv } from "../ground/lib/text.ts";

/** RFC 4180; the first line names the columns. */
const CSV_TYPE = "text/csv; charset=utf-8; header=present";
const NDJSON_TYPE = "application/x-ndjson";

/** The schema of a reply that is a CSV file. It is not validated, since it is streamed. */
export const csv = (example: string) => z.string().meta({ contentMediaType: "text/csv", example });

type File = {
  name: string;
  /** `ndjson`: a JSON object in each line. */
  format?: "csv" | "ndjson";
  columns: string[];
  steps: AsyncGenerator<Cell[][], void>;
};

/**
 * Streams a file to save. Each step is read once the client has received the previous one, so that only one is in
 * memory. An error before the first step becomes a normal error reply.
 */
export async function csvReply(request: Request, file: File): Promise<Response> {
  const headers = {
    "Content-Type": file.format === "ndjson" ? NDJSON_TYPE : CSV_TYPE,
    "Content-Disposition": `attachment; filename="${file.name}"`,
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  const first = await file.steps.next();
  endWith(request.signal, file.steps);
  const rows = first.value ?? [];
  const { format, columns, steps } = file;
  return format === "ndjson"
    ? new Response(bytesOf(rows, steps, toNdjson(columns)), { headers })
    : new Response(bytesOf([columns, ...rows], steps, toCsv), { headers });
}

const toNdjson = (columns: string[]) => (rows: Cell[][]) =>
  rows
    .map((cells) => Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? null])))
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");

/** Also ends the steps for clients that disconnect before the reply starts, which its stream does not notice. */
function endWith(signal: AbortSignal, steps: File["steps"]) {
  const end = () => void steps.return();
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}

/** Aborts without the end of the file if a step fails, so that no client takes a part for the complete file. */
function bytesOf(
  head: Cell[][],
  steps: AsyncGenerator<Cell[][], void>,
  toText: (rows: Cell[][]) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(toText(head))),
    async pull(controller) {
      try {
        const { done, value } = await steps.next();
        if (isLeft) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(toText(value)));
      } catch (error) {
        if (isLeft) return;
        log.error("export aborted", describeError(error));
        controller.error(error);
      }
    },
    async cancel() {
      isLeft = true;
      await steps.return();
    },
  });
}
