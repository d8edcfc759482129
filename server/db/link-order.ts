/** How a list of links may be sorted; a minus turns it round. */
export const LINK_SORTS = [
  "-created_at",
  "created_at",
  "-status_changed_at",
  "status_changed_at",
  "url",
  "-url",
] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

/** A column that no two links of an account share, or that comes before their numbers. */
export type LinkOrder = { by: "no" | "status_changed_at" | "url_key"; isDown: boolean };

const COLUMNS = {
  created_at: "no",
  status_changed_at: "status_changed_at",
  url: "url_key",
} as const;

/** Links are numbered in the order in which they were made. */
export function orderOf(sort: LinkSort = "-created_at"): LinkOrder {
  const name = sort.replace("-", "") as keyof typeof COLUMNS;
  return { by: COLUMNS[name], isDown: sort.startsWith("-") };
}
