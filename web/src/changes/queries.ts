import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api, asSent, unwrap } from "../data/api.ts";
import { CHANGES, type ChangeEntry, type ChangeKind, listChanges } from "../data/changes.ts";
import { many } from "../data/format.ts";

const DAY_MS = 86_400_000;

export const SPANS = ["7", "30", "90", "all"] as const;
export type Span = (typeof SPANS)[number];

export const SPAN_NAMES: Record<Span, string> = {
  "7": "Last 7 days",
  "30": "Last 30 days",
  "90": "Last 90 days",
  all: "All time",
};

/** What the address says is shown. */
export type Filter = {
  kind: ChangeKind | null;
  group: string | null;
  site: string | null;
  span: Span;
};

const KINDS: ChangeKind[] = ["died", "came_back", "became_unknown", "moved", "certificate"];

export const readFilter = ({ kind, group_id, site, days }: Record<string, string>): Filter => ({
  kind: KINDS.find((each) => each === kind) ?? null,
  group: group_id || null,
  site: site || null,
  span: SPANS.find((span) => span === days) ?? "30",
});

/** Without what is usual. */
export const toQuery = ({ kind, group, site, span }: Filter) => ({
  kind,
  group_id: group,
  site,
  days: span === "30" ? null : span,
});

/** The start of the first day that is shown; null without a limit. */
export function beginOf(span: Span, now: number): string | null {
  if (span === "all") return null;
  const first = new Date(now - (Number(span) - 1) * DAY_MS);
  first.setHours(0, 0, 0, 0);
  return first.toISOString();
}

const PER_PAGE = 30;

export function useChanges({ kind, group, site, span }: Filter) {
  const since = beginOf(span, Date.now());
  const filter = {
    ...(kind && { kind }),
    ...(group && { group_id: group }),
    ...(site && { site }),
    ...(since && { since }),
    per_page: PER_PAGE,
  };
  return useInfiniteQuery({
    queryKey: [...CHANGES, "list", filter],
    queryFn: ({ pageParam }) => listChanges({ ...filter, ...(pageParam && { before: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Sites whose names contain the text, for a choice. */
export const useSiteNames = (search: string) =>
  useQuery({
    queryKey: ["sites", "names", search],
    queryFn: () => unwrap(api.sites.get({ query: asSent({ search, per_page: 8 }) })),
    placeholderData: keepPreviousData,
  });

export type Day = { day: string; entries: ChangeEntry[] };

/** Entries by day in the viewer's time zone. */
export function byDay(entries: ChangeEntry[]): Day[] {
  const days: Day[] = [];
  for (const entry of entries) {
    const day = new Date(entry.changed_at).toDateString();
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

const named = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "short" });

/** "Today", "Yesterday", "Tuesday, 17 Nov", in another year with the year. */
export function dayTitle(day: string, now: number): string {
  const at = new Date(day);
  if (day === new Date(now).toDateString()) return "Today";
  if (day === new Date(now - DAY_MS).toDateString()) return "Yesterday";
  const text = named.format(at).replace(/^(\w+),? /, "$1, ");
  return at.getFullYear() === new Date(now).getFullYear() ? text : `${text} ${at.getFullYear()}`;
}

export type Message = ChangeEntry["messages"][number];

/** "Sent to Docs team", "40 messages to Docs team" */
export function messageText({ name, host, state, count }: Message): string {
  const to = name ?? host;
  const size = count === 1 ? "1 message" : `${many(count)} messages`;
  switch (state) {
    case "sent":
      return count === 1 ? `Sent to ${to}` : `${size} to ${to}`;
    case "digest":
      return `In a digest to ${to}`;
    case "pending":
      return `${size} waiting for ${to}`;
    case "failed":
      return `${size} to ${to} failed`;
  }
}
