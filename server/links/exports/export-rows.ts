import { and, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import type { Store } from "../../db/store.ts";
import { checks, groups, LINK_SUMMARY, links } from "../../db/tables.ts";
import { checksWithKeys } from "../../history/history.ts";
import { ofMatchingKind } from "../../history/intervals.ts";
import type { LinkHistoryRow } from "../../history/model.ts";
import { ownerOf, type Subject, spanOf, subjectOf } from "../../history/subject.ts";
import { type StepSize, walk } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import { fitting, type LinkFilter, NO_GROUP } from "../filter.ts";
import type { ExportedLink, HistoryExportQuery, LinkExportQuery } from "./model.ts";

const LINK_STEP: StepSize = { rowsAtOnce: 500, walkedAtOnce: 5000 };

/** The account's links that fit, newest first, some at a time; those that are namedLinks all at once. */
export function exportedLinks(
  deps: Deps,
  caller: Caller,
  query: LinkExportQuery,
  size = LINK_STEP,
): AsyncGenerator<ExportedLink[], void> {
  const { ids, ...filter } = query;
  return ids ? namedLinks(deps, caller, ids) : walkLinks(deps, caller, filter, size);
}

async function* namedLinks({ store }: Deps, caller: Caller, ids: string[]) {
  const rows = await readLinks(store, and(isOurs(caller), inArray(links.id, ids)), ids.length);
  if (rows.length > 0) yield rows;
}

/** With a plus, since SQLite would look for them among all links of the account. */
const isOurs = ({ accountNo }: Caller) => sql`+${links.accountNo} = ${accountNo}`;

function walkLinks(
  { store, clock }: Deps,
  caller: Caller,
  filter: LinkFilter,
  { rowsAtOnce, walkedAtOnce }: StepSize,
) {
  const walked = walkedFor(caller, filter);
  const fits = fitting(filter, clock.now());
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
        and(walked, fits, below(after), upTo === null ? undefined : gte(no, upTo)),
        rowsAtOnce,
      ),
  });
}

/** What has to be looked through: of a group its own links, of which there may be few. */
const walkedFor = (caller: Caller, { group_id: group }: LinkFilter) =>
  group && group !== NO_GROUP
    ? and(isOurs(caller), eq(links.groupId, group))
    : eq(links.accountNo, caller.accountNo);

const readLinks = ({ readPool }: Store, chosen: SQL | undefined, most: number) =>
  readPool
    .select({ ...LINK_SUMMARY, group: groups.name })
    .from(links)
    .leftJoin(groups, eq(groups.id, links.groupId))
    .where(chosen)
    .orderBy(desc(links.no))
    .limit(most);

const below = (no: number | null) => (no === null ? undefined : lt(links.no, no));

const CHECK_STEP: StepSize = { rowsAtOnce: 500, walkedAtOnce: 10_000 };

/** Where a check stands among those of its account. */
type Key = { checkedAt: number; linkNo: number };

type ExportedCheck = LinkHistoryRow & Key;

const NEWEST_FIRST = sql.raw("order by checked_at desc, link_no desc");

/** The checks that fit, newest first, some at a time. A stranger's link has none. */
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
  const fits = ofMatchingKind({ status, changed: changed && changed === "true" });
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
          where ${between(after, upTo)} ${fits} ${NEWEST_FIRST} limit ${rowsAtOnce}`,
      ),
  });
}

/**
 * The subject's checks after the one key up to the other, or from where the time that is asked for begins
 * to its end, as far as they are kept. Each side is bounded once, and by the moment alone: of two bounds
 * SQLite may walk to the farther one.
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
