import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { sumOf } from "../ground/db/queries.ts";
import { contains, numbersOf, type Store } from "../ground/db/store.ts";
import {
  linkDetails,
  links,
  linkTags,
  occurrences,
  type SourcePageRow,
  type SourceRow,
  sourceLinks,
  sourcePages,
  sources,
} from "../ground/db/tables.ts";
import { notFound } from "../ground/lib/errors.ts";
import { type Page, windowOf } from "../ground/lib/paging.ts";
import { ELEMENT_KINDS } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { fragmentsIn } from "../judge/fragments.ts";
import { findAnyLink } from "../links/links.ts";
import type { Deps } from "../work/deps.ts";
import type {
  OccurrenceExportQuery,
  OccurrenceQuery,
  ShownPage,
  ShownPlace,
  SourcePageQuery,
} from "./found-model.ts";
import { findSource } from "./sources.ts";
import { SITEMAP_KEY } from "./write.ts";

const target = alias(sourcePages, "target");
const targetLink = sql`coalesce(${target.linkNo}, ${occurrences.targetNo})`;

const selectPlaces = (store: Store | Store["readPool"]) =>
  store
    .select({
      place: occurrences,
      page: {
        no: sourcePages.no,
        url: sourcePages.url,
        title: sourcePages.title,
        lineOffset: sourcePages.lineOffset,
        isGone: sourcePages.isGone,
      },
      source: { id: sources.id, name: sources.name },
      targetUrl: target.url,
      fragments: linkDetails.fragments,
      link: { id: links.id, url: links.url, status: links.status, reason: links.reason },
    })
    .from(occurrences)
    .innerJoin(sourcePages, eq(sourcePages.no, occurrences.pageNo))
    .innerJoin(sources, eq(sources.no, sourcePages.sourceNo))
    .leftJoin(target, eq(target.no, occurrences.targetNo))
    .leftJoin(links, eq(links.no, targetLink))
    .leftJoin(
      linkDetails,
      and(eq(linkDetails.linkNo, occurrences.targetNo), eq(occurrences.isFragmentMissing, true)),
    )
    .$dynamic();

type PlaceRow = {
  place: typeof occurrences.$inferSelect;
  page: Pick<SourcePageRow, "no" | "url" | "title" | "lineOffset" | "isGone">;
  source: ShownPlace["source"];
  targetUrl: string | null;
  fragments: string | null;
  link: ShownPlace["link"];
};

function toPlace({ place, page, source, targetUrl, fragments, link }: PlaceRow): ShownPlace {
  const known = fragmentsIn(fragments).find(({ fragment }) => fragment === place.fragment);
  return {
    source,
    page,
    link,
    line: place.line === null ? null : place.line + page.lineOffset,
    column: place.col,
    element: ELEMENT_KINDS[place.element]!,
    text: place.text,
    url: targetUrl ?? link?.url ?? "",
    fragment: place.fragment,
    isFragmentMissing: place.isFragmentMissing,
    fragmentAlike: known?.alike ?? [],
    isFlagged: page.isGone || place.flaggedRun !== null,
  };
}

/** Lists the pages of a source in the order in which they were found. A long document is one page. */
export async function listPages(
  deps: Deps,
  caller: Caller,
  id: string,
  query: SourcePageQuery,
): Promise<Page<ShownPage>> {
  const { store } = deps;
  const source = await findSource(deps, caller, id);
  const { state, has, search } = query;
  const matches = and(
    eq(sourcePages.sourceNo, source.no),
    eq(sourcePages.part, ""),
    sql`${sourcePages.urlKey} not like ${`${SITEMAP_KEY}%`}`,
    state ? eq(sourcePages.state, state) : undefined,
    search
      ? sql`(${contains(sourcePages.url, search)} or ${contains(sourcePages.title, search)})`
      : undefined,
    has ? inArray(sourcePages.urlKey, keysWith(source, HAS[has](source))) : undefined,
  );
  const { limit, offset } = windowOf(query);
  const [rows, total] = await Promise.all([
    store
      .select()
      .from(sourcePages)
      .where(matches)
      .orderBy(asc(sourcePages.no))
      .limit(limit)
      .offset(offset),
    store.$count(sourcePages, matches),
  ]);
  return { items: await withCounts(store, source, rows), total };
}

