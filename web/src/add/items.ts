import { keepPreviousData, useQueries, useQuery } from "@tanstack/preact-query";
import { IMPORTS, type Import } from "../data/adding.ts";
import { api, asSent, unwrap } from "../data/api.ts";

export const PER_PAGE = 100;

type Which = { outcome?: string; not_kept?: string; sort?: string };

const readItems = (id: string, which: Which, page: number, per_page = PER_PAGE) =>
  unwrap(api.imports({ id }).items.get({ query: asSent({ ...which, page, per_page }) }));
export type ImportItem = Awaited<ReturnType<typeof readItems>>["items"][number];

const pageQuery = (id: string, which: Which, page: number) => ({
  queryKey: [...IMPORTS, "items", id, which, page],
  queryFn: () => readItems(id, which, page),
  placeholderData: keepPreviousData,
});

/** The first items of a list that are wanted, and how many there are. */
export function useItems({ id, counts }: Import, which: Which) {
  const isEmpty = counts.total === 0;
  const { data } = useQuery({ ...pageQuery(id, which, 1), enabled: !isEmpty });
  return { items: data?.items ?? [], total: data?.pagination.total ?? 0 };
}

export const SKIPPED = "already_there,duplicate,refused";
const CREATED = { outcome: "created", sort: "dead_first" };

/** The links that were added, by what their first checks found, of which the pages in view are read. */
export function useCreated({ id, counts }: Import, [first, last]: readonly [number, number]) {
  const pageOf = (place: number) => Math.floor(place / PER_PAGE) + 1;
  const pages = [...new Set([pageOf(first), pageOf(last)])];
  const read = useQueries({
    queries: counts.created === 0 ? [] : pages.map((page) => pageQuery(id, CREATED, page)),
  });
  return (place: number): ImportItem | undefined =>
    read[pages.indexOf(pageOf(place))]?.data?.items[place % PER_PAGE];
}

/** The ids of the first and the last link that was added. */
export async function endsOf({ id, counts }: Import): Promise<[string, string]> {
  const at = async (page: number) =>
    (await readItems(id, { outcome: "created" }, page, 1)).items[0]!.link_id!;
  return [await at(1), await at(counts.created)];
}

/** All rows that were refused, to be corrected elsewhere. */
export async function readRefused({ id }: Import): Promise<ImportItem[]> {
  const all: ImportItem[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { items, pagination } = await readItems(id, { outcome: "refused" }, page);
    all.push(...items);
    pages = pagination.total_pages;
  }
  return all;
}
