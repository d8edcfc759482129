import { and, inArray, isNotNull, sql } from "drizzle-orm";
import { lockLinks } from "../ground/db/queries.ts";
import { numbersOf, onRows, type Store } from "../ground/db/store.ts";
import {
  occurrences,
  type SourcePageRow,
  type SourceRow,
  sourcePages,
} from "../ground/db/tables.ts";
import { ELEMENT_KINDS } from "../ground/lib/vocabulary.ts";
import { parseTarget } from "../ground/net/policy.ts";
import type { Caller } from "../http/caller.ts";
import { urlKeyOf } from "../judge/services/catalogue.ts";
import { createAmong, type ReadItem } from "../links/create.ts";
import { addFragments, dropFragments, readFragments } from "../links/fragments.ts";
import { NewLink } from "../links/model.ts";
import { findRetired } from "../links/retired.ts";
import { type FoundPage, NOFOLLOW } from "../read/crawl/job.ts";
import type { Place } from "../read/crawl/places.ts";
import type { RunError } from "./runs.ts";
import { type Context, clean, nameOf, type Targets, upsertOf } from "./writing.ts";

/** New links of a run whose first checks are due at once; the others follow at this pace. */
const AT_ONCE = 1000;
const PER_HOUR = 50_000;
const HOUR_MS = 3_600_000;
/** The most places of a source, by the account's limit of links. */
const PLACES_OF_LINK = 20;

/** A page whose places are compared with those that are stored. */
export type Changed = { row: SourcePageRow; places: (Place & { page?: FoundPage })[] };

type StoredPlace = typeof occurrences.$inferSelect;

/** Compares the places of pages with those that are stored, and writes what differs. */
export async function writePlaces(
  context: Context,
  known: Targets,
  changed: Changed[],
): Promise<RunError[]> {
  const { tx, run } = context;
  if (changed.length === 0) return [];
  const { targets, errors } = await findTargets(context, known, changed);
  const stored = await tx
    .select()
    .from(occurrences)
    .where(
      inArray(
        occurrences.pageNo,
        sql`${numbersOf(
          tx,
          changed.map(({ row }) => row.no),
        )}`,
      ),
    );
  const ofPage = Map.groupBy(stored, ({ pageNo }) => pageNo);
  const written: StoredPlace[] = [];
  /** The targets of places that had another fragment. */
  const turned: number[] = [];
  const added = new Map<number, number>();
  const most = PLACES_OF_LINK * context.deps.config.tierLimits[context.caller.tier].links;
  const leads = new Map([...known.values()].map(({ no, linkNo }) => [no, linkNo]));
  for (const { row, places } of changed) {
    const before = new Map(
      (ofPage.get(row.no) ?? []).map((place) => [`${place.targetNo} ${place.place}`, place]),
    );
    const times = new Map<number, number>();
    for (const place of places) {
      const targetNo = targets.get(place);
      if (targetNo === undefined) {
        row.refused++;
        continue;
      }
      const n = times.get(targetNo) ?? 0;
      const now = toStored(row.no, targetNo, n, place);
      const then = before.get(`${targetNo} ${n}`);
      if (!then && run.counts.places >= most) {
        run.place.incomplete ??= "limit";
        run.counts.links.refused++;
        row.refused++;
        continue;
      }
      times.set(targetNo, n + 1);
      before.delete(`${targetNo} ${n}`);
      if (then && Bun.deepEquals({ ...then, isFragmentMissing: false }, now)) continue;
      written.push({ ...now, isFragmentMissing: then?.isFragmentMissing ?? false });
      if (then && then.fragment !== now.fragment) turned.push(targetNo);
      if (then) continue;
      run.counts.places++;
      const linkNo = leads.get(targetNo) ?? targetNo;
      added.set(linkNo, (added.get(linkNo) ?? 0) + 1);
    }
    for (const gone of before.values()) {
      row.flagged++;
      if (gone.flaggedRun === null) written.push({ ...gone, flaggedRun: run.runNo });
    }
    row.places = [...times.values()].reduce((sum, n) => sum + n, 0) + row.flagged;
  }
  await noteFragments(context, written);
  await savePlaces(tx, written);
  await dropFragments(tx, context.caller, turned);
  await attachLinks(context, added);
  return errors;
}

