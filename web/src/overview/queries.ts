import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { LinkSort } from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, type DataOf, unwrap } from "../data/api.ts";
import { CHANGES, listChanges } from "../data/changes.ts";

/** Also the topic of live updates of everything here. */
const OVERVIEW = ["overview"];

export const PERIODS = ["30", "90", "365"] as const;
export type Period = (typeof PERIODS)[number];

export const useSeries = (period: Period) =>
  useQuery({
    queryKey: [...OVERVIEW, "series", period],
    queryFn: () => unwrap(api.overview.series.get({ query: { days: Number(period) } })),
    placeholderData: keepPreviousData,
  });
export type Series = DataOf<typeof useSeries>;

export const useCauses = (perPage: number) =>
  useQuery({
    queryKey: [...OVERVIEW, "causes", perPage],
    queryFn: () => unwrap(api.attention.get({ query: asSent({ by: "cause", per_page: perPage }) })),
    placeholderData: keepPreviousData,
  });
export type Causes = DataOf<typeof useCauses>;
export type Cause = Causes["items"][number];

export const useLatestChanges = () =>
  useQuery({ queryKey: [...CHANGES, "latest"], queryFn: () => listChanges({ per_page: 6 }) });

export const useUpcoming = () =>
  useQuery({
    queryKey: [...OVERVIEW, "upcoming"],
    queryFn: () => unwrap(api.overview.upcoming.get({ query: asSent({}) })),
  });
export type Upcoming = DataOf<typeof useUpcoming>;

const HOUR_MS = 3_600_000;

/**
 * How long the first checks took: from the first link to the last verdict. Null where they went on for more than an
 * hour, as where links were added now and then.
 */
export const useFirstChecks = (isWanted: boolean) =>
  useQuery({
    queryKey: [...OVERVIEW, "first-checks"],
    queryFn: async () => {
      const first = (sort: LinkSort) =>
        unwrap(api.links.get({ query: asSent({ sort, per_page: 1 }) })).then(
          ({ items }) => items[0],
        );
      const [oldest, latest] = await Promise.all([
        first("created_at"),
        first("-status_changed_at"),
      ]);
      if (!oldest || !latest?.status_changed_at) return null;
      const ms = Date.parse(latest.status_changed_at) - Date.parse(oldest.created_at);
      return ms < HOUR_MS ? Math.max(ms, 1) : null;
    },
    enabled: isWanted,
  });

/** Bars of a list. */
export const MOST_BARS = 5;

export const useDeadSites = () =>
  useQuery({
    queryKey: ["sites", "dead"],
    queryFn: () =>
      unwrap(api.sites.get({ query: asSent({ status: "dead", per_page: MOST_BARS }) })),
  });

/** @param isWanted only administrators may see them */
export const useBackups = (isWanted: boolean) =>
  useQuery({
    queryKey: ["admin", "backups"],
    queryFn: () => unwrap(api.admin.backups.get()),
    enabled: isWanted,
    refetchInterval: 60_000,
  });
export type Backups = DataOf<typeof useBackups>;

/** Checks all links of a cause. */
export const checkCause = ({ site, reason }: Cause) =>
  unwrap(api.links.check.post({ filter: { site, reason, status: "dead" } }));
