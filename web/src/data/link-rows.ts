import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { useRef, useState } from "preact/hooks";
import type { LinkStatus } from "../../../server/ground/lib/vocabulary.ts";
import { OVERVIEW } from "./counts.ts";
import { hrefOfFilter, scopeOf } from "./filter.ts";
import {
  type Conditions,
  type Counts,
  conditionsOf,
  countLinks,
  findLink,
  type Link,
  type LinkFilter,
  type LinkPage,
  listLinks,
  NO_GROUP,
  PER_PAGE,
  tagsIn,
} from "./links.ts";

/** A link as it was listed, with what has changed since. */
export type ListedLink = Link & {
  /** When it changed under the eyes of its reader. */
  changedAt?: number;
  isGone?: boolean;
};

type RowPage = Omit<LinkPage, "items"> & { items: ListedLink[] };

/** Not the name of a topic: rows are patched where they are, and never move before the next navigation. */
const ROWS = ["rows"];

/** One page of a list. @param page counts from 1 */
export const pageOptions = (filter: LinkFilter, page: number) =>
  queryOptions({
    queryKey: [...ROWS, filter, page],
    queryFn: (): Promise<RowPage> => listLinks(filter, page),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
  });

const pageOf = (index: number) => Math.floor(index / PER_PAGE) + 1;

const FRESH_MS = 10_000;
/** What was read of a list that is likely to be opened next, and when by `performance.now()`. */
let ahead = { href: "", at: 0 };

/** Refetches the list, which then opens without another request. */
export function readRowsAhead(client: QueryClient, filter: LinkFilter) {
  if (isAhead(filter)) return;
  client.removeQueries({ queryKey: [...ROWS, filter] });
  ahead = { href: hrefOfFilter(filter), at: performance.now() };
  void client.prefetchQuery(pageOptions(filter, 1));
}

const isAhead = (filter: LinkFilter) =>
  ahead.href === hrefOfFilter(filter) && performance.now() - ahead.at < FRESH_MS;

/** Reads the list again when it is opened next. */
export function forgetRows(client: QueryClient, filter: LinkFilter) {
  if (!isAhead(filter)) client.removeQueries({ queryKey: [...ROWS, filter] });
  ahead = { href: "", at: 0 };
}

/** Changes loaded rows where they are. */
function patchRows(client: QueryClient, patch: (link: ListedLink) => ListedLink) {
  client.setQueriesData<RowPage>({ queryKey: ROWS }, (page) => {
    if (!page) return page;
    const items = page.items.map(patch);
    return items.some((item, n) => item !== page.items[n]) ? { ...page, items } : page;
  });
}

type RowChange = Partial<ListedLink> | ((link: ListedLink) => Partial<ListedLink>);

/** Shows a change before the server confirms it. */
export function changeRows(client: QueryClient, ids: readonly string[], change: RowChange) {
  const named = new Set(ids);
  const changedAt = Date.now();
  const partOf = typeof change === "function" ? change : () => change;
  patchRows(client, (link) =>
    named.has(link.id) ? { ...link, ...partOf(link), changedAt } : link,
  );
}

/** Of a live message: what a row shows of a link that was checked. */
export type LinkState = { id: string; status: LinkStatus; reason: string | null; since: string };

/** Brings loaded rows up to date, without a request. */
export function applyStates(client: QueryClient, states: readonly LinkState[]) {
  const byId = new Map(states.map((state) => [state.id, state]));
  patchRows(client, (link) => {
    const state = byId.get(link.id);
    return state && isOther(link, state) ? stated(link, state) : link;
  });
}

const isOther = (link: ListedLink, { status, reason, since }: LinkState) =>
  link.status !== status || link.reason !== reason || link.status_changed_at !== since;

function stated(link: ListedLink, { status, reason, since }: LinkState): ListedLink {
  const isSame = link.reason === reason && link.last_check !== null;
  const last_check =
    isSame || status === "checking" || reason === null ? link.last_check : lastOf(status, reason);
  const changedAt = Date.now();
  return { ...link, status, reason, status_changed_at: since, last_check, changedAt };
}

/** As far as a row needs it. */
const lastOf = (status: Exclude<LinkStatus, "checking">, reason: string) => ({
  status,
  reason,
  message: "",
  status_code: null,
  response_time_ms: null,
  checked_at: new Date().toISOString(),
});

/** The most links of a page that are asked for one by one; when more are missing, the page is read again. */
const MOST_MISSING = 20;

