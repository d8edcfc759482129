import * as z from "zod";
import { type Cell, toCsv } from "../lib/csv.ts";
import { describeError, log } from "../lib/log.ts";

/** RFC 4180; the first line names the columns. */
const CSV_TYPE = "text/csv; charset=utf-8; header=present";

/** Declares a reply that is a file. Not one that is checked: it leaves step by step. */
export const csv = () => z.string().meta({ contentMediaType: "text/csv" });

type File = { name: string; columns: string[]; steps: AsyncGenerator<Cell[][], void> };

/**
 * A file to be saved, sent as fast as the client takes it; no more than a step of it is in memory. What
 * fails before the first step is refused like anything else.
 */
export async function csvReply({ method }: Request, file: File): Promise<Response> {
  const headers = {
    "Content-Type": CSV_TYPE,
    "Content-Disposition": `attachment; filename="${file.name}"`,
  };
  if (method === "HEAD") return new Response(null, { headers });
  const first = await file.steps.next();
  const steps = first.done ? [] : resumed(first.value, file.steps);
  return new Response(bytesOf(withHead(file.columns, steps)), { headers });
}

async function* resumed(first: Cell[][], rest: AsyncGenerator<Cell[][], void>) {
  yield first;
  yield* rest;
}

async function* withHead(columns: string[], steps: AsyncIterable<Cell[][]> | Iterable<Cell[][]>) {
  yield [columns];
  yield* steps;
}

/** Without its end when a step fails, so that no client takes a part for the whole. */
function bytesOf(steps: AsyncGenerator<Cell[][], void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLeft = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await steps.next();
        if (isLeft) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(toCsv(value)));
      } catch (error) {
        if (isLeft) return;
        log.error("an export broke off", describeError(error));
        controller.error(error);
      }
    },
    async cancel() {
      isLeft = true;
      await steps.return();
    },
  });
}
