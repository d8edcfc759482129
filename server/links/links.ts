import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { lockLinks, pointRead } from "../ground/db/queries.ts";
import { contains, type Store } from "../ground/db/store.ts";
import {
  allLinks,
  deliveries,
  events,
  type LinkRow,
  linkDetails,
  linkReadings,
  linkResponses,
  links,
  linkUrls,
  sources,
  webhooks,
} from "../ground/db/tables.ts";
import { foreign, invalid, notFound } from "../ground/lib/errors.ts";
import { parseId } from "../ground/lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../ground/lib/paging.ts";
import { VERDICTS } from "../ground/lib/vocabulary.ts";
import { changeAt } from "../history/history.ts";
import type { Caller } from "../http/caller.ts";
import { type Reason, verdictOf } from "../judge/reasons/reasons.ts";
import type { DeliveryOfLink, EventOfLink } from "../notify/deliveries-model.ts";
import type { Deps } from "../work/deps.ts";
import { LEASE_MS } from "../work/nodes.ts";
import type { Unit } from "../work/unit.ts";
import { domainOfLink } from "./domains/facts.ts";
import { withDetails } from "./fields/details.ts";
import type { Owner } from "./fields/field.ts";
import { FILTERS, matchingDetails, SEARCHED } from "./fields/registry.ts";
import { readMemories } from "./memories.ts";
import type { LinkDetailRow, LinkQuery, PreviousUrl, StoredResponses } from "./model.ts";
import { isRetired } from "./retired.ts";

/** @throws NOT_FOUND, FORBIDDEN for a link of another account, or CONFLICT for one that is retired */
export async function findLink(deps: Deps, caller: Caller, id: string): Promise<LinkRow> {
  const link = await findAnyLink(deps, caller, id);
  if (link.retiredAt > 0) throw isRetired();
  return link;
}

/** Also finds links that are retired, for reading. @throws NOT_FOUND, or FORBIDDEN for a link of another account */
export async function findAnyLink(
  { store }: Pick<Deps, "store">,
  caller: Caller,
  given: string,
): Promise<LinkRow> {
  const id = parseId(given) ?? "";
  const link = await linkById(store, { id });
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
  const { store } = deps;
  const row = await findAnyLink(deps, caller, id);
  const { no: linkNo, statusChangedAt: at } = row;
  const [[link], previousUrls, lastChange, reading, memories, domain] = await Promise.all([
    withDetails(store, [row]),
    listPreviousUrls(store, linkNo),
    row.lastCheckedAt === null ? null : changeAt(store, { linkNo, at }),
    readingOf(store, row),
    readMemories(store, [linkNo]),
    domainOfLink(store, row.url),
  ]);
  return {
    ...link!,
    previousUrls,
    lastChange: lastChange ?? null,
    unchangedSince: reading?.judgedAt ?? null,
    memory: memories.get(linkNo),
    domain,
  };
}

/** The reading whose evidence the link has, if a later check found the page unchanged. */
async function readingOf(store: Store, { no, lastStatus, lastCheckedAt }: LinkRow) {
  if (lastStatus !== "active" || lastCheckedAt === null) return undefined;
  const isBefore = lt(linkReadings.judgedAt, lastCheckedAt);
  const [reading] = await store
    .select()
    .from(linkReadings)
    .where(and(eq(linkReadings.linkNo, no), isBefore));
  return reading;
}

/** Lists the earlier URLs of a link, newest first. */
const listPreviousUrls = (store: Store, linkNo: number): Promise<PreviousUrl[]> =>
  store
    .select({ url: linkUrls.url, until: linkUrls.until, changedBy: linkUrls.changedBy })
    .from(linkUrls)
    .where(eq(linkUrls.linkNo, linkNo))
    .orderBy(desc(linkUrls.until));

