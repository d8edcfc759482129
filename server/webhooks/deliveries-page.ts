import { and, count, desc, eq, lt, min, type SQL, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { type DeliveredType, deliveries } from "../db/tables.ts";
import type { Window } from "../lib/paging.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import type { DeliveryQuery } from "./deliveries-model.ts";

/** So many are looked through at a time, which takes a few milliseconds. */
const STRETCH = 2000;

type Filter = Pick<DeliveryQuery, "status" | "event">;

/**
 * The ids of a page of a webhook's deliveries, newest first, and how many there are in all. A webhook may have
 * millions: they are looked through stretch by stretch, between which whatever came meanwhile goes first.
 */
export async function findPage(
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
