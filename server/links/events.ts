import { and, count, desc, eq, inArray } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { Store } from "../db/store.ts";
import { deliveries, events, webhooks } from "../db/tables.ts";
import { type Page, type PageQuery, windowOf } from "../lib/paging.ts";
import type { DeliveryOfLink, EventOfLink } from "../webhooks/deliveries-model.ts";
import type { Deps } from "../work/deps.ts";
import { findLink } from "./links.ts";

/** What happened to a link, newest first, and to whom it was told. Only what a webhook waited for was written down. */
export async function listLinkEvents(
  deps: Deps,
  caller: Caller,
  linkId: string,
  query: PageQuery,
): Promise<Page<EventOfLink>> {
  const { store } = deps;
  const link = await findLink(deps, caller, linkId);
  const ofLink = and(eq(events.linkId, link.id), eq(events.accountId, caller.accountId));
  const { limit, offset } = windowOf(query);
  // A link that is asked about again and again may have thousands.
  const [rows, [total]] = await Promise.all([
    store.readPool
      .select({ id: events.id, type: events.type, createdAt: events.createdAt })
      .from(events)
      .where(ofLink)
      .orderBy(desc(events.id))
      .limit(limit)
      .offset(offset),
    store.readPool.select({ count: count() }).from(events).where(ofLink),
  ]);
  const told = await deliveriesOf(store, caller, rows);
  const items = rows.map((row) => ({ ...row, deliveries: told.get(row.id) ?? [] }));
  return { items, total: total!.count };
}

/** By event, the webhooks in the order in which they were made. */
async function deliveriesOf(
  store: Store,
  { accountId }: Caller,
  some: { id: string }[],
): Promise<Map<string, DeliveryOfLink[]>> {
  if (some.length === 0) return new Map();
  const { eventId, webhookId, status, attempts, lastStatusCode, dueAt } = deliveries;
  const rows = await store
    .select({
      ...{ eventId, webhookId, status, attempts, lastStatusCode, dueAt },
      ...{ url: webhooks.url, format: webhooks.format },
    })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookId))
    .where(
      and(
        eq(webhooks.accountId, accountId),
        inArray(
          eventId,
          some.map(({ id }) => id),
        ),
      ),
    )
    .orderBy(webhookId, eventId);
  return Map.groupBy(rows, (row) => row.eventId);
}
