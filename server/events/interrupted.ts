import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { holdWebhook } from "../store/hold.ts";
import { deliveries } from "../store/tables.ts";
import { LEASE_MS } from "./lease.ts";
import { keepLastAttempts } from "./settle.ts";

/** Attempts of a delivery up to which an interruption costs none of the schedule. */
const MOST_FREE = 20;

/**
 * Makes due again what a crash left under way. Whether the receiver got it nobody knows, so the attempt is
 * told as interrupted, and the same message is sent once more. The receiver is not at fault, so the schedule
 * does not count it, unless this goes on and on.
 */
export async function releaseInterrupted({ store, clock }: Deps, webhookId: string): Promise<void> {
  const now = clock.now();
  const isInterrupted = and(
    eq(deliveries.webhookId, webhookId),
    isNotNull(deliveries.lease),
    lte(deliveries.dueAt, now),
  )!;
  await store.write([
    // Another process may be about to do the same.
    holdWebhook(store, webhookId),
    keepLastAttempts(
      store,
      sql`${deliveries} where ${and(isInterrupted, isNotNull(deliveries.lastStartedAt))}`,
    ),
    store
      .update(deliveries)
      .set({
        status: "pending",
        lease: null,
        dueAt: now,
        unplannedAttempts: sql`${deliveries.unplannedAttempts}
          + case when ${deliveries.resting} is null and ${deliveries.attempts} <= ${MOST_FREE} then 1 else 0 end`,
        lastTrigger: sql`case when ${deliveries.resting} is null then 'scheduled' else 'manual' end`,
        lastStartedAt: sql`${deliveries.dueAt} - ${LEASE_MS}`,
        lastDurationMs: null,
        lastStatusCode: 0,
        lastError: "interrupted",
        lastContentType: null,
        lastBody: null,
        lastTruncated: false,
      })
      .where(isInterrupted),
  ]);
}