/** The keys of the pages that have one of the places. */
const keysWith = ({ no }: SourceRow, pages: SQL) =>
  sql`(select parts.url_key from source_pages parts where parts.source_no = ${no} and parts.no in ${pages})`;

/** The dead links of a source, and its pages that do not answer. */
const deadTargets = ({ no, accountNo }: SourceRow) => sql`(
  with dead as (
    select links.no from watched_links as links cross join ${linkTags} ties
    where links.account_no = ${accountNo} and links.status = 'dead'
      and ties.tag_no = ${no} and ties.link_no = links.no
  )
  select no from dead union all
  select led.no from source_pages led where led.source_no = ${no} and led.link_no in (select no from dead)
)`;

const HAS = {
  /** From the dead links on, of which there are few. */
  dead: (source: SourceRow) =>
    sql`(select page_no from ${occurrences} where target_no in ${deadTargets(source)})`,
  fragments: ({ no }: SourceRow) => sql`(
    select o.page_no from ${occurrences} o join source_pages broken on broken.no = o.page_no
    where broken.source_no = ${no} and o.is_fragment_missing = 1
  )`,
};

async function withCounts(
  store: Store,
  source: SourceRow,
  rows: SourcePageRow[],
): Promise<ShownPage[]> {
  if (rows.length === 0) return [];
  const ofPages = and(
    eq(sourcePages.sourceNo, source.no),
    inArray(
      sourcePages.urlKey,
      rows.map(({ urlKey }) => urlKey),
    ),
  );
  const kept = await store
    .select({ key: sourcePages.urlKey, places: sumOf(sourcePages.places) })
    .from(sourcePages)
    .where(ofPages)
    .groupBy(sourcePages.urlKey);
  const places = new Map(kept.map((each) => [each.key, each.places]));
  const isLong = kept.reduce((sum, each) => sum + each.places, 0) > MANY_PLACES;
  const [dead, fragments] = await Promise.all([
    isLong
      ? countDeadPlaces(
          store,
          source,
          kept.map(({ key }) => key),
        )
      : countPlaces(store, ofPages, DEAD_PLACES),
    countPlaces(store, and(ofPages, eq(occurrences.isFragmentMissing, true)), sql`count(*)`),
  ]);
  return rows.map((row) => ({
    ...row,
    places: places.get(row.urlKey) ?? 0,
    dead: dead.get(row.urlKey) ?? 0,
    fragments: fragments.get(row.urlKey) ?? 0,
  }));
}

const MANY_PLACES = 10_000;
const DEAD_PLACES = sql`sum(case when ${links.status} = 'dead' then 1 else 0 end)`;

