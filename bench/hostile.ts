import { createPageReader } from "../server/judge/page/page.ts";
import { judge } from "../server/judge/verdict.ts";
import { HOSTILE_PAGES } from "../tests/checker/hostile-pages.ts";
import { ANSWER, CONTEXT } from "./judging.ts";
import type { Note } from "./table.ts";

const PAGE_BYTES = 1024 * 1024;
/** As pieces come from a socket. */
const PIECE_BYTES = 16_384;

/** Reads and judges a MiB of each hostile page, and notes how long the slowest takes. */
export async function hostile(note: Note): Promise<void> {
  const times = HOSTILE_PAGES.map(([what, page]) => ({ what, ms: timeOf(page(PAGE_BYTES)) }));
  const slowest = times.toSorted((one, other) => other.ms - one.ms);
  for (const { what, ms } of slowest.slice(0, 3)) {
    note(`1 MiB of ${what}, ms`, ms, { most: 300 });
  }
}

/** Milliseconds of a processor, since others may be busy with it as well. */
function timeOf(html: string): number {
  const bytes = Buffer.from(html).subarray(0, PAGE_BYTES);
  const before = process.cpuUsage();
  const reader = createPageReader("text/html");
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    reader.take(bytes.subarray(at, at + PIECE_BYTES));
  }
  const page = reader.end();
  for (const status of [200, 404, 503]) judge({ ...CONTEXT, answer: { ...ANSWER, status, page } });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
