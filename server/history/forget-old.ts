import { lt, sql } from "drizzle-orm";
import type { HistoryPartitions } from "../db/store.ts";
import { accounts } from "../db/tables.ts";
import { describeError, log } from "../lib/log.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { forgettingParts } from "./forget-parts.ts";
import { forgettingRows } from "./forget-rows.ts";
import { makeParts } from "./make-parts.ts";
import { DAY_MS, HOUR_MS } from "./roll-ups.ts";
import { floorTo } from "./span.ts";

/**
 * Deletes the checks that are older than the configured days, in whole hours. They are no longer shown
 * from the first moment on, and then go step by step, until the signal: one by one, or by the month.
 * Roll-ups stay, and the days of a link keep what is left of its hours, for as long again.
 */
export async function forgetOldChecks(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, config, online } = deps;
  // By a clock that is a year ahead, all of it would be old.
  if (online.clockIsOff()) return;
  await bringBack(deps);
  const since = floorTo(HOUR_MS, clock.now() - config.historyDays * DAY_MS);
  await store.update(accounts).set({ historySince: since }).where(lt(accounts.historySince, since));
  const { historyPartitions } = store.engine;
  const { nextAccount, forgetSome } = historyPartitions ? forgettingParts : forgettingRows;
  for (let no = await nextAccount(store, 0); no !== null && !signal?.aborted; ) {
    const old = { no, since, days: config.historyDays };
    await inSteps(clock, (rows) => forgetSome(store, old, rows), { signal });
    no = await nextAccount(store, no);
  }
  if (historyPartitions && !signal?.aborted) await replaceParts(deps, historyPartitions, since);
}

/** Makes those that come, and drops those of which everything is old. */
async function replaceParts(deps: Deps, parts: HistoryPartitions, since: number): Promise<void> {
  // A month that cannot be made now keeps no other from going.
  await makeParts(deps).catch((error) =>
    log.warning("history has no room ahead", describeError(error)),
  );
  const gone = await parts.drop(since);
  if (gone.length > 0) log.info("history that is old has gone", { parts: gone });
}

/**
 * What a clock that was ahead has taken for old is gone; what is there is shown again, in whole hours. The
 * oldest goes first, so that all hours after that of the oldest check are whole.
 */
function bringBack({ store, clock }: Deps) {
  const hour = sql.raw(String(HOUR_MS));
  return store.run(sql`
    update accounts set history_since = coalesce(
      (select min(checked_at) - min(checked_at) % ${hour} + ${hour}
        from checks c where c.account_no = accounts.no and ${sql.raw(store.engine.notWrittenDown)}),
      ${floorTo(HOUR_MS, clock.now()) + HOUR_MS})
    where history_since > ${clock.now() + HOUR_MS}
  `);
}
