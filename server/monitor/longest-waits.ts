import { sql } from "drizzle-orm";
import { lockLinks } from "../db/queries.ts";
import { onRows } from "../db/store.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { FREQUENCIES, type Frequency } from "../lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { GOLDEN_RATIO } from "../work/due.ts";
import { LEASE_MS } from "../work/nodes.ts";
import { type CheckSchedule, LONGEST_INTERVAL, turnAfter } from "../work/schedule.ts";
import { readSchedules } from "./schedules.ts";

/** Links that are looked at, and changed, at once. */
const ROWS = 250;
/** A site may ask for up to a day without checks, whatever the frequency of its links. */
const LONGEST_HOLD_MS = 25 * 3_600_000;

type Deferred = {
  no: number;
  id: string;
  frequency: Frequency;
  dueAt: number;
  isChecking: boolean;
  isHeld: boolean;
};

/**
 * Makes links due that would wait longer than their frequency or schedule allows, spread over their period. Leases end
 * within the length of a lease; a requested check is due now.
 * @param mayBeHeld whether a long wait may be what a site has asked for, and not due to a wrong clock
 * @returns how many links that were
 */
export async function limitWaits(
  deps: Deps,
  signal: AbortSignal,
  mayBeHeld: boolean,
): Promise<number> {
  const { store, clock } = deps;
  let count = 0;
  for (let after = 0; !signal.aborted; await yieldToEventLoop()) {
    const now = clock.now();
    const deferred = await findDeferred(deps, {
      after,
      now,
      holdMs: mayBeHeld ? LONGEST_HOLD_MS : 0,
    });
    if (deferred.length === 0) break;
    after = deferred.at(-1)!.no;
    const nos = deferred.map(({ no }) => no);
    const schedules = await readSchedules(store, nos);
    const late = deferred.flatMap((link) => {
      const latest = latestFor(deps, link, schedules.get(link.no), now);
      return latest < link.dueAt ? [[link.no, link.dueAt, latest]] : [];
    });
    await store.transaction(async (tx) => {
      await lockLinks(tx, nos);
      await makeDue(tx, late, { now, leaseEnd: now + LEASE_MS });
    });
    count += late.length;
  }
  return count;
}

/** Finds links that may be late, in the order of their numbers: no index has what each of them may wait. */
async function findDeferred(
  { store, config }: Deps,
  { after, now, holdMs }: { after: number; now: number; holdMs: number },
): Promise<Deferred[]> {
  const isLate = FREQUENCIES.map(() => "(check_frequency = ? and next_check_at > ?)").join(" or ");
  const latest = FREQUENCIES.flatMap((name) => [
    name,
    now + Math.max(config.frequencySeconds[name] * 1000 * LONGEST_INTERVAL, holdMs),
  ]);
  const rows = await store.engine.runInReadPool({
    sql: `
      select no, id, check_frequency, next_check_at, checking_until, lease from links
      where no > ? and (checking_until > ? or checking_until is null and (
        ${isLate} or next_check_at > ? and (
          no in (select link_no from link_settings where cron is not null)
          or coalesce(group_id, '') in (select id from groups where cron is not null))))
      order by no limit ${ROWS}`,
    // Links are claimed while the statement waits for its turn, and their leases end later than those of this moment.
    params: [after, now + 2 * LEASE_MS, ...latest, now + holdMs],
  });
  return (rows as [number, string, Frequency, number, number | null, string | null][]).map(
    ([no, id, frequency, dueAt, checkingUntil, lease]) => ({
      no,
      id,
      frequency,
      dueAt,
      isChecking: checkingUntil !== null,
      isHeld: lease !== null,
    }),
  );
}

function latestFor(
  { config }: Deps,
  { no, id: linkId, frequency, dueAt, isChecking, isHeld }: Deferred,
  schedule: CheckSchedule | undefined,
  now: number,
): number {
  if (isChecking) return isHeld ? now + LEASE_MS : now;
  if (schedule) return turnAfter(schedule, { linkId, from: now }) ?? dueAt;
  const place = 0.1 + 0.9 * ((no * GOLDEN_RATIO) % 1);
  return Math.round(now + config.frequencySeconds[frequency] * 1000 * place);
}

const NOW = sql.placeholder("now");

/** A series of failures that began in the future would never end, so it begins again. */
const makeDue = onRows(
  { link: "bigint", was_due_at: "bigint", latest: "bigint" },
  (rows) => sql`
    update links set next_check_at = latest,
      checking_until = case when checking_until is null then null else ${sql.placeholder("leaseEnd")} end,
      unconfirmed_since = case when unconfirmed_since > ${NOW} then null else unconfirmed_since end,
      failing_since = case when failing_since > ${NOW} then null else failing_since end
    from ${rows} as late
    where links.no = link and next_check_at = was_due_at
  `,
);
