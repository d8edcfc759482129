import { sql } from "drizzle-orm";
import type { Store } from "../../db/store.ts";
import { inSteps } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import { HAS_ROOM } from "../members.ts";

const LIFE_MS = 48 * 3_600_000;

/**
 * Ends batches that began 48 hours ago, step by step, until the signal: what was not judged by then counts
 * as unknown, since a site that never lets itself be judged would keep them open for ever. Their links are
 * not searched for, and go from them with their next settled checks. What is still being filled is filled first.
 */
export async function endOverdueBatches(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, online } = deps;
  // By a clock that is ahead, all of them would be overdue.
  if (online.clockIsOff()) return;
  const isOverdue = sql`completed_at is null and filled_to is null
    and started_at <= ${clock.now() - LIFE_MS} and ${HAS_ROOM}`;
  await inSteps(clock, (rows) => endSome(store, isOverdue, rows), { signal });
}

/**
 * Waits for nobody, since results being written hold several batches in an order of their own: what is held
 * comes with the next time.
 */
async function endSome(
  store: Store,
  isOverdue: ReturnType<typeof sql>,
  rows: number,
): Promise<number> {
  const ended: unknown[] = await store.all(sql`
    with overdue as materialized (
      select id from batches where ${isOverdue}
      order by started_at, id limit ${rows} ${sql.raw(store.engine.skipLocked)}
    )
    update batches set unknown = total - active - dead - skipped
    where id in (select id from overdue) and ${isOverdue}
    returning id
  `);
  return ended.length;
}
