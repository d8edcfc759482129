import { and, eq, gte, isNotNull, lt, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { checks } from "../ground/db/tables.ts";
import { retainedHours } from "./retained-hours.ts";
import { type Span, type Tally, unionOf } from "./roll-ups.ts";
import { floorTo } from "./subject.ts";

/** The shortest and longest response time of some checks; null if none of them was answered. */
export type Extremes = { fastestMs: number | null; slowestMs: number | null };

export const NO_EXTREMES: Extremes = { fastestMs: null, slowestMs: null };

/** Returns the extremes of a link for each bucket of that length, by the time at which it begins. */
export async function extremesByBucket(
  store: Store,
  linkNo: number,
  length: number,
  span: Span,
): Promise<Map<number, Extremes>> {
  const bucket = sql.raw(`checked_at / ${length}`);
  const { checkedAt, responseTimeMs } = checks;
  const [rows, retained] = await Promise.all([
    store.readPool
      .select({
        from: sql`${bucket}`.mapWith((n) => Number(n) * length),
        fastestMs: sql<number | null>`min(${responseTimeMs})`.mapWith(Number),
        slowestMs: sql<number | null>`max(${responseTimeMs})`.mapWith(Number),
      })
      .from(checks)
      .where(
        and(
          eq(checks.linkNo, linkNo),
          gte(checkedAt, span.from),
          lt(checkedAt, span.until),
          isNotNull(responseTimeMs),
        ),
      )
      .groupBy(bucket),
    retainedHours(store, linkNo, span),
  ]);
  const found = new Map<number, Extremes>(rows.map(({ from, ...extremes }) => [from, extremes]));
  for (const check of retained) {
    const from = floorTo(length, check.from);
    found.set(from, widest([found.get(from) ?? NO_EXTREMES, ofCheck(check)]));
  }
  return found;
}

/** The stored checks of a link in a span: how many there are, and their extremes. */
type Counted = Extremes & { checks: number };

/** Counts the stored checks of a link in each of the spans, at most a hundred. */
export async function countSpans(store: Store, linkNo: number, spans: Span[]): Promise<Counted[]> {
  if (spans.length === 0) return [];
  const numbered = spans.map((span, i) => ({ ...span, i }));
  const rows = await store.readPool
    .select({
      checks: sql`many`.mapWith(Number),
      fastestMs: sql<number | null>`fastest`.mapWith(Number),
      slowestMs: sql<number | null>`slowest`.mapWith(Number),
    })
    .from(
      sql`(${unionOf(
        numbered,
        ({ from, until, i }) => sql`
          select ${sql.raw(String(i))} as i, count(*) as many, min(response_time_ms) as fastest,
            max(response_time_ms) as slowest
          from checks where link_no = ${linkNo} and checked_at >= ${from} and checked_at < ${until}`,
      )}) as spans`,
    )
    .orderBy(sql`i`);
  return rows;
}

/** Returns the extremes of a link's deleted checks in a span whose hours are retained. */
export const retainedExtremes = async (
  store: Store,
  linkNo: number,
  span: Span,
): Promise<Extremes> => widest((await retainedHours(store, linkNo, span)).map(ofCheck));

const ofCheck = ({ answered, totalMs }: Tally): Extremes =>
  answered > 0 ? { fastestMs: totalMs, slowestMs: totalMs } : NO_EXTREMES;

export const widest = (all: Extremes[]): Extremes =>
  all.reduce(
    (a, b) => ({
      fastestMs: pick(Math.min, a.fastestMs, b.fastestMs),
      slowestMs: pick(Math.max, a.slowestMs, b.slowestMs),
    }),
    NO_EXTREMES,
  );

const pick = (choose: typeof Math.min, a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : choose(a, b);
