import { queryOptions, useQuery } from "@tanstack/preact-query";
import type {
  Frequency,
  Handling,
  LinkSort,
  LinkStatus,
  SuggestionKind,
  Verdict,
} from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, complete, unwrap } from "./api.ts";

/** Stands for "in no group" instead of a group's id. */
export const NO_GROUP = "none";

/** Empty texts do not filter. */
export type LinkFilter = {
  status: LinkStatus | undefined;
  service: string;
  /** An id or `NO_GROUP`. */
  group: string;
  frequency: Frequency | undefined;
  site: string;
  reason: string;
  search: string;
  /** Only dead links that are neither acknowledged nor muted. */
  attention: boolean;
  handling: Handling | undefined;
  /** An id, "me" or "none". */
  assignee: string;
  overridden: boolean;
  /** What the comparison of its page says, as `IDENTITIES` has it. */
  identity: IdentityState | undefined;
  /** What could stand in the place of dead links. */
  suggestion: SuggestionFilter | undefined;
  /** Only links for which a replacement is stored. */
  accepted: boolean;
  /** Only links whose page lost an anchor. */
  lostAnchor: boolean;
  /** The id of a source, or "none". */
  source: string;
  /** Tags separated by commas, all of which a link must have. */
  tag: string;
  /** Ids of the first and the last link of a list that was added. */
  from: string;
  to: string;
  /** ISO moments: the status has been the same since then or later, and since then or before. */
  after: string;
  before: string;
  sort: LinkSort;
};

/** What lists find pages by that may not be the ones that were linked to. */
export const IDENTITIES = {
  lost: "New owner?",
  changed: "Leads elsewhere",
  doubted: "In doubt",
} as const;
export type IdentityState = keyof typeof IDENTITIES;

/** What could stand in the place of a link, the best first. */
export const SUGGESTION_WORDS: Record<SuggestionKind, string> = {
  moved: "Moved",
  pattern: "Moved like its neighbors",
  same_title: "Same title",
  variant: "Another spelling",
  archive: "Archived copy",
};

/** What lists find links by. */
export const SUGGESTIONS = { any: "Any", ...SUGGESTION_WORDS, none: "None" } as const;
export type SuggestionFilter = keyof typeof SUGGESTIONS;

export const tagsIn = ({ tag }: Pick<LinkFilter, "tag">) => tag.split(",").filter(Boolean);

/** The API's query parameters; empty for all links. */
export const conditionsOf = (filter: Omit<LinkFilter, "sort">) => ({
  ...(filter.status && { status: filter.status }),
  ...(filter.search && { search: filter.search }),
  ...(filter.site && { site: filter.site }),
  ...(filter.reason && { reason: filter.reason }),
  ...(filter.group && { group_id: filter.group }),
  ...(filter.frequency && { check_frequency: filter.frequency }),
  ...(filter.service && { service: filter.service }),
  ...(filter.attention && { attention: "true" }),
  ...(filter.handling && { handling: filter.handling }),
  ...(filter.assignee && { assignee: filter.assignee }),
  ...(filter.overridden && { overridden: "true" }),
  ...(filter.identity && { identity: filter.identity }),
  ...(filter.suggestion && { suggestion: filter.suggestion }),
  ...(filter.accepted && { accepted: "true" }),
  ...(filter.lostAnchor && { fragment: "missing" as const }),
  ...(filter.source && { source_id: filter.source }),
  ...(filter.tag && { tag: filter.tag }),
  ...(filter.from && { created_from: filter.from }),
  ...(filter.to && { created_to: filter.to }),
  ...(filter.after && { changed_after: filter.after }),
  ...(filter.before && { changed_before: filter.before }),
  ...(filter.search && { search_in: "all" as const }),
});
export type Conditions = ReturnType<typeof conditionsOf>;

export const PER_PAGE = 100;

/** Query key of everything about links. */
export const LINKS = ["links"];

/** @param page counts from 1 */
export const listLinks = (filter: LinkFilter, page: number, perPage = PER_PAGE) =>
  unwrap(
    api.links.get({
      query: asSent({
        page,
        per_page: perPage,
        sort: filter.sort,
        include: "strip",
        ...conditionsOf(filter),
      }),
    }),
  );

/** Number of matching links, in all and of each status. */
export type Counts = Record<LinkStatus | "total", number>;

