import { and, eq, isNull, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { recordEvents } from "../events/events.ts";
import { newId } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import type { Statement } from "../store/store.ts";
import { batches } from "../store/tables.ts";

type BatchRow = typeof batches.$inferSelect;

/** Tells of every batch whose last first check has settled; returns how many. */
export async function completeBatches(deps: Deps): Promise<number> {
  const { active, dead, unknown, skipped, total, completedAt } = batches;
  const complete = await deps.store
    .select()
    .from(batches)
    .where(and(isNull(completedAt), sql`${active} + ${dead} + ${unknown} + ${skipped} = ${total}`));
  await deps.store.write(complete.flatMap((batch) => completion(deps, batch)));
  return complete.length;
}

/** The update decides which process tells of it: the event belongs to whoever's id stands in the row. */
function completion({ store, clock }: Deps, batch: BatchRow): Statement[] {
  const now = clock.now();
  const eventId = newId();
  const { id: batchId, accountId, total, active, dead, unknown, skipped } = batch;
  const data = {
    batchId,
    total,
    checked: active + dead + unknown,
    active,
    dead,
    unknown,
    skipped,
    startedAt: toIso(batch.startedAt),
    completedAt: toIso(now),
  };
  return [
    store
      .update(batches)
      .set({ completedAt: now, completedEventId: eventId })
      .where(and(eq(batches.id, batchId), isNull(batches.completedAt))),
    ...recordEvents(store, [
      { type: "batch.complete", accountId, at: now, onlyIf: { batchEvent: eventId }, data },
    ]),
  ];
}
