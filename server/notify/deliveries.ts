import { and, count, desc, eq, inArray, lt, min, type SQL, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import {
  type AttemptRow,
  type DeliveryRow,
  deliveries,
  deliveryAttempts,
  type EventRow,
  events,
} from "../ground/db/tables.ts";
import { notFound } from "../ground/lib/errors.ts";
import { parseId } from "../ground/lib/ids.ts";
import { type Page, type Window, windowOf } from "../ground/lib/paging.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import { type DeliveredType, VERDICTS } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import {
  type DeliveryContent,
  type DeliveryDetailRecord,
  type DeliveryQuery,
  type DeliveryRecord,
  lastAttemptOf,
} from "./deliveries-model.ts";
import { mailTextFor } from "./email.ts";
import { payloadFor } from "./formats.ts";
import type { WebhookRecord } from "./model.ts";
import { messageIdOf } from "./send.ts";
import { findWebhook } from "./webhooks.ts";

/** Characters of a response that a list shows. */
const LISTED_LENGTH = 1000;
/** More than any schedule makes; the number of requested attempts has no limit. */
const MOST_ATTEMPTS = 50;

/** Lists deliveries, newest first, each with the beginning of the latest response. */
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

/** Returns a delivery with the body as it would be sent now: the webhook's URL may have changed. */
export async function findDeliveryDetail(
  deps: Deps,
  caller: Caller,
  webhookId: string,
  id: string,
): Promise<DeliveryDetailRecord> {
  const webhook = await findWebhook(deps, caller, webhookId);
  const { delivery, event } = await readOne(deps.store, webhook.id, id);
  const requestBody = bodyFor(deps, webhook, event);
  const earlier = await attemptsBefore(deps.store, delivery);
  return { ...toRecord(delivery, event), ...contentOf(event), requestBody, earlier };
}

function bodyFor({ config }: Deps, webhook: WebhookRecord, event: EventRow): string {
  const { id: webhookId, url, format, timeZone } = webhook;
  const { publicUrl } = config;
  return format === "email"
    ? mailTextFor(event, webhook, publicUrl)
    : payloadFor(format, event, { url, webhookId, publicUrl, timeZone }).body;
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

/** @throws NOT_FOUND */
async function readOne(store: Store, webhookId: string, id: string) {
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

/** A page of complete responses could be very large. */
export function shortened(delivery: DeliveryRow): DeliveryRow {
  const { lastBody } = delivery;
  if (lastBody === null || lastBody.length <= LISTED_LENGTH) return delivery;
  const beginning = lastBody.slice(0, LISTED_LENGTH).toWellFormed();
  return { ...delivery, lastBody: beginning, lastTruncated: true };
}

/** By now the latest attempt may be an earlier one; it is not listed twice. */
async function attemptsBefore(store: Store, delivery: DeliveryRow): Promise<AttemptRow[]> {
  const last = lastAttemptOf(delivery);
  if (!last) return [];
  const { webhookId, eventId, number } = deliveryAttempts;
  const isOfDelivery = and(eq(webhookId, delivery.webhookId), eq(eventId, delivery.eventId));
  const latest = await store
    .select()
    .from(deliveryAttempts)
    .where(and(isOfDelivery, lt(number, last.number)))
    .orderBy(desc(number))
    .limit(MOST_ATTEMPTS - 1);
  return latest.reverse();
}

export const toRecord = (
  delivery: DeliveryRow,
  event: Pick<EventRow, "id" | "createdAt">,
): DeliveryRecord => ({ ...delivery, messageId: messageIdOf(event, delivery.webhookId) });

/** What an event is about: a link, or a number of events or links. */
export function contentOf({ data }: Pick<EventRow, "data">): DeliveryContent {
  const { linkId, url, previousStatus, total, test } = JSON.parse(data) as Partial<
    Record<string, unknown>
  >;
  return {
    link: typeof linkId === "string" && typeof url === "string" ? { id: linkId, url } : null,
    previousStatus: VERDICTS.find((verdict) => verdict === previousStatus) ?? null,
    count: typeof total === "number" ? total : null,
    isTest: test === true,
  };
}

/** Deliveries that are read at a time, which takes a few milliseconds. */
const BATCH = 2000;

type Filter = Pick<DeliveryQuery, "status" | "event">;

/**
 * Finds the ids of a page of a webhook's deliveries, newest first, and their total. A webhook may have millions: they are
 * read in batches, between which other work has its turn.
 */
async function findPage(
  store: Store,
  webhookId: string,
  filter: Filter,
  { limit, offset }: Window,
): Promise<{ eventIds: string[]; total: number }> {
  const eventIds: string[] = [];
  const { status, event } = filter;
  const matches = status && event && isOfType(webhookId, event);
  let total = 0;
  for (let before: string | null = null; ; await yieldToEventLoop()) {
    const batch = batchBefore(store, webhookId, filter, before);
    const { seen, matching, last } = await countBatch(store, batch, matches);
    const window = { limit: limit - eventIds.length, offset: Math.max(0, offset - total) };
    if (window.limit > 0 && window.offset < matching) {
      eventIds.push(...(await readIds(store, batch, matches, window)));
    }
    total += matching;
    if (seen < BATCH) return { eventIds, total };
    before = last;
  }
}

type Batch = ReturnType<typeof batchBefore>;

/** Selects the next older deliveries with the status, or without one of the event type. */
function batchBefore(
  store: Store,
  webhookId: string,
  { status, event }: Filter,
  before: string | null,
) {
  const { eventId } = deliveries;
  const isListed = status ? eq(deliveries.status, status) : event && eq(deliveries.type, event);
  const isOlder = before === null ? undefined : lt(eventId, before);
  return store
    .select({ eventId })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), isListed, isOlder))
    .orderBy(desc(eventId))
    .limit(BATCH)
    .as("batch");
}

/** Reads the type in a subquery: SQLite finds a batch by its status only if the index contains all that it reads. */
const isOfType = (webhookId: string, event: DeliveredType): SQL =>
  sql`(select d.type from deliveries d where d.webhook_id = ${webhookId} and d.event_id = batch.event_id) = ${event}`;

/** Counts the deliveries of a batch, those of them that match, and returns its oldest. */
async function countBatch(store: Store, batch: Batch, matches: SQL | undefined) {
  const matching = matches ? sql`count(case when ${matches} then 1 end)`.mapWith(Number) : count();
  const [row] = await store
    .select({ seen: count(), matching, last: min(batch.eventId) })
    .from(batch);
  return row!;
}

async function readIds(
  store: Store,
  batch: Batch,
  matches: SQL | undefined,
  { limit, offset }: Window,
): Promise<string[]> {
  const rows = await store
    .select({ eventId: batch.eventId })
    .from(batch)
    .where(matches)
    .orderBy(desc(batch.eventId))
    .limit(limit)
    .offset(offset);
  return rows.map(({ eventId }) => eventId);
}