/** Links that are being checked are what is left of all: a check may begin while the others are counted. */
export async function countLinks(conditions: Conditions): Promise<Counts> {
  const count = async (status?: Verdict) => {
    const query = asSent<{ page: number; per_page: number }>({
      ...conditions,
      ...(status && { status }),
      page: 1,
      per_page: 1,
    });
    return (await unwrap(api.links.get({ query }))).pagination.total;
  };
  const [total, active, dead, unknown] = await Promise.all([
    count(),
    count("active"),
    count("dead"),
    count("unknown"),
  ]);
  return { total, active, dead, unknown, checking: Math.max(total - active - dead - unknown, 0) };
}

export const findLink = (id: string) => unwrap(api.links({ id }).get());

/** One link with its evidence, for its page and the drawer. */
export const linkOptions = (id: string) =>
  queryOptions({ queryKey: [...LINKS, "one", id], queryFn: () => findLink(id) });

export const changeLink = (id: string, change: LinkEdit) =>
  unwrap(api.links({ id }).patch(asSent(change)));

/** Checks a link with these expectations, and keeps nothing of it. */
export const tryLink = (id: string, expect: LinkDetail["expect"]) =>
  unwrap(api.links({ id }).try.post(asSent({ expect })));

/** Texts of a link that its page shows as facts, and its form takes in a line each. */
export const TEXTS = [
  {
    name: "external_id",
    label: "External ID",
    hint: "Your own ID of the link, for the API and imports.",
    maxLength: 255,
  },
] as const;

/** What can be changed about a link, as it is sent. */
export type LinkEdit = { [Name in (typeof TEXTS)[number]["name"]]?: string | null } & {
  group_id?: string | null;
  check_frequency?: Frequency;
  title?: string | null;
  note?: string | null;
  tags?: string[];
  assignee_id?: string | null;
  handling?: Handling;
  muted_until?: string | null;
  check_schedule?: { cron: string; time_zone: string } | null;
  pinned?: boolean;
  expect?: LinkDetail["expect"];
};

export const checkNow = (id: string) => unwrap(api.links({ id }).check.post());

export const deleteLink = (id: string) => complete(api.links({ id }).delete());

export type LinkPage = Awaited<ReturnType<typeof listLinks>>;
/** `strip` only in lists. */
export type Link = LinkPage["items"][number];
export type LinkDetail = Awaited<ReturnType<typeof findLink>>;

/** Whether a result is expected soon. */
export const isPending = (link: Pick<Link, "status" | "last_check">) =>
  link.status === "checking" || link.last_check === null;

const SOON_MS = 10_000;
const LATER_MS = 60_000;

/** In milliseconds. */
export const refreshAfter = (links: Pick<Link, "status" | "last_check">[] | undefined) =>
  links?.some(isPending) ? SOON_MS : LATER_MS;

/** One sentence on what the last check found. */
export function explain({ status, last_check: last }: Pick<Link, "status" | "last_check">): string {
  if (!last) return status === "checking" ? "The first check is under way." : "Not checked yet.";
  const decided = status === "active" || status === "dead";
  return decided && last.status !== status
    ? `The last check was inconclusive: ${last.message}`
    : last.message;
}

/** Services change only with a new version. */
const useServices = (isWanted: boolean) =>
  useQuery({
    queryKey: ["services"],
    queryFn: () => unwrap(api.services.get()),
    select: ({ items }) => items,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isWanted,
  });

/** Empty until loaded. */
export const useServicesByName = (isWanted = true) =>
  [...(useServices(isWanted).data ?? [])].sort((a, b) => a.name.localeCompare(b.name));

const MOST_SERVICES = 1000;

/** All services with the number of their links, those with the most links first; then by name. */
export function useServicesInUse() {
  const { data } = useQuery({
    queryKey: [...LINKS, "services"],
    queryFn: () => unwrap(api.overview.services.get({ query: asSent({ most: MOST_SERVICES }) })),
  });
  const counts = new Map(
    (data?.items ?? []).map(({ service, ...count }) => [
      service,
      count.active + count.dead + count.unknown,
    ]),
  );
  return useServicesByName()
    .map((service) => ({ ...service, links: counts.get(service.id) ?? 0 }))
    .sort((a, b) => b.links - a.links);
}

/** The id until the name is loaded. */
export const useServiceName = (id: string) =>
  useServices(true).data?.find((service) => service.id === id)?.name ?? id;

/** The names of a few sites that contain the text. */
export async function searchSites(search: string): Promise<string[]> {
  const { items } = await unwrap(api.sites.get({ query: asSent({ search, per_page: 6 }) }));
  return items.map(({ site }) => site);
}
