/** What part of a list was asked for. */
export type PageQuery = { page: number; per_page: number };

/** One page of a list, and how many there are in all. */
export type Page<T> = { items: T[]; total: number };

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
