import { and, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Store } from "../../ground/db/store.ts";
import { checks, groups, LINK_SUMMARY, links } from "../../ground/db/tables.ts";
import { type StepSize, walk } from "../../ground/lib/steps.ts";
import { checksWithKeys } from "../../history/history.ts";
import { ofMatchingKind } from "../../history/intervals.ts";
import type { LinkHistoryRow } from "../../history/model.ts";
import { ownerOf, type Subject, spanOf, subjectOf } from "../../history/subject.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { withDetails } from "../fields/details.ts";
import {
  type LinkFilter,
  matchingLinks,
  NO_GROUP,
  NO_SOURCE,
  ofSource,
  ownFilter,
} from "../links.ts";
import type { ExportedLink, HistoryExportQuery, LinkExportQuery } from "./model.ts";

const LINK_STEP: StepSize = { rowsAtOnce: 500, walkedAtOnce: 5000 };

/** Reads the account's matching links, newest first, in batches; links with given ids all at once. */
export function exportedLinks(
  deps: Deps,
  caller: Caller,
  query: LinkExportQuery,
  size = LINK_STEP,
): AsyncGenerator<ExportedLink[], void> {
  const { ids, ...filter } = ownFilter(caller, query);
  return ids ? namedLinks(deps, caller, ids) : walkLinks(deps, caller, filter, size);
}

async function* namedLinks({ store }: Deps, caller: Caller, ids: string[]) {
  const rows = await readLinks(store, and(isOurs(caller), inArray(links.id, ids)), ids.length);
  if (rows.length > 0) yield rows;
}

/** The plus keeps SQLite from searching all links of the account for them. */
const isOurs = ({ accountNo }: Caller) => sql`+${links.accountNo} = ${accountNo}`;

function walkLinks(
  { store, clock }: Deps,
  caller: Caller,
  filter: LinkFilter,
  { rowsAtOnce, walkedAtOnce }: StepSize,
) {
  const walked = walkedLinks(caller, filter);
  const matches = matchingLinks(caller, filter, clock.now());
  const { no } = links;
  return walk<number, ExportedLink>({
    rowsAtOnce,
    keyOf: (link) => link.no,
    markAfter: async (last) => {
      const [mark] = await store.readPool
        .select({ no })
        .from(links)
        .where(and(walked, below(last)))
        .orderBy(desc(no))
        .limit(1)
        .offset(walkedAtOnce - 1);
      return mark?.no ?? null;
    },
    read: (after, upTo) =>
      readLinks(
        store,
        and(walked, matches, below(after), upTo === null ? undefined : gte(no, upTo)),
        rowsAtOnce,
      ),
  });
}

/** The links to walk through: those of the group or the source, which may be few, or else all. */
function walkedLinks(caller: Caller, filter: LinkFilter) {
  const { group_id: group, source_id: source } = filter;
  if (group && group !== NO_GROUP) return and(isOurs(caller), eq(links.groupId, group));
  return source && source !== NO_SOURCE
    ? and(isOurs(caller), ofSource(caller, filter))
    : eq(links.accountNo, caller.accountNo);
}

async function readLinks(store: Store, chosen: SQL | undefined, most: number) {
  const rows = await store.readPool
    .select({ ...LINK_SUMMARY, group: groups.name, previousUrl: PREVIOUS_URL })
    .from(links)
    .leftJoin(groups, eq(groups.id, links.groupId))
    .where(chosen)
    .orderBy(desc(links.no))
    .limit(most);
  return withDetails(store, rows);
}

const PREVIOUS_URL = sql<string | null>`(
  select url from link_urls where link_no = ${links.no} order by until desc limit 1)`;

const below = (no: number | null) => (no === null ? undefined : lt(links.no, no));

const CHECK_STEP: StepSize = { rowsAtOnce: 500, walkedAtOnce: 10_000 };

/** The place of a check among those of its account. */
type Key = { checkedAt: number; linkNo: number };

type ExportedCheck = LinkHistoryRow & Key;

const NEWEST_FIRST = sql.raw("order by checked_at desc, link_no desc");

/** Reads matching checks, newest first, in batches. There are none for a link of another account. */
export async function* exportedHistory(
  { store }: Deps,
  caller: Caller,
  query: HistoryExportQuery,
  size = CHECK_STEP,
): AsyncGenerator<ExportedCheck[], void> {
  const subject = await subjectOf(store, caller, query);
  if (subject) yield* walkChecks(store, subject, query, size);
}

function walkChecks(
  store: Store,
  subject: Subject,
  query: HistoryExportQuery,
  { rowsAtOnce, walkedAtOnce }: StepSize,
) {
  const { readPool } = store;
  const between = boundsOf(subject, query);
  const { status, changed } = query;
  const ofKind = ofMatchingKind({ status, changed: changed && changed === "true" });
  return walk<Key, ExportedCheck>({
    rowsAtOnce,
    keyOf: ({ checkedAt, linkNo }) => ({ checkedAt, linkNo }),
    markAfter: async (last) => {
      const { checkedAt, linkNo } = checks;
      const [mark] = await readPool
        .select({ checkedAt, linkNo })
        .from(checks)
        .where(sql`${between(last, null)} ${NEWEST_FIRST} limit 1 offset ${walkedAtOnce - 1}`);
      return mark ?? null;
    },
    read: (after, upTo) =>
      checksWithKeys(
        readPool,
        sql`select account_no, checked_at, link_no from checks
          where ${between(after, upTo)} ${ofKind} ${NEWEST_FIRST} limit ${rowsAtOnce}`,
      ),
  });
}

/**
 * Returns the condition for the subject's stored checks after one key up to another, or to the ends of the requested
 * time. Each side has one bound, by the moment alone: with two, SQLite may walk to the farther one.
 */
function boundsOf({ of, no, since }: Subject, query: HistoryExportQuery) {
  const { from, until } = spanOf(query);
  const begin = Math.max(from, since);
  return (after: Key | null, upTo: Key | null): SQL => {
    const newest = after
      ? sql`checked_at <= ${after.checkedAt} and (checked_at < ${after.checkedAt} or link_no < ${after.linkNo})`
      : sql`checked_at < ${until}`;
    const oldest = upTo
      ? sql`checked_at >= ${upTo.checkedAt} and (checked_at > ${upTo.checkedAt} or link_no >= ${upTo.linkNo})`
      : sql`checked_at >= ${begin}`;
    return sql`${ownerOf(of)} = ${no} and ${newest} and ${oldest}`;
  };
}
