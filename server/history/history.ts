import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { pointRead } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import {
  allLinks,
  checkKinds,
  checks,
  type LinkRow,
  pendingDeletions,
} from "../ground/db/tables.ts";
import { checkIdOf } from "../ground/lib/ids.ts";
import { type Page, segmentsOnPage, type Window, windowOf } from "../ground/lib/paging.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { type Interval, intervalsOf, isNarrowed, ofMatchingKind, refine } from "./intervals.ts";
import type {
  CheckFilter,
  DateRange,
  HistoryQuery,
  LinkHistoryQuery,
  LinkHistoryRow,
  StatusChange,
} from "./model.ts";
import { type Span, unionOf } from "./roll-ups.ts";
import { ofLink, ownerOf, piecesFor, type Subject, spanOf, subjectOf } from "./subject.ts";

/** Lists checks of the account, newest first. The list is empty for a link of another account. */
export async function listHistory(
  { store }: Deps,
  caller: Caller,
  query: HistoryQuery,
): Promise<Page<LinkHistoryRow>> {
  const subject = await subjectOf(store, caller, query);
  return subject ? listChecks(store, subject, query, windowOf(query)) : { items: [], total: 0 };
}

export const listLinkHistory = async (
  { store }: Deps,
  link: Pick<LinkRow, "no" | "accountNo">,
  query: LinkHistoryQuery,
): Promise<Page<LinkHistoryRow>> =>
  listChecks(store, await ofLink(store, link), query, windowOf(query));

/** Lists the stored checks that changed the status of the link, newest first. */
export const listLinkChanges = (
  store: Store,
  subject: Subject,
  window: Window,
): Promise<Page<LinkHistoryRow>> => listChecks(store, subject, { changed: true }, window);

/** Checks that may be skipped one by one, so that the intervals that contain the page need not be refined. */
const SKIPPED_AT_ONCE = 250;

/**
 * Roll-ups give the number of checks of each day, hour and part of an hour. They lead to the few checks that contain
 * the page, however old it is, and add up to the total.
 */
async function listChecks(
  store: Store,
  subject: Subject,
  query: DateRange & CheckFilter,
  window: Window,
): Promise<Page<LinkHistoryRow>> {
  const filter = { status: query.status, changed: query.changed || undefined };
  const asked = spanOf(query);
  const span = { from: Math.max(asked.from, subject.since), until: asked.until };
  const pieces = await piecesFor(store, subject, span);
  let intervals = await intervalsOf(store, subject, pieces, filter);
  const total = intervals.reduce((sum, { count }) => sum + count, 0);
  let rest = window;
  for (const of of ["days", "hours"] as const) {
    ({ intervals, rest } = narrowed(intervals, rest));
    const checksIn = intervals.reduce((sum, { checks }) => sum + checks, 0);
    if (checksIn <= SKIPPED_AT_ONCE) break;
    intervals = await refine(store, subject, { of, intervals, filter });
  }
  ({ intervals, rest } = narrowed(intervals, rest));
  const items = await readChecks(store, subject, { intervals, filter, ...rest });
  return { items, total };
}

/** The intervals that contain the page, and its place in them. */
function narrowed(intervals: Interval[], window: Window) {
  const taken = segmentsOnPage(intervals, window);
  return {
    intervals: taken.map(({ segment }) => segment),
    rest: {
      limit: taken.reduce((sum, { take }) => sum + take, 0),
      offset: taken[0]?.skip ?? 0,
    },
  };
}

type Counted = Span & { count: number };
type Wanted = Window & { intervals: Counted[]; filter: CheckFilter };

/** A page of rare checks may take one from each of so many intervals and more: then not at once. */
const INTERVALS_AT_ONCE = 20;

/** Reads a page of the checks of the intervals, newest first. */
async function readChecks(
  store: Store,
  subject: Subject,
  { intervals, filter, limit, offset }: Wanted,
): Promise<LinkHistoryRow[]> {
  const items: LinkHistoryRow[] = [];
  const spans = isNarrowed(filter) ? intervals : joined(intervals);
  for (const some of chunksOf(INTERVALS_AT_ONCE, spans)) {
    if (items.length > 0) await yieldToEventLoop();
    const rest = { limit: limit - items.length, offset: items.length > 0 ? 0 : offset };
    const keys = keysOf(subject, { intervals: some, filter, ...rest });
    items.push(...(await checksWithKeys(store, keys)));
  }
  return items;
}

