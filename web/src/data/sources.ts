import { queryOptions, useQuery } from "@tanstack/preact-query";
import { api, asSent, unwrap } from "./api.ts";
import { useFound } from "./found.ts";

/** Query key of everything about sources; also the topic of its live updates. */
export const SOURCES = ["sources"];

const PER_PAGE = 100;
/** As many as the largest plan has. */
const MOST_PAGES = 10;
/** Time between two requests while a run is under way. */
const RUNNING_MS = 2_000;

const listSources = (page: number, search = "") =>
  unwrap(
    api.sources.get({ query: asSent({ page, per_page: PER_PAGE, ...(search && { search }) }) }),
  );

export type Source = Awaited<ReturnType<typeof listSources>>["items"][number];

async function listAllSources(): Promise<Source[]> {
  const first = await listSources(1);
  const pages = Math.min(first.pagination.total_pages, MOST_PAGES);
  const rest = Array.from({ length: Math.max(pages - 1, 0) }, (_, n) => listSources(n + 2));
  return [first, ...(await Promise.all(rest))].flatMap(({ items }) => items);
}

/** Whether a run is under way or waits for its turn. */
export const isRunning = ({ status }: Pick<Source, "status">) => status === "running";

/** How often what a run changes is read again; never without one. */
export const refreshWhile = (sources: Source[] | undefined) =>
  sources?.some(isRunning) ? RUNNING_MS : false;

/** The account's sources, by name. */
export const ALL_SOURCES = queryOptions({
  queryKey: [...SOURCES, "all"],
  queryFn: listAllSources,
});

/** Sources by name, as a `Pick` finds them. */
export const useFoundSources = (isWanted = true) =>
  useFound(SOURCES, async (search) => (await listSources(1, search)).items, isWanted);

/** For their names; undefined until loaded. */
export const useSources = (isWanted = true) => useQuery({ ...ALL_SOURCES, enabled: isWanted });