/** Adds the fragments of places to their links, and marks those that are known to be missing. */
async function noteFragments({ tx, caller }: Context, places: StoredPlace[]): Promise<void> {
  const leading = places.filter(({ fragment }) => fragment !== null);
  const nos = [...new Set(leading.map(({ targetNo }) => targetNo))];
  const isLink = await linksAmong(tx, nos);
  const ofLinks = leading.filter(({ targetNo }) => isLink.has(targetNo));
  const wanted = ofLinks.map(({ targetNo, fragment }) => ({ no: targetNo, fragment: fragment! }));
  await addFragments(tx, caller, wanted, false);
  const known = await readFragments(tx, [...isLink]);
  for (const place of ofLinks) {
    const found = known.get(place.targetNo)?.find(({ fragment }) => fragment === place.fragment);
    place.isFragmentMissing = (found?.missingSince ?? null) !== null;
  }
}

/** Pages are numbered like links, but are not links. */
async function linksAmong(tx: Store, nos: number[]): Promise<Set<number>> {
  const rows = await selectNumbers(
    tx,
    nos.map((no) => [no]),
  );
  return new Set(rows.map(([no]) => no as number));
}

const selectNumbers = onRows(
  { given_no: "bigint" },
  (rows) => sql`
    select no from ${rows} as given join watched_links as links on links.no = given_no
  `,
);

const mark = onRows(
  { link: "bigint", wanted: "text", missing: "bigint" },
  (rows) => sql`
    update occurrences set is_fragment_missing = missing from ${rows} as given
    where target_no = link and fragment = wanted
  `,
);

/** Marks the places that lead to fragments which the pages of links do not have any more. */
export const markFragments = (
  tx: Store,
  fragments: { no: number; fragment: string; isMissing: boolean }[],
): Promise<unknown> =>
  mark(
    tx,
    fragments.map(({ no, fragment, isMissing }) => [no, fragment, isMissing ? 1 : 0]),
  );

const toStored = (
  pageNo: number,
  targetNo: number,
  place: number,
  found: Changed["places"][number],
): StoredPlace => ({
  pageNo,
  targetNo,
  place,
  line: found.line,
  col: found.column,
  element: ELEMENT_KINDS.indexOf(found.element),
  text: clean(found.text) || null,
  fragment: clean(found.fragment)?.slice(0, 500) ?? null,
  isFragmentMissing: false,
  flaggedRun: null,
  isNofollow: found.page?.skipped === NOFOLLOW,
});

const PLACE_COLUMNS: Record<string, "bigint" | "text"> = {
  page_no: "bigint",
  target_no: "bigint",
  place: "bigint",
  line: "bigint",
  col: "bigint",
  element: "bigint",
  text: "text",
  fragment: "text",
  is_fragment_missing: "bigint",
  flagged_run: "bigint",
  is_nofollow: "bigint",
};

const upsertPlaces = upsertOf("occurrences", PLACE_COLUMNS, ["page_no", "target_no", "place"]);

const savePlaces = (tx: Store, places: StoredPlace[]): Promise<unknown> =>
  upsertPlaces(
    tx,
    places.map((each) => [
      each.pageNo,
      each.targetNo,
      each.place,
      each.line,
      each.col,
      each.element,
      each.text,
      each.fragment,
      each.isFragmentMissing ? 1 : 0,
      each.flaggedRun,
      each.isNofollow ? 1 : 0,
    ]),
  );

type FoundTargets = { targets: Map<Place, number>; errors: RunError[] };

/** Finds the links and pages that places lead to, and creates the links that are missing. */
async function findTargets(
  context: Context,
  known: Targets,
  changed: Changed[],
): Promise<FoundTargets> {
  const { deps, run } = context;
  const targets = new Map<Place, number>();
  const errors: RunError[] = [];
  const wanted = new Map<string, WantedLink & { places: Place[] }>();
  const { checkAllowedHosts: allowed, checkBlockedHosts: blocked } = deps.config;
  for (const { row, places } of changed) {
    for (const place of places) {
      const page = place.page && known.get(nameOf(place.page.key, ""));
      if (page) {
        targets.set(place, page.no);
        continue;
      }
      const href = place.fragment === null ? place.url : `${place.url}#${place.fragment}`;
      const target = parseTarget(href, { allowed, blocked });
      if (!target.ok) {
        errors.push({ url: clean(href.slice(0, 500))!, page_url: row.url, reason: target.problem });
        continue;
      }
      const key = urlKeyOf(deps.catalogue, target.url);
      const same = wanted.get(key);
      if (same) same.places.push(place);
      else wanted.set(key, { url: target.url, places: [place], pageUrl: row.url });
    }
  }
  const { numbers, refused } = await ensureLinks(context, wanted);
  for (const [key, { places }] of wanted) {
    const no = numbers.get(key);
    if (no === undefined) run.counts.links.refused += places.length - 1;
    else for (const place of places) targets.set(place, no);
  }
  run.counts.links.refused += errors.length;
  return { targets, errors: [...errors, ...refused] };
}

