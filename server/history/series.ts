import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { Store } from "../db/store.ts";
import { historyDays } from "../db/tables.ts";
import { invalid } from "../lib/errors.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { goneHours, type HourTally } from "./link-hours.ts";
import type { Bucket, SeriesQuery } from "./model.ts";
import { DAY_MS, HOUR_MS } from "./roll-ups.ts";
import { floorTo, type Span, widenedTo } from "./span.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { CHECKS_COUNTED, NO_CHECKS, plus, SUMS, TALLY, type Tally } from "./tally.ts";

/** What the checks of one bucket came to, which begins at `start`. */
export type Point = Tally & { start: number };

const LENGTH: Record<Bucket, number> = { hour: HOUR_MS, day: DAY_MS };
/** So many points there are when nothing else is asked for: a week of hours, a quarter of days. */
const USUAL_POINTS: Record<Bucket, number> = { hour: 7 * 24, day: 90 };
const MOST_POINTS = 1000;

/**
 * The buckets that the time touches, each whole and in order, also where nothing was checked.
 * @throws VALIDATION_ERROR when there are too many
 */
export async function historySeries(
  { store, clock }: Deps,
  caller: Caller,
  query: SeriesQuery,
): Promise<Point[]> {
  const span = bucketsOf(query, clock.now());
  const subject = await subjectOf(store, caller, query);
  const length = LENGTH[query.bucket];
  const points = new Map<number, Point>();
  for (const start of startsOf(length, span)) points.set(start, { start, ...NO_CHECKS });
  const tallies = subject ? await talliesOf(store, subject, query.bucket, span) : [];
  for (const { start, ...tally } of tallies) {
    points.set(start, { start, ...plus(points.get(start) ?? NO_CHECKS, tally) });
  }
  return [...points.values()];
}

/** The time that is asked for, or the usual one before its end, in whole buckets. */
function bucketsOf({ bucket, start_date, end_date }: SeriesQuery, now: number): Span {
  const length = LENGTH[bucket];
  const last = end_date ?? Math.max(now, start_date ?? 0);
  const first = start_date ?? floorTo(length, last) - (USUAL_POINTS[bucket] - 1) * length;
  const span = widenedTo(length, { from: Math.max(first, 0), until: Math.max(last, 0) + 1 });
  const points = (span.until - span.from) / length;
  if (points <= MOST_POINTS) return span;
  const problem = `must not be so early: of these ${points} ${bucket}s at most ${MOST_POINTS} can be returned at once`;
  throw invalid({ start_date: [problem] });
}

const startsOf = (length: number, { from, until }: Span): number[] =>
  Array.from({ length: Math.ceil((until - from) / length) }, (_, i) => from + i * length);

function talliesOf(store: Store, subject: Subject, bucket: Bucket, span: Span): Promise<Point[]> {
  if (bucket === "day") return daysOf(store, subject, span);
  return subject.of === "link" ? linkHours(store, subject, span) : hoursOf(store, subject, span);
}

async function daysOf(store: Store, { no }: Subject, { from, until }: Span): Promise<Point[]> {
  const { subject, day, active, dead, unknown, changes, answered, totalMs } = historyDays;
  const rows = await store
    .select({ day, active, dead, unknown, changes, answered, totalMs })
    .from(historyDays)
    .where(and(eq(subject, no), gte(day, from / DAY_MS), lt(day, until / DAY_MS)));
  return rows.map(({ day: number, ...tally }) => ({ start: number * DAY_MS, ...tally }));
}

/**
 * A busy account has thousands of parts a day, so that no more than a day of them is read at once. Each hour is
 * added up by itself, since to group them would take several times as long.
 */
async function hoursOf(store: Store, { no }: Subject, { from, until }: Span): Promise<Point[]> {
  const hours: Point[] = [];
  for (let day = from; day < until; day += DAY_MS) {
    const starts = startsOf(HOUR_MS, { from: day, until: Math.min(day + DAY_MS, until) });
    const sums = starts.map((start) => sumsOfHour(no, start));
    const rows = await store
      .select({ start: sql`start`.mapWith(Number), ...TALLY })
      .from(sql`(${sql.join(sums, sql` union all `)}) as told`)
      .groupBy(sql`start`);
    hours.push(...rows);
    await yieldToEventLoop();
  }
  return hours;
}

const sumsOfHour = (no: number, start: number) => sql`
  select cast(${start} as bigint) as start, ${SUMS} from history_hours
  where subject = ${no} and since >= ${start} and since < ${start + HOUR_MS}`;

/** From the checks while they are there, and then from what is left of them. */
async function linkHours(store: Store, { no }: Subject, span: Span): Promise<HourTally[]> {
  const hour = sql.raw(`checked_at / ${HOUR_MS}`);
  const kept = store
    .select({ hour: sql`${hour}`.mapWith(Number), ...TALLY })
    .from(sql`(${CHECKS_COUNTED} where c.link_no = ${no}
      and c.checked_at >= ${span.from} and c.checked_at < ${span.until}
      and ${sql.raw(store.engine.notWrittenDown)}) as counted`)
    .groupBy(hour);
  const [rows, gone] = await Promise.all([kept, goneHours(store, no, span)]);
  return [...rows.map(({ hour: n, ...tally }) => ({ start: n * HOUR_MS, ...tally })), ...gone];
}
