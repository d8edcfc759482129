export type PageQuery = { page: number; per_page: number };

/** One page of a list, and how many there are in all. */
export type Page<T> = { items: T[]; total: number };

/** One page of a list that is read from a cursor on. The next page has a cursor, the last one has none. */
export type CursorPage<T> = { items: T[]; nextCursor: string | null };

export type Window = { limit: number; offset: number };

/** For `limit` and `offset`. */
export const windowOf = ({ page, per_page }: PageQuery): Window => ({
  limit: per_page,
  offset: (page - 1) * per_page,
});

/**
 * The same page as it is reached from the end of a list where that is nearer, for lists in which all that
 * comes before a page must be passed.
 */
export function fromNearerEnd(
  { limit, offset }: Window,
  total: number,
): Window & { isTurned: boolean } {
  const after = total - offset - limit;
  if (offset <= after) return { limit, offset, isTurned: false };
  const begin = Math.max(after, 0);
  return { limit: Math.max(total - offset - begin, 0), offset: begin, isTurned: true };
}

/** The items of one segment that are on a page: `take` items after the first `skip`. */
type SegmentPart<S> = { segment: S; skip: number; take: number };

/**
 * Returns the segments that hold a page of a list, and which items to take from each. Segments before the page are
 * skipped by their counts, without reading them.
 * @param segments in the order of the list
 */
export function segmentsOnPage<S extends { count: number }>(
  segments: readonly S[],
  { limit, offset }: Window,
): SegmentPart<S>[] {
  const taken: SegmentPart<S>[] = [];
  let [before, wanted] = [offset, limit];
  for (const segment of segments) {
    if (wanted === 0) break;
    const skip = Math.min(before, segment.count);
    const take = Math.min(wanted, segment.count - skip);
    if (take > 0) taken.push({ segment, skip, take });
    before -= skip;
    wanted -= take;
  }
  return taken;
}