/** A link that is to be there, and a page on which it stands. */
export type WantedLink = { url: URL; pageUrl: string };

/**
 * Creates links that the account has not, or brings them back.
 * @param wanted by the keys of their URLs
 * @returns the numbers of all by key, but for those that were refused
 */
export async function ensureLinks(
  { deps, tx, source, caller, run }: Context,
  wanted: Map<string, WantedLink>,
): Promise<{ numbers: Map<string, number>; refused: RunError[] }> {
  const refused: RunError[] = [];
  const numbers = await findLinks(tx, caller, [...wanted.keys()]);
  const missing = [...wanted].filter(([key]) => !numbers.has(key));
  const returning = await findRetired(
    tx,
    caller.accountId,
    missing.map(([key]) => key),
  );
  const items = missing.map(([key]): ReadItem => {
    const { groupId: group_id, checkFrequency: check_frequency } = source;
    const input = { url: key, group_id, check_frequency };
    const named = { assignee: null, schedule: null };
    return { input, fields: NewLink.parse(input), url: new URL(key), named };
  });
  const { links } = run.counts;
  const first = links.new;
  const startedAt = run.startedAt ?? deps.clock.now();
  const created = await createAmong(deps, caller, items, {
    trigger: "initial",
    keepsReturned: true,
    isAudited: false,
    dueAt: (n) => {
      const late = first + n < AT_ONCE ? 0 : ((first + n) / PER_HOUR) * HOUR_MS;
      return Math.max(deps.clock.now(), startedAt + late);
    },
  });
  const fresh: number[] = [];
  created.forEach((result, i) => {
    const [key, { pageUrl, url }] = missing[i]!;
    if ("link" in result) {
      numbers.set(key, result.link.no);
      fresh.push(result.link.no);
      if (returning.has(key)) links.returned++;
      else links.new++;
      return;
    }
    const isFull = result.error.details?.reason === "limit_reached";
    if (isFull) run.place.incomplete ??= "limit";
    links.refused++;
    const reason = isFull ? "limit" : result.error.message;
    refused.push({ url: url.href, page_url: pageUrl, reason });
  });
  await markUnpinned(
    tx,
    fresh.map((no) => [no]),
    { accountNo: caller.accountNo },
  );
  return { numbers, refused };
}

const selectLinks = onRows(
  { given_key: "text" },
  (rows) => sql`
    select url_key, no from watched_links as links
    where account_id = ${sql.placeholder("accountId")} and url_key in (select given_key from ${rows} as given)
  `,
);

async function findLinks(
  tx: Store,
  { accountId }: Caller,
  keys: string[],
): Promise<Map<string, number>> {
  const rows = await selectLinks(
    tx,
    keys.map((key) => [key]),
    { accountId },
  );
  return new Map(rows as [string, number][]);
}

/** Links that a source has made leave with it. */
const markUnpinned = onRows(
  { link: "bigint" },
  (rows) => sql`
    insert into link_details (link_no, account_no, is_pinned)
    select link, cast(${sql.placeholder("accountNo")} as bigint), 0 from ${rows} as given where true
    on conflict (link_no) do update set is_pinned = 0
  `,
);

