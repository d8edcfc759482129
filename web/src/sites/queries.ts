import { keepPreviousData, useQueries, useQuery } from "@tanstack/preact-query";
import { useRef, useState } from "preact/hooks";
import { onReadAhead } from "../data/ahead.ts";
import { api, asSent, unwrap } from "../data/api.ts";
import { hrefOf } from "../data/changes.ts";

const SITES = ["sites"];
const PER_PAGE = 50;

export const SORTS = {
  "-dead": "Most dead first",
  "-links": "Most links first",
  site: "By name",
} as const;
export type Sort = keyof typeof SORTS;
export type Which = "all" | "dead" | "unknown";
export type Filter = { which: Which; search: string; sort: Sort };

const findSites = ({ which, search, sort }: Filter, page: number, perPage = PER_PAGE) =>
  unwrap(
    api.sites.get({
      query: {
        ...(which !== "all" && { status: which }),
        ...(search && { search }),
        sort,
        page,
        per_page: perPage,
      },
    }),
  );

export const muteSite = (site: string, until: string | null) =>
  unwrap(api.sites({ site }).patch(asSent({ muted_until: until })));

export type Site = Awaited<ReturnType<typeof findSites>>["items"][number];

/** The filter in the address. */
export const readFilter = ({ status, search = "", sort = "" }: Record<string, string>): Filter => ({
  which: status === "dead" || status === "unknown" ? status : "all",
  search,
  sort: sort in SORTS ? (sort as Sort) : "-dead",
});

/** The address of the sites with a filter. */
export function hrefOfSites({ which, search, sort }: Filter): string {
  const status = which === "all" ? null : which;
  return hrefOf("/sites", { status, search, sort: sort === "-dead" ? null : sort });
}

/** How many sites the filter finds; null until it is known. */
export const useCount = (filter: Filter) =>
  useQuery({
    queryKey: [...SITES, "count", filter.which, filter.search],
    queryFn: () => findSites(filter, 1, 1),
    placeholderData: keepPreviousData,
  }).data?.pagination.total ?? null;

const pageOptions = (filter: Filter, page: number) => ({
  queryKey: [...SITES, "list", filter, page],
  queryFn: () => findSites(filter, page),
});

onReadAhead("/sites", (client, query) => {
  void client.prefetchQuery(pageOptions(readFilter(query), 1));
});

/** The filter whose sites are shown: the last one, until those of a new one are there. */
export function useShown(filter: Filter): Filter {
  const { isPending } = useQuery(pageOptions(filter, 1));
  const shown = useRef(filter);
  if (!isPending) shown.current = filter;
  return shown.current;
}

/** The sites around those in view, by their index among all of the filter. */
export const useSites = (filter: Filter) => usePages((page) => pageOptions(filter, page));

type ListPage<Item> = { items: Item[]; pagination: { total: number } };
type PageOptions<Item> = { queryKey: unknown[]; queryFn: () => Promise<ListPage<Item>> };

function usePages<Item>(optionsOf: (page: number) => PageOptions<Item>) {
  const [shown, setShown] = useState({ first: 0, last: 0 });
  const numbers = pagesOf(shown);
  const pages = useQueries({ queries: numbers.map(optionsOf) });
  const [known] = pages.flatMap(({ data }) => data ?? []);
  const failed = pages.find(({ error, data }) => error && !data);
  return {
    total: useLast(known?.pagination.total),
    failed: failed?.error ? { error: failed.error, retry: failed.refetch } : null,
    itemAt: (index: number) =>
      pages[numbers.indexOf(Math.floor(index / PER_PAGE) + 1)]?.data?.items[index % PER_PAGE],
    show: (first: number, last: number) => setShown({ first, last }),
  };
}

function pagesOf({ first, last }: { first: number; last: number }): number[] {
  const [from, to] = [Math.floor(first / PER_PAGE), Math.floor(Math.max(last, 0) / PER_PAGE)];
  return Array.from({ length: to - from + 1 }, (_, n) => from + n + 1);
}

/** The last known number, while other pages are loaded. */
function useLast(total: number | undefined): number | null {
  const last = useRef<number | null>(null);
  if (total !== undefined) last.current = total;
  return last.current;
}

export type DomainFilter = { isExpiring: boolean; search: string };

/** Days within which a registration counts as expiring. */
export const EXPIRING_DAYS = 30;

const findDomains = ({ isExpiring, search }: DomainFilter, page: number, perPage = PER_PAGE) =>
  unwrap(
    api.domains.get({
      query: {
        ...(isExpiring && { expiring: EXPIRING_DAYS }),
        ...(search && { search }),
        page,
        per_page: perPage,
      },
    }),
  );

export type Domain = Awaited<ReturnType<typeof findDomains>>["items"][number];

export const readDomainFilter = ({ show, search = "" }: Record<string, string>): DomainFilter => ({
  isExpiring: show === "expiring",
  search,
});

export const hrefOfDomains = ({ isExpiring, search }: DomainFilter): string =>
  hrefOf("/domains", { show: isExpiring ? "expiring" : null, search });

/** How many domains the filter finds; null until it is known. */
export const useDomainCount = (filter: DomainFilter) =>
  useQuery({
    queryKey: [...SITES, "domain count", filter],
    queryFn: () => findDomains(filter, 1, 1),
    placeholderData: keepPreviousData,
  }).data?.pagination.total ?? null;

export const useDomains = (filter: DomainFilter) =>
  usePages((page) => ({
    queryKey: [...SITES, "domains", filter, page],
    queryFn: () => findDomains(filter, page),
  }));
