import { type SQL, sql } from "drizzle-orm";
import type { Statement, Store } from "../db/store.ts";
import { checks } from "../db/tables.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** An account's hour goes on in a new part after so many checks, so that a page is never far into one. */
export const CHECKS_OF_PART = 1000;

/**
 * Statements that count checks in the roll-ups of their accounts, groups and links, for the batch that
 * inserts them. `chosen` selects whole rows of checks.
 */
export function addToRollUps(
  store: Store,
  chosen: SQL,
  checksOfPart = CHECKS_OF_PART,
): Statement[] {
  return [
    store.run(sql`
      with told as (${toldBy(chosen)})
      insert into history_hours (subject, since, ${NAMES})
      select subject, since, ${SUMS} from (${byHour}) as counted group by subject, since order by subject, since
      on conflict (subject, since) do update set ${addedTo("history_hours")}
    `),
    openPart(store, chosen, checksOfPart),
    store.run(sql`
      with told as (${toldBy(chosen)})
      insert into history_days (subject, day, ${NAMES})
      select subject, day, ${SUMS} from (${byDay}) as counted group by subject, day order by subject, day
      on conflict (subject, day) do update set ${addedTo("history_days")}
    `),
  ];
}

/** The counterpart, for the batch that deletes them. Runs before the deletion. */
export function takeFromRollUps(store: Store, chosen: SQL): Statement[] {
  return [
    store.run(sql`
      with told as (${toldBy(chosen)})
      update history_hours set ${takenFrom("history_hours")}
      from (select subject, since, ${SUMS} from (${byHour}) as counted group by subject, since) as gone
      where history_hours.subject = gone.subject and history_hours.since = gone.since
    `),
    store.run(sql`
      with told as (${toldBy(chosen)})
      update history_days set ${takenFrom("history_days")}
      from (select subject, day, ${SUMS} from (${byDay}) as counted group by subject, day) as gone
      where history_days.subject = gone.subject and history_days.day = gone.day
    `),
  ];
}

const COLUMNS = ["active", "dead", "unknown", "changes", "answered", "total_ms"];
const NAMES = sql.raw(COLUMNS.join(", "));
const addedTo = (table: string) =>
  sql.raw(COLUMNS.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", "));
const takenFrom = (table: string) =>
  sql.raw(COLUMNS.map((name) => `${name} = ${table}.${name} - gone.${name}`).join(", "));

const SUMS = sql.raw(`
  sum(case when status = 'active' then 1 else 0 end) as active,
  sum(case when status = 'dead' then 1 else 0 end) as dead,
  sum(case when status = 'unknown' then 1 else 0 end) as unknown,
  sum(status_changed) as changes, count(response_time_ms) as answered,
  coalesce(sum(response_time_ms), 0) as total_ms`);

const toldBy = (chosen: SQL) => sql`
  select c.account_no, c.group_no, c.link_no, c.checked_at, c.response_time_ms, k.status, k.status_changed
  from (${chosen}) as c join check_kinds k on k.no = c.kind_no`;

const OF_CHECK = "status, status_changed, response_time_ms";
const HOUR = `checked_at - checked_at % ${HOUR_MS}`;
const DAY = `checked_at / ${DAY_MS}`;

/** An account's check belongs to the part of its hour that began last before it. */
const byHour = sql.raw(`
  select account_no as subject, coalesce(
    (select max(since) from history_hours
     where subject = told.account_no and since <= told.checked_at and since >= ${HOUR}), ${HOUR}) as since, ${OF_CHECK}
  from told
  union all select group_no, ${HOUR}, ${OF_CHECK} from told where group_no is not null`);

const byDay = sql.raw(`
  select account_no as subject, ${DAY} as day, ${OF_CHECK} from told
  union all select group_no, ${DAY}, ${OF_CHECK} from told where group_no is not null
  union all select link_no, ${DAY}, ${OF_CHECK} from told`);

/** Begins a new part after the last check of a full one, unless its hour ends there. */
const openPart = (store: Store, chosen: SQL, checksOfPart: number): Statement =>
  store.run(sql`
    insert into history_hours (subject, since, ${NAMES})
    select subject, last_at + 1, 0, 0, 0, 0, 0, 0
    from (
      select h.subject, h.since, (
        select max(checked_at) from ${checks} where account_no = h.subject
          and checked_at >= h.since and checked_at < h.since - h.since % ${HOUR_MS} + ${HOUR_MS}
      ) as last_at
      from (select account_no, max(checked_at) as at from (${chosen}) as c group by account_no) as newest
      join history_hours h on h.subject = newest.account_no and h.since <= newest.at
        and h.since >= newest.at - newest.at % ${HOUR_MS}
      where h.active + h.dead + h.unknown >= ${checksOfPart} and not exists (
        select 1 from history_hours later where later.subject = h.subject
          and later.since > h.since and later.since < h.since - h.since % ${HOUR_MS} + ${HOUR_MS})
    ) as filled
    where (last_at + 1) / ${HOUR_MS} = since / ${HOUR_MS}
    on conflict do nothing
  `);
