import { sql } from "drizzle-orm";
import { lockLinks } from "../ground/db/queries.ts";
import { onRows } from "../ground/db/store.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import { FREQUENCIES, type Frequency } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { GOLDEN_RATIO } from "../work/due.ts";
import { LEASE_MS } from "../work/nodes.ts";
import { type CheckSchedule, LONGEST_INTERVAL, turnAfter } from "../work/schedule.ts";
import { readSchedules } from "./schedules.ts";

/** Most links in one statement that changes them, and most that one looks at: more would delay other requests. */
const ROWS = 250;
const LOOKED_AT = 20_000;
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
  const { engine } = deps.store;
  const [[last]] = (await engine.runInReadPool({
    sql: "select max(no) from watched_links as links",
    params: [],
  })) as [[number | null]];
  let count = 0;
  for (let after = 0; after < (last ?? 0) && !signal.aborted; after += LOOKED_AT) {
    const deferred = await findDeferred(deps, after, mayBeHeld ? LONGEST_HOLD_MS : 0);
    for (const some of chunksOf(ROWS, deferred)) {
      if (signal.aborted) break;
      count += await reschedule(deps, some);
      await yieldToEventLoop();
    }
  }
  return count;
}

/** Finds links that may be late among those with the next numbers: no index has how long each of them may wait. */
async function findDeferred(
  { store, clock, config }: Deps,
  after: number,
  holdMs: number,
): Promise<Deferred[]> {
  const now = clock.now();
  const isLate = FREQUENCIES.map(() => "(check_frequency = ? and next_check_at > ?)").join(" or ");
  const latest = FREQUENCIES.flatMap((name) => [
    name,
    now + Math.max(config.frequencySeconds[name] * 1000 * LONGEST_INTERVAL, holdMs),
  ]);
  const rows = await store.engine.runInReadPool({
    sql: `
      select no, id, check_frequency, next_check_at, checking_until, lease from watched_links as links
      where no > ? and no <= ? and (checking_until > ? or checking_until is null and (
        ${isLate} or next_check_at > ? and (
          no in (select link_no from link_details where cron is not null)
          or coalesce(group_id, '') in (select id from groups where cron is not null))))
      order by no`,
    // Links are claimed while the statement waits for its turn, and their leases end later than those of this moment.
    params: [after, after + LOOKED_AT, now + 2 * LEASE_MS, ...latest, now + holdMs],
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

/** Returns how many of the links were due too late. */
async function reschedule(deps: Deps, deferred: Deferred[]): Promise<number> {
  const { store, clock } = deps;
  const now = clock.now();
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
  return late.length;
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
