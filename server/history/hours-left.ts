import { type SQL, sql } from "drizzle-orm";
import type { Statement, Store } from "../db/store.ts";
import { LEFT_OF_CHECK } from "./link-hours.ts";
import { DAY_MS } from "./roll-ups.ts";

/** How old checks become what is left of them. */
export type Forgetting = {
  /** The first account after that number which has checks of before its history begins, by its number. */
  nextAccount(store: Store, after: number): Promise<number | null>;
  /** @returns how many there were, at most `rows` */
  forgetSome(
    store: Store,
    of: { no: number; since: number; days: number },
    rows: number,
  ): Promise<number>;
};

/** Adds what is left of the checks to the days of their links. `chosen` selects whole rows of checks. */
export const writeDown = (store: Store, chosen: SQL): Statement =>
  store.run(sql`
    update history_days set hours = coalesce(hours, '') || gone.hours_left
    from (
      select c.link_no, c.checked_at / ${sql.raw(String(DAY_MS))} as day_no,
        string_agg(${LEFT_OF_CHECK}, '') as hours_left
      from (${chosen}) as c join check_kinds k on k.no = c.kind_no
      group by c.link_no, day_no
    ) as gone
    where subject = gone.link_no and day = gone.day_no
  `);

/** What was left of the hours of the same links so many days before, or it would gather for ever. */
export const dropHours = (store: Store, chosen: SQL, days: number): Statement =>
  store.run(sql`
    update history_days set hours = null
    from (
      select distinct c.link_no, c.checked_at / ${sql.raw(String(DAY_MS))} - ${sql.raw(String(days))} as day_no
      from (${chosen}) as c
    ) as older
    where subject = older.link_no and day = older.day_no
  `);
