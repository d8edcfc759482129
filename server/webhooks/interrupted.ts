import { and, eq, isNotNull, like, lte, or, sql } from "drizzle-orm";
import { holdWebhook } from "../db/hold.ts";
import { deliveries } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { leasesOf } from "../work/node-lease.ts";
import { LEASE_MS } from "./lease.ts";
import { keepLastAttempts } from "./settle.ts";

/** Attempts of a delivery up to which an interruption costs none of the schedule. */
const MOST_FREE = 20;

/**
 * Makes due again what a crash left under way. Whether the receiver got it nobody knows, so the attempt is
 * told as interrupted, and the same message is sent once more. The receiver is not at fault, so the schedule
 * does not count it, unless this goes on and on.
 * @param dead nodes that are known to have ended, whose leases need not run out
 */
export async function releaseInterrupted(
  { store, clock }: Deps,
  webhookId: string,
  dead: string[] = [],
): Promise<void> {
  const now = clock.now();
  const isInterrupted = and(
    eq(deliveries.webhookId, webhookId),
    isNotNull(deliveries.lease),
    or(lte(deliveries.dueAt, now), ...dead.map((id) => like(deliveries.lease, leasesOf(id)))),
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
