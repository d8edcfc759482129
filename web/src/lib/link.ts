import { api, asSent, unwrap } from "./api.ts";
import { HOUR_MS, type LinkView, type Span, startOfDays } from "./link-view.ts";
import { type Frequency, LINKS } from "./links.ts";

const CHECKS_PER_PAGE = 25;
const EVENTS_PER_PAGE = 10;
export const DAYS = 90;

export const linkKey = (id: string) => [...LINKS, "one", id];

/**
 * Query key of data that only a check changes: it contains the last check instead of a topic, so that activity
 * on other links causes no refetch.
 */
export const keyOfLastCheck = (id: string, checkedAt: string | null, ...of: unknown[]) => [
  "link",
  id,
  checkedAt,
  ...of,
];

export const listChecks = (id: string, { status, changed, from, to, page }: LinkView) =>
  unwrap(
    api.links({ id }).history.get({
      query: asSent({
        page,
        per_page: CHECKS_PER_PAGE,
        ...(status && { status }),
        ...(changed && { changed: "true" }),
        ...(from && { start_date: from }),
        ...(to && { end_date: to }),
      }),
    }),
  );

export const listEvents = (id: string, page: number) =>
  unwrap(api.links({ id }).events.get({ query: { page, per_page: EVENTS_PER_PAGE } }));

export const findDays = (id: string) =>
  unwrap(api.history.series.get({ query: asSent({ link_id: id, bucket: "day" }) }));

/** Of the same days. */
export const findUptime = (id: string) =>
  unwrap(
    api
      .links({ id })
      .stats.get({ query: asSent({ start_date: startOfDays(DAYS, Date.now()).slice(0, 10) }) }),
  );

/** Response times, in buckets that suit the span and the check frequency. */
export const findTimes = (id: string, span: Span, frequency: Frequency) =>
  unwrap(
    api.history.series.get({
      query: asSent({ link_id: id, ...bucketsOf(span, frequency, Date.now()) }),
    }),
  );

function bucketsOf(span: Span, frequency: Frequency, now: number) {
  if (span === "24h") {
    return { bucket: "hour", start_date: new Date(now - 23 * HOUR_MS).toISOString() };
  }
  const bucket = span === "7d" && frequency === "hourly" ? "hour" : "day";
  return { bucket, start_date: startOfDays(Number.parseInt(span, 10), now) };
}

/** @param groupId null for none */
export const changeGroup = (id: string, groupId: string | null) =>
  unwrap(api.links({ id }).patch({ group_id: groupId }));

type CheckPage = Awaited<ReturnType<typeof listChecks>>;
export type Check = CheckPage["items"][number];
type EventPage = Awaited<ReturnType<typeof listEvents>>;
export type LinkEvent = EventPage["items"][number];
export type LinkEventDelivery = LinkEvent["deliveries"][number];
export type Series = Awaited<ReturnType<typeof findDays>>;
export type Day = Series["points"][number];

const ofDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "2030-01-31" */
export const dateOf = ({ start }: Day): string => start.slice(0, 10);

/** "12 Nov: 24 checks, 1 dead" */
export function dayText(day: Day): string {
  const { totalChecks: total, deadCount: dead, unknownCount: unknown } = day;
  const checks = total === 1 ? "1 check" : `${total.toLocaleString("en")} checks`;
  const counts = [
    total === 0 ? "no checks" : checks,
    ...(dead > 0 ? [`${dead} dead`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(total > 0 && dead + unknown === 0 ? ["all alive"] : []),
  ];
  return `${ofDay.format(new Date(day.start))}: ${counts.join(", ")}`;
}

/** Worst at the bottom. */
export const partsOf = ({ aliveCount, unknownCount, deadCount }: Day) =>
  [
    { tone: "good", count: aliveCount },
    { tone: "unsure", count: unknownCount },
    { tone: "bad", count: deadCount },
  ].filter(({ count }) => count > 0);
