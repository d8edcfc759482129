import { and, count, eq, gte, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { auditChange, webhookTarget } from "../accounts/audit.ts";
import { lockWebhook } from "../ground/db/queries.ts";
import { type DeliveryRow, deliveries, type WebhookRow } from "../ground/db/tables.ts";
import { conflict } from "../ground/lib/errors.ts";
import type { DeliveryStatus } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { findAndLockDelivery } from "./deliveries.ts";
import type { CreatedSpan, DeliveryRecord } from "./deliveries-model.ts";
import { inDeliverySteps } from "./delivery-steps.ts";
import { findAndLockWebhook, findWebhook } from "./webhooks.ts";

const NOT_DELIVERED: DeliveryStatus[] = ["failed", "exhausted", "expired"];

/**
 * Makes one more attempt of a delivery due now; the schedule of the others stays as it is. Does nothing if such an
 * attempt is due already.
 * @throws NOT_FOUND, FORBIDDEN; CONFLICT during an attempt, for an open digest, and while the webhook is disabled
 */
export async function redeliver(
  unit: Unit,
  caller: Caller,
  webhookId: string,
  id: string,
): Promise<DeliveryRecord> {
  const webhook = await findAndLockWebhook(unit, caller, webhookId);
  const delivery = await findAndLockDelivery(unit.store, webhook.id, id);
  refuseWhileOff(webhook);
  refuseUnfinished(delivery);
  if (delivery.resting === null) {
    await requestAttempts(unit, webhook.id, eq(deliveries.eventId, delivery.eventId));
    await auditRedelivery(unit, caller, webhook, 1);
  }
  return findAndLockDelivery(unit.store, webhook.id, id);
}

const auditRedelivery = (deps: Deps, caller: Caller, webhook: WebhookRow, count: number) =>
  auditChange(deps, caller, {
    action: "delivery.sent_again",
    target: webhookTarget(webhook),
    count,
  });

/**
 * Makes one more attempt due for every delivery created in the span that did not reach its receiver. It works in steps;
 * repeat the request to finish after a crash.
 * @returns the number of deliveries
 */
export async function redeliverFailed(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  { since, until }: CreatedSpan,
): Promise<number> {
  const { createdAt } = deliveries;
  const webhook = await findWebhook(deps, caller, webhookId);
  refuseWhileOff(webhook);
  const isWanted = and(gte(createdAt, since), lte(createdAt, until), IS_NOT_TEST);
  const expected = await countFailed(deps, webhook, isWanted);
  let queued = 0;
  const requestStep = async (isInStep: SQL) => {
    queued += await makeChange(deps, caller, async (unit) => {
      await lockWebhook(unit.store, webhook.id);
      const count = await requestAttempts(unit, webhook.id, and(isInStep, isWanted));
      // One audit entry for all steps.
      if (count > 0 && queued === 0) await auditRedelivery(unit, caller, webhook, expected);
      return count;
    });
  };
  for (const status of NOT_DELIVERED) {
    await inDeliverySteps(deps, { webhookId: webhook.id, status }, requestStep);
  }
  return queued;
}

/** A delivery that is exhausted without a scheduled attempt is a test. */
const IS_NOT_TEST = sql`(status <> 'exhausted' or attempts > unplanned_attempts)`;

/** Counts what will be requested, for the audit log; it may change until then. */
async function countFailed(
  { store }: Deps,
  { id }: WebhookRow,
  isWanted: SQL | undefined,
): Promise<number> {
  const areFailed = and(eq(deliveries.webhookId, id), inArray(deliveries.status, NOT_DELIVERED));
  const [counted] = await store.readPool
    .select({ total: count() })
    .from(deliveries)
    .where(and(areFailed, isWanted));
  return counted!.total;
}

/**
 * Makes an attempt due for each of the deliveries, except for those with a requested or running attempt, open digests,
 * and all while the webhook is disabled.
 * @returns how many they are
 */
async function requestAttempts(
  { store, clock }: Deps,
  webhookId: string,
  which: SQL | undefined,
): Promise<number> {
  const { eventId, status, resting } = deliveries;
  const requested = await store
    .update(deliveries)
    .set({ resting: sql`${status}`, status: "pending", dueAt: clock.now() })
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        which,
        isNull(resting),
        sql`status <> 'delivering' and (status <> 'pending' or due_at is not null)`,
        sql`exists (select 1 from webhooks where id = ${webhookId} and is_active = 1)`,
      ),
    )
    .returning({ eventId });
  return requested.length;
}

function refuseWhileOff({ isActive }: Pick<WebhookRow, "isActive">) {
  if (isActive) return;
  throw conflict("This webhook is switched off. Switch it on first.", { reason: "webhook_off" });
}

/** A pending delivery without a due time is a digest that is still open. */
function refuseUnfinished({ status, dueAt }: DeliveryRow) {
  if (status === "delivering") {
    throw conflict("An attempt is running. Wait until it has finished.", { reason: "in_flight" });
  }
  if (status === "pending" && dueAt === null) {
    const message = "This digest is still gathering events and is sent automatically.";
    throw conflict(message, { reason: "still_gathering" });
  }
}
