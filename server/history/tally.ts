import { type SQL, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { DAY_MS } from "./roll-ups.ts";
import type { Piece } from "./span.ts";
import { ownerOf, type Subject } from "./subject.ts";

/** What some checks came to, as roll-ups keep it. `totalMs` is of those that were answered. */
export type Tally = {
  active: number;
  dead: number;
  unknown: number;
  changes: number;
  answered: number;
  totalMs: number;
};

export const NO_CHECKS: Tally = {
  active: 0,
  dead: 0,
  unknown: 0,
  changes: 0,
  answered: 0,
  totalMs: 0,
};

export const plus = (a: Tally, b: Tally): Tally => ({
  active: a.active + b.active,
  dead: a.dead + b.dead,
  unknown: a.unknown + b.unknown,
  changes: a.changes + b.changes,
  answered: a.answered + b.answered,
  totalMs: a.totalMs + b.totalMs,
});

const sumOf = (name: string) => sql.raw(`coalesce(sum(${name}), 0)`).mapWith(Number);

/** To be selected from what has the columns of a roll-up. */
export const TALLY = {
  active: sumOf("active"),
  dead: sumOf("dead"),
  unknown: sumOf("unknown"),
  changes: sumOf("changes"),
  answered: sumOf("answered"),
  totalMs: sumOf("total_ms"),
};

const NAMES = ["active", "dead", "unknown", "changes", "answered", "total_ms"];
/** The same under the names of the columns, to be added up once more. */
export const SUMS = sumsAs("");
const NEGATED = sumsAs("-");

function sumsAs(sign: "" | "-"): SQL {
  return sql.raw(NAMES.map((name) => `${sign}coalesce(sum(${name}), 0) as ${name}`).join(", "));
}

/** Each check as a roll-up of its own, to be narrowed: `c` is the check. */
export const CHECKS_COUNTED = sql.raw(`
  select c.checked_at, case when k.status = 'active' then 1 else 0 end as active,
    case when k.status = 'dead' then 1 else 0 end as dead,
    case when k.status = 'unknown' then 1 else 0 end as unknown, k.status_changed as changes,
    case when c.response_time_ms is null then 0 else 1 end as answered,
    coalesce(c.response_time_ms, 0) as total_ms
  from checks c join check_kinds k on k.no = c.kind_no`);

/** Adds the pieces up in one statement, so that all of it is of one moment. */
export async function tallyOf(store: Store, subject: Subject, pieces: Piece[]): Promise<Tally> {
  if (pieces.length === 0) return NO_CHECKS;
  const told = sql.join(
    pieces.map((piece) => sumsOf(store, subject, piece)),
    sql` union all `,
  );
  const [tally] = await store.select(TALLY).from(sql`(${told}) as told`);
  return tally!;
}

function sumsOf({ engine }: Store, { of, no }: Subject, piece: Piece): SQL {
  const { from, until, isTakenOff } = piece;
  const sums = isTakenOff ? NEGATED : SUMS;
  if (piece.of === "days") {
    return sql`select ${sums} from history_days
      where subject = ${no} and day >= ${from / DAY_MS} and day < ${until / DAY_MS}`;
  }
  if (piece.of === "parts") {
    return sql`select ${sums} from history_hours
      where subject = ${no} and since >= ${from} and since < ${until}`;
  }
  return sql`select ${sums} from (${CHECKS_COUNTED}
    where c.${ownerOf(of)} = ${no} and c.checked_at >= ${from} and c.checked_at < ${until}
      and ${sql.raw(engine.notWrittenDown)}) as counted`;
}
