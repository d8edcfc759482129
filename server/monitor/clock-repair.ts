import { sql } from "drizzle-orm";
import { lockLinks } from "../db/queries.ts";
import { numbersOf, onRows } from "../db/store.ts";
import { watchClock } from "../lib/clock.ts";
import { log, logFailure } from "../lib/log.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { FREQUENCIES } from "../lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { LEASE_MS } from "../work/nodes.ts";
import { LONGEST_INTERVAL, turnAfter } from "../work/schedule.ts";
import { readSchedules } from "./schedules.ts";

/** Most links changed by one statement, and found by one. */
const ROWS = 250;
const ROWS_FOUND = 20 * ROWS;
/** A site may ask for up to a day without checks, whatever the frequency of its links. */
const LONGEST_HOLD_MS = 25 * 3_600_000;
/** Spreads links by their numbers over their period: a large odd number, multiplied. */
const SPREAD = 2_654_435_761;

type ClockRepair = {
  /** Notices whether the clock was set since the last look, and repairs what that causes. */
  look(): void;
  /** Resolves when the repairs have ended. */
  done(): Promise<void>;
};

/**
 * Repairs what was written by a wrong clock, in this process or before it started, while checks go on.
 * @param catchUp spreads what has become due at once
 */
export function createClockRepair(
  deps: Deps,
  signal: AbortSignal,
  catchUp: () => void,
): ClockRepair {
  const jumpMs = watchClock(deps.clock);
  // What a site asked for before the start is not due to a wrong clock.
  let repairs = repair(LONGEST_HOLD_MS);

  async function repair(holdMs: number) {
    const work = (lost: AbortSignal) => limitWaits(deps, holdMs, AbortSignal.any([lost, signal]));
    const count = await deps.store.engine
      .alone("limit waits of links", work)
      .catch(logFailure("failed to reschedule links after the clock was wrong"));
    if (count) log.warn("links rescheduled: they were due too far in the future", { count });
  }

  return {
    look() {
      const ms = jumpMs();
      if (ms === 0) return;
      const seconds = Math.round(Math.abs(ms) / 1000);
      if (ms > 0) {
        log.warn("the clock was set forward: due links are spread", { seconds });
        catchUp();
        return;
      }
      log.warn("the clock was set back: links that would wait too long are rescheduled", {
        seconds,
      });
      repairs = repairs.then(() => repair(0));
    },
    done: () => repairs,
  };
}

/**
 * Reschedules links that are due later than their frequency allows, or than `holdMs` if that is longer, spread over
 * their period. Leases end within the length of a lease; a requested check is due now. Returns how many links that were.
 */
async function limitWaits(deps: Deps, holdMs: number, signal: AbortSignal): Promise<number> {
  let count = await limitScheduled(deps, holdMs, signal);
  while (!signal.aborted) {
    const late = await findLate(deps, holdMs);
    if (late.length === 0) break;
    for (const some of chunksOf(ROWS, late)) {
      await reschedule(deps, some);
      await yieldToEventLoop();
    }
    count += late.length;
  }
  return count;
}

/** The same for links with schedules: none waits longer than until the next turn. */
async function limitScheduled(deps: Deps, holdMs: number, signal: AbortSignal): Promise<number> {
  const { store, clock } = deps;
  let count = 0;
  for (let after = 0; !signal.aborted; ) {
    const now = clock.now();
    const found = await store.engine.runInReadPool({
      sql: `select no, id, next_check_at from links
        where no > ? and checking_until is null and next_check_at > ? and ${IS_SCHEDULED}
        order by no limit ${ROWS}`,
      params: [after, now + holdMs],
    });
    const rows = found as [no: number, id: string, dueAt: number][];
    if (rows.length === 0) break;
    after = rows.at(-1)![0];
    const schedules = await readSchedules(
      store,
      rows.map(([no]) => no),
    );
    const late = rows.flatMap(([no, linkId, dueAt]) => {
      const schedule = schedules.get(no);
      const turn = schedule ? turnAfter(schedule, { linkId, from: now }) : null;
      return turn !== null && dueAt > turn ? [[no, dueAt, turn]] : [];
    });
    await moveToTurn(store, late);
    count += late.length;
    await yieldToEventLoop();
  }
  return count;
}

const IS_SCHEDULED = `(no in (select link_no from link_details where cron is not null)
  or coalesce(group_id, '') in (select id from groups where cron is not null))`;

const moveToTurn = onRows(
  { link: "bigint", was_due_at: "bigint", turn: "bigint" },
  (rows) => sql`
    update links set next_check_at = turn,
      unconfirmed_since = case when unconfirmed_since > turn then null else unconfirmed_since end,
      failing_since = case when failing_since > turn then null else failing_since end
    from ${rows} as late
    where links.no = link and next_check_at = was_due_at and checking_until is null
  `,
);

async function findLate({ store, clock, config }: Deps, holdMs: number): Promise<number[]> {
  const now = clock.now();
  const longest = FREQUENCIES.map((name) =>
    Math.max(config.frequencySeconds[name] * 1000 * LONGEST_INTERVAL, holdMs),
  );
  // The plus makes SQLite use the index by time once, and "union all" keeps it from reading all links in order.
  const isLate = FREQUENCIES.map(() => "(check_frequency = ? and +next_check_at > ?)").join(" or ");
  const rows = await store.engine.runInReadPool({
    sql: `
      select no from links where next_check_at > ? and checking_until is null and (${isLate}) and not ${IS_SCHEDULED}
      union all select no from links where checking_until > ?
      limit ${ROWS_FOUND}`,
    params: [
      now + Math.min(...longest),
      ...FREQUENCIES.flatMap((name, i) => [name, now + longest[i]!]),
      // Links are claimed while the statement waits for its turn, and their leases end later than those of this moment.
      now + 2 * LEASE_MS,
    ],
  });
  return rows.map(([no]) => no as number);
}

/** A series of failures that began in the future would never end, so it begins again. */
async function reschedule({ store, clock, config }: Deps, late: number[]): Promise<void> {
  const now = clock.now();
  const end = now + LEASE_MS;
  const period = sql.raw(
    `case check_frequency ${FREQUENCIES.map((name) => `when '${name}' then ${config.frequencySeconds[name] * 1000}`).join(" ")} end`,
  );
  await store.transaction(async (tx) => {
    await lockLinks(tx, late);
    await tx.run(sql`
      update links set
        next_check_at = case
          when checking_until is null
            then ${now} + (${period}) / 10 + (no * ${sql.raw(String(SPREAD))}) % ((${period}) * 9 / 10)
          when lease is null then cast(${now} as bigint) else cast(${end} as bigint) end,
        checking_until = case when checking_until is null then null else cast(${end} as bigint) end,
        unconfirmed_since = case when unconfirmed_since > ${now} then null else unconfirmed_since end,
        failing_since = case when failing_since > ${now} then null else failing_since end
      where no in (select no from ${numbersOf(tx, late)} as late)
        and next_check_at > ${end} and (checking_until is null or checking_until > ${end})
    `);
  });
}
