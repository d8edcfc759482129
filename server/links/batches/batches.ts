import { and, asc, eq, inArray, lt } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { type BatchRow, batches } from "../../db/tables.ts";
import { foreign, notFound } from "../../lib/errors.ts";
import { parseId } from "../../lib/ids.ts";
import { inSteps } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";

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
