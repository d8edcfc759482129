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
