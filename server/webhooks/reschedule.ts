import { and, eq, gt, isNotNull, like, lte, or, type SQL, sql } from "drizzle-orm";
import { lockWebhook } from "../db/queries.ts";
import type { Store } from "../db/store.ts";
import { deliveries, webhooks } from "../db/tables.ts";
import { log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import { DELIVERY_LEASE_MS, leasesOf } from "../work/nodes.ts";
import { inDeliverySteps } from "./delivery-steps.ts";
import { MINUTE_MS } from "./digest.ts";
import { archiveLastAttempts, longestWaitMs } from "./settle.ts";

/** Number of attempts up to which an interruption does not count in the retry schedule. */
const MOST_FREE = 20;

/** Condition on deliveries: the lease has expired, or its node is dead. */
export const isLeaseOver = (now: number, dead: string[]): SQL =>
  and(
    isNotNull(deliveries.lease),
    or(lte(deliveries.dueAt, now), ...dead.map((id) => like(deliveries.lease, leasesOf(id)))),
  )!;

/**
 * Makes deliveries due again whose attempts a crash has interrupted. The receiver may have received the message, so the
 * attempt is shown as interrupted and the same message is sent again. It does not count in the retry schedule, since the
 * receiver is not at fault, unless this happens many times.
 */
export async function releaseInterrupted(
  { store, clock, nodes }: Pick<Deps, "store" | "clock" | "nodes">,
  webhookId: string,
): Promise<void> {
  const now = clock.now();
  const isInterrupted = and(eq(deliveries.webhookId, webhookId), isLeaseOver(now, nodes.dead()));
  await store.transaction(async (tx) => {
    // Another process may do the same now.
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

/** Statuses of deliveries that may be due. */
const DUE = ["pending", "failed", "delivering"] as const;

/**
 * Reschedules the deliveries of all nodes after the wall clock was set back: what was due is due, and nothing waits
 * longer than the retry schedule allows. One node does it at a time, in steps.
 */
export async function limitDueTimes(deps: Deps): Promise<void> {
  const { store, clock, config } = deps;
  await store.engine.alone("make deliveries due", async (lost) => {
    log.warning("the clock was set back: open deliveries are rescheduled");
    const now = clock.now();
    await store
      .update(webhooks)
      .set({ digestAt: now })
      .where(gt(webhooks.digestAt, now + MINUTE_MS));
    await store.update(webhooks).set({ batchDigestAt: now }).where(gt(webhooks.batchDigestAt, now));
    const latest = now + longestWaitMs(config);
    for (const { id: webhookId } of await store.select({ id: webhooks.id }).from(webhooks)) {
      for (const status of DUE) {
        await inDeliverySteps(deps, { webhookId, status }, (isInStep) => {
          // Another process may have taken over.
          lost.throwIfAborted();
          return reschedule(store, isInStep, { now, latest });
        });
      }
    }
  });
}

/** First attempts and requested ones are due now, as they were when they were queued. */
async function reschedule(
  store: Store,
  isInStep: SQL,
  { now, latest }: { now: number; latest: number },
) {
  const at = sql`cast(${now} as bigint)`;
  const leaseEnd = sql`cast(${now + DELIVERY_LEASE_MS} as bigint)`;
  const next = sql`case when next_attempt_at > ${latest} then ${at} else next_attempt_at end`;
  await store
    .update(deliveries)
    .set({
      dueAt: sql`case
        when status = 'delivering' then case when due_at > ${leaseEnd} then ${leaseEnd} else due_at end
        when resting is not null or status = 'pending' then ${at}
        else coalesce(${next}, due_at) end`,
      nextAttemptAt: sql`case when status = 'pending' and resting is null then ${at} else ${next} end`,
    })
    // `+ 0` prevents the use of an index.
    .where(and(isInStep, sql`due_at + 0 > ${now}`));
}
