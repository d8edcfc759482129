import * as z from "zod";
import { describeError, log } from "../lib/log.ts";
import { type Cell, toCsv } from "../lib/text.ts";

/** RFC 4180; the first line names the columns. */
const CSV_TYPE = "text/csv; charset=utf-8; header=present";

/** Declares a reply that is a file. Not one that is checked: it leaves step by step. */
export const csv = (example: string) => z.string().meta({ contentMediaType: "text/csv", example });

type File = { name: string; columns: string[]; steps: AsyncGenerator<Cell[][], void> };

/**
 * A file to be saved. The next step is made when the client has taken the last, so that no more than one of
 * them is in memory; whoever takes nothing is cut off as any idle connection is. What fails before the first
 * step is refused like anything else.
 */
export async function csvReply(request: Request, file: File): Promise<Response> {
  const headers = {
    "Content-Type": CSV_TYPE,
    "Content-Disposition": `attachment; filename="${file.name}"`,
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  const first = await file.steps.next();
  endWith(request.signal, file.steps);
  const head = [file.columns, ...(first.value ?? [])];
  return new Response(bytesOf(head, file.steps), { headers });
}

/** Also for whoever leaves before the reply begins, of which its stream is not told. */
function endWith(signal: AbortSignal, steps: File["steps"]) {
  const end = () => void steps.return();
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}

/** Without its end when a step fails, so that no client takes a part for the whole. */
function bytesOf(
  head: Cell[][],
  steps: AsyncGenerator<Cell[][], void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(toCsv(head))),
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
