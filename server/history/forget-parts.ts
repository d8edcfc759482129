import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { Statement, Store } from "../db/store.ts";
import { checks } from "../db/tables.ts";
import { dropHours, type Forgetting, writeDown } from "./hours-left.ts";

/**
 * Where checks go by the month: here they are written down only, in steps that each note in `written_down`
 * how far they came. Those that no month holds go with their step.
 */
export const forgettingParts: Forgetting = { nextAccount, forgetSome };

/** Asked for its first row only, so that no plan reads all checks. */
async function nextAccount(store: Store, after: number): Promise<number | null> {
  const [row] = await store.engine.run({
    sql: `select a.no from accounts a left join written_down w on w.account_no = a.no
      where a.no > ? and (
        select 1 from checks c
        where c.account_no = a.no and c.checked_at < a.history_since
          and c.checked_at >= coalesce(w.checked_at, 0)
          and (c.checked_at, c.link_no) > (coalesce(w.checked_at, 0), coalesce(w.link_no, 0))
        limit 1) = 1
      order by a.no limit 1`,
    params: [after],
  });
  return row ? Number(row[0]) : null;
}

type Place = { at: number; linkNo: number };

async function forgetSome(
  store: Store,
  { no, since, days }: { no: number; since: number; days: number },
  rows: number,
): Promise<number> {
  const from = await placeOf(store, no);
  const oldest = await store
    .select({ at: checks.checkedAt, linkNo: checks.linkNo })
    .from(checks)
    .where(and(eq(checks.accountNo, no), isAfter(from), lt(checks.checkedAt, since)))
    .orderBy(checks.checkedAt, checks.linkNo)
    .limit(rows);
  const to = oldest.at(-1);
  if (!to) return 0;
  await store.write(step(store, { no, from, to, days }));
  return oldest.length;
}

/** How far the account's checks are written down. */
async function placeOf(store: Store, no: number): Promise<Place> {
  const [row] = await store.engine.run({
    sql: "select checked_at, link_no from written_down where account_no = ?",
    params: [no],
  });
  return { at: Number(row?.[0] ?? 0), linkNo: Number(row?.[1] ?? 0) };
}

/**
 * All that is between two places, once: whoever else has gone on from the first of them leaves nothing to be
 * chosen here.
 */
function step(
  store: Store,
  { no, from, to, days }: { no: number; from: Place; to: Place; days: number },
): Statement[] {
  const isHere = sql`account_no = ${no} and checked_at = ${from.at} and link_no = ${from.linkNo}`;
  const isChosen = sql`account_no = ${no} and ${isAfter(from)}
    and checked_at <= ${to.at} and (checked_at, link_no) <= (${to.at}, ${to.linkNo})
    and exists (select 1 from written_down where ${isHere})`;
  const chosen = sql`select * from checks where ${isChosen}`;
  return [
    store.run(sql`
      insert into written_down (account_no, checked_at, link_no)
      select no, 0, 0 from accounts where no = ${no} on conflict do nothing`),
    store.run(sql`select account_no from written_down where account_no = ${no} for update`),
    writeDown(store, chosen),
    dropHours(store, chosen, days),
    store.run(sql`delete from checks where ${isChosen} and ${IS_LOOSE}`),
    store.run(
      sql`update written_down set checked_at = ${to.at}, link_no = ${to.linkNo} where ${isHere}`,
    ),
  ];
}

/** The moment alone leads to the parts that have it. */
const isAfter = ({ at, linkNo }: Place): SQL =>
  sql`checked_at >= ${at} and (checked_at, link_no) > (${at}, ${linkNo})`;

const IS_LOOSE = sql.raw("tableoid = cast('checks_rest' as regclass)");
