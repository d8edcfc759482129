import { and, asc, count, eq, gt, gte, inArray, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import { isThere, makeChange, onRecord } from "../accounts/audit/record.ts";
import { webhookTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { rowsOf, type Statement } from "../db/store.ts";
import {
  type DeliveryRow,
  type DeliveryStatus,
  deliveries,
  type WebhookRow,
} from "../db/tables.ts";
import { conflict } from "../lib/errors.ts";
import { inSteps } from "../lib/steps.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import { askFor } from "./ask.ts";
import { findDelivery } from "./deliveries.ts";
import type { CreatedSpan, DeliveryRecord } from "./deliveries-model.ts";
import { findWebhook } from "./webhooks.ts";

/** What did not reach its receiver, or not yet. */
const FAILED: DeliveryStatus[] = ["failed", "exhausted", "expired"];
/** A delivery that is never as it was read a moment ago is not waited for longer than this. */
const MOST_TRIES = 5;

/**
 * Queues one more attempt, which changes nothing of the schedule. Asked again before it is made, it is made once.
 * @throws CONFLICT while an attempt is under way, while a digest still gathers, or while the webhook is off
 */
export async function redeliver(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  id: string,
  receipt: Receipt<DeliveryRecord> = noReceipt,
): Promise<DeliveryRecord> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const webhook = await findWebhook(deps, caller, webhookId);
    const delivery = await findDelivery(deps, webhook, id);
    refuseWhileOff(webhook);
    refuseInFlight(delivery);
    refuseOpen(delivery);
    if (delivery.resting !== null) {
      await deps.store.write(receipt(delivery));
      return delivery;
    }
    const asked = await ask(deps, caller, { webhook, delivery }, receipt);
    if (asked) return asked;
  }
  throw conflict("The delivery changes too often now. Try again in a moment.", {
    reason: "changed_meanwhile",
  });
}

/**
 * Queues one more attempt of everything that failed among what was created in this time. It is done in steps,
 * so a crash leaves the rest to whoever asks again. Returns how many.
 */
export async function redeliverFailed(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  span: CreatedSpan,
): Promise<number> {
  const webhook = await findWebhook(deps, caller, webhookId);
  refuseWhileOff(webhook);
  const asking = askingOf(deps, caller, webhook, await countFailed(deps, webhook, span));
  for (const status of FAILED) await askForAll(deps, asking, status, span);
  return asking.queued;
}

/** The delivery as it is now; null when it is no longer as it was read, and nothing was asked for. */
async function ask(
  deps: Deps,
  caller: Caller,
  { webhook, delivery }: { webhook: WebhookRow; delivery: DeliveryRecord },
  receipt: Receipt<DeliveryRecord>,
): Promise<DeliveryRecord | null> {
  const asked = {
    ...delivery,
    resting: delivery.status,
    status: "pending" as const,
    dueAt: deps.clock.now(),
  };
  const isAsRead = and(
    eq(deliveries.eventId, delivery.eventId),
    eq(deliveries.status, delivery.status),
    eq(deliveries.attempts, delivery.attempts),
  );
  const isAsked = and(
    eq(deliveries.webhookId, webhook.id),
    eq(deliveries.eventId, delivery.eventId),
    isNotNull(deliveries.resting),
  );
  const asking = askingOf(deps, caller, webhook, 1);
  const kept = receipt(asked, isThere(deps.store, deliveries, isAsked));
  await askForSome(deps, asking, isAsRead, kept);
  return asking.queued === 0 ? null : asked;
}

/** How far the asking for deliveries has come. `entry` records all of it, with the first step that finds any. */
type Asking = {
  webhookId: string;
  queued: number;
  entry: (which: SQL | undefined) => Statement[];
};

const askingOf = (deps: Deps, caller: Caller, webhook: WebhookRow, count: number): Asking => ({
  webhookId: webhook.id,
  queued: 0,
  entry: (which) =>
    onRecord(deps, caller, {
      action: "delivery.sent_again",
      target: webhookTarget(webhook),
      count,
      onlyIf: isThere(deps.store, deliveries, which),
    }),
});

/** All that will be asked for, unless they change meanwhile. */
async function countFailed(
  { store }: Deps,
  { id }: WebhookRow,
  span: CreatedSpan,
): Promise<number> {
  const areFailed = and(eq(deliveries.webhookId, id), inArray(deliveries.status, FAILED));
  const [counted] = await store.beside
    .select({ total: count() })
    .from(deliveries)
    .where(and(areFailed, isIn(span), isNoTest()));
  return counted!.total;
}

/** From one event to the next, so that no step comes upon what another has passed over. */
async function askForAll(
  deps: Deps,
  asking: Asking,
  status: DeliveryStatus,
  span: CreatedSpan,
): Promise<void> {
  let after = "";
  await inSteps(deps.clock, async (rows) => {
    const ids = await readIds(deps, asking.webhookId, status, { after, rows });
    const last = ids.at(-1);
    if (last === undefined) return 0;
    const some = isOneOf(deps, status, ids, { after, last });
    await askForSome(deps, asking, and(some, isIn(span), isNoTest()));
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

/** The list leads SQLite to each of them, their ends lead PostgreSQL; without, each looks through the whole log. */
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

/** What is exhausted and was never attempted by the schedule is a test, and none that anybody waits for. */
const isNoTest = () => sql`(status <> 'exhausted' or attempts > unplanned_attempts)`;

async function askForSome(
  deps: Deps,
  asking: Asking,
  which: SQL | undefined,
  receipt: Statement[] = [],
): Promise<void> {
  const { areAsked, hold, asked } = askFor(deps, asking.webhookId, which);
  const entry = asking.queued === 0 ? asking.entry(areAsked) : [];
  const found = await makeChange(deps, [...entry, hold], asked, receipt);
  asking.queued += found.length;
  if (found.length > 0) deps.loops.wake();
}

function refuseWhileOff({ isActive }: Pick<WebhookRow, "isActive">) {
  if (isActive) return;
  throw conflict("This webhook is switched off. Switch it on first.", { reason: "webhook_off" });
}

function refuseInFlight({ status }: DeliveryRecord) {
  if (status !== "delivering") return;
  throw conflict("An attempt is under way. Wait until it is over.", { reason: "in_flight" });
}

/** What waits, but for no moment, is a digest that still gathers. */
function refuseOpen({ status, dueAt }: DeliveryRow) {
  if (status !== "pending" || dueAt !== null) return;
  throw conflict("This digest is still gathering events and is sent automatically.", {
    reason: "still_gathering",
  });
}
