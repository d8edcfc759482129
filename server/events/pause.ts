import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { Statement, Store } from "../store/store.ts";
import { deliveries } from "../store/tables.ts";

/** News older than this is not worth sending to a receiver that comes back. */
const STALE_MS = 72 * 3_600_000;

/** Holds back what waits for a webhook, if that is switched off when the statement runs. */
export const pauseIfOff = ({ store }: { store: Store }, webhookId: string): Statement =>
  store
    .update(deliveries)
    .set({ status: "paused" })
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        inArray(deliveries.status, ["pending", "failed"]),
        sql`exists (select 1 from webhooks where id = ${webhookId} and is_active = 0)`,
      ),
    );

/** Makes due what was held back for a webhook, and drops what has grown old. */
export function resume({ store }: { store: Store }, webhookId: string, now: number): Statement[] {
  const isPaused = and(eq(deliveries.webhookId, webhookId), eq(deliveries.status, "paused"));
  return [
    store
      .update(deliveries)
      .set({ status: "failed", nextAttemptAt: now })
      .where(and(isPaused, gt(deliveries.createdAt, now - STALE_MS))),
    store.update(deliveries).set({ status: "expired", completedAt: now }).where(isPaused),
  ];
}
