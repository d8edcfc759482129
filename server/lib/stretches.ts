import type { Window } from "./paging.ts";

/** A part of a stretch that a page shows: so many of its items, after those that the page does not reach. */
type Taken<S> = { stretch: S; skip: number; take: number };

/**
 * Finds a page of a list that is kept in stretches, each of which knows how many items it holds: which
 * of them hold the page, and what to take of each. What comes before is counted, not read.
 * @param stretches in the order of the list
 */
export function cover<S extends { count: number }>(
  stretches: readonly S[],
  { limit, offset }: Window,
): Taken<S>[] {
  const taken: Taken<S>[] = [];
  let [before, wanted] = [offset, limit];
  for (const stretch of stretches) {
    if (wanted === 0) break;
    const skip = Math.min(before, stretch.count);
    const take = Math.min(wanted, stretch.count - skip);
    if (take > 0) taken.push({ stretch, skip, take });
    before -= skip;
    wanted -= take;
  }
  return taken;
}
