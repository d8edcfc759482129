import {
  and,
  asc,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { auditChange, webhookTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { lockWebhook } from "../db/queries.ts";
import { rowsOf } from "../db/store.ts";
import {
  type DeliveryRow,
  type DeliveryStatus,
  deliveries,
  type WebhookRow,
} from "../db/tables.ts";
import { conflict } from "../lib/errors.ts";
import { inSteps } from "../lib/steps.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { findAndLockDelivery } from "./deliveries.ts";
import type { CreatedSpan, DeliveryRecord } from "./deliveries-model.ts";
import { findAndLockWebhook, findWebhook } from "./webhooks.ts";

const NOT_DELIVERED: DeliveryStatus[] = ["failed", "exhausted", "expired"];

/**
 * Makes one more attempt of a delivery due now; the schedule of the others stays as it is. Requests for a delivery that
 * has such an attempt due already change nothing.
 * @throws NOT_FOUND, FORBIDDEN; CONFLICT during an attempt, for an open digest, and while the webhook is off
 */
export async function redeliver(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  id: string,
  saveReply: SaveReply<DeliveryRecord> = saveNoReply,
): Promise<DeliveryRecord> {
  const requested = await deps.store.transaction(async (tx) => {
    const inTx = { ...deps, store: tx };
    const webhook = await findAndLockWebhook(inTx, caller, webhookId);
    const delivery = await findAndLockDelivery(tx, webhook, id);
    refuseWhileOff(webhook);
    refuseInFlight(delivery);
    refuseOpen(delivery);
    const result =
      delivery.resting === null ? await request(inTx, caller, webhook, delivery) : delivery;
    await saveReply(tx, result);
    return result;
  });
  deps.loops.wake();
  return requested;
}

async function request(
  deps: Deps,
  caller: Caller,
  webhook: WebhookRow,
  delivery: DeliveryRecord,
): Promise<DeliveryRecord> {
  const due = { resting: delivery.status, status: "pending" as const, dueAt: deps.clock.now() };
  await deps.store
    .update(deliveries)
    .set(due)
    .where(and(eq(deliveries.webhookId, webhook.id), eq(deliveries.eventId, delivery.eventId)));
  await auditRedelivery(deps, caller, webhook, 1);
  return { ...delivery, ...due };
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
  span: CreatedSpan,
): Promise<number> {
  const webhook = await findWebhook(deps, caller, webhookId);
  refuseWhileOff(webhook);
  const expected = await countFailed(deps, webhook, span);
  let queued = 0;
  const requestSome = async (which: SQL | undefined) => {
    const count = await deps.store.transaction(async (tx) => {
      const inTx = { ...deps, store: tx };
      const found = await requestAll(inTx, webhook.id, which);
      // One entry for all steps.
      if (found > 0 && queued === 0) await auditRedelivery(inTx, caller, webhook, expected);
      return found;
    });
    queued += count;
    if (count > 0) deps.loops.wake();
  };
  for (const status of NOT_DELIVERED) {
    await eachStep(deps, webhook.id, status, (some) =>
      requestSome(and(some, isIn(span), isNotTest())),
    );
  }
  return queued;
}

/**
 * Makes an attempt due for each of the deliveries, except for those that have one due already or under way, open
 * digests, and all while the webhook is off.
 * @returns how many they are
 */
async function requestAll(
  { store, clock }: Deps,
  webhookId: string,
  which: SQL | undefined,
): Promise<number> {
  const { eventId, status, resting, dueAt } = deliveries;
  await lockWebhook(store, webhookId);
  const requested = await store
    .update(deliveries)
    .set({ resting: sql`${status}`, status: "pending", dueAt: clock.now() })
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        which,
        isNull(resting),
        ne(status, "delivering"),
        or(ne(status, "pending"), isNotNull(dueAt)),
        sql`exists (select 1 from webhooks where id = ${webhookId} and is_active = 1)`,
      ),
    )
    .returning({ eventId });
  return requested.length;
}

/** Counts what will be requested, for the audit log; it may change until then. */
async function countFailed(
  { store }: Deps,
  { id }: WebhookRow,
  span: CreatedSpan,
): Promise<number> {
  const areFailed = and(eq(deliveries.webhookId, id), inArray(deliveries.status, NOT_DELIVERED));
  const [counted] = await store.readPool
    .select({ total: count() })
    .from(deliveries)
    .where(and(areFailed, isIn(span), isNotTest()));
  return counted!.total;
}

/** Calls `step` with conditions that together cover the deliveries of this status, in the order of their events. */
async function eachStep(
  deps: Deps,
  webhookId: string,
  status: DeliveryStatus,
  step: (some: SQL | undefined) => Promise<void>,
): Promise<void> {
  let after = "";
  await inSteps(deps.clock, async (rows) => {
    const ids = await readIds(deps, webhookId, status, { after, rows });
    const last = ids.at(-1);
    if (last === undefined) return 0;
    await step(isOneOf(deps, status, ids, { after, last }));
    after = last;
    return ids.length;
  });
}

async function readIds(
  { store }: Deps,
  webhookId: string,
  status: DeliveryStatus,
  { after, rows }: { after: string; rows: number },
): Promise<string[]> {
  const { eventId } = deliveries;
  const found = await store
    .select({ eventId })
    .from(deliveries)
    .where(
      and(eq(deliveries.webhookId, webhookId), eq(deliveries.status, status), gt(eventId, after)),
    )
    .orderBy(asc(eventId))
    .limit(rows);
  return found.map((row) => row.eventId);
}

/** SQLite finds the rows by the list and PostgreSQL by its ends; without them both would scan all deliveries. */
function isOneOf(
  { store }: Deps,
  status: DeliveryStatus,
  ids: string[],
  { after, last }: { after: string; last: string },
): SQL | undefined {
  const { eventId } = deliveries;
  const given = rowsOf(
    store,
    { id: "text" },
    ids.map((id) => [id]),
  );
  return and(
    eq(deliveries.status, status),
    gt(eventId, after),
    lte(eventId, last),
    inArray(eventId, sql`${given}`),
  );
}

const isIn = ({ since, until }: CreatedSpan) =>
  and(gte(deliveries.createdAt, since), lte(deliveries.createdAt, until));

/** A delivery that is exhausted without a scheduled attempt is a test. */
const isNotTest = () => sql`(status <> 'exhausted' or attempts > unplanned_attempts)`;

function refuseWhileOff({ isActive }: Pick<WebhookRow, "isActive">) {
  if (isActive) return;
  throw conflict("This webhook is switched off. Switch it on first.", { reason: "webhook_off" });
}

function refuseInFlight({ status }: DeliveryRecord) {
  if (status !== "delivering") return;
  throw conflict("An attempt is under way. Wait until it is over.", { reason: "in_flight" });
}

/** A pending delivery without a due time is a digest that is still open. */
function refuseOpen({ status, dueAt }: DeliveryRow) {
  if (status !== "pending" || dueAt !== null) return;
  throw conflict("This digest is still gathering events and is sent automatically.", {
    reason: "still_gathering",
  });
}
