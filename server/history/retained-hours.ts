import { and, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { historyDays } from "../ground/db/tables.ts";
import { DAY_MS, HOUR_MS, NO_CHECKS, type Span, type Tally } from "./roll-ups.ts";
import { floorTo } from "./subject.ts";

/**
 * What is retained of each check when it is deleted, in the day of its link: a letter for its hour (a to x), one for
 * its status (the first of the word, in upper case when the status changed), and its response time in milliseconds if
 * it had one. A day of hourly checks takes some hundred bytes.
 */
const RETAINED = /([a-x])([aduADU])(\d*)/g;
const STATUS = { a: "active", d: "dead", u: "unknown" } as const;

const RETAINED_OF_CHECK = sql.raw(`
  substr('abcdefghijklmnopqrstuvwx', cast(c.checked_at % ${DAY_MS} / ${HOUR_MS} as integer) + 1, 1)
  || case when k.status_changed = 1 then upper(substr(k.status, 1, 1)) else substr(k.status, 1, 1) end
  || coalesce(cast(c.response_time_ms as text), '')`);

/** Adds checks that are about to be deleted to the days of their links. `chosen` selects whole rows of checks. */
export const retainHours = (tx: Store, chosen: SQL): Promise<unknown> =>
  tx.run(sql`
    update history_days set hours = coalesce(hours, '') || gone.retained
    from (
      select c.link_no, ${DAY_OF_CHECK} as day_no, string_agg(${RETAINED_OF_CHECK}, '') as retained
      from (${chosen}) as c join check_kinds k on k.no = c.kind_no
      group by c.link_no, day_no
    ) as gone
    where subject = gone.link_no and day = gone.day_no
  `);

/** Deletes the retained hours of the same links so many days before, since they would accumulate forever. */
export const deleteRetainedHours = (tx: Store, chosen: SQL, days: number): Promise<unknown> =>
  tx.run(sql`
    update history_days set hours = null
    from (
      select distinct c.link_no, ${DAY_OF_CHECK} - ${sql.raw(String(days))} as day_no
      from (${chosen}) as c
    ) as older
    where subject = older.link_no and day = older.day_no
  `);

const DAY_OF_CHECK = sql.raw(`c.checked_at / ${DAY_MS}`);

/** Returns a tally for each deleted check of the link whose hour begins within the span, in any order. */
export async function retainedHours(
  store: Store,
  linkNo: number,
  span: Span,
): Promise<(Tally & { from: number })[]> {
  const { subject, day, hours } = historyDays;
  const rows = await store
    .select({ day, hours })
    .from(historyDays)
    .where(
      and(
        eq(subject, linkNo),
        gte(day, floorTo(DAY_MS, span.from) / DAY_MS),
        lt(day, span.until / DAY_MS),
        isNotNull(hours),
      ),
    );
  return rows
    .flatMap((row) => [...row.hours!.matchAll(RETAINED)].map((check) => tallyOf(row.day, check)))
    .filter(({ from }) => from >= span.from && from < span.until);
}

function tallyOf(day: number, [, hour, letter, ms]: RegExpExecArray): Tally & { from: number } {
  const lower = letter!.toLowerCase() as keyof typeof STATUS;
  return {
    ...NO_CHECKS,
    [STATUS[lower]]: 1,
    changes: letter === lower ? 0 : 1,
    answered: ms ? 1 : 0,
    totalMs: Number(ms),
    from: day * DAY_MS + (hour!.charCodeAt(0) - "a".charCodeAt(0)) * HOUR_MS,
  };
}
