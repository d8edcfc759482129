import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { checkKinds, checks, doomed, links } from "../db/tables.ts";
import { checkIdOf } from "../lib/ids.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { fittingKind, isNarrowed } from "./fitting.ts";
import type { CheckFilter, LinkHistoryRow } from "./model.ts";
import type { Span } from "./span.ts";
import { inSpans } from "./stretches.ts";
import { ownerOf, type Subject } from "./subject.ts";

const { no: _, code: __, ...kind } = getTableColumns(checkKinds);
const { checkedAt, linkNo, responseTimeMs, evidence } = checks;

type Counted = Span & { count: number };

type Wanted = {
  stretches: Counted[];
  filter: CheckFilter;
  limit: number;
  offset: number;
};

/** Of what is rare a page may take a check from each of so many parts of hours and more: then not at once. */
const SPANS_AT_ONCE = 20;

/** A page of the checks of the stretches, newest first. */
export async function readChecks(
  store: Store,
  subject: Subject,
  { stretches, filter, limit, offset }: Wanted,
): Promise<LinkHistoryRow[]> {
  const items: LinkHistoryRow[] = [];
  for (const some of chunksOf(SPANS_AT_ONCE, isNarrowed(filter) ? stretches : joined(stretches))) {
    if (items.length > 0) await yieldToEventLoop();
    const rest = { limit: limit - items.length, offset: items.length > 0 ? 0 : offset };
    items.push(...(await readSome(store, subject, { stretches: some, filter, ...rest })));
  }
  return items;
}

/** What lies between the stretches of a list of all checks is empty. */
function joined(stretches: Counted[]): Counted[] {
  const [newest, oldest] = [stretches[0], stretches.at(-1)];
  if (!newest || !oldest) return [];
  const count = stretches.reduce((sum, stretch) => sum + stretch.count, 0);
  return [{ from: oldest.from, until: newest.until, count }];
}

const readSome = (store: Store, subject: Subject, wanted: Wanted): Promise<LinkHistoryRow[]> =>
  checksNamedBy(store, keysOf(subject, wanted));

/**
 * All that is told of the checks whose keys these are, newest first. Links that are gone, but not yet all
 * of their history, are told by what was written down of them.
 */
export async function checksNamedBy(
  reader: Pick<Store, "select">,
  keys: SQL,
): Promise<(LinkHistoryRow & { linkNo: number })[]> {
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
      linkId: sql<string>`coalesce(links.id, doomed.id)`,
      url: sql<string>`${urlOfLink}`,
    })
    .from(sql`(${keys}) as page`)
    .innerJoin(
      checks,
      sql`(checks.account_no, checks.checked_at, checks.link_no) = (page.account_no, page.checked_at, page.link_no)`,
    )
    .innerJoin(checkKinds, eq(checkKinds.no, checks.kindNo))
    .leftJoin(links, eq(links.no, checks.linkNo))
    .leftJoin(doomed, eq(doomed.no, checks.linkNo))
    .orderBy(sql`page.checked_at desc, page.link_no desc`);
  return rows.map((row) => ({ id: checkIdOf(row.linkId, row.checkedAt), ...row }));
}

const urlOfLink = sql.raw("coalesce(links.url, doomed.url)");

/** Chosen by the index alone, before anything is joined. No walk goes on after the last that it can find. */
function keysOf({ of, no }: Subject, wanted: Wanted): SQL {
  const { stretches, filter, limit, offset } = wanted;
  const fits = isNarrowed(filter)
    ? sql`and kind_no in (select k.no from check_kinds k where ${fittingKind(filter)})`
    : sql``;
  const newestFirst = sql.raw("order by checked_at desc, link_no desc");
  const spans = inSpans(
    stretches,
    ({ from, until, count }) => sql`
      select * from (
        select account_no, checked_at, link_no from checks
        where ${ownerOf(of)} = ${no} and checked_at >= ${from} and checked_at < ${until} ${fits}
        ${newestFirst} limit ${Math.min(count, limit + offset)}
      ) as span`,
  );
  return sql`select * from (${spans}) as spans ${newestFirst} limit ${limit} offset ${offset}`;
}
