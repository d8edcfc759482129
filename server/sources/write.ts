import { and, eq, inArray, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { takeNumbers } from "../ground/db/queries.ts";
import { onRows, rowsOf, type Store } from "../ground/db/store.ts";
import { type SourcePageRow, type SourceRow, sourcePages } from "../ground/db/tables.ts";
import type { SourceKind } from "../ground/lib/vocabulary.ts";
import { crawlKeyOf } from "../read/crawl/addresses.ts";
import { type Batch, type FoundPage, NOFOLLOW, type PageReading } from "../read/crawl/job.ts";
import { settingsOf } from "../read/crawl/settings.ts";
import type { Deps } from "../work/deps.ts";
import { type Changed, writePlaces } from "./places.ts";
import { type Run, type RunError, withNotes } from "./runs.ts";
import {
  type Context,
  clean,
  contextOf,
  nameOf,
  type Pages,
  type Targets,
  upsertOf,
} from "./writing.ts";

/** Added to the depth of pages that are read once more, at the end of the run. */
export const LAST_DEPTH = 1_000_000;
const LONGEST_HEADER = 1000;
/** Before the keys of sitemaps, which are read like pages of a site but are none. */
export const SITEMAP_KEY = "sitemap:";

/** Pages that a run has queued, by their names: many pages lead to them. Holds only what was committed. */
export type Queued = LRUCache<string, { no: number; linkNo: number | null }>;

const MOST_QUEUED = 50_000;

export const createQueued = (): Queued => new LRUCache({ max: MOST_QUEUED });

/**
 * Writes what a step has read, in its transaction: links that are new, and what has changed of the pages. Reading only
 * adds, and flags what it no longer finds.
 * @returns the run, and pages that it has queued
 */
export async function writeBatch(
  deps: Deps,
  source: SourceRow,
  { run: before, queued = createQueued() }: { run: Run; queued?: Queued },
  batch: Batch,
): Promise<{ run: Run; pages: Targets }> {
  const context = await contextOf(deps, source, before);
  const { run, tx } = context;
  if (batch.cursor !== null) run.place.reader = batch.cursor;
  const linked = batch.pages
    .flatMap(({ places }) => places ?? [])
    .flatMap(({ page }) => page ?? []);
  const names = new Set([...linked, ...batch.found].map(({ key }) => nameOf(key, "")));
  const targets = new Map([...names].flatMap((name) => withName(name, queued.get(name))));
  const found = [...batch.found, ...linked].filter(({ key }) => !targets.has(nameOf(key, "")));
  const known = await readPages(tx, source, [
    ...batch.pages.map(({ key, part }) => [key, part] as const),
    ...found.map(({ key }) => [key, ""] as const),
  ]);
  await queuePages(context, known, found);
  const pages = new Map([...known].filter(([, page]) => isQueued(run, page)));
  await markUnchanged(context, batch.pages);
  const all = { known, targets: new Map([...targets, ...known]) };
  const errors = await writeReadings(context, all, batch.pages);
  return { run: withNotes(run, batch.notes, errors), pages };
}

const withName = <T>(name: string, value: T | undefined): [string, T][] =>
  value === undefined ? [] : [[name, value]];

/** Kinds that are read from one document on. Others are answers of an API, or files. */
const FROM_DOCUMENT: SourceKind[] = ["site", "sitemap", "list", "feed"];

/** Wants the source itself, where the run begins. */
export async function queueFirst(deps: Deps, source: SourceRow, before: Run): Promise<Run> {
  const { kind, url } = source;
  if (url === null || !FROM_DOCUMENT.includes(kind)) return before;
  const context = await contextOf(deps, source, before);
  const key = kind === "site" ? crawlKeyOf(new URL(url)) : url;
  const known = await readPages(deps.store, source, [[key, ""]]);
  await queuePages(context, known, [{ url, key, depth: 0, skipped: null }]);
  return context.run;
}

async function readPages(
  tx: Store,
  { no }: SourceRow,
  wanted: (readonly [key: string, part: string])[],
): Promise<Pages> {
  const cells = [...new Map(wanted.map((each) => [nameOf(...each), [...each]])).values()];
  const given = rowsOf(tx, { given_key: "text", given_part: "text" }, cells);
  const rows = await tx
    .select()
    .from(sourcePages)
    .where(
      and(
        eq(sourcePages.sourceNo, no),
        sql`(${sourcePages.urlKey}, ${sourcePages.part}) in (select given_key, given_part from ${given} as given)`,
      ),
    );
  return new Map(rows.map((row) => [nameOf(row.urlKey, row.part), row]));
}

const newPage = (
  { no: sourceNo }: SourceRow,
  no: number,
  { url, key }: { url: string; key: string },
  part = "",
): SourcePageRow => ({
  no,
  sourceNo,
  url,
  urlKey: key,
  part,
  lineOffset: 0,
  title: null,
  state: "read",
  depth: 0,
  seenRun: 0,
  wantedRun: 0,
  statusCode: null,
  reason: null,
  etag: null,
  lastModified: null,
  listHash: null,
  anchors: null,
  linkNo: null,
  places: 0,
  flagged: 0,
  isGone: false,
  refused: 0,
  readAt: null,
});

/** Adds pages to those that the run will read, each once. */
async function queuePages(
  { tx, source, run, deps, caller }: Context,
  known: Pages,
  found: FoundPage[],
): Promise<void> {
  const { runNo } = run;
  const fresh = new Map<string, FoundPage>();
  for (const page of found) {
    const name = nameOf(page.key, "");
    const before = fresh.get(name);
    // The shortest way counts, and one that may be followed before one that may not.
    if (!before || (before.skipped !== null && page.skipped === null)) fresh.set(name, page);
  }
  const wanted = [...fresh].filter(([name, page]) => isWanted(run, known.get(name), page));
  const unknown = wanted.filter(([name]) => !known.has(name)).length;
  let no = unknown > 0 ? await takeNumbers(tx, unknown) : 0;
  const most = mostPages({ deps, source, caller });
  const rows: SourcePageRow[] = [];
  for (const [name, page] of wanted) {
    const row = known.get(name) ?? newPage(source, no++, page);
    const isOver = page.skipped === null && run.counts.wanted >= most;
    if (isOver) run.place.incomplete ??= "limit";
    // Otherwise each run would go further into the trap than the one before.
    const isTrap = row.reason === "trap" && page.depth > 0 && !run.place.rereads;
    const skipped = isOver ? "limit" : isTrap ? "trap" : page.skipped;
    if (skipped === null) run.counts.wanted++;
    rows.push({
      ...row,
      url: page.url,
      depth: page.depth,
      wantedRun: runNo,
      state: skipped === null ? "waiting" : "skipped",
      ...(skipped !== null && { reason: skipped }),
      // A shorter way may overrule an earlier one in the same run, and then the page is still to be met.
      seenRun: skipped === null ? Math.min(row.seenRun, runNo - 1) : runNo,
    });
  }
  for (const row of rows) known.set(nameOf(row.urlKey, row.part), row);
  await savePages(tx, rows);
}

/** Reasons that another way to the page overrules. */
export const OF_THE_WAY = ["depth", "not_in_sitemap", NOFOLLOW];

function isWanted({ runNo }: Run, row: SourcePageRow | undefined, page: FoundPage): boolean {
  if (!row || row.wantedRun < runNo) return true;
  return page.skipped === null && isOvertakable(row);
}

const isOvertakable = ({ state, reason }: SourcePageRow): boolean =>
  state === "skipped" && OF_THE_WAY.includes(reason ?? "");

/** Whether nothing that leads to the page changes anything in this run. */
const isQueued = ({ runNo }: Run, page: SourcePageRow): boolean =>
  page.wantedRun === runNo && !isOvertakable(page);

function mostPages({ deps, source, caller }: Pick<Context, "deps" | "source" | "caller">): number {
  const own = settingsOf(source, "site")?.max_pages;
  return Math.min(deps.config.tierLimits[caller.tier].pages, own ?? Number.POSITIVE_INFINITY);
}

const PAGE_COLUMNS: Record<string, "bigint" | "text"> = {
  no: "bigint",
  source_no: "bigint",
  url: "text",
  url_key: "text",
  part: "text",
  line_offset: "bigint",
  title: "text",
  state: "text",
  depth: "bigint",
  seen_run: "bigint",
  wanted_run: "bigint",
  status_code: "bigint",
  reason: "text",
  etag: "text",
  last_modified: "text",
  list_hash: "text",
  anchors: "text",
  link_no: "bigint",
  places: "bigint",
  flagged: "bigint",
  is_gone: "bigint",
  refused: "bigint",
  read_at: "bigint",
};

const upsertPages = upsertOf("source_pages", PAGE_COLUMNS, ["no"]);

const savePages = (tx: Store, rows: SourcePageRow[]): Promise<unknown> =>
  upsertPages(
    tx,
    rows.map((row) => [
      row.no,
      row.sourceNo,
      row.url,
      row.urlKey,
      row.part,
      row.lineOffset,
      row.title,
      row.state,
      row.depth,
      row.seenRun,
      row.wantedRun,
      row.statusCode,
      row.reason,
      row.etag,
      row.lastModified,
      row.listHash,
      row.anchors,
      row.linkNo,
      row.places,
      row.flagged,
      row.isGone ? 1 : 0,
      row.refused,
      row.readAt,
    ]),
  );

/** A document that has not changed is met with all its parts, and what it leads to is wanted as well. */
async function markUnchanged(
  { tx, source, run, deps, caller }: Context,
  pages: PageReading[],
): Promise<void> {
  const keys = pages.flatMap(({ outcome, key }) => (outcome === "unchanged" ? [key] : []));
  if (keys.length === 0) return;
  const { runNo } = run;
  const met = await tx
    .update(sourcePages)
    .set({ seenRun: runNo, state: "read", reason: null, readAt: deps.clock.now() })
    .where(
      and(
        eq(sourcePages.sourceNo, source.no),
        inArray(sourcePages.urlKey, keys),
        sql`${sourcePages.seenRun} < ${runNo}`,
      ),
    )
    .returning({ no: sourcePages.no, part: sourcePages.part, depth: sourcePages.depth });
  const documents = met.filter(({ part }) => part === "");
  run.counts.pages.unchanged += documents.length;
  await queueTargets({ tx, source, run, deps, caller }, documents);
}

/** Of a page that is not asked for again, because the rules have not changed. */
const LASTING = ["action", "too_long", "growing", "sitemap", "trap"];

/** The links of unchanged pages were not looked at, so the pages that they lead to are those of the last reading. */
async function queueTargets(context: Context, met: { no: number }[]): Promise<void> {
  if (met.length === 0) return;
  const { tx, source, run } = context;
  const { runNo } = run;
  const found = await selectTargets(
    tx,
    met.map(({ no }) => [no]),
    { runNo, sourceNo: source.no },
  );
  const most = mostPages(context);
  const wayOf = waysIn(source);
  const next = (found as TargetRow[]).flatMap(
    ([no, state, reason, wantedRun, depth, unfollowed]) => {
      if (state === "skipped" && LASTING.includes(reason ?? "")) return [[no, depth, reason]];
      const way = wayOf({ depth, isNofollow: unfollowed === 1 });
      // The run has met it by a way that is as good.
      if (wantedRun === runNo && way !== null) return [];
      if (way !== null) return [[no, depth, way]];
      if (run.counts.wanted >= most) {
        run.place.incomplete ??= "limit";
        return [[no, depth, "limit"]];
      }
      run.counts.wanted++;
      return [[no, depth, null]];
    },
  );
  await queueAgain(tx, next, { runNo });
}

type TargetRow = [
  no: number,
  state: string,
  reason: string | null,
  wantedRun: number,
  depth: number,
  unfollowed: 0 | 1,
];

/** Returns what keeps a page from being read that is found by a link of another page, as the reader of sites does. */
function waysIn(source: SourceRow): (way: { depth: number; isNofollow: boolean }) => string | null {
  const settings = settingsOf(source, "site");
  return ({ depth, isNofollow }) => {
    if (isNofollow) return NOFOLLOW;
    if (settings && depth > settings.depth) return "depth";
    return settings?.sitemaps === "only" ? "not_in_sitemap" : null;
  };
}

const RUN = sql.placeholder("runNo");
const DEPTH = sql.raw(`met.depth % ${LAST_DEPTH}`);

/**
 * Selects the pages that the given ones lead to and the run does not want yet, in the order of their numbers, with the
 * length of the shortest way, and of one that may be followed if there is any. Cross joins keep SQLite from reading all
 * pages of the source.
 */
const selectTargets = onRows(
  { page: "bigint" },
  (rows) => sql`
    select target.no, target.state, target.reason, target.wanted_run,
      1 + coalesce(min(case when o.is_nofollow = 0 then ${DEPTH} end), min(${DEPTH})), min(o.is_nofollow)
    from ${rows} as given cross join source_pages met cross join occurrences o cross join source_pages target
    where met.no = given.page and o.page_no = met.no and target.no = o.target_no
      and +target.source_no = ${sql.placeholder("sourceNo")}
      and (target.wanted_run < ${RUN} or (
        target.wanted_run = ${RUN} and target.state = 'skipped' and o.is_nofollow = 0
        and target.reason in (${sql.raw(OF_THE_WAY.map((reason) => `'${reason}'`).join(", "))})
      ))
    group by target.no, target.state, target.reason, target.wanted_run order by target.no
  `,
);

const queueAgain = onRows(
  { page: "bigint", new_depth: "bigint", skipped: "text" },
  (rows) => sql`
    update source_pages set wanted_run = ${RUN}, depth = new_depth,
      state = case when skipped is null then 'waiting' else 'skipped' end,
      reason = case when skipped is null then reason else skipped end,
      seen_run = case when skipped is not null then ${RUN} when seen_run < ${RUN} then seen_run else ${RUN} - 1 end
    from ${rows} as given where no = page
  `,
);

/** @returns what was met and is not a link */
async function writeReadings(
  context: Context,
  { known, targets }: { known: Pages; targets: Targets },
  readings: PageReading[],
): Promise<RunError[]> {
  const { tx, source } = context;
  const left = readings.filter(({ outcome }) => outcome !== "unchanged");
  const unknown = left.filter(({ key, part }) => !known.has(nameOf(key, part)));
  let no = unknown.length > 0 ? await takeNumbers(tx, unknown.length) : 0;
  const rows: SourcePageRow[] = [];
  const changed: Changed[] = [];
  const same: SourcePageRow[] = [];
  for (const reading of left) {
    const before =
      known.get(nameOf(reading.key, reading.part)) ?? newPage(source, no++, reading, reading.part);
    const isKnown =
      !context.run.place.rereads &&
      before.listHash === reading.hash &&
      before.flagged === 0 &&
      before.refused === 0;
    const given = isKnown ? { ...reading, places: null } : reading;
    const row = afterReading(context, before, given);
    rows.push(row);
    if (given.places) changed.push({ row, places: given.places });
    else if (reading.outcome === "read") same.push(row);
  }
  const errors = await writePlaces(context, targets, changed);
  await savePages(tx, rows);
  await queueTargets(context, same);
  return errors;
}

/** What is known of a page after it was read. */
function afterReading(
  { run, deps }: Context,
  before: SourcePageRow,
  reading: PageReading,
): SourcePageRow {
  const { runNo, counts } = run;
  const { outcome, part, statusCode, reason } = reading;
  const now = deps.clock.now();
  const isFirst = before.seenRun < runNo;
  const met = { ...before, url: reading.url, statusCode, reason, wantedRun: runNo };
  const count = (what: keyof typeof counts.pages) => {
    if (isFirst && part === "") counts.pages[what]++;
  };
  if (outcome === "gone" && before.depth < LAST_DEPTH) {
    // It may come back within the run.
    return { ...met, state: "waiting", depth: LAST_DEPTH + before.depth };
  }
  met.depth %= LAST_DEPTH;
  if (outcome === "gone" || outcome === "moved") {
    count(outcome === "gone" ? "gone" : "skipped");
    const away = { ...met, state: outcome, seenRun: runNo, readAt: now };
    // What was never read has nothing to take away.
    if (before.listHash === null) return away;
    return { ...away, isGone: true, flagged: Math.max(1, before.places) };
  }
  if (outcome === "failed" || outcome === "skipped") {
    // Most sites have no sitemap.
    if (!reading.key.startsWith(SITEMAP_KEY)) count(outcome);
    return { ...met, state: outcome, seenRun: runNo };
  }
  count(reading.places ? "read" : "unchanged");
  return {
    ...met,
    state: "read",
    seenRun: runNo,
    isGone: false,
    readAt: now,
    lineOffset: reading.lineOffset,
    title: clean(reading.title),
    etag: header(reading.etag),
    lastModified: header(reading.lastModified),
    listHash: reading.hash,
    ...(reading.places && { anchors: reading.anchors }),
    // Page-level flags end; `writePlaces` counts those of single places.
    ...(reading.places && { flagged: 0, refused: 0 }),
  };
}

const header = (value: string | null) =>
  value !== null && value.length <= LONGEST_HEADER ? clean(value) : null;
