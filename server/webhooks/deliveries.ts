import { and, count, desc, eq, inArray, lt, min, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { Store } from "../db/store.ts";
import {
  type AttemptRow,
  type DeliveredType,
  type DeliveryRow,
  deliveries,
  deliveryAttempts,
  type EventRow,
  events,
} from "../db/tables.ts";
import { notFound } from "../lib/errors.ts";
import { parseId } from "../lib/ids.ts";
import { type Page, type Window, windowOf } from "../lib/paging.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import {
  type DeliveryDetailRecord,
  type DeliveryQuery,
  type DeliveryRecord,
  lastAttemptOf,
} from "./deliveries-model.ts";
import { payloadFor } from "./formats.ts";
import { messageIdOf } from "./send.ts";
import { findWebhook } from "./webhooks.ts";

/** How much of an answer a list shows. */
const LISTED_LENGTH = 1000;
/** More than any schedule makes; requested attempts have no limit. */
const MOST_ATTEMPTS = 50;

/** Newest first, each with the beginning of the latest answer. */
export async function listDeliveries(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Page<DeliveryRecord>> {
  const webhook = await findWebhook(deps, caller, webhookId);
  const { eventIds, total } = await findPage(deps.store, webhook.id, query, windowOf(query));
  return { items: await readAll(deps.store, webhook.id, eventIds), total };
}

/** The message is shown as it would be sent now: the webhook's URL may have changed since. */
export async function findDeliveryDetail(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  id: string,
): Promise<DeliveryDetailRecord> {
  const webhook = await findWebhook(deps, caller, webhookId);
  const { delivery, event } = await readOne(deps.store, webhook.id, id);
  const { body: requestBody } = payloadFor(webhook.format, event, {
    url: webhook.url,
    webhookId: webhook.id,
    publicUrl: deps.config.publicUrl,
  });
  const earlier = await attemptsBefore(deps.store, delivery);
  return { ...toRecord(delivery, event), requestBody, earlier };
}

/**
 * Locks a delivery of a webhook until the transaction ends and returns it.
 * @throws NOT_FOUND
 */
export async function findAndLockDelivery(
  tx: Store,
  webhookId: string,
  id: string,
): Promise<DeliveryRecord> {
  await tx.run(sql`
    select 1 from deliveries where webhook_id = ${webhookId} and event_id = ${parseId(id) ?? ""}
    ${sql.raw(tx.engine.holdRows)}`);
  const { delivery, event } = await readOne(tx, webhookId, id);
  return toRecord(delivery, event);
}

async function readOne(
  store: Store,
  webhookId: string,
  id: string,
): Promise<{ delivery: DeliveryRow; event: EventRow }> {
  const [row] = await store
    .select({ delivery: deliveries, event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(and(eq(deliveries.webhookId, webhookId), eq(deliveries.eventId, parseId(id) ?? "")));
  if (!row) throw notFound("delivery");
  return row;
}

async function readAll(
  store: Store,
  webhookId: string,
  eventIds: string[],
): Promise<DeliveryRecord[]> {
  if (eventIds.length === 0) return [];
  const rows = await store
    .select({ delivery: deliveries, event: { id: events.id, createdAt: events.createdAt } })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(and(eq(deliveries.webhookId, webhookId), inArray(deliveries.eventId, eventIds)))
    .orderBy(desc(deliveries.eventId));
  return rows.map(({ delivery, event }) => toRecord(shortened(delivery), event));
}

/** A page of whole answers could be larger than anybody wants to read. */
function shortened(delivery: DeliveryRow): DeliveryRow {
  const { lastBody } = delivery;
  if (lastBody === null || lastBody.length <= LISTED_LENGTH) return delivery;
  const beginning = lastBody.slice(0, LISTED_LENGTH).toWellFormed();
  return { ...delivery, lastBody: beginning, lastTruncated: true };
}

/** The latest attempt may have become an earlier one since the delivery was read; it is not listed twice. */
async function attemptsBefore(store: Store, delivery: DeliveryRow): Promise<AttemptRow[]> {
  const last = lastAttemptOf(delivery);
  if (!last) return [];
  const { webhookId, eventId, number } = deliveryAttempts;
  const latest = await store
    .select()
    .from(deliveryAttempts)
    .where(
      and(
        eq(webhookId, delivery.webhookId),
        eq(eventId, delivery.eventId),
        lt(number, last.number),
      ),
    )
    .orderBy(desc(number))
    .limit(MOST_ATTEMPTS - 1);
  return latest.reverse();
}

const toRecord = (
  delivery: DeliveryRow,
  event: Pick<EventRow, "id" | "createdAt">,
): DeliveryRecord => ({ ...delivery, messageId: messageIdOf(event, delivery.webhookId) });

/** So many are looked through at a time, which takes a few milliseconds. */
const STRETCH = 2000;

type Filter = Pick<DeliveryQuery, "status" | "event">;

/**
 * The ids of a page of a webhook's deliveries, newest first, and how many there are in all. A webhook may have
 * millions: they are looked through stretch by stretch, between which whatever came meanwhile goes first.
 */
async function findPage(
  store: Store,
  webhookId: string,
  filter: Filter,
  { limit, offset }: Window,
): Promise<{ eventIds: string[]; total: number }> {
  const eventIds: string[] = [];
  const { status, event } = filter;
  const fits = status && event && tellsOf(webhookId, event);
  let total = 0;
  for (let before: string | null = null; ; await yieldToEventLoop()) {
    const stretch = stretchOf(store, webhookId, filter, before);
    const { seen, fitting, last } = await measure(store, stretch, fits);
    const window = { limit: limit - eventIds.length, offset: Math.max(0, offset - total) };
    if (window.limit > 0 && window.offset < fitting) {
      eventIds.push(...(await readIds(store, stretch, fits, window)));
    }
    total += fitting;
    if (seen < STRETCH) return { eventIds, total };
    before = last;
  }
}

type Stretch = ReturnType<typeof stretchOf>;

/** Deliveries with the status, or else of the event, from the newest before that one on. */
function stretchOf(
  store: Store,
  webhookId: string,
  { status, event }: Filter,
  before: string | null,
) {
  const { eventId } = deliveries;
  return store
    .select({ eventId })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        status ? eq(deliveries.status, status) : event && eq(deliveries.type, event),
        before === null ? undefined : lt(eventId, before),
      ),
    )
    .orderBy(desc(eventId))
    .limit(STRETCH)
    .as("stretch");
}

/** Asked by itself: SQLite finds a stretch by its status only where the index holds all that is read of it. */
const tellsOf = (webhookId: string, event: DeliveredType): SQL =>
  sql`(select d.type from deliveries d where d.webhook_id = ${webhookId} and d.event_id = stretch.event_id) = ${event}`;

/** How many deliveries a stretch has, how many of them fit, and its oldest. */
async function measure(store: Store, stretch: Stretch, fits: SQL | undefined) {
  const fitting = fits ? sql`count(case when ${fits} then 1 end)`.mapWith(Number) : count();
  const [row] = await store
    .select({ seen: count(), fitting, last: min(stretch.eventId) })
    .from(stretch);
  return row!;
}

async function readIds(
  store: Store,
  stretch: Stretch,
  fits: SQL | undefined,
  { limit, offset }: Window,
): Promise<string[]> {
  const rows = await store
    .select({ eventId: stretch.eventId })
    .from(stretch)
    .where(fits)
    .orderBy(desc(stretch.eventId))
    .limit(limit)
    .offset(offset);
  return rows.map(({ eventId }) => eventId);
}