/** Without a filter, there are no checks between the intervals. */
function joined(intervals: Counted[]): Counted[] {
  const [newest, oldest] = [intervals[0], intervals.at(-1)];
  if (!newest || !oldest) return [];
  const count = intervals.reduce((sum, interval) => sum + interval.count, 0);
  return [{ from: oldest.from, until: newest.until, count }];
}

/** The index alone selects the keys, before any join. No walk goes past the last check that it can find. */
function keysOf({ of, no }: Subject, { intervals, filter, limit, offset }: Wanted): SQL {
  const newestFirst = sql.raw("order by checked_at desc, link_no desc");
  const spans = unionOf(
    intervals,
    ({ from, until, count }) => sql`
      select * from (
        select account_no, checked_at, link_no from checks
        where ${ownerOf(of)} = ${no} and checked_at >= ${from} and checked_at < ${until} ${ofMatchingKind(filter)}
        ${newestFirst} limit ${Math.min(count, limit + offset)}
      ) as span`,
  );
  return sql`select * from (${spans}) as spans ${newestFirst} limit ${limit} offset ${offset}`;
}

/** The URL that the link had at the time of the check. */
const urlOfLink = sql.raw(`coalesce((
  select url from link_urls where link_urls.link_no = checks.link_no and until > checks.checked_at
  order by until limit 1
), links.url, pending_deletions.url)`);

/**
 * Reads the checks with the keys, newest first. Of links that are deleted while their history is not, the id and the
 * URL are recorded elsewhere.
 */
export async function checksWithKeys(
  reader: Pick<Store, "select">,
  keys: SQL,
): Promise<(LinkHistoryRow & { linkNo: number })[]> {
  const { no: _, code: __, ...kind } = getTableColumns(checkKinds);
  const { checkedAt, linkNo, responseTimeMs, evidence } = checks;
  const rows = await reader
    .select({
      ...kind,
      checkedAt,
      linkNo,
      responseTimeMs,
      evidence,
      finalUrl: sql<
        string | null
      >`case when checks.final_url = '' then ${urlOfLink} else checks.final_url end`,
      linkId: sql<string>`coalesce(links.id, pending_deletions.id)`,
      url: sql<string>`${urlOfLink}`,
    })
    .from(sql`(${keys}) as page`)
    .innerJoin(
      checks,
      sql`(checks.account_no, checks.checked_at, checks.link_no) = (page.account_no, page.checked_at, page.link_no)`,
    )
    .innerJoin(checkKinds, eq(checkKinds.no, checks.kindNo))
    .leftJoin(allLinks, eq(allLinks.no, checks.linkNo))
    .leftJoin(pendingDeletions, eq(pendingDeletions.no, checks.linkNo))
    .orderBy(sql`page.checked_at desc, page.link_no desc`);
  return rows.map((row) => ({ id: checkIdOf(row.linkId, row.checkedAt), ...row }));
}

const checkAt = pointRead(
  { kindNo: checks.kindNo, checkedAt: checks.checkedAt, evidence: checks.evidence },
  (store, columns) =>
    store
      .select(columns)
      .from(checks)
      .where(
        and(
          eq(checks.linkNo, sql.placeholder("linkNo")),
          eq(checks.checkedAt, sql.placeholder("at")),
        ),
      ),
);

const kindByNo = pointRead(getTableColumns(checkKinds), (store, columns) =>
  store
    .select(columns)
    .from(checkKinds)
    .where(eq(checkKinds.no, sql.placeholder("no"))),
);

/**
 * Returns the check that changed the status of the link at that moment, if it is still stored. SQLite takes several
 * times as long for a join as for two point reads.
 */
export async function changeAt(
  store: Store,
  check: { linkNo: number; at: number },
): Promise<StatusChange | undefined> {
  const found = await checkAt(store, check);
  if (!found) return undefined;
  const kind = await kindByNo(store, { no: found.kindNo });
  return kind?.statusChanged ? { ...found, ...kind } : undefined;
}
