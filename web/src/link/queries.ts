import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { api, asSent, type DataOf, unwrap } from "../data/api.ts";
import { readFilter } from "../data/filter.ts";
import { LINKS, listLinks } from "../data/links.ts";
import { usePages } from "../data/query-client.ts";
import type { Runs } from "../ui/strip.tsx";

export const DAYS = 90;
const DAY_MS = 86_400_000;
const RUNS_PER_PAGE = 100;
const CHECKS_PER_PAGE = 25;
const EVENTS_PER_PAGE = 10;

/** A link and its last check: data that only a check changes is refetched after one, and not by any live topic. */
export type Part = { id: string; checkedAt: string | null };

const keyOf = ({ id, checkedAt }: Part, ...of: unknown[]) => ["of-link", id, checkedAt, ...of];

/** Newest first. Empty for a link without a first verdict. */
export const useRuns = (part: Part) =>
  usePages({
    queryKey: keyOf(part, "runs"),
    read: (page) =>
      unwrap(api.links({ id: part.id }).runs.get({ query: { page, per_page: RUNS_PER_PAGE } })),
  });
export type Run = DataOf<typeof useRuns>["items"][number];

/** The checks of a run, newest first. */
export const useChecks = (part: Part, { started_at: from, ended_at: end }: Run) =>
  usePages({
    queryKey: keyOf(part, "checks", from, end),
    read: (page) =>
      unwrap(
        api.links({ id: part.id }).history.get({
          query: asSent({
            page,
            per_page: CHECKS_PER_PAGE,
            ...(from && { start_date: from }),
            // The next run begins at the end of this one.
            ...(end && { end_date: new Date(Date.parse(end) - 1).toISOString() }),
          }),
        }),
      ),
  });
export type Check = DataOf<typeof useChecks>["items"][number];

const countLinks = async (filter: Record<string, string>) =>
  (await listLinks(readFilter(filter), 1, 1)).pagination.total;

/** How many links the site of a link has, and how many of them are dead. */
export const useSite = (site: string) =>
  useQuery({
    queryKey: [...LINKS, "of-site", site],
    queryFn: async () => {
      const [links, dead] = await Promise.all([
        countLinks({ site }),
        countLinks({ site, status: "dead" }),
      ]);
      return { links, dead };
    },
    placeholderData: keepPreviousData,
  }).data;

/** The last responses when it was dead and when it was alive. */
export const useRaw = (part: Part) =>
  useQuery({
    queryKey: keyOf(part, "raw"),
    queryFn: () => unwrap(api.links({ id: part.id }).raw.get()),
    placeholderData: keepPreviousData,
  });
export type Raw = DataOf<typeof useRaw>;

export const useTimes = (part: Part) =>
  useQuery({
    queryKey: keyOf(part, "times"),
    queryFn: () =>
      unwrap(
        api.history.series.get({
          query: asSent({ link_id: part.id, bucket: "day", start_date: firstDay(Date.now()) }),
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** What alerts were sent. Under the topic of alerts, because deliveries go on after a check. */
export const useEvents = ({ id, checkedAt }: Part) =>
  usePages({
    queryKey: ["webhooks", "of-link", id, checkedAt],
    read: (page) =>
      unwrap(api.links({ id }).events.get({ query: { page, per_page: EVENTS_PER_PAGE } })),
  });
export type LinkEvent = DataOf<typeof useEvents>["items"][number];

const dayOf = (at: number) => Math.floor(at / DAY_MS);

/** Start of the first day (UTC) of the time that the page shows. */
const firstDay = (now: number) => new Date((dayOf(now) - DAYS + 1) * DAY_MS).toISOString();

const STATES = { active: "alive", dead: "dead", unknown: "unknown" } as const;
type DayState = Runs[number][0];
const BADNESS: DayState[] = ["none", "alive", "unknown", "dead"];

/**
 * The worst state of each day (UTC), oldest first, today last; `none` before the first run.
 * @param runs newest first
 */
export function daysOf(runs: Run[], now: number): DayState[] {
  const days = Array.from({ length: DAYS }, (): DayState => "none");
  const first = dayOf(now) - DAYS + 1;
  for (const { status, started_at: from, ended_at: end } of runs) {
    const start = from === null ? 0 : dayOf(Date.parse(from)) - first;
    const last = end === null ? DAYS - 1 : dayOf(Date.parse(end) - 1) - first;
    for (let day = Math.max(start, 0); day <= Math.min(last, DAYS - 1); day++) {
      const state = STATES[status];
      if (BADNESS.indexOf(state) > BADNESS.indexOf(days[day]!)) days[day] = state;
    }
  }
  return days;
}

/** The days (UTC) on which it was dead, as "2030-01-31". */
export function deadDays(runs: Run[], now: number): Set<string> {
  const first = dayOf(now) - DAYS + 1;
  const dates = daysOf(runs, now).flatMap((state, index) =>
    state === "dead" ? [new Date((first + index) * DAY_MS).toISOString().slice(0, 10)] : [],
  );
  return new Set(dates);
}

/** Consecutive days of one state as one. */
export function inRuns(days: DayState[]): Runs {
  const runs: Runs = [];
  for (const state of days) {
    const last = runs.at(-1);
    if (last?.[0] === state) last[1] += 1;
    else runs.push([state, 1]);
  }
  return runs;
}

/** How long it had each status within the shown days, longest first. */
export function lengthsOf(runs: Run[], now: number): [status: Run["status"], ms: number][] {
  const begin = Date.parse(firstDay(now));
  const totals = new Map<Run["status"], number>();
  for (const { status, started_at: from, ended_at: end } of runs) {
    const start = Math.max(from === null ? begin : Date.parse(from), begin);
    const length = (end === null ? now : Date.parse(end)) - start;
    if (length > 0) totals.set(status, (totals.get(status) ?? 0) + length);
  }
  return [...totals].sort(([, a], [, b]) => b - a);
}