/** Brings the rows on the screen up to date where they are, after changes that were not named. */
export async function refreshRows(client: QueryClient) {
  const shown = client.getQueryCache().findAll({ queryKey: ROWS, type: "active" });
  await Promise.all(
    shown.map(async ({ queryKey, state }) => {
      const old = state.data as RowPage | undefined;
      if (!old) return;
      const [, filter, page] = queryKey;
      const fresh = await listLinks(filter as LinkFilter, page as number).catch(() => null);
      if (!fresh) return;
      const isThere = new Set(fresh.items.map(({ id }) => id));
      const missing = old.items.filter(({ id, isGone }) => !isThere.has(id) && !isGone);
      if (missing.length > MOST_MISSING) await client.invalidateQueries({ queryKey });
      else takeOver(client, await withMissing(fresh.items, missing));
    }),
  );
}

/** Reads the rows on the screen again, and the others when they are needed. */
export const reloadRows = (client: QueryClient) => client.invalidateQueries({ queryKey: ROWS });

/** The present state of each row; null for a link that is gone. */
async function withMissing(fresh: Link[], missing: ListedLink[]) {
  const known = new Map<string, Partial<Link> | null>(fresh.map((link) => [link.id, link]));
  const found = missing.map(async ({ id }) => known.set(id, await findLink(id).catch(goneIf404)));
  await Promise.all(found);
  return known;
}

function goneIf404(error: { status?: number }): null {
  if (error.status === 404) return null;
  throw error;
}

function takeOver(client: QueryClient, known: Map<string, Partial<Link> | null>) {
  patchRows(client, (link) => {
    const now = known.get(link.id);
    if (now === undefined) return link;
    if (now === null) return { ...link, isGone: true };
    const isSame =
      now.status === link.status && now.reason === link.reason && now.handling === link.handling;
    return { ...link, ...now, ...(!isSame && { changedAt: Date.now() }) };
  });
}

/** Whether a row, as it is now, would be in the list. A check that is under way decides nothing. */
export function fits(link: ListedLink, filter: LinkFilter): boolean {
  const { status, group, frequency, reason, attention, handling, assignee, overridden } = filter;
  const { after, before } = filter;
  const since = Date.parse(link.status_changed_at);
  const isPending = link.status === "checking";
  return (
    (!status || isPending || link.status === status) &&
    (!reason || isPending || link.reason === reason) &&
    (!group || (link.group_id ?? NO_GROUP) === group) &&
    (!frequency || link.check_frequency === frequency) &&
    (!attention || ((isPending || link.status === "dead") && link.handling === "open")) &&
    (!handling || link.handling === handling) &&
    (!overridden || link.overridden_until !== null) &&
    (!after || since >= Date.parse(after)) &&
    (!before || since <= Date.parse(before)) &&
    (!assignee || assignee === "me" || (link.assignee?.id ?? "none") === assignee) &&
    tagsIn(filter).every((tag) => link.tags.includes(tag))
  );
}

/** Number of links that match the rest of the filter, in all and of each status; kept up to date. */
function useStatusCounts(filter: LinkFilter): Counts | undefined {
  const conditions: Conditions = conditionsOf({ ...filter, status: undefined });
  const isNarrowed = Object.values(conditions).some((value) => value !== undefined);
  const { data: overview } = useQuery(OVERVIEW);
  // Its numbers of links that are being checked would count these twice.
  const isKnown = !isNarrowed && (!overview || overview.counts.checking === 0);
  const { data } = useQuery({
    queryKey: ["overview", "statuses", conditions],
    queryFn: () => countLinks(conditions),
    placeholderData: keepPreviousData,
    enabled: !isKnown,
  });
  return isKnown ? overview?.counts : data;
}

const totalOf = (counts: Counts, status: LinkStatus | undefined) => counts[status ?? "total"];

export type LinkRows = {
  /** Of the rows that are shown: the last one while another list is being loaded. */
  filter: LinkFilter;
  isOld: boolean;
  error: Error | null;
  /** Undefined before the first page has come. */
  count: number | undefined;
  /** Undefined while it is being loaded. */
  at(index: number): ListedLink | undefined;
  indexOf(id: string): number;
  /** Whether the link was deleted since the list was opened. */
  isGone(id: string): boolean;
  /** Loads the rows between two indexes. */
  range(from: number, to: number): Promise<ListedLink[]>;
  show(first: number, last: number): void;
  /** Whether a link was loaded that has tags. */
  hasTags: boolean;
  /** How many links newly match that the list does not show. */
  arrived: number;
  counts: Counts | undefined;
  reload(): void;
  retry(): void;
};

