import { and, eq, isNotNull, like, lte, or, type SQL, sql } from "drizzle-orm";
import { lockWebhook } from "../db/lock.ts";
import { deliveries } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { DELIVERY_LEASE_MS, leasesOf } from "../work/lease.ts";
import { archiveLastAttempts } from "./settle.ts";

/** Attempts of a delivery up to which an interruption does not count in the retry schedule. */
const MOST_FREE = 20;

/** Condition on deliveries: the lease has expired, or its node is dead. */
export const isLeaseOver = (now: number, dead: string[]): SQL =>
  and(
    isNotNull(deliveries.lease),
    or(lte(deliveries.dueAt, now), ...dead.map((id) => like(deliveries.lease, leasesOf(id)))),
  )!;

/**
 * Makes deliveries due again whose attempts a crash has interrupted. The receiver may have got the message, so the
 * attempt is shown as interrupted and the same message is sent again. It does not count in the schedule, since the
 * receiver is not at fault, unless this happens again and again.
 */
export async function releaseInterrupted(
  { store, clock, nodes }: Pick<Deps, "store" | "clock" | "nodes">,
  webhookId: string,
): Promise<void> {
  const now = clock.now();
  const isInterrupted = and(eq(deliveries.webhookId, webhookId), isLeaseOver(now, nodes.dead()));
  await store.transaction(async (tx) => {
    // Another process may be about to do the same.
    await lockWebhook(tx, webhookId);
    const attempted = and(isInterrupted, isNotNull(deliveries.lastStartedAt));
    await archiveLastAttempts(tx, sql`${deliveries} where ${attempted}`);
    await tx
      .update(deliveries)
      .set({
        status: "pending",
        lease: null,
        dueAt: now,
        unplannedAttempts: sql`${deliveries.unplannedAttempts}
          + case when ${deliveries.resting} is null and ${deliveries.attempts} <= ${MOST_FREE} then 1 else 0 end`,
        lastTrigger: sql`case when ${deliveries.resting} is null then 'scheduled' else 'manual' end`,
        lastStartedAt: sql`${deliveries.dueAt} - ${DELIVERY_LEASE_MS}`,
        lastDurationMs: null,
        lastStatusCode: 0,
        lastError: "interrupted",
        lastContentType: null,
        lastBody: null,
        lastTruncated: false,
      })
      .where(isInterrupted);
  });
}