/** From the dead links on, of which long pages have few. The databases must not turn it round. */
async function countDeadPlaces(
  store: Store,
  source: SourceRow,
  keys: string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await store
    .select({ key: sql<string>`page.url_key`, count: sql`count(*)`.mapWith(Number) })
    .from(sql`${deadTargets(source)} as dead
      cross join ${occurrences} place cross join ${sourcePages} page`)
    .where(sql`place.target_no = dead.no and page.no = place.page_no
      and page.source_no = ${source.no} and ${inArray(sql`page.url_key`, keys)}`)
    .groupBy(sql`page.url_key`);
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** Counts places by the keys of their pages. */
async function countPlaces(
  store: Store,
  where: SQL | undefined,
  counted: SQL,
): Promise<ReadonlyMap<string, number>> {
  const rows = await store
    .select({ key: sourcePages.urlKey, count: counted.mapWith(Number) })
    .from(sourcePages)
    .innerJoin(occurrences, eq(occurrences.pageNo, sourcePages.no))
    .leftJoin(target, eq(target.no, occurrences.targetNo))
    .leftJoin(links, eq(links.no, targetLink))
    .where(where)
    .groupBy(sourcePages.urlKey);
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** The most places that a page is shown with. */
const MOST_PLACES = 5000;

/** Returns a page with its places, in their order. @throws NOT_FOUND, FORBIDDEN */
export async function findPage(
  deps: Deps,
  caller: Caller,
  id: string,
  pageId: string,
): Promise<ShownPage & { found: ShownPlace[] }> {
  const { store } = deps;
  const source = await findSource(deps, caller, id);
  const no = /^\d{1,15}$/.test(pageId) ? Number(pageId) : 0;
  const [row] = await store
    .select()
    .from(sourcePages)
    .where(
      and(eq(sourcePages.no, no), eq(sourcePages.sourceNo, source.no), eq(sourcePages.part, "")),
    );
  if (!row) throw notFound("page");
  const [page] = await withCounts(store, source, [row]);
  const places = await selectPlaces(store)
    .where(and(eq(sourcePages.sourceNo, source.no), eq(sourcePages.urlKey, row.urlKey)))
    .orderBy(asc(sourcePages.no), asc(occurrences.line), asc(occurrences.col))
    .limit(MOST_PLACES);
  return { ...page!, found: places.map(toPlace).sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

/** The sources that a filter names: none for an unknown id, or one of another account. */
const namedSources = ({ store }: Deps, { accountId }: Caller, id: string | undefined) =>
  store
    .select()
    .from(sources)
    .where(
      and(
        eq(sources.accountId, accountId),
        isNull(sources.deletedAt),
        id === undefined ? undefined : eq(sources.id, id),
      ),
    )
    .orderBy(asc(sources.no));

/** Lists the places where a link stands, page by page. @throws NOT_FOUND, FORBIDDEN */
export async function listOccurrences(
  deps: Deps,
  caller: Caller,
  linkId: string,
  query: OccurrenceQuery,
): Promise<Page<ShownPlace>> {
  const { store } = deps;
  const { no } = await findAnyLink(deps, caller, linkId);
  const [source = null] = query.source_id ? await namedSources(deps, caller, query.source_id) : [];
  if (query.source_id && !source) return { items: [], total: 0 };
  const { limit, offset } = windowOf(query);
  const targets = sql`(select cast(${no} as bigint) union all select no from source_pages where link_no = ${no})`;
  const [rows, total] = await Promise.all([
    selectPlaces(store)
      .where(
        and(
          inArray(occurrences.targetNo, targets),
          isNull(sources.deletedAt),
          source ? eq(sources.no, source.no) : undefined,
        ),
      )
      .orderBy(asc(occurrences.pageNo), asc(occurrences.targetNo), asc(occurrences.place))
      .limit(limit)
      .offset(offset),
    keptPlaces(store, no, source),
  ]);
  return { items: rows.map(toPlace), total };
}

/** Kept counts: a link may stand on 100,000 pages. */
async function keptPlaces(store: Store, linkNo: number, source: SourceRow | null): Promise<number> {
  const [row] = source
    ? await store
        .select({ places: sourceLinks.places })
        .from(sourceLinks)
        .where(and(eq(sourceLinks.sourceNo, source.no), eq(sourceLinks.linkNo, linkNo)))
    : await store
        .select({ places: linkDetails.places })
        .from(linkDetails)
        .where(eq(linkDetails.linkNo, linkNo));
  return row?.places ?? 0;
}

const PAGES_AT_ONCE = 50;

/** Reads the places of a source, or of all, page by page. */
export async function* exportedPlaces(
  deps: Deps,
  caller: Caller,
  { source_id: id, status }: OccurrenceExportQuery,
): AsyncGenerator<ShownPlace[], void> {
  const { store } = deps;
  for (const { no } of await namedSources(deps, caller, id)) {
    for (let after = 0; ; ) {
      const pages = await store.readPool
        .select({ no: sourcePages.no })
        .from(sourcePages)
        .where(and(eq(sourcePages.sourceNo, no), gt(sourcePages.no, after)))
        .orderBy(asc(sourcePages.no))
        .limit(PAGES_AT_ONCE);
      const nos = pages.map((page) => page.no);
      const rows = await selectPlaces(store.readPool)
        .where(
          and(
            inArray(occurrences.pageNo, sql`${numbersOf(store, nos)}`),
            status ? eq(links.status, status) : undefined,
          ),
        )
        .orderBy(asc(occurrences.pageNo), asc(occurrences.line), asc(occurrences.col));
      if (rows.length > 0) yield rows.map(toPlace);
      if (pages.length < PAGES_AT_ONCE) break;
      after = nos.at(-1)!;
    }
  }
}
