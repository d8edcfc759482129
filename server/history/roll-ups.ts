import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { historyDays } from "../ground/db/tables.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** After so many checks an account's hour continues in a new part, so that a page is never far into one. */
export const CHECKS_OF_PART = 1000;

/** A time in milliseconds since 1970, without its end. */
export type Span = { from: number; until: number };

/** What some checks add up to. `totalMs` is the sum over the checks that were answered. */
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

const COLUMNS = ["active", "dead", "unknown", "changes", "answered", "total_ms"];
const NAMES = sql.raw(COLUMNS.join(", "));
/** The sums of the columns of roll-ups, under the same names. */
export const SUMS = sql.raw(
  COLUMNS.map((name) => `coalesce(sum(${name}), 0) as ${name}`).join(", "),
);

const tallyFrom = (column: (name: string) => string) => {
  const read = (name: string) => sql.raw(column(name)).mapWith(Number);
  return {
    active: read("active"),
    dead: read("dead"),
    unknown: read("unknown"),
    changes: read("changes"),
    answered: read("answered"),
    totalMs: read("total_ms"),
  };
};
/** Selects a tally from one row with the columns of a roll-up, or from the sum of several. */
const TALLY = tallyFrom((name) => name);
export const TALLY_OF_ROWS = tallyFrom((name) => `coalesce(sum(${name}), 0)`);

/** The columns of a roll-up of a single check `c` of the kind `k`. */
export const COUNTS_OF_CHECK = sql.raw(`
  case when k.status = 'active' then 1 else 0 end as active,
  case when k.status = 'dead' then 1 else 0 end as dead,
  case when k.status = 'unknown' then 1 else 0 end as unknown,
  k.status_changed as changes,
  case when c.response_time_ms is null then 0 else 1 end as answered,
  coalesce(c.response_time_ms, 0) as total_ms`);

/** The key of a check, in the order of `KEY`. */
export type CheckKey = readonly [accountNo: number, checkedAt: number, linkNo: number];

const KEY = { account_no: "bigint", checked_at: "bigint", link_no: "bigint" } as const;

/** Counts checks in the roll-ups of their accounts, groups and links, in the transaction that inserts them. */
export async function addToRollUps(
  tx: Store,
  keys: CheckKey[],
  checksOfPart = CHECKS_OF_PART,
): Promise<void> {
  for (const add of ADDITIONS) await add(tx, keys);
  await openParts(tx, keys, { checksOfPart });
}

/**
 * Subtracts checks from the roll-ups, before the same transaction deletes them.
 * @param chosen selects whole rows of checks
 */
export async function takeFromRollUps(tx: Store, chosen: SQL): Promise<void> {
  for (const { table, at, rows } of ROLL_UPS) {
    await tx.run(sql`
      with counted as (${countedBy(chosen)})
      update ${table} set ${assigned((name) => sql`${table}.${name} - gone.${name}`)}
      from (select subject, ${at}, ${SUMS} from (${rows}) as counts group by subject, ${at}) as gone
      where ${table}.subject = gone.subject and ${table}.${at} = gone.${at}
    `);
  }
}

const assigned = (newValue: (name: SQL) => SQL): SQL =>
  sql.join(
    COLUMNS.map((column) => sql`${sql.raw(column)} = ${newValue(sql.raw(column))}`),
    sql`, `,
  );

const countedBy = (chosen: SQL) => sql`
  select c.account_no, c.group_no, c.link_no, c.checked_at, ${COUNTS_OF_CHECK}
  from (${chosen}) as c join check_kinds k on k.no = c.kind_no`;

const HOUR = `checked_at - checked_at % ${HOUR_MS}`;
const DAY = `checked_at / ${DAY_MS}`;
const COUNTS = COLUMNS.join(", ");

/** A check belongs to the last part of the account's hour that began before it. Links have no hours. */
const BY_HOUR = `
  select account_no as subject, coalesce(
    (select max(since) from history_hours
     where subject = counted.account_no and since <= counted.checked_at and since >= ${HOUR}), ${HOUR}) as since, ${COUNTS}
  from counted
  union all select group_no, ${HOUR}, ${COUNTS} from counted where group_no is not null`;

const BY_DAY = `
  select account_no as subject, ${DAY} as day, ${COUNTS} from counted
  union all select group_no, ${DAY}, ${COUNTS} from counted where group_no is not null
  union all select link_no, ${DAY}, ${COUNTS} from counted`;

