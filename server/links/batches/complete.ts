import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Statement } from "../../db/store.ts";
import { type BatchRow, batches } from "../../db/tables.ts";
import { newIdAt } from "../../lib/ids.ts";
import { toIso } from "../../lib/moments.ts";
import { type NewEvent, recordEvents } from "../../webhooks/events/events.ts";
import type { Deps } from "../../work/deps.ts";
import { accountsOf } from "../../work/news.ts";

/** Small enough that nobody waits for it; the rest comes with the next time. */
const ROWS_AT_ONCE = 100;

/** Tells of batches whose last check has settled; returns how many. */
export async function completeBatches(deps: Deps): Promise<number> {
  const ended = await deps.store
    .select()
    .from(batches)
    .where(HAS_ENDED)
    .orderBy(asc(batches.id))
    .limit(ROWS_AT_ONCE);
  const completions = ended.map((batch) => completion(deps, batch));
  await deps.store.write([
    ...completions.map(({ update }) => update),
    ...recordEvents(
      deps.store,
      completions.map(({ event }) => event),
    ),
  ]);
  if (ended.length > 0) deps.loops.wake();
  deps.news.counted(accountsOf(ended));
  return ended.length;
}

/** Word for word the condition of an index, by which finding none costs next to nothing. */
const HAS_ENDED = sql`completed_at is null and filled_to is null
  and total = active + dead + unknown + skipped`;

/** The update decides which process tells of it: the event belongs to whoever's id stands in the row. */
function completion(
  { store, clock }: Deps,
  batch: BatchRow,
): { update: Statement; event: NewEvent } {
  const now = clock.now();
  const eventId = newIdAt(now);
  const { accountId } = batch;
  const update = store
    .update(batches)
    .set({ completedAt: now, completedEventId: eventId })
    .where(and(eq(batches.id, batch.id), isNull(batches.completedAt)));
  const onlyIf = { batchEvent: eventId };
  return {
    update,
    event: { type: "batch.complete", accountId, at: now, onlyIf, data: dataOf(batch, now) },
  };
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
