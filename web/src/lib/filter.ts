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

/** The filter that the address bar holds; what makes no sense there is left out. */
export const readFilter = (query: Record<string, string>): LinkFilter => ({
  status: STATUSES.find((status) => status === query.status),
  service: SERVICE_ID.test(query.service ?? "") ? query.service! : "",
  group: groupIn(query),
  frequency: FREQUENCIES.find((frequency) => frequency === query.check_frequency),
  search: query.search ?? "",
  sort: SORTS.find((sort) => sort === query.sort) ?? FIRST_SORT,
  page: pageIn(query),
});

/** A page above 0; the first one if the address names none. */
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

/** All links in the same order. */
export const cleared = (filter: LinkFilter): LinkFilter => ({
  ...readFilter({}),
  sort: filter.sort,
});

export const isNarrowed = (filter: LinkFilter) => Object.keys(conditionsOf(filter)).length > 0;

/** The same links for any order and page: what a selection is made of. */
export const scopeOf = (filter: LinkFilter) => String(new URLSearchParams(conditionsOf(filter)));

const EXPORT = "/dashboard/api/links/export";

/** Where the links that fit can be downloaded as CSV. */
export function exportHref(filter: LinkFilter): string {
  const query = scopeOf(filter);
  return query ? `${EXPORT}?${query}` : EXPORT;
}

/** How many links can be exported by their ids, which must fit into an address. */
export const MOST_EXPORTED_IDS = 100;

export const exportIdsHref = (ids: string[]) => `${EXPORT}?ids=${ids.join(",")}`;
