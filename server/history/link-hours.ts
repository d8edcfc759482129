import { and, eq, gte, isNotNull, lt, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { historyDays } from "../db/tables.ts";
import { DAY_MS, HOUR_MS } from "./roll-ups.ts";
import { floorTo, type Span } from "./span.ts";
import { NO_CHECKS, plus, type Tally } from "./tally.ts";

/**
 * What is left of a link's checks when they go: for each a letter for its hour (a to x), one for its status
 * (the first of the word, large when the status changed), and its time to answer in milliseconds if it had
 * one. A day of hourly checks takes some hundred bytes.
 */
const LEFT = /([a-x])([aduADU])(\d*)/g;

/** The text of one check, from a check `c` and its kind `k`. */
export const LEFT_OF_CHECK = sql.raw(`
  substr('abcdefghijklmnopqrstuvwx', cast(c.checked_at % ${DAY_MS} / ${HOUR_MS} as integer) + 1, 1)
  || case when k.status_changed = 1 then upper(substr(k.status, 1, 1)) else substr(k.status, 1, 1) end
  || coalesce(cast(c.response_time_ms as text), '')`);

export type HourTally = Tally & { start: number };

/** The hours of the link that begin within the span, as far as their checks are gone. In any order. */
export async function goneHours(store: Store, linkNo: number, span: Span): Promise<HourTally[]> {
  const rows = await store
    .select({ day: historyDays.day, hours: historyDays.hours })
    .from(historyDays)
    .where(
      and(
        eq(historyDays.subject, linkNo),
        gte(historyDays.day, floorTo(DAY_MS, span.from) / DAY_MS),
        lt(historyDays.day, span.until / DAY_MS),
        isNotNull(historyDays.hours),
      ),
    );
  return rows
    .flatMap(({ day, hours }) => [...hours!.matchAll(LEFT)].map((left) => tallyOf(day, left)))
    .filter(({ start }) => start >= span.from && start < span.until);
}

function tallyOf(day: number, [, hour, status, ms]: RegExpExecArray): HourTally {
  const name = ({ a: "active", d: "dead", u: "unknown" } as const)[
    status!.toLowerCase() as "a" | "d" | "u"
  ];
  const tally = plus(NO_CHECKS, {
    ...NO_CHECKS,
    [name]: 1,
    changes: status === status!.toLowerCase() ? 0 : 1,
    answered: ms ? 1 : 0,
    totalMs: Number(ms),
  });
  const hourOfDay = hour!.charCodeAt(0) - "a".charCodeAt(0);
  return { ...tally, start: day * DAY_MS + hourOfDay * HOUR_MS };
}
