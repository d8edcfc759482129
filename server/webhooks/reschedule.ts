import { and, asc, eq, gt, gte, isNotNull, like, lte, or, type SQL, sql } from "drizzle-orm";
import { lockWebhook } from "../db/queries.ts";
import { rowsOf, type Store } from "../db/store.ts";
import { deliveries, webhooks } from "../db/tables.ts";
import { log } from "../lib/log.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { DELIVERY_LEASE_MS, leasesOf } from "../work/lease.ts";
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

/**
 * Reschedules the deliveries of all nodes after the wall clock was set back: what was due is due, and nothing waits
 * longer than the retry schedule allows. One node does it at a time, in steps.
 */
export async function limitDueTimes(deps: Deps): Promise<void> {
  await deps.store.engine.alone("make deliveries due", async (lost) => {
    log.warning("the clock was set back: open deliveries are rescheduled");
    const { store, clock } = deps;
    const now = clock.now();
    await store
      .update(webhooks)
      .set({ digestAt: now })
      .where(gt(webhooks.digestAt, now + MINUTE_MS));
    await store.update(webhooks).set({ batchDigestAt: now }).where(gt(webhooks.batchDigestAt, now));
    for (const { id } of await store.select({ id: webhooks.id }).from(webhooks)) {
      await limitOf(deps, id, now, lost);
    }
  });
}

/** @throws when another process may have taken over */
async function limitOf(
  { store, clock, config }: Deps,
  webhookId: string,
  now: number,
  lost: AbortSignal,
): Promise<void> {
  let last = { dueAt: now, eventId: "" };
  await inSteps(clock, async (rows) => {
    lost.throwIfAborted();
    const page = await dueAfter(store, webhookId, last, rows);
    if (page.length > 0) {
      const ids = page.map(({ eventId }) => eventId);
      await reschedule(store, webhookId, ids, { now, latest: now + longestWaitMs(config) });
    }
    last = page.at(-1) ?? last;
    return page.length;
  });
}

function dueAfter(
  store: Store,
  webhookId: string,
  last: { dueAt: number; eventId: string },
  rows: number,
) {
  const { eventId, dueAt } = deliveries;
  return store
    .select({ eventId, dueAt: sql`${dueAt}`.mapWith(Number) })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        // For the index; the next condition says where to continue.
        gte(dueAt, last.dueAt),
        sql`(${dueAt}, ${eventId}) > (${last.dueAt}, ${last.eventId})`,
      ),
    )
    .orderBy(asc(dueAt), asc(eventId))
    .limit(rows);
}

/** First attempts and requested ones are due now, as they were when they were queued. */
async function reschedule(
  store: Store,
  webhookId: string,
  ids: string[],
  { now, latest }: { now: number; latest: number },
) {
  const at = sql`cast(${now} as bigint)`;
  const leaseEnd = sql`cast(${now + DELIVERY_LEASE_MS} as bigint)`;
  const next = sql`case when next_attempt_at > ${latest} then ${at} else next_attempt_at end`;
  const rows = ids.map((id) => [id]);
  await store.run(sql`
    update deliveries set
      due_at = case
        when status = 'delivering' then case when due_at > ${leaseEnd} then ${leaseEnd} else due_at end
        when resting is not null or status = 'pending' then ${at}
        else coalesce(${next}, due_at) end,
      next_attempt_at = case when status = 'pending' and resting is null then ${at} else ${next} end
    where webhook_id = ${webhookId} and due_at + 0 > ${now}
      and event_id in (select id from ${rowsOf(store, { id: "text" }, rows)} as page)
  `);
}
