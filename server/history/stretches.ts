import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../db/store.ts";
import { historyDays } from "../db/tables.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { ALL, fittingCount, fittingKind, isCounted, isNarrowed } from "./fitting.ts";
import type { CheckFilter } from "./model.ts";
import { DAY_MS, HOUR_MS } from "./roll-ups.ts";
import { floorTo, type Piece, type Span } from "./span.ts";
import { ownerOf, type Subject } from "./subject.ts";

/** A stretch of history: how many checks of the list it holds, and how many of any status. */
export type Stretch = Span & {
  of: "days" | "hours" | "parts" | "rows";
  count: number;
  checks: number;
};

/** The days and hours one by one, newest first; those without a check of the list are left out. */
export async function piecesWithCounts(
  store: Store,
  subject: Subject,
  pieces: Piece[],
  filter: CheckFilter,
): Promise<Stretch[]> {
  const counted = await Promise.all(
    pieces.map(async (piece) => {
      if (piece.of === "parts") return hoursIn(store, subject, [piece], filter);
      if (piece.of === "rows") return rowsIn(store, subject, [piece], filter);
      const days = await daysIn(store, subject, piece, filter);
      return isCounted(filter) ? days : rowsIn(store, subject, days, filter);
    }),
  );
  return counted.flat();
}

/** Of an account: makes hours of days, or the parts of them of hours. The rest stays as it is. */
export async function refine(
  store: Store,
  subject: Subject,
  { of, stretches, filter }: { of: "days" | "hours"; stretches: Stretch[]; filter: CheckFilter },
): Promise<Stretch[]> {
  const coarse = stretches.filter((stretch) => stretch.of === of);
  if (coarse.length === 0 || subject.of !== "account") return stretches;
  const finer = of === "days" ? hoursIn : partsIn;
  const found = stretches.filter((stretch) => stretch.of !== of);
  // A page of what is rare takes many days, each of which may have thousands of parts.
  for (const some of chunksOf(AT_ONCE, coarse)) {
    found.push(...(await finer(store, subject, some, filter)));
    if (coarse.length > AT_ONCE) await yieldToEventLoop();
  }
  return found.sort(newestFirst);
}

/** Days or hours that are looked into without a pause. */
const AT_ONCE = 2;

const newestFirst = (a: Span, b: Span) => b.from - a.from;

const numberOf = (value: SQL) => sql`${value}`.mapWith(Number);

async function daysIn(
  store: Store,
  subject: Subject,
  { from, until }: Span,
  filter: CheckFilter,
): Promise<Stretch[]> {
  const { day } = historyDays;
  const count = fittingCount(filter);
  const rows = await store
    .select({ day, count: numberOf(count), checks: numberOf(ALL) })
    .from(historyDays)
    .where(
      and(
        eq(historyDays.subject, subject.no),
        gte(day, from / DAY_MS),
        lt(day, until / DAY_MS),
        sql`${count} > 0`,
      ),
    )
    .orderBy(desc(day));
  return rows.map(({ day: n, ...counts }) => ({
    ...{ of: "days", from: n * DAY_MS, until: (n + 1) * DAY_MS },
    ...counts,
  }));
}

/**
 * The hours of the spans, as far as they go. Each is added up by itself: to group them would take several
 * times as long, and a busy day has thousands of parts.
 */
async function hoursIn(
  store: Store,
  subject: Subject,
  spans: Span[],
  filter: CheckFilter,
): Promise<Stretch[]> {
  const sumOf = (value: SQL) =>
    sql`(select coalesce(sum(${value}), 0) from history_hours
      where subject = ${subject.no} and since >= hour.first and since < hour.last)`.mapWith(Number);
  const cells = spans.flatMap(cutByHours).map(({ from, until }) => [from, until]);
  const rows = await store
    .select({
      from: numberOf(sql`hour.first`),
      until: numberOf(sql`hour.last`),
      checks: sumOf(ALL),
      ...(isNarrowed(filter) && { count: sumOf(fittingCount(filter)) }),
    })
    .from(sql`${rowsOf(store, { first: "bigint", last: "bigint" }, cells)} as hour`);
  return rows
    .map(({ count, ...row }): Stretch => ({ of: "hours", ...row, count: count ?? row.checks }))
    .filter(({ count }) => count > 0)
    .sort(newestFirst);
}

function cutByHours({ from, until }: Span): Span[] {
  const hours: Span[] = [];
  for (let at = from; at < until; ) {
    const end = Math.min(floorTo(HOUR_MS, at) + HOUR_MS, until);
    hours.push({ from: at, until: end });
    at = end;
  }
  return hours;
}

/** A part ends where the next one begins, or with its hour. */
async function partsIn(
  store: Store,
  subject: Subject,
  hours: Span[],
  filter: CheckFilter,
): Promise<Stretch[]> {
  const parts = inSpans(
    hours,
    ({ from, until }) => sql`
      select since, cast(${until} as bigint) as last, ${fittingCount(filter)} as matching, ${ALL} as checks
      from history_hours where subject = ${subject.no} and since >= ${from} and since < ${until}`,
  );
  const rows = await store
    .select({
      from: numberOf(sql`since`),
      last: numberOf(sql`last`),
      count: numberOf(sql`matching`),
      checks: numberOf(sql`checks`),
    })
    .from(sql`(${parts}) as parts`)
    .orderBy(sql`since desc`);
  return rows
    .map(({ last, ...part }, i): Stretch => {
      const next = rows[i - 1]?.from ?? last;
      return { of: "parts", ...part, until: Math.min(next, last) };
    })
    .filter(({ count }) => count > 0);
}

/** The spans, newest first, read from the checks. */
async function rowsIn(
  store: Store,
  subject: Subject,
  spans: Span[],
  filter: CheckFilter,
): Promise<Stretch[]> {
  const found: Stretch[] = [];
  for (const some of chunksOf(SPANS_AT_ONCE, spans)) {
    if (found.length > 0) await yieldToEventLoop();
    found.push(...(await countRows(store, subject, some, filter)));
  }
  return found;
}

const SPANS_AT_ONCE = 20;

async function countRows(
  store: Store,
  { of, no }: Subject,
  spans: Span[],
  filter: CheckFilter,
): Promise<Stretch[]> {
  const counted = inSpans(
    spans,
    ({ from, until }) => sql`
      select cast(${from} as bigint) as since, cast(${until} as bigint) as last,
        coalesce(sum(case when ${fittingKind(filter)} then 1 else 0 end), 0) as matching, count(*) as checks
      from checks c join check_kinds k on k.no = c.kind_no
      where c.${ownerOf(of)} = ${no} and c.checked_at >= ${from} and c.checked_at < ${until}`,
  );
  const rows = await store
    .select({
      from: numberOf(sql`since`),
      until: numberOf(sql`last`),
      count: numberOf(sql`matching`),
      checks: numberOf(sql`checks`),
    })
    .from(sql`(${counted}) as counted`);
  return rows
    .map((row): Stretch => ({ of: "rows", ...row }))
    .filter(({ count }) => count > 0)
    .sort(newestFirst);
}

/**
 * Reads each span by itself, as a short walk through an index. A join with a list of spans would leave it to the
 * database to walk through all of history instead, as PostgreSQL does.
 */
export const inSpans = <S extends Span>(spans: S[], read: (span: S) => SQL): SQL =>
  sql.join(spans.map(read), sql` union all `);