/** Returns the stored responses of a link: when it was last found alive, and last found dead. */
export async function findResponses(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<StoredResponses> {
  const { store } = deps;
  const link = await findAnyLink(deps, caller, id);
  const [rows, reading] = await Promise.all([
    store.select().from(linkResponses).where(eq(linkResponses.linkNo, link.no)),
    readingOf(store, link),
  ]);
  return { rows, notModifiedAt: reading && reading.notModified > 0 ? link.lastCheckedAt : null };
}

/** `started` is false when a check was already running. */
export type CheckStart = { id: string; started: boolean };

/** Makes the link due now, unless it is being checked. */
export async function startCheck(unit: Unit, caller: Caller, id: string): Promise<CheckStart> {
  const link = await findLink(unit, caller, id);
  const now = unit.clock.now();
  await lockLinks(unit.store, [link.no]);
  const updated = await unit.store
    .update(links)
    .set({ nextCheckAt: now, nextTrigger: "manual", checkingUntil: now + LEASE_MS })
    .where(and(eq(links.id, link.id), notChecking(now)))
    .returning({ id: links.id });
  return { id: link.id, started: updated.length === 1 };
}

/** Lists the events of a link, newest first, with their deliveries. Events without a subscriber are not stored. */
export async function listLinkEvents(
  deps: Deps,
  caller: Caller,
  linkId: string,
  query: PageQuery,
): Promise<Page<EventOfLink>> {
  const { store } = deps;
  const link = await findAnyLink(deps, caller, linkId);
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
      eventId,
      webhookId,
      status,
      attempts,
      lastStatusCode,
      dueAt,
      name: webhooks.name,
      url: webhooks.url,
      format: webhooks.format,
    })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookId))
    .where(
      and(eq(webhooks.accountId, accountId), isNull(webhooks.deletedAt), inArray(eventId, ids)),
    )
    .orderBy(webhookId, eventId);
  return Map.groupBy(rows, (row) => row.eventId);
}

const linkById = pointRead(getTableColumns(allLinks), (store, columns) =>
  store
    .select(columns)
    .from(allLinks)
    .where(eq(allLinks.id, sql.placeholder("id"))),
);

/** The filters of a list of links. */
export type LinkFilter = Omit<LinkQuery, "include" | "sort" | "page" | "per_page">;

/** The `group_id` of a filter for links in no group. */
export const NO_GROUP = "none";

/** The `source_id` of a filter for links that no source has. */
export const NO_SOURCE = "none";

/** Whether stored counts give the number of matching links. */
export const isCounted = (filter: LinkFilter): boolean =>
  (!isByDetails(filter) || isOpen(filter)) &&
  hasCountedTags(filter) &&
  (!filter.attention || (filter.status ?? "dead") === "dead") &&
  !filter.service &&
  !filter.search &&
  !filter.check_frequency &&
  !isByCause(filter) &&
  !isByCreation(filter) &&
  !isByChange(filter) &&
  filter.group_id !== NO_GROUP;

/** Tags have counts of their own, and so have the links that need attention. */
const UNCOUNTED = (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).filter(
  (name) => name !== "tag" && name !== "attention",
);

/** Whether links are chosen by what people noted or decided about them, of which there are no counts. */
const isByDetails = (filter: LinkFilter): boolean => UNCOUNTED.some((name) => filter[name]);

/** Whether all links are wanted that are neither acknowledged nor muted: all but a few. */
const isOpen = ({ handling, ...filter }: LinkFilter) =>
  handling === "open" &&
  !isByCreation(filter) &&
  !isByChange(filter) &&
  !isByDetails(filter) &&
  !(filter.status || filter.attention) &&
  !(filter.tag || filter.group_id || filter.source_id);

/** A tag has counts of its own, and so has a source. */
function hasCountedTags({ tag = [], group_id: groupId, source_id: sourceId }: LinkFilter): boolean {
  const count = tag.length + (sourceId ? 1 : 0);
  return sourceId !== NO_SOURCE && (count === 0 || (count === 1 && groupId === undefined));
}

/**
 * The filter with the caller in the place of `me`.
 * @throws VALIDATION_ERROR for a caller who is not a person
 */
export function ownFilter<T extends LinkFilter>({ by }: Pick<Caller, "by">, filter: T): T {
  if (filter.assignee !== "me") return filter;
  if (by.kind === "user" && by.id !== null) return { ...filter, assignee: by.id };
  throw invalid({ assignee: ["`me` is only for people who are signed in; name a person by id"] });
}

/** Whether links are chosen by site or reason. */
const isByCause = ({ site, reason }: LinkFilter): boolean => Boolean(site || reason);

/** Whether links are chosen by when they were created, which the index of ids has. */
const isByCreation = ({ created_from: from, created_to: to }: LinkFilter): boolean =>
  Boolean(from || to);

