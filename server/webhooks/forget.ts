import { and, inArray, lt, sql } from "drizzle-orm";
import { events } from "../db/tables.ts";
import { inSteps, type StepLimits } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";

const KEPT_MS = 30 * 86_400_000;

/**
 * Deletes events older than 30 days with their deliveries, but none that an active webhook still waits
 * for. What was held back for a webhook that is off would not be sent any more anyway. Returns how many.
 */
export async function forgetOldEvents(deps: Deps, patience: StepLimits = {}): Promise<number> {
  // By a clock that is a year ahead, all of it would be old.
  if (deps.online.clockIsOff()) return 0;
  const { rows } = await inSteps(deps.clock, (most) => forgetSome(deps, most), patience);
  return rows;
}

async function forgetSome({ store, clock }: Deps, most: number): Promise<number> {
  const old = store
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        lt(events.createdAt, clock.now() - KEPT_MS),
        sql`not exists (
          select 1 from deliveries d join webhooks w on w.id = d.webhook_id
          where d.event_id = events.id and w.is_active = 1 and d.due_at is not null)`,
      ),
    )
    .orderBy(events.createdAt, events.id)
    .limit(most);
  const gone = await store
    .delete(events)
    .where(inArray(events.id, old))
    .returning({ id: events.id });
  return gone.length;
}
