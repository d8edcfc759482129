import { bitsApart } from "../signals/same-page.ts";
import { keptPart } from "./title-words.ts";

/** Whether a page is the remembered one; `unknown` where nothing is remembered that could be compared. */
export type Matches = "yes" | "no" | "unknown";

/** What is remembered of a page: its title, and the SimHash of its text unless there was too little. */
export type Trace = { title: string; print: string | null };

/** Fewer of the title's words are what pages of one site have in common. */
const LEAST_TITLE = 2 / 5;
/** Two versions of one page differ by so many of the 64 bits at most. */
const MOST_BITS = 12;

/** Whether a page at another address is the remembered one: its title's words or its text are much the same. */
export function matchesTrace(
  trace: Trace | null,
  page: { title: string; text: string; print: string | null },
): Matches {
  if (!trace) return "unknown";
  const kept = keptPart(trace.title, `${page.title}\n${page.text}`, 1);
  const areComparable = trace.print !== null && page.print !== null;
  if (kept === null && !areComparable) return "unknown";
  const isAlike = areComparable && bitsApart(trace.print!, page.print!) <= MOST_BITS;
  return isAlike || (kept ?? 0) >= LEAST_TITLE ? "yes" : "no";
}
