import { sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import type { LinkRow } from "../ground/db/tables.ts";
import { invalid } from "../ground/lib/errors.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { type Extremes, extremesByBucket, NO_EXTREMES } from "./extremes.ts";
import type { Bucket, DateRange, SeriesQuery, StatsQuery } from "./model.ts";
import { retainedHours } from "./retained-hours.ts";
import {
  COUNTS_OF_CHECK,
  DAY_MS,
  HOUR_MS,
  NO_CHECKS,
  plus,
  type Span,
  SUMS,
  TALLY_OF_ROWS,
  type Tally,
  talliesByDay,
  talliesByHour,
  unionOf,
} from "./roll-ups.ts";
import {
  floorTo,
  ofLink,
  ownerOf,
  type Piece,
  piecesFor,
  type Subject,
  spanOf,
  subjectOf,
  widenedTo,
} from "./subject.ts";

/** Counts the checks of a period: of the account, or of the link or group that the query names. */
export async function historyStatistics(
  { store }: Deps,
  caller: Caller,
  query: StatsQuery,
): Promise<Tally> {
  const subject = await subjectOf(store, caller, query);
  return subject ? countChecks(store, subject, query) : NO_CHECKS;
}

export const linkStatistics = async (
  { store }: Deps,
  link: Pick<LinkRow, "no" | "accountNo">,
  range: DateRange,
): Promise<Tally> => countChecks(store, await ofLink(store, link), range);

/** Counts checks, also those that are deleted. */
export async function countChecks(
  store: Store,
  subject: Subject,
  range: DateRange,
): Promise<Tally> {
  const pieces = await piecesFor(store, subject, spanOf(range));
  if (pieces.length === 0) return NO_CHECKS;
  // One statement, so that all numbers are of the same moment.
  const [tally] = await store
    .select(TALLY_OF_ROWS)
    .from(sql`(${unionOf(pieces, (piece) => sumsOf(store, subject, piece))}) as pieces`);
  if (subject.of !== "link") return tally!;
  const edges = pieces.filter(({ of, from }) => of === "rows" && from < subject.since);
  const retained = await Promise.all(edges.map((edge) => retainedHours(store, subject.no, edge)));
  return retained.flat().reduce(plus, tally!);
}

function sumsOf(store: Store, subject: Subject, { of, from, until }: Piece) {
  if (of === "days") {
    return sql`select ${SUMS} from history_days
      where subject = ${subject.no} and day >= ${from / DAY_MS} and day < ${until / DAY_MS}`;
  }
  if (of === "parts") {
    return sql`select ${SUMS} from history_hours
      where subject = ${subject.no} and since >= ${from} and since < ${until}`;
  }
  return sql`select ${SUMS} from (${checksIn(store, subject, { from, until })}) as counted`;
}

/** Selects each check whose hours are not retained yet as a roll-up of its own. */
const checksIn = ({ engine }: Store, { of, no }: Subject, { from, until }: Span) => sql`
  select c.checked_at, ${COUNTS_OF_CHECK} from checks c join check_kinds k on k.no = c.kind_no
  where c.${ownerOf(of)} = ${no} and c.checked_at >= ${from} and c.checked_at < ${until}
    and ${sql.raw(engine.notWrittenDown)}`;

/** What the checks of a bucket that begins at `from` add up to. */
type Counted = Tally & { from: number };

/** The extremes are those of a link: other subjects have too many checks. */
type Point = Counted & Extremes;

const LENGTH: Record<Bucket, number> = { hour: HOUR_MS, day: DAY_MS };
/** The number of points without dates: a week of hours, a quarter of days. */
const USUAL_POINTS: Record<Bucket, number> = { hour: 7 * 24, day: 90 };
const MOST_POINTS = 1000;

/**
 * Returns the buckets that overlap the period, each of them whole, in order, also where nothing was checked.
 * @throws VALIDATION_ERROR when there are too many
 */
export async function historySeries(
  { store, clock }: Deps,
  caller: Caller,
  query: SeriesQuery,
): Promise<Point[]> {
  const span = bucketsOf(query, clock.now());
  const subject = await subjectOf(store, caller, query);
  const points = new Map<number, Counted>(
    spansIn(LENGTH[query.bucket], span).map(({ from }) => [from, { from, ...NO_CHECKS }]),
  );
  const tallies = subject ? await talliesOf(store, subject, query.bucket, span) : [];
  for (const tally of tallies) {
    const { from } = tally;
    points.set(from, { from, ...plus(points.get(from) ?? NO_CHECKS, tally) });
  }
  const extremes =
    subject?.of === "link"
      ? await extremesByBucket(store, subject.no, LENGTH[query.bucket], span)
      : new Map<number, Extremes>();
  return [...points.values()].map((point) => ({
    ...point,
    ...(extremes.get(point.from) ?? NO_EXTREMES),
  }));
}

/** The period that the query asks for, or the usual one before its end, in whole buckets. */
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

const spansIn = (length: number, { from, until }: Span): Span[] =>
  Array.from({ length: Math.ceil((until - from) / length) }, (_, i) => ({
    from: from + i * length,
    until: from + (i + 1) * length,
  }));

async function talliesOf(
  store: Store,
  subject: Subject,
  bucket: Bucket,
  span: Span,
): Promise<Counted[]> {
  if (bucket === "day") return talliesByDay(store, subject.no, span);
  if (subject.of === "link") return linkHours(store, subject, span);
  const points: Counted[] = [];
  // A busy account has thousands of parts a day, so the hours of one day are read at once.
  for (const hours of chunksOf(24, spansIn(HOUR_MS, span))) {
    points.push(...(await talliesByHour(store, subject.no, hours)));
    await yieldToEventLoop();
  }
  return points;
}

/** Reads the checks, and what is retained of deleted ones. */
async function linkHours(store: Store, subject: Subject, span: Span): Promise<Counted[]> {
  const hour = sql.raw(`checked_at / ${HOUR_MS}`);
  const [rows, retained] = await Promise.all([
    store
      .select({ hour: sql`${hour}`.mapWith(Number), ...TALLY_OF_ROWS })
      .from(sql`(${checksIn(store, subject, span)}) as counted`)
      .groupBy(hour),
    retainedHours(store, subject.no, span),
  ]);
  return [...rows.map(({ hour: n, ...tally }) => ({ ...tally, from: n * HOUR_MS })), ...retained];
}