const isByChange = ({ changed_after: after, changed_before: before }: LinkFilter): boolean =>
  after !== undefined || before !== undefined;

/** A moment at which no check is running, so that each link has its settled status. */
export const SETTLED = Number.MAX_SAFE_INTEGER;

/** The account's links that match. @param now decides which of them are being checked */
export const matching = (owner: Owner, filter: LinkFilter, now: number): SQL | undefined =>
  and(eq(links.accountNo, owner.accountNo), matchingLinks(owner, filter, now));

/** The same for links that other conditions limit to the account. */
export const matchingLinks = (owner: Owner, filter: LinkFilter, now: number): SQL | undefined =>
  and(
    withStatus(filter.status, now),
    filter.service ? eq(links.service, filter.service) : undefined,
    inGroup(filter.group_id),
    filter.check_frequency ? eq(links.checkFrequency, filter.check_frequency) : undefined,
    isByCreation(filter) ? created(filter) : undefined,
    isByChange(filter) ? changed(filter) : undefined,
    searched(filter, { isEach: false }),
    filter.site ? eq(links.site, filter.site) : undefined,
    filter.reason ? withReason(filter.reason) : undefined,
    filter.status === "dead" && isByCause(filter) ? NOT_OK : undefined,
    matchingDetails(filter, owner),
    ofSource(owner, filter),
  );

/** Ids are in the order of creation (RFC 9562 §5.7). A list of its own, so that it is read from their index. */
function created({ created_from: from, created_to: to }: LinkFilter): SQL {
  const isBetween = and(from ? gte(links.id, from) : undefined, to ? lte(links.id, to) : undefined);
  return sql`${links.no} in (select ${links.no} from watched_links as links where ${isBetween})`;
}

/** The index of changes begins with the status. */
function changed({ changed_after: after, changed_before: before, status }: LinkFilter) {
  return and(
    status && status !== "checking" ? undefined : inArray(links.status, VERDICTS),
    after === undefined ? undefined : gte(links.statusChangedAt, after),
    before === undefined ? undefined : lte(links.statusChangedAt, before),
  );
}

/**
 * Links with the text in their URL, or in their title and external id as well.
 * @param isEach whether these are looked up for each link; otherwise they are searched first, for which PostgreSQL has
 * an index
 */
export function searched(
  { search, search_in: place }: LinkFilter,
  { isEach }: { isEach: boolean },
): SQL | undefined {
  if (!search) return undefined;
  const inUrl = contains(links.url, search);
  if (place !== "all") return inUrl;
  const { linkNo } = linkDetails;
  const fits = or(...SEARCHED.map((column) => contains(sql.raw(column), search)));
  const inTexts = isEach
    ? sql`exists (select 1 from ${linkDetails} where ${linkNo} = ${links.no} and ${fits})`
    : sql`${links.no} in (select ${linkNo} from ${linkDetails} where ${fits})`;
  return sql`(${inUrl} or ${inTexts})`;
}

/** The links of a source are found like those of a tag. */
export function ofSource(
  { accountId, accountNo }: Owner,
  { source_id: id }: LinkFilter,
): SQL | undefined {
  if (!id) return undefined;
  if (id === NO_SOURCE)
    return sql`${links.no} not in (
      select link_no from link_details where account_no = ${accountNo} and sources > 0)`;
  return sql`${links.no} in (select link_no from link_tags where tag_no = (
    select no from sources where id = ${id} and account_id = ${accountId} and deleted_at is null))`;
}

/** The number of the account's source; undefined if there is none with the id. */
export async function numberOfSource(
  store: Store,
  { accountId }: Pick<Owner, "accountId">,
  id: string,
): Promise<number | undefined> {
  const [source] = await store
    .select({ no: sources.no })
    .from(sources)
    .where(and(eq(sources.id, id), eq(sources.accountId, accountId), isNull(sources.deletedAt)));
  return source?.no;
}

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

function withStatus(status: LinkFilter["status"], now: number): SQL | undefined {
  if (!status) return undefined;
  if (status === "checking") return gt(links.checkingUntil, now);
  return and(eq(links.status, status), now === SETTLED ? undefined : notChecking(now));
}

const notChecking = (now: number) => or(isNull(links.checkingUntil), lte(links.checkingUntil, now));
