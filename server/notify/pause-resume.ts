import { and, eq, gt, isNull, ne, type SQL, sql } from "drizzle-orm";
import { deliveries } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { inDeliverySteps, selectEventIds } from "./delivery-steps.ts";

type Writing = Pick<Deps, "store" | "clock">;

/** Older events are not sent to a webhook that is enabled again. */
const STALE_MS = 72 * 3_600_000;
/** Most deliveries in one statement; the rest follows when the deliverer looks again. */
const ROWS = 500;
/** Statuses of deliveries that are still to be sent. */
const UNSENT = ["pending", "failed", "paused"] as const;

/** Pauses deliveries of a disabled webhook; resumes those of an active one, unless they are too old. */
export async function pauseOrResume(deps: Writing, webhookId: string): Promise<void> {
  await pause(deps, webhookId);
  await resume(deps, webhookId);
}

/** Pauses waiting deliveries of a disabled webhook. Requested attempts are dropped. */
export async function pause({ store }: Pick<Deps, "store">, webhookId: string): Promise<void> {
  const { dueAt, lease } = deliveries;
  const isWaiting = and(
    isOf(webhookId),
    gt(dueAt, 0),
    isNull(lease),
    hasWebhook(webhookId, { isActive: false }),
  );
  await store
    .update(deliveries)
    .set({
      nextAttemptAt: null,
      dueAt: null,
      resting: null,
      status: sql`case when resting is null or resting in ('pending', 'failed') then 'paused' else resting end`,
    })
    .where(
      and(
        isOf(webhookId),
        sql`event_id in ${selectEventIds(store, isWaiting, { most: ROWS })}`,
        sql`${dueAt} + 0 > 0`,
        isNull(lease),
      ),
    );
}

async function resume({ store, clock }: Writing, webhookId: string): Promise<void> {
  const now = clock.now();
  const isPaused = and(
    isOf(webhookId),
    eq(deliveries.status, "paused"),
    hasWebhook(webhookId, { isActive: true }),
  );
  const ifRecent = (then: SQL, otherwise: SQL) =>
    sql`case when created_at > ${now - STALE_MS} then ${then} else ${otherwise} end`;
  const [at, none] = [sql`cast(${now} as bigint)`, sql`null`];
  await store
    .update(deliveries)
    .set({
      status: ifRecent(sql`'failed'`, sql`'expired'`),
      nextAttemptAt: ifRecent(at, none),
      dueAt: ifRecent(at, none),
      completedAt: ifRecent(none, at),
    })
    .where(
      and(
        isOf(webhookId),
        sql`event_id in ${selectEventIds(store, isPaused, { most: ROWS })}`,
        sql`status || '' = 'paused'`,
      ),
    );
}

/** Cancels waiting deliveries of event types that their webhook no longer subscribes to. */
export async function cancelUnsubscribed(deps: Writing, webhookId: string): Promise<void> {
  const cancelled = { status: "cancelled", nextAttemptAt: null, dueAt: null } as const;
  for (const status of UNSENT) {
    await inDeliverySteps(deps, { webhookId, status }, (isInStep) =>
      deps.store
        .update(deliveries)
        .set({ ...cancelled, completedAt: deps.clock.now() })
        .where(
          and(
            isInStep,
            isNull(deliveries.resting),
            ne(deliveries.type, "digest"),
            sql`not exists (select 1 from webhook_events e
              where e.webhook_id = ${webhookId} and e.type = deliveries.type)`,
          ),
        ),
    );
  }
}

const isOf = (webhookId: string) => eq(deliveries.webhookId, webhookId);

const hasWebhook = (id: string, { isActive }: { isActive: boolean }): SQL =>
  sql`exists (select 1 from webhooks where id = ${id} and is_active = ${sql.raw(isActive ? "1" : "0")})`;
