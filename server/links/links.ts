import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import { lockLinks, pointRead } from "../db/queries.ts";
import { contains, type Store } from "../db/store.ts";
import {
  deliveries,
  events,
  type LinkResponseRow,
  type LinkRow,
  linkResponses,
  links,
  webhooks,
} from "../db/tables.ts";
import { changeAt } from "../history/history.ts";
import { foreign, notFound } from "../lib/errors.ts";
import { parseId } from "../lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../lib/paging.ts";
import { type Reason, verdictOf } from "../verdict/reasons/reasons.ts";
import type { DeliveryOfLink, EventOfLink } from "../webhooks/deliveries-model.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { LEASE_MS } from "../work/nodes.ts";
import type { LinkDetailRow, LinkQuery } from "./model.ts";

/** @throws NOT_FOUND, or FORBIDDEN for a link of another account */
export async function findLink({ store }: Deps, caller: Caller, id: string): Promise<LinkRow> {
  const link = await linkById(store, { id: parseId(id) ?? "" });
  if (!link) throw notFound("link");
  if (link.accountId !== caller.accountId) throw foreign("link");
  return link;
}

/**
 * Returns a link with the check that last changed its status, if that check is still kept. Two point reads, since
 * SQLite takes longer for a join.
 */
export async function findLinkDetail(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<LinkDetailRow> {
  const link = await findLink(deps, caller, id);
  if (link.lastCheckedAt === null) return { ...link, lastChange: null };
  const { no: linkNo, statusChangedAt: at } = link;
  return { ...link, lastChange: (await changeAt(deps.store, { linkNo, at })) ?? null };
}

/** Returns the stored responses of a link: when it was last found alive, and last found dead. */
export async function findResponses(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<LinkResponseRow[]> {
  const link = await findLink(deps, caller, id);
  return deps.store.select().from(linkResponses).where(eq(linkResponses.linkNo, link.no));
}

/** `started` is false when a check was already running. */
export type CheckStart = { id: string; started: boolean };

/** Makes the link due now, unless it is being checked. */
export async function startCheck(
  deps: Deps,
  caller: Caller,
  id: string,
  saveReply: SaveReply<CheckStart> = saveNoReply,
): Promise<CheckStart> {
  const link = await findLink(deps, caller, id);
  const now = deps.clock.now();
  const start = await deps.store.transaction(async (tx) => {
    await lockLinks(tx, [link.no]);
    const updated = await tx
      .update(links)
      .set({ nextCheckAt: now, nextTrigger: "manual", checkingUntil: now + LEASE_MS })
      .where(and(eq(links.id, link.id), notChecking(now)))
      .returning({ id: links.id });
    const result = { id: link.id, started: updated.length === 1 };
    await saveReply(tx, result);
    return result;
  });
  if (start.started) deps.loops.wake();
  return start;
}

/** Lists the events of a link, newest first, with their deliveries. Events without a subscriber are not stored. */
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
  // A link that is often checked on request may have thousands.
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
  const byEvent = await deliveriesOf(store, caller, rows);
  const items = rows.map((row) => ({ ...row, deliveries: byEvent.get(row.id) ?? [] }));
  return { items, total: total!.count };
}

/** By event, in the order in which the webhooks were created. */
async function deliveriesOf(
  store: Store,
  { accountId }: Caller,
  some: { id: string }[],
): Promise<Map<string, DeliveryOfLink[]>> {
  if (some.length === 0) return new Map();
  const { eventId, webhookId, status, attempts, lastStatusCode, dueAt } = deliveries;
  const ids = some.map(({ id }) => id);
  const rows = await store
    .select({
      ...{ eventId, webhookId, status, attempts, lastStatusCode, dueAt },
      ...{ url: webhooks.url, format: webhooks.format },
    })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookId))
    .where(and(eq(webhooks.accountId, accountId), inArray(eventId, ids)))
    .orderBy(webhookId, eventId);
  return Map.groupBy(rows, (row) => row.eventId);
}

const linkById = pointRead(getTableColumns(links), (store, columns) =>
  store
    .select(columns)
    .from(links)
    .where(eq(links.id, sql.placeholder("id"))),
);

/** The filters of a list of links. */
export type LinkFilter = Omit<LinkQuery, "include" | "sort" | "page" | "per_page">;

/** The `group_id` of a filter for links in no group. */
export const NO_GROUP = "none";

/** Whether stored counts give the number of matching links. */
export const isCounted = (filter: LinkFilter): boolean =>
  !filter.service &&
  !filter.search &&
  !filter.check_frequency &&
  !isByCause(filter) &&
  filter.group_id !== NO_GROUP;

/** Whether links are chosen by site or reason, which indexes have and the search in memory lacks. */
export const isByCause = ({ site, reason }: LinkFilter): boolean => Boolean(site || reason);

/** A moment at which no check is running, so that each link has its settled status. */
export const SETTLED = Number.MAX_SAFE_INTEGER;

/** The account's links that match. @param now decides which of them are being checked */
export const matching = ({ accountNo }: Caller, filter: LinkFilter, now: number): SQL | undefined =>
  and(eq(links.accountNo, accountNo), matchingLinks(filter, now));

/** The links of all accounts that match. */
export const matchingLinks = (filter: LinkFilter, now: number): SQL | undefined =>
  and(
    withStatus(filter.status, now),
    filter.service ? eq(links.service, filter.service) : undefined,
    inGroup(filter.group_id),
    filter.check_frequency ? eq(links.checkFrequency, filter.check_frequency) : undefined,
    filter.search ? contains(links.url, filter.search) : undefined,
    filter.site ? eq(links.site, filter.site) : undefined,
    filter.reason ? withReason(filter.reason) : undefined,
    filter.status === "dead" && isByCause(filter) ? NOT_OK : undefined,
  );

/** The condition of an index, which SQLite uses only for queries that repeat it. */
const NOT_OK = sql`${links.reason} <> 'ok'`;

/** Every reason belongs to one status. */
function withReason(reason: string): SQL | undefined {
  const ofStatus = eq(links.status, verdictOf(reason as Reason));
  return and(eq(links.reason, reason), ofStatus, reason === "ok" ? undefined : NOT_OK);
}

function inGroup(groupId: LinkFilter["group_id"]): SQL | undefined {
  if (!groupId) return undefined;
  return groupId === NO_GROUP ? isNull(links.groupId) : eq(links.groupId, groupId);
}

export function withStatus(status: LinkFilter["status"], now: number): SQL | undefined {
  if (!status) return undefined;
  if (status === "checking") return gt(links.checkingUntil, now);
  return and(eq(links.status, status), notChecking(now));
}

const notChecking = (now: number) => or(isNull(links.checkingUntil), lte(links.checkingUntil, now));
