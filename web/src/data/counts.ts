import { queryOptions, useQuery } from "@tanstack/preact-query";
import { api, unwrap } from "./api.ts";

/** For values that age, such as lateness. Changes arrive as live updates. */
const REFRESH_MS = 60_000;
/** Parts of one page that are drawn one after the other read it once. */
const FRESH_MS = 5_000;

const findOverview = () => unwrap(api.overview.get());

/** One query for the sidebar, the title and the Overview page, so that they never contradict each other. */
export const OVERVIEW = queryOptions({
  queryKey: ["overview"],
  queryFn: findOverview,
  staleTime: FRESH_MS,
  refetchInterval: REFRESH_MS,
});

export type Overview = Awaited<ReturnType<typeof findOverview>>;

/** The numbers of the account; undefined until they are known. */
export function useCounts() {
  const { data } = useQuery(OVERVIEW);
  return data && countsOf(data);
}

export type Counts = ReturnType<typeof countsOf>;

function countsOf({ counts, sites, since, webhooks }: Overview) {
  const { total: links, dead, attention } = counts;
  return {
    links,
    dead,
    sites,
    /** Dead links that are neither acknowledged nor muted. */
    attention,
    /** Changes since the last visit. */
    news: since ? since.died + since.came_back + since.became_unknown : 0,
    failingAlerts: webhooks.failing + webhooks.disabled.total,
  };
}

/** The largest groups, with the numbers of their links. */
export const useLargestGroups = () => useQuery(OVERVIEW).data?.groups;
