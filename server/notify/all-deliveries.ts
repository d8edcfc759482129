import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import type { CursorPage } from "../ground/lib/paging.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import {
  DELIVERY_STATUSES,
  type DeliveredType,
  type DeliveryStatus,
} from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { contentOf, shortened, toRecord } from "./deliveries.ts";
import type {
  AllDeliveriesQuery,
  DeliveryCursor,
  DeliveryOfAccountRecord,
} from "./deliveries-model.ts";

/** Walks of an index in one statement. */
const WALKS_AT_ONCE = 100;

type Key = { eventId: string; webhookId: string };

/**
 * Lists the deliveries of all webhooks of the account, newest first. Each webhook and status is a short walk of an
 * index, so that the age of the page and the number of deliveries do not matter.
 */
export async function listAllDeliveries(
  { store }: Deps,
  { accountId }: Caller,
  query: AllDeliveriesQuery,
): Promise<CursorPage<DeliveryOfAccountRecord>> {
  const ofAccount = and(eq(webhooks.accountId, accountId), isNull(webhooks.deletedAt));
  const own = await store
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(query.webhook_id ? and(ofAccount, eq(webhooks.id, query.webhook_id)) : ofAccount);
  const keys = await findKeys(
    store,
    own.map(({ id }) => id),
    query,
  );
  const shown = keys.slice(0, query.per_page);
  const last = keys.length > shown.length ? shown.at(-1) : undefined;
  const nextCursor = last ? `${last.eventId}.${last.webhookId}` : null;
  return { items: await readAll(store, shown), nextCursor };
}

/** Deliveries that are sent as part of a digest are listed on request only: the digest is the message. */
const USUAL_STATUSES = DELIVERY_STATUSES.filter((status) => status !== "digested");

/** Finds one more than a page. */
async function findKeys(
  store: Store,
  webhookIds: string[],
  { status: statuses = USUAL_STATUSES, event, cursor, per_page: perPage }: AllDeliveriesQuery,
): Promise<Key[]> {
  const walks = webhookIds.flatMap((webhookId) =>
    conditionsOf(statuses, event).map((which) =>
      walkOf(webhookId, which, { cursor, limit: perPage + 1 }),
    ),
  );
  const found: Key[] = [];
  for (const some of chunksOf(WALKS_AT_ONCE, walks)) {
    if (found.length > 0) await yieldToEventLoop();
    const rows = await store.readPool.all<[string, string]>(
      sql`select event_id, webhook_id from (${sql.join(some, sql` union all `)}) as walks
        order by event_id desc, webhook_id desc limit ${perPage + 1}`,
    );
    found.push(...rows.map(([eventId, webhookId]) => ({ eventId, webhookId })));
  }
  return found.sort(newestFirst).slice(0, perPage + 1);
}

/**
 * One condition for each walk. Most deliveries succeed, so an event is found by its type among those, and by its status
 * among the others; the second half of a condition is in a form that no index serves.
 */
function conditionsOf(statuses: DeliveryStatus[], event: DeliveredType | undefined): SQL[] {
  if (!event) return statuses.map((status) => sql`status = ${status}`);
  if (!statuses.includes("succeeded")) {
    return statuses.map((status) => sql`status = ${status} and type || '' = ${event}`);
  }
  const named = sql.join(
    statuses.map((status) => sql`${status}`),
    sql`, `,
  );
  return [sql`type = ${event} and status || '' in (${named})`];
}

function walkOf(
  webhookId: string,
  which: SQL,
  { cursor, limit }: { cursor: DeliveryCursor | undefined; limit: number },
) {
  const isLater = cursor && webhookId >= cursor.webhookId;
  const before = cursor
    ? sql`and event_id ${sql.raw(isLater ? "<" : "<=")} ${cursor.eventId}`
    : sql``;
  return sql`select * from (
    select event_id, webhook_id from deliveries
    where webhook_id = ${webhookId} and ${which} ${before}
    order by event_id desc limit ${limit}) as walk`;
}

/** Ids of events begin with their time. */
function newestFirst(a: Key, b: Key): number {
  if (a.eventId !== b.eventId) return a.eventId < b.eventId ? 1 : -1;
  return a.webhookId < b.webhookId ? 1 : -1;
}

async function readAll(store: Store, keys: Key[]): Promise<DeliveryOfAccountRecord[]> {
  if (keys.length === 0) return [];
  const { id, createdAt, type, data } = events;
  const columns = { event_id: "text", webhook_id: "text" } as const;
  const wanted = rowsOf(
    store,
    columns,
    keys.map(({ eventId, webhookId }) => [eventId, webhookId]),
  );
  const rows = await store
    .select({
      delivery: deliveries,
      event: { id, createdAt, type, data },
      webhook: { name: webhooks.name, url: webhooks.url, format: webhooks.format },
    })
    .from(sql`${wanted} as wanted`)
    .innerJoin(
      deliveries,
      sql`${deliveries.webhookId} = wanted.webhook_id and ${deliveries.eventId} = wanted.event_id`,
    )
    .innerJoin(events, eq(id, deliveries.eventId))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .orderBy(desc(deliveries.eventId), desc(deliveries.webhookId));
  return rows.map(({ delivery, event, webhook }) => ({
    ...toRecord(shortened(delivery), event),
    ...contentOf(event),
    webhookName: webhook.name,
    webhookUrl: webhook.url,
    webhookFormat: webhook.format,
  }));
}