/** The list as it was when it was opened. @param hidden ids that are being deleted */
export function useLinkRows(wanted: LinkFilter, hidden: ReadonlySet<string>, begin = 0): LinkRows {
  const client = useQueryClient();
  const counts = useStatusCounts(wanted);
  const head = useQuery(pageOptions(wanted, pageOf(begin)));
  const [known, setKnown] = useState(wanted);
  const isThere = head.data !== undefined;
  if (isThere && scopeAndSort(known) !== scopeAndSort(wanted)) setKnown(wanted);
  const filter = isThere ? wanted : known;
  const [[first, last], setShown] = useState([begin, begin]);
  const pages = Array.from(
    { length: pageOf(last) - pageOf(first) + 1 },
    (_, n) => n + pageOf(first),
  );
  useQueries({ queries: pages.map((page) => pageOptions(filter, page)) });
  const loaded = loadedOf(client, filter);
  const total = loaded[0]?.page.pagination.total;
  const gaps = gapsIn(loaded, hidden);
  const indexOfShown = (index: number) => past(gaps, index);
  const page = (index: number) =>
    client.getQueryData(pageOptions(filter, pageOf(index)).queryKey)?.items[index % PER_PAGE];
  const isEmpty = total === 0 && counts !== undefined && totalOf(counts, filter.status) > 0;
  const reload = () => void client.invalidateQueries({ queryKey: [...ROWS, filter] });
  if (isEmpty && !head.isFetching) queueMicrotask(reload);
  const hasTags = useRef(false);
  hasTags.current ||= loaded.some(({ page: { items } }) => items.some(({ tags }) => tags[0]));
  return {
    filter,
    hasTags: hasTags.current,
    isOld: !isThere,
    error: isThere ? null : head.error,
    count: total === undefined ? undefined : Math.max(total - gaps.length, 0),
    at: (index) => page(indexOfShown(index)),
    indexOf: (id) => {
      const index = indexIn(loaded, id);
      return index < 0 ? -1 : index - gaps.filter((gap) => gap < index).length;
    },
    isGone: (id) =>
      loaded.some((each) => each.page.items.some((link) => link.id === id && link.isGone)),
    range: async (from, to) => {
      const links: ListedLink[] = [];
      for (let index = indexOfShown(from); index <= indexOfShown(to); index++) {
        const { items } = await client.fetchQuery(pageOptions(filter, pageOf(index)));
        const link = items[index % PER_PAGE];
        if (link && !link.isGone && !hidden.has(link.id)) links.push(link);
      }
      return links;
    },
    show: (from, to) => {
      const [a, b] = [indexOfShown(from), indexOfShown(Math.max(to, from))];
      if (pageOf(a) !== pageOf(first) || pageOf(b) !== pageOf(last)) setShown([a, b]);
    },
    arrived:
      counts && total !== undefined && !isEmpty ? arrivedIn(loaded, filter, total, counts) : 0,
    counts,
    reload,
    retry: () => void head.refetch(),
  };
}

const scopeAndSort = (filter: LinkFilter) => `${scopeOf(filter)} ${filter.sort}`;

type Loaded = { page: RowPage; start: number };

/** The pages in memory, the one that was loaded first at the head. */
function loadedOf(client: QueryClient, filter: LinkFilter): Loaded[] {
  return client
    .getQueryCache()
    .findAll({ queryKey: [...ROWS, filter] })
    .flatMap(({ queryKey, state }) => {
      const page = state.data as RowPage | undefined;
      return page ? [{ page, start: ((queryKey[2] as number) - 1) * PER_PAGE }] : [];
    });
}

/** Indexes of the list that are not shown, in order. */
function gapsIn(loaded: Loaded[], hidden: ReadonlySet<string>): number[] {
  const gaps = loaded.flatMap(({ page, start }) =>
    page.items.flatMap(({ id, isGone }, n) => (isGone || hidden.has(id) ? [start + n] : [])),
  );
  return gaps.sort((a, b) => a - b);
}

/** The index in the list of the row that is shown at an index. */
function past(gaps: number[], index: number): number {
  let at = index;
  for (const gap of gaps) {
    if (gap > at) break;
    at++;
  }
  return at;
}

function indexIn(loaded: Loaded[], id: string): number {
  for (const { page, start } of loaded) {
    const n = page.items.findIndex((link) => link.id === id);
    if (n >= 0) return start + n;
  }
  return -1;
}

function arrivedIn(loaded: Loaded[], filter: LinkFilter, total: number, counts: Counts): number {
  const left = loaded.reduce((sum, { page }) => sum + page.items.filter(isLeft(filter)).length, 0);
  return Math.max(totalOf(counts, filter.status) - total + left, 0);
}

/** Rows that the server counts no more. */
const isLeft = (filter: LinkFilter) => (link: ListedLink) =>
  link.isGone ||
  !fits(link, filter) ||
  (filter.status !== undefined && filter.status !== link.status);
