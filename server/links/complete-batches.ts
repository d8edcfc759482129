import { and, asc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { type BatchRow, batches } from "../ground/db/tables.ts";
import { foreign, notFound } from "../ground/lib/errors.ts";
import { parseId } from "../ground/lib/ids.ts";
import { toIso } from "../ground/lib/moments.ts";
import { inSteps } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import { publishEvents } from "../notify/events.ts";
import type { Deps } from "../work/deps.ts";
import { accountIdsOf } from "../work/topics.ts";
import { fillBatches, HAS_ROOM } from "./fill-batches.ts";

/** Most batches completed at once; the rest follows with the next call. */
const ROWS_AT_ONCE = 100;

/** Fills batches until the signal, and completes those whose last check has settled. */
export async function tendBatches(
  deps: Deps,
  signal?: AbortSignal,
  onFilling?: (startedAt: number) => void,
): Promise<void> {
  await fillBatches(deps, signal, onFilling);
  await completeBatches(deps);
}

/** Completes batches whose last check has settled, and publishes their events. Returns how many. */
export async function completeBatches(deps: Deps): Promise<number> {
  const { store } = deps;
  const ended = await store
    .select()
    .from(batches)
    .where(HAS_ENDED)
    .orderBy(asc(batches.id))
    .limit(ROWS_AT_ONCE);
  if (ended.length === 0) return 0;
  const now = deps.clock.now();
  await store.transaction((tx) => complete(tx, ended, now));
  deps.loops.wake();
  deps.topics.counted(accountIdsOf(ended));
  return ended.length;
}

/** Exactly the condition of an index, which makes it cheap to find none. */
const HAS_ENDED = sql`completed_at is null and filled_to is null
  and total = active + dead + unknown + skipped`;

/** Of several processes the one whose update changes the row publishes the event. */
async function complete(tx: Store, ended: BatchRow[], now: number): Promise<void> {
  const completed: BatchRow[] = [];
  for (const batch of ended) {
    const rows = await tx
      .update(batches)
      .set({ completedAt: now })
      .where(and(eq(batches.id, batch.id), isNull(batches.completedAt)))
      .returning({ id: batches.id });
    if (rows.length > 0) completed.push(batch);
  }
  await publishEvents(
    tx,
    completed.map((batch) => ({
      type: "batch.complete",
      accountId: batch.accountId,
      at: now,
      data: dataOf(batch, now),
    })),
  );
}

function dataOf(batch: BatchRow, completedAt: number) {
  const { id: batchId, total, active, dead, unknown, skipped, startedAt } = batch;
  return {
    batchId,
    total,
    checked: active + dead + unknown,
    active,
    dead,
    unknown,
    skipped,
    startedAt: toIso(startedAt),
    completedAt: toIso(completedAt),
  };
}

const LIFE_MS = 48 * 3_600_000;

/**
 * Ends batches that started 48 hours ago, step by step until the signal: what is not judged by then counts as unknown,
 * since a site that never gives a verdict would keep them open forever. Their links leave them with their next settled
 * checks. A batch that is still being filled is filled first.
 */
export async function endOverdueBatches(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, online } = deps;
  // By a clock that is ahead, all of them would be overdue.
  if (online.clockIsOff()) return;
  const isOverdue = sql`completed_at is null and filled_to is null
    and started_at <= ${clock.now() - LIFE_MS} and ${HAS_ROOM}`;
  await inSteps(clock, (rows) => endSome(store, isOverdue, rows), { signal });
}

/** Skips locked batches, since transactions that record results lock several in their own order. */
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

const KEPT_MS = 30 * 86_400_000;

/** @throws NOT_FOUND, or FORBIDDEN for a batch of another account */
export async function findBatch({ store }: Deps, caller: Caller, id: string): Promise<BatchRow> {
  const [batch] = await store
    .select()
    .from(batches)
    .where(eq(batches.id, parseId(id) ?? ""));
  if (!batch) throw notFound("batch");
  if (batch.accountId !== caller.accountId) throw foreign("batch");
  return batch;
}

/** Forgets batches that were complete 30 days ago, step by step, until the signal. */
export async function forgetOldBatches(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, online } = deps;
  // By a clock that is a month ahead, all of them would be old.
  if (online.clockIsOff()) return;
  const isOld = lt(batches.completedAt, clock.now() - KEPT_MS);
  await inSteps(
    clock,
    async (rows) => {
      const some = store
        .select({ id: batches.id })
        .from(batches)
        .where(isOld)
        .orderBy(asc(batches.completedAt), asc(batches.id))
        .limit(rows);
      const gone = await store
        .delete(batches)
        .where(and(inArray(batches.id, some), isOld))
        .returning({ id: batches.id });
      return gone.length;
    },
    { signal },
  );
}
