import { and, inArray, lt, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { events } from "../store/tables.ts";

const KEPT_MS = 30 * 86_400_000;
/** Small enough that nobody waits for it. */
const ROWS_AT_ONCE = 1000;

/**
 * Deletes events older than 30 days with their deliveries, but none that an active webhook still waits
 * for. What was held back for a webhook that is off would not be sent any more anyway. Returns how many.
 */
export async function forgetOldEvents(deps: Deps): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const gone = await forgetSome(deps);
    forgotten += gone;
    if (gone < ROWS_AT_ONCE) return forgotten;
  }
}

async function forgetSome({ store, clock }: Deps): Promise<number> {
  const old = store
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        lt(events.createdAt, clock.now() - KEPT_MS),
        sql`not exists (
          select 1 from deliveries d join webhooks w on w.id = d.webhook_id
          where d.event_id = events.id and w.is_active = 1
          and d.status in ('pending', 'failed', 'delivering'))`,
      ),
    )
    .orderBy(events.createdAt, events.id)
    .limit(ROWS_AT_ONCE);
  const gone = await store
    .delete(events)
    .where(inArray(events.id, old))
    .returning({ id: events.id });
  return gone.length;
}
