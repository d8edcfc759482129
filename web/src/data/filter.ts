import {
  FREQUENCIES,
  HANDLINGS,
  LINK_SORTS,
  LINK_STATUSES,
  type LinkSort,
} from "../../../server/ground/lib/vocabulary.ts";
import {
  conditionsOf,
  IDENTITIES,
  type IdentityState,
  type LinkFilter,
  NO_GROUP,
  SUGGESTIONS,
  type SuggestionFilter,
} from "./links.ts";

const NAME = /^[a-z0-9-]{1,64}$/;
const REASON = /^[a-z0-9_]{1,64}$/;
const FIRST_SORT: LinkSort = "dead_first";

/** Ignores invalid parameters. */
export const readFilter = (query: Record<string, string>): LinkFilter => ({
  status: LINK_STATUSES.find((status) => status === query.status),
  search: query.search ?? "",
  site: query.site ?? "",
  reason: matching(REASON, query.reason),
  group: groupIn(query),
  frequency: FREQUENCIES.find((frequency) => frequency === query.check_frequency),
  service: matching(NAME, query.service),
  attention: query.attention === "true",
  handling: HANDLINGS.find((handling) => handling === query.handling),
  assignee:
    query.assignee === "me" || query.assignee === "none" ? query.assignee : idIn(query.assignee),
  overridden: query.overridden === "true",
  identity: IDENTITY_STATES.find((state) => state === query.identity),
  suggestion: SUGGESTION_FILTERS.find((each) => each === query.suggestion),
  accepted: query.accepted === "true",
  lostAnchor: query.fragment === "missing",
  source: query.source_id === "none" ? "none" : idIn(query.source_id),
  tag: (query.tag ?? "").toLowerCase(),
  from: idIn(query.created_from),
  to: idIn(query.created_to),
  after: momentIn(query.changed_after),
  before: momentIn(query.changed_before),
  sort: LINK_SORTS.find((sort) => sort === query.sort) ?? FIRST_SORT,
});

/** The filters and the sort of a list, as a saved view has them. */
export const savedFilterOf = (filter: LinkFilter): Record<string, string> => {
  const { search_in: _, ...conditions } = conditionsOf(filter);
  return conditions;
};

/** The address of a saved view. */
export const hrefOfView = (view: { filter: Record<string, string>; sort: string | null }) =>
  hrefOfFilter(readFilter({ ...view.filter, ...(view.sort && { sort: view.sort }) }));

const SUGGESTION_FILTERS = Object.keys(SUGGESTIONS) as SuggestionFilter[];
const IDENTITY_STATES = Object.keys(IDENTITIES) as IdentityState[];

const matching = (pattern: RegExp, text = "") => (pattern.test(text) ? text : "");

function groupIn({ group_id: group = "" }: Record<string, string>): string {
  return group === NO_GROUP || idIn(group) ? group.toLowerCase() : "";
}

/** The address of the list. */
export function hrefOfFilter(filter: LinkFilter): string {
  const { sort } = filter;
  return withQuery("/links", {
    ...savedFilterOf(filter),
    ...(sort !== FIRST_SORT && { sort }),
  });
}

/** Keeps the order. */
export const cleared = (filter: LinkFilter): LinkFilter => ({
  ...readFilter({}),
  sort: filter.sort,
});

export const isNarrowed = (filter: LinkFilter) => Object.keys(savedFilterOf(filter)).length > 0;

/** Identifies the same links in any order. */
export const scopeOf = (filter: LinkFilter) => String(new URLSearchParams(conditionsOf(filter)));

const EXPORT = "/dashboard/api/links/export";

export const exportHref = (filter: LinkFilter) => withQuery(EXPORT, conditionsOf(filter));

/** The ids have to fit into an address. */
export const MOST_EXPORTED_IDS = 100;

export const exportIdsHref = (ids: string[]) => `${EXPORT}?ids=${ids.join(",")}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id if it is valid, else empty. */
export const idIn = (text = "") => (UUID.test(text) ? text : "");

const momentIn = (text = "") => (Number.isNaN(Date.parse(text)) ? "" : text);

/** The date ("2030-01-31") if it is valid, else empty. */
export const dayIn = (text = "") =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";

/** The path with a query, unless that is empty. */
export function withQuery(path: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters);
  return query.size > 0 ? `${path}?${query}` : path;
}
