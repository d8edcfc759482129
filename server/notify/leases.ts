import { and, eq, gt, isNotNull, lte, or, type SQL, sql } from "drizzle-orm";
import { lockWebhook } from "../ground/db/queries.ts";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { deliveries, webhooks } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { DELIVERY_LEASE_MS } from "../work/nodes.ts";
import { areOfDead } from "../work/queue.ts";
import { type ClaimedDelivery, HELD, heldRows, inDeliverySteps } from "./delivery-steps.ts";
import { longestGatheringMs } from "./digest.ts";
import { archiveLastAttempts, longestWaitMs } from "./settle.ts";
import { nextSummaryAt, readSchedule } from "./summary-schedule.ts";

/** Releases claimed deliveries that were not sent, as if they had not been claimed. */
export async function releaseDeliveries(
  { store, clock }: Pick<Deps, "store" | "clock">,
  unsent: ClaimedDelivery[],
): Promise<void> {
  if (unsent.length === 0) return;
  const now = clock.now();
  await store.run(sql`
    update deliveries set lease = null, attempts = attempts - 1,
      unplanned_attempts = unplanned_attempts - case when resting is null then 0 else 1 end,
      status = case when resting is null and attempts > 1 then 'failed' else 'pending' end,
      due_at = case when resting is null and next_attempt_at < ${now} then next_attempt_at else ${now} end
    from ${rowsOf(store, HELD, heldRows(unsent))} as held
    where deliveries.webhook_id = of_webhook and deliveries.event_id = of_event
      and deliveries.lease = old_lease
  `);
}

/** Number of attempts up to which an interruption does not count in the retry schedule. */
const MOST_FREE = 20;

/** Condition on deliveries: the lease has expired, or its node is dead. */
export const isLeaseOver = (deps: Pick<Deps, "clock" | "nodes">): SQL =>
  and(
    isNotNull(deliveries.lease),
    or(lte(deliveries.dueAt, deps.clock.now()), areOfDead(deliveries, deps)),
  )!;

/**
 * Makes deliveries due again whose attempts a crash has interrupted. The receiver may have received the message, so the
 * attempt is shown as interrupted and the same message is sent again. It does not count in the retry schedule, since the
 * receiver is not at fault, unless this happens many times.
 */
export async function releaseInterrupted(
  deps: Pick<Deps, "store" | "clock" | "nodes">,
  webhookId: string,
): Promise<void> {
  const { store, clock } = deps;
  const now = clock.now();
  const isInterrupted = and(eq(deliveries.webhookId, webhookId), isLeaseOver(deps));
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

/** Clocks of several processes may differ by so much. */
const TOLERATED_MS = 60_000;
const DAY_MS = 86_400_000;
/** Statuses of deliveries that may be due. */
const DUE = ["pending", "failed", "delivering"] as const;

/**
 * Makes deliveries due that would wait longer than they may: first attempts and requested ones not at all, others for
 * the longest wait of the retry schedule, and claimed ones until their leases end. Digests and summaries come in their
 * time.
 * @returns how many webhooks had any
 */
export async function limitWaits(deps: Deps, signal: AbortSignal): Promise<number> {
  const { store, clock, config } = deps;
  const now = clock.now();
  const latest = now + longestWaitMs(config);
  const { digestAt, batchDigestAt, format } = webhooks;
  await store
    .update(webhooks)
    .set({ digestAt: now })
    .where(sql`${digestAt} > ${now + TOLERATED_MS} + ${longestGatheringMs(format)}`);
  await store
    .update(webhooks)
    .set({ batchDigestAt: now })
    .where(gt(batchDigestAt, now + TOLERATED_MS));
  await limitSummaries(store, now);
  const isLate = sql`(due_at > ${now + TOLERATED_MS} + case
      when status = 'delivering' then ${DELIVERY_LEASE_MS}
      when resting is not null or status = 'pending' then 0
      else ${latest - now} end
    or next_attempt_at > ${latest + TOLERATED_MS})`;
  const late = await store.readPool
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(sql`exists (select 1 from deliveries d
      where d.webhook_id = webhooks.id and d.due_at > ${now} and ${isLate})`);
  for (const { id: webhookId } of late) {
    for (const status of DUE) {
      const change = (isInStep: SQL) => makeDue(store, and(isInStep, isLate), { now, latest });
      await inDeliverySteps(deps, { webhookId, status }, change, signal);
    }
  }
  return late.length;
}

async function limitSummaries(store: Store, now: number): Promise<void> {
  const { id, summary, summaryAt } = webhooks;
  const waiting = await store
    .select({ id, summary, summaryAt })
    .from(webhooks)
    .where(and(gt(summaryAt, now + DAY_MS), isNotNull(summary)));
  for (const webhook of waiting) {
    const next = nextSummaryAt(readSchedule(webhook.summary!), now);
    if (webhook.summaryAt! <= next) continue;
    await store
      .update(webhooks)
      .set({ summaryAt: next })
      .where(and(eq(id, webhook.id), eq(summaryAt, webhook.summaryAt!)));
  }
}

/** The schedule of a requested attempt stays, if it is not too far away. */
async function makeDue(
  store: Store,
  which: SQL | undefined,
  { now, latest }: { now: number; latest: number },
) {
  const at = sql`cast(${now} as bigint)`;
  await store
    .update(deliveries)
    .set({
      dueAt: sql`case when status = 'delivering' then cast(${now + DELIVERY_LEASE_MS} as bigint) else ${at} end`,
      nextAttemptAt: sql`case when next_attempt_at > ${latest} or (status = 'pending' and resting is null)
        then ${at} else next_attempt_at end`,
    })
    .where(which);
}