/** Notes in how many more places the source has links. */
export async function attachLinks(
  { tx, source }: Context,
  added: Map<number, number>,
): Promise<void> {
  const targets = [...added.keys()].sort((a, b) => a - b);
  if (targets.length === 0) return;
  await lockLinks(tx, targets);
  const rows = targets.map((no) => [no, added.get(no)!]);
  const given = { sourceNo: source.no };
  const fresh = await insertTies(tx, rows, given);
  const isFresh = new Set(fresh.map(([no]) => no as number));
  await addPlaces(tx, rows, given);
  await addOrigins(
    tx,
    rows.map(([no, places]) => [no!, places!, isFresh.has(no!) ? 1 : 0]),
  );
  await countTies(
    tx,
    [...isFresh].map((no) => [no]),
    given,
  );
}

const TIES = { link: "bigint", more: "bigint" } as const;
const SOURCE = sql.placeholder("sourceNo");

/** Pages are numbered like links, but are not links. */
const insertTies = onRows(
  TIES,
  (rows) => sql`
    insert into source_links (source_no, link_no, places, missing_runs, missing_at)
    select cast(${SOURCE} as bigint), links.no, 0, 0, null from ${rows} as given
    join watched_links as links on links.no = link where true
    on conflict (source_no, link_no) do nothing returning link_no
  `,
);

const addPlaces = onRows(
  TIES,
  (rows) => sql`
    update source_links set places = places + more, missing_runs = 0, missing_at = null
    from ${rows} as given where +source_no = ${SOURCE} and link_no = link
  `,
);

const addOrigins = onRows(
  { ...TIES, fresh: "bigint" },
  (rows) => sql`
    insert into link_details (link_no, account_no, sources, places)
    select link, account_no, fresh, more from ${rows} as given join watched_links as links on links.no = link where true
    on conflict (link_no) do update set sources = link_details.sources + excluded.sources,
      places = link_details.places + excluded.places
  `,
);

/** The links of a source are counted like those of a tag. */
const countTies = onRows(
  { link: "bigint" },
  (rows) => sql`
    insert into link_tags (tag_no, link_no) select cast(${SOURCE} as bigint), link from ${rows} as given where true
    on conflict do nothing
  `,
);

type Key = { pageNo: number; targetNo: number; place: number };

/** The links to pages, by the numbers of the pages. */
export async function linksOfPages(tx: Store, nos: number[]): Promise<Map<number, number>> {
  const rows = await tx
    .select({ no: sourcePages.no, linkNo: sourcePages.linkNo })
    .from(sourcePages)
    .where(and(inArray(sourcePages.no, sql`${numbersOf(tx, nos)}`), isNotNull(sourcePages.linkNo)));
  return new Map(rows.map(({ no, linkNo }) => [no, linkNo!]));
}

/** Takes places away, and counts them off their links. */
export async function removePlaces(
  tx: Store,
  { no: sourceNo, accountNo }: Pick<SourceRow, "no" | "accountNo">,
  keys: Key[],
): Promise<void> {
  await deletePlaces(
    tx,
    keys.map(({ pageNo, targetNo, place }) => [pageNo, targetNo, place]),
  );
  await dropFragments(
    tx,
    { accountNo },
    keys.map(({ targetNo }) => targetNo),
  );
  const leads = await linksOfPages(
    tx,
    keys.map(({ targetNo }) => targetNo),
  );
  await subtractPlaces(
    tx,
    sourceNo,
    keys.map(({ targetNo }) => [leads.get(targetNo) ?? targetNo, 1]),
  );
}

/** Counts places off their links. Several pages may lead to one link. */
export async function subtractPlaces(
  tx: Store,
  sourceNo: number,
  some: [linkNo: number, places: number][],
): Promise<void> {
  const places = new Map<number, number>();
  for (const [no, n] of some) places.set(no, (places.get(no) ?? 0) + n);
  const rows = [...places].map((each) => [...each]);
  await countOff(tx, rows, { sourceNo });
  await countOffOrigins(tx, rows);
}

const deletePlaces = onRows(
  { page: "bigint", target: "bigint", n: "bigint" },
  (rows) => sql`
    delete from occurrences where (page_no, target_no, place) in (select page, target, n from ${rows} as gone)
  `,
);

const LESS = { link: "bigint", less: "bigint" } as const;

const countOff = onRows(
  LESS,
  (rows) => sql`
    update source_links set places = places - less from ${rows} as gone
    where +source_no = ${sql.placeholder("sourceNo")} and link_no = link
  `,
);

const countOffOrigins = onRows(
  LESS,
  (rows) =>
    sql`update link_details set places = places - less from ${rows} as gone where link_no = link`,
);
