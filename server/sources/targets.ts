import { and, asc, eq, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import { numbersOf, onRows, type Store } from "../ground/db/store.ts";
import {
  links,
  occurrences,
  type SourcePageRow,
  type SourceRow,
  sourcePages,
} from "../ground/db/tables.ts";
import type { PageState } from "../ground/lib/vocabulary.ts";
import { urlKeyOf } from "../judge/services/catalogue.ts";
import { hasAnchor } from "../read/crawl/fragments.ts";
import { NOFOLLOW } from "../read/crawl/job.ts";
import { settingsOf } from "../read/crawl/settings.ts";
import type { Deps } from "../work/deps.ts";
import { attachLinks, ensureLinks, subtractPlaces, type WantedLink } from "./places.ts";
import { type Progress, type Run, withNotes } from "./runs.ts";
import { type Context, contextOf } from "./writing.ts";

const PAGES_AT_ONCE = 200;
const CHECKED_AT_ONCE = 50;

const AWAY: PageState[] = ["gone", "failed", "moved"];

/** Answers of a page that is there, but not for us. */
const CLOSED = [401, 403, 407, 429, 451];

type Leading = Pick<SourcePageRow, "no" | "url" | "linkNo"> & { places: number };

/**
 * Makes links of the pages of a site that did not answer, or were not asked for as all that leads to them is marked
 * nofollow, so that they are checked and stand where they are linked. One that answers again gives its places back.
 */
export async function linkPages(
  deps: Deps,
  source: SourceRow,
  run: Run,
  after: number,
): Promise<Progress> {
  const settings = settingsOf(source, "site");
  if (!settings) return { run, after: null };
  const { store: tx } = deps;
  const { watch } = settings;
  const rows = await tx
    .select({
      no: sourcePages.no,
      url: sourcePages.url,
      linkNo: sourcePages.linkNo,
      state: sourcePages.state,
      reason: sourcePages.reason,
      statusCode: sourcePages.statusCode,
      linkKey: links.urlKey,
      places: sql`(select count(*) from occurrences where target_no = ${sourcePages.no})`.mapWith(
        Number,
      ),
    })
    .from(sourcePages)
    .leftJoin(links, eq(links.no, sourcePages.linkNo))
    .where(
      and(
        eq(sourcePages.sourceNo, source.no),
        eq(sourcePages.seenRun, run.runNo),
        gt(sourcePages.no, after),
        // Places are counted of those only that may become a link, or are one.
        watch === "external"
          ? or(
              isNotNull(sourcePages.linkNo),
              inArray(sourcePages.state, AWAY),
              eq(sourcePages.reason, NOFOLLOW),
            )
          : undefined,
      ),
    )
    .orderBy(asc(sourcePages.no))
    .limit(PAGES_AT_ONCE);
  const isWatched = (row: (typeof rows)[number]) =>
    didNotAnswer(row) || isUnfollowed(row) || (watch !== "external" && row.state !== "skipped");
  // A person may have changed the URL of the link.
  const hasOtherUrl = ({ url, linkKey }: (typeof rows)[number]) =>
    linkKey !== null && linkKey !== urlKeyOf(deps.catalogue, new URL(url));
  const isBack = (row: (typeof rows)[number]) => row.state !== "skipped" && !isWatched(row);
  const context = await contextOf(deps, source, run);
  await unlinkPages(
    context,
    rows.filter((row) => row.linkNo !== null && (isBack(row) || hasOtherUrl(row))),
  );
  await makeLinks(
    context,
    rows.filter(
      (row) => (row.linkNo === null || hasOtherUrl(row)) && row.places > 0 && isWatched(row),
    ),
  );
  return { run: context.run, after: rows.length < PAGES_AT_ONCE ? null : rows.at(-1)!.no };
}

/** A page behind a login or a block may well be there. What leads out of the site is checked like all that is outside. */
function didNotAnswer({
  state,
  statusCode,
  reason,
}: Pick<SourcePageRow, "state" | "statusCode" | "reason">): boolean {
  if (state === "gone") return true;
  if (state === "moved") return reason === "outside";
  return state === "failed" && reason !== "http_429" && !CLOSED.includes(statusCode ?? 0);
}

/** What no link of the site leads to that may be followed was not asked for by the run. */
const isUnfollowed = ({ state, reason }: Pick<SourcePageRow, "state" | "reason">) =>
  state === "skipped" && reason === NOFOLLOW;

async function makeLinks(context: Context, pages: Leading[]): Promise<void> {
  const { deps, tx } = context;
  const keyed = pages.map((page) => ({
    ...page,
    key: urlKeyOf(deps.catalogue, new URL(page.url)),
  }));
  const wanted = new Map<string, WantedLink>(
    keyed.map(({ key, url }) => [key, { url: new URL(url), pageUrl: url }]),
  );
  const { numbers, refused } = await ensureLinks(context, wanted);
  context.run = withNotes(context.run, [], refused);
  const places = new Map<number, number>();
  const leads = keyed.flatMap(({ no, key, places: some }) => {
    const linkNo = numbers.get(key);
    if (linkNo === undefined) return [];
    places.set(linkNo, (places.get(linkNo) ?? 0) + some);
    return [[no, linkNo]];
  });
  await setLinks(tx, leads);
  await attachLinks(context, places);
}

async function unlinkPages({ tx, source }: Context, pages: Leading[]): Promise<void> {
  await subtractPlaces(
    tx,
    source.no,
    pages.map(({ linkNo, places }) => [linkNo!, places]),
  );
  await setLinks(
    tx,
    pages.map(({ no }) => [no, null]),
  );
}

const setLinks = onRows(
  { page: "bigint", link: "bigint" },
  (rows) => sql`update source_pages set link_no = link from ${rows} as given where no = page`,
);

/** Marks the places that lead to an anchor which their page does not have. */
export async function anchors(
  { store: tx }: Deps,
  source: SourceRow,
  run: Run,
  after: number,
): Promise<Progress> {
  if (!settingsOf(source, "site")?.fragments) return { run, after: null };
  const pages = await tx
    .select({ no: sourcePages.no })
    .from(sourcePages)
    .where(and(eq(sourcePages.sourceNo, source.no), gt(sourcePages.no, after)))
    .orderBy(asc(sourcePages.no))
    .limit(CHECKED_AT_ONCE);
  const nos = pages.map(({ no }) => no);
  const { pageNo, targetNo, place, fragment, isFragmentMissing } = occurrences;
  const places = await tx
    .select({ pageNo, targetNo, place, fragment, isFragmentMissing })
    .from(occurrences)
    .where(and(inArray(pageNo, sql`${numbersOf(tx, nos)}`), isNotNull(fragment)));
  const packed = await anchorsOf(tx, [...new Set(places.map((each) => each.targetNo))]);
  const judged = places.map((each) => {
    const isOfLink = !packed.has(each.targetNo);
    const anchors = packed.get(each.targetNo);
    // Of links, checks have marked them.
    const isMissing = isOfLink
      ? each.isFragmentMissing
      : anchors !== undefined && !hasAnchor(anchors, each.fragment!);
    return { ...each, isMissing };
  });
  await setMissing(
    tx,
    judged
      .filter(({ isMissing, isFragmentMissing: before }) => isMissing !== before)
      .map((each) => [each.pageNo, each.targetNo, each.place, each.isMissing ? 1 : 0]),
  );
  const missing = judged.filter(({ isMissing }) => isMissing).length;
  const before = after === 0 ? 0 : run.counts.fragments;
  const counts = { ...run.counts, fragments: before + missing };
  return { run: { ...run, counts }, after: pages.length < CHECKED_AT_ONCE ? null : nos.at(-1)! };
}

/** Those of pages; undefined for pages that were not read, of which nothing is known. */
async function anchorsOf(
  tx: Store,
  nos: number[],
): Promise<Map<number, string | null | undefined>> {
  const rows = await tx
    .select({ no: sourcePages.no, anchors: sourcePages.anchors, state: sourcePages.state })
    .from(sourcePages)
    .where(inArray(sourcePages.no, sql`${numbersOf(tx, nos)}`));
  return new Map(
    rows.map(({ no, anchors, state }) => [no, state === "read" ? anchors : undefined]),
  );
}

const setMissing = onRows(
  { page: "bigint", target: "bigint", n: "bigint", missing: "bigint" },
  (rows) => sql`
    update occurrences set is_fragment_missing = missing from ${rows} as given
    where page_no = page and target_no = target and place = n
  `,
);