const ROLL_UPS = [
  { table: sql.raw("history_hours"), at: sql.raw("since"), rows: sql.raw(BY_HOUR) },
  { table: sql.raw("history_days"), at: sql.raw("day"), rows: sql.raw(BY_DAY) },
];

const checksWith = (keys: SQL) => sql`
  select checks.* from ${keys} as done
  join checks on checks.account_no = done.account_no
    and checks.checked_at = done.checked_at and checks.link_no = done.link_no`;

const ADDITIONS = ROLL_UPS.map(({ table, at, rows }) =>
  onRows(
    KEY,
    (keys) => sql`
      with counted as (${countedBy(checksWith(keys))})
      insert into ${table} (subject, ${at}, ${NAMES})
      select subject, ${at}, ${SUMS} from (${rows}) as counts group by subject, ${at} order by subject, ${at}
      on conflict (subject, ${at}) do update set ${assigned((name) => sql`${table}.${name} + excluded.${name}`)}
    `,
  ),
);

/** Begins a new part after the last check of a full one, unless its hour ends there. */
const openParts = onRows(
  KEY,
  (keys) => sql`
    insert into history_hours (subject, since, ${NAMES})
    select subject, last_at + 1, 0, 0, 0, 0, 0, 0
    from (
      select h.subject, h.since, (
        select max(checked_at) from checks where account_no = h.subject
          and checked_at >= h.since and checked_at < h.since - h.since % ${HOUR_MS} + ${HOUR_MS}
      ) as last_at
      from (select account_no, max(checked_at) as at from ${keys} as done group by account_no) as newest
      join history_hours h on h.subject = newest.account_no and h.since <= newest.at
        and h.since >= newest.at - newest.at % ${HOUR_MS}
      where h.active + h.dead + h.unknown >= ${sql.placeholder("checksOfPart")} and not exists (
        select 1 from history_hours later where later.subject = h.subject
          and later.since > h.since and later.since < h.since - h.since % ${HOUR_MS} + ${HOUR_MS})
    ) as filled
    where (last_at + 1) / ${HOUR_MS} = since / ${HOUR_MS}
    on conflict do nothing
  `,
);

/** Returns the days of an account, group or link that have checks. */
export async function talliesByDay(
  store: Store,
  no: number,
  { from, until }: Span,
): Promise<(Tally & Span)[]> {
  const { subject, day } = historyDays;
  const rows = await store
    .select({ day, ...TALLY })
    .from(historyDays)
    .where(and(eq(subject, no), gte(day, from / DAY_MS), lt(day, until / DAY_MS)));
  return rows.map(({ day: n, ...tally }) => ({
    ...tally,
    from: n * DAY_MS,
    until: (n + 1) * DAY_MS,
  }));
}

/** Returns what each of the spans, which are hours or less, adds up to for an account or a group. */
export const talliesByHour = (store: Store, no: number, spans: Span[]): Promise<(Tally & Span)[]> =>
  selectSpans(
    store,
    spans,
    ({ from, until }) => sql`
      select ${number(from)} as since, ${number(until)} as last, ${SUMS} from history_hours
      where subject = ${no} and since >= ${from} and since < ${until}`,
  );

/** Returns the parts that begin in the hours, newest first. A part ends where the next begins, or with its hour. */
export async function parts(store: Store, no: number, hours: Span[]): Promise<(Tally & Span)[]> {
  const rows = await selectSpans(
    store,
    hours,
    ({ from, until }) => sql`
      select since, ${number(until)} as last, ${NAMES} from history_hours
      where subject = ${no} and since >= ${from} and since < ${until}`,
  );
  rows.sort((a, b) => b.from - a.from);
  return rows.map((part, i) => ({
    ...part,
    until: Math.min(rows[i - 1]?.from ?? part.until, part.until),
  }));
}

export const number = (value: number) => sql`cast(${value} as bigint)`;

/**
 * Reads each span separately, as a short walk through an index. In a join with a list of spans PostgreSQL would walk
 * through all of history, and to group rows by hour takes several times as long as to sum each hour.
 * @param read selects `since`, `last` and the columns of a roll-up
 */
export const selectSpans = async (
  store: Store,
  spans: Span[],
  read: (span: Span) => SQL,
): Promise<(Tally & Span)[]> =>
  spans.length === 0
    ? []
    : store
        .select({
          from: sql`since`.mapWith(Number),
          until: sql`last`.mapWith(Number),
          ...TALLY,
        })
        .from(sql`(${unionOf(spans, read)}) as spans`);

export const unionOf = <S>(spans: S[], read: (span: S) => SQL): SQL =>
  sql.join(spans.map(read), sql` union all `);
