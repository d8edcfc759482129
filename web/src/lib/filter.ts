import {
  conditionsOf,
  FREQUENCIES,
  type LinkFilter,
  NO_GROUP,
  SORTS,
  type Sort,
  STATUSES,
} from "./links.ts";

const SERVICE_ID = /^[a-z0-9-]{1,64}$/;
const GROUP_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FIRST_SORT: Sort = "-created_at";

/** Ignores invalid parameters. */
export const readFilter = (query: Record<string, string>): LinkFilter => ({
  status: STATUSES.find((status) => status === query.status),
  service: SERVICE_ID.test(query.service ?? "") ? query.service! : "",
  group: groupIn(query),
  frequency: FREQUENCIES.find((frequency) => frequency === query.check_frequency),
  search: query.search ?? "",
  sort: SORTS.find((sort) => sort === query.sort) ?? FIRST_SORT,
  page: pageIn(query),
});

/** The page in the address; 1 if there is none. */
export const pageIn = ({ page }: Record<string, string>): number =>
  page && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1;

function groupIn({ group_id: group = "" }: Record<string, string>): string {
  return group === NO_GROUP || GROUP_ID.test(group) ? group.toLowerCase() : "";
}

export function hrefOfFilter(filter: LinkFilter): string {
  const query = new URLSearchParams(conditionsOf(filter));
  if (filter.sort !== FIRST_SORT) query.set("sort", filter.sort);
  if (filter.page > 1) query.set("page", String(filter.page));
  return query.size > 0 ? `/links?${query}` : "/links";
}

/** Keeps the order. */
export const cleared = (filter: LinkFilter): LinkFilter => ({
  ...readFilter({}),
  sort: filter.sort,
});

export const isNarrowed = (filter: LinkFilter) => Object.keys(conditionsOf(filter)).length > 0;

/** Identifies the same links in any order and on any page. */
export const scopeOf = (filter: LinkFilter) => String(new URLSearchParams(conditionsOf(filter)));

const EXPORT = "/dashboard/api/links/export";

export function exportHref(filter: LinkFilter): string {
  const query = scopeOf(filter);
  return query ? `${EXPORT}?${query}` : EXPORT;
}

/** The ids have to fit into an address. */
export const MOST_EXPORTED_IDS = 100;

export const exportIdsHref = (ids: string[]) => `${EXPORT}?ids=${ids.join(",")}`;
