import { and, asc, count, eq, gt, inArray, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import { lockLinks } from "../ground/db/queries.ts";
import { numbersOf, onRows, type Store } from "../ground/db/store.ts";
import {
  linkCounts,
  linkDetails,
  occurrences,
  type SourcePageRow,
  type SourceRow,
  sourceLinks,
  sourcePages,
  sourceRuns,
  sources,
} from "../ground/db/tables.ts";
import { retireLinks } from "../links/retire.ts";
import { settingsOf } from "../read/crawl/settings.ts";
import type { Deps } from "../work/deps.ts";
import { removePlaces } from "./places.ts";
import { endRun, type Progress, type Run, toRun } from "./runs.ts";
import { anchors, linkPages } from "./targets.ts";
import { OF_THE_WAY } from "./write.ts";

/**
 * What follows the reading of a whole source: first everything is flagged that was not found, then the guard decides,
 * and only then anything is removed. Each step is one transaction that stores how far it came.
 */
type Phase = "pages" | "anchors" | "flag" | "guard" | "remove" | "missing" | "retire" | "sums";

const ORDER: Phase[] = ["pages", "anchors", "flag", "guard", "remove", "missing", "retire", "sums"];

/** Of an incomplete run, since they take nothing away. Where much has failed, the site is down, and not its pages. */
const phasesOf = ({ place: { incomplete } }: Run): Phase[] => {
  if (incomplete === null) return ORDER;
  return incomplete === "pages_failed" ? ["sums"] : ["pages", "anchors", "sums"];
};

const FLAGGED_AT_ONCE = 500;
const REMOVED_AT_ONCE = 2000;
const PAGES_AT_ONCE = 50;
const COUNTED_AT_ONCE = 500;
const RETIRED_AT_ONCE = 100;

/** A link leaves after so many complete runs without it, and not before this time. */
const MISSING_RUNS = 3;
const MISSING_MS = 72 * 3_600_000;

export type Step = (deps: Deps, source: SourceRow, run: Run, after: number) => Promise<Progress>;

/** Does one step of settling, in a transaction that holds the lease. @returns the run; ended after the last step */
export async function settleStep(deps: Deps, source: SourceRow, run: Run): Promise<Run> {
  const { phase, after } = run.place.settling!;
  if (!phasesOf(run).includes(phase as Phase)) return inPhase(run, "sums");
  const { run: done, after: next } = await STEPS[phase as Phase](deps, source, run, after);
  if (next !== null) return { ...done, place: { ...done.place, settling: { phase, after: next } } };
  const following = ORDER[ORDER.indexOf(phase as Phase) + 1];
  if (following) return inPhase(done, following);
  const { incomplete } = done.place;
  const end = incomplete
    ? ({ status: "incomplete", reason: incomplete } as const)
    : ({ status: "complete" } as const);
  return (await endRun(deps, source, done, end)).run;
}

const inPhase = (run: Run, phase: Phase): Run => ({
  ...run,
  status: "settling",
  place: { ...run.place, settling: { phase, after: 0 } },
});

/** Begins to settle a run whose reading has ended. */
export const startSettling = (run: Run, phase: Phase = "pages"): Run => inPhase(run, phase);

const done = (run: Run): Progress => ({ run, after: null });

const flag: Step = async ({ store: tx, clock }, source, run, after) => {
  if (source.kind === "feed") return flagOldItems({ tx, now: clock.now() }, source, run);
  const { no, seenRun, state, reason, listHash } = sourcePages;
  const rows = await tx
    .select({ no, seenRun, state, reason, listHash })
    .from(sourcePages)
    .where(and(eq(sourcePages.sourceNo, source.no), gt(sourcePages.no, after)))
    .orderBy(asc(sourcePages.no))
    .limit(FLAGGED_AT_ONCE);
  const left = rows.filter((page) => page.seenRun < run.runNo || isLeftOut(page));
  await flagPages(
    tx,
    left.map(({ no }) => no),
  );
  return { run, after: rows.length < FLAGGED_AT_ONCE ? null : rows.at(-1)!.no };
};

/** Whether a page was read once, and no way leads there any more that the crawl may take. */
const isLeftOut = ({
  state,
  reason,
  listHash,
}: Pick<SourcePageRow, "state" | "reason" | "listHash">): boolean =>
  state === "skipped" && listHash !== null && OF_THE_WAY.includes(reason ?? "");

/** At least 1, by which they are found. */
const flagPages = (tx: Store, nos: number[]): Promise<unknown> =>
  tx
    .update(sourcePages)
    .set({ isGone: true, flagged: sql`case when places > 0 then places else 1 end` })
    .where(inArray(sourcePages.no, sql`${numbersOf(tx, nos)}`));

/** A feed is a window: what scrolls out of it is not gone. */
async function flagOldItems(
  { tx, now }: { tx: Store; now: number },
  source: SourceRow,
  run: Run,
): Promise<Progress> {
  const days = settingsOf(source, "feed")?.keep_days ?? 0;
  if (days === 0) return done(run);
  const old = await tx
    .select({ no: sourcePages.no })
    .from(sourcePages)
    .where(
      and(
        eq(sourcePages.sourceNo, source.no),
        eq(sourcePages.isGone, false),
        lt(sourcePages.readAt, now - days * 86_400_000),
      ),
    )
    .limit(FLAGGED_AT_ONCE);
  await flagPages(
    tx,
    old.map(({ no }) => no),
  );
  return { run, after: old.length < FLAGGED_AT_ONCE ? null : 0 };
}

/** Counts what the next step judges, which takes too long for its transaction. */
export async function countFor(store: Store, source: SourceRow, run: Run): Promise<Run> {
  if (run.place.settling?.phase !== "guard" || source.kind === "feed") return run;
  return { ...run, counts: { ...run.counts, lost: await countLost(store.readPool, source) } };
}

const guard: Step = async (deps, source, run) => {
  if (source.kind === "feed") return done(run);
  const { before, lost } = run.counts;
  if (!lost) throw new Error("What a run takes away was not counted.");
  const isShrunken =
    (before.pages >= 10 && before.pages - lost.pages < before.pages / 2) ||
    (before.links >= 20 && lost.links > before.links * 0.3) ||
    (before.links > 0 && lost.links >= before.links);
  if (!isShrunken || run.acceptsShrink || (await isConfirmed(deps, source, run))) return done(run);
  return done({ ...run, place: { ...run.place, incomplete: "shrunken" } });
};

/** How many documents and links would be without a place. */
async function countLost(
  store: Store["readPool"],
  { no }: SourceRow,
): Promise<{ pages: number; links: number }> {
  const [pages] = await store
    .select({ n: count() })
    .from(sourcePages)
    .where(
      and(
        eq(sourcePages.sourceNo, no),
        eq(sourcePages.isGone, true),
        eq(sourcePages.part, ""),
        isNotNull(sourcePages.listHash),
      ),
    );
  const [links] = (await store.all(sql`
    select count(*) from (
      select coalesce(leads.link_no, o.target_no) as link, count(*) as n
      from source_pages p join occurrences o on o.page_no = p.no
      left join source_pages leads on leads.no = o.target_no
      where p.source_no = ${no} and p.flagged > 0 and (p.is_gone = 1 or o.flagged_run is not null)
      group by coalesce(leads.link_no, o.target_no)
    ) as flagged join source_links ties on ties.source_no = ${no} and ties.link_no = flagged.link
    where n >= ties.places and ties.places > 0
  `)) as [number][];
  return { pages: pages!.n, links: Number(links![0]) };
}

/** Whether earlier runs came to the same, long enough ago: then the source has really become smaller. */
async function isConfirmed({ store, clock }: Deps, source: SourceRow, run: Run): Promise<boolean> {
  const rows = await store
    .select()
    .from(sourceRuns)
    .where(and(eq(sourceRuns.sourceNo, source.no), lt(sourceRuns.runNo, run.runNo)))
    .orderBy(sql`${sourceRuns.runNo} desc`)
    .limit(100);
  const same = [];
  for (const earlier of rows.map(toRun)) {
    if (earlier.reason !== "shrunken" || !isAlike(earlier, run)) break;
    same.push(earlier);
  }
  const first = same.at(-1);
  return same.length + 1 >= MISSING_RUNS && clock.now() - first!.endedAt! >= MISSING_MS;
}

const isAlike = ({ counts: { lost: a } }: Run, { counts: { lost: b } }: Run): boolean =>
  a !== null &&
  b !== null &&
  [
    [a.pages, b.pages],
    [a.links, b.links],
  ].every(([x, y]) => Math.abs(x! - y!) <= Math.max(x!, y!) * 0.1);

const remove: Step = async ({ store: tx }, source, run, after) => {
  const isRemoved = or(
    eq(sourcePages.isGone, true),
    and(eq(sourcePages.seenRun, run.runNo), eq(sourcePages.state, "read")),
  );
  const pages = await tx
    .select({ no: sourcePages.no, isGone: sourcePages.isGone })
    .from(sourcePages)
    .where(
      and(
        eq(sourcePages.sourceNo, source.no),
        sql`${sourcePages.flagged} > 0`,
        gt(sourcePages.no, after),
        isRemoved,
      ),
    )
    .orderBy(asc(sourcePages.no))
    .limit(PAGES_AT_ONCE);
  let room = REMOVED_AT_ONCE;
  let last = after;
  for (const { no, isGone } of pages) {
    const { pageNo, targetNo, place } = occurrences;
    const keys = await tx
      .select({ pageNo, targetNo, place })
      .from(occurrences)
      .where(and(eq(pageNo, no), isGone ? undefined : sql`${occurrences.flaggedRun} is not null`))
      .limit(room);
    await removePlaces(tx, source, keys);
    room -= keys.length;
    // The rest of a large page follows with the next step.
    if (room <= 0) return { run, after: last };
    await endPage(tx, { no, isGone });
    last = no;
  }
  return { run, after: pages.length < PAGES_AT_ONCE ? null : last };
};

/** A page that others still lead to stays known. */
async function endPage(tx: Store, { no, isGone }: { no: number; isGone: boolean }): Promise<void> {
  const isTarget = sql`exists (select 1 from occurrences where target_no = ${no})`;
  if (isGone) await tx.delete(sourcePages).where(and(eq(sourcePages.no, no), sql`not ${isTarget}`));
  await tx
    .update(sourcePages)
    .set({
      places: isGone ? 0 : sql`places - flagged`,
      flagged: 0,
      isGone: false,
      ...(isGone && { listHash: null, etag: null, lastModified: null }),
    })
    .where(eq(sourcePages.no, no));
}

const missing: Step = async ({ store: tx, clock }, source, run, after) => {
  if (source.kind === "feed") return done(run);
  const ties = await tx
    .select({ linkNo: sourceLinks.linkNo, missingRuns: sourceLinks.missingRuns })
    .from(sourceLinks)
    .where(
      and(
        eq(sourceLinks.sourceNo, source.no),
        sql`${sourceLinks.places} = 0`,
        gt(sourceLinks.linkNo, after),
      ),
    )
    .orderBy(asc(sourceLinks.linkNo))
    .limit(COUNTED_AT_ONCE);
  const nos = ties.map(({ linkNo }) => linkNo);
  await tx
    .update(sourceLinks)
    .set({
      missingRuns: sql`missing_runs + 1`,
      missingAt: sql`coalesce(missing_at, ${clock.now()})`,
    })
    .where(
      and(
        eq(sourceLinks.sourceNo, source.no),
        inArray(sourceLinks.linkNo, sql`${numbersOf(tx, nos)}`),
      ),
    );
  const links = { ...run.counts.links, missing: run.counts.links.missing + ties.length };
  const counted = { ...run, counts: { ...run.counts, links } };
  return { run: counted, after: ties.length < COUNTED_AT_ONCE ? null : nos.at(-1)! };
};

const retire: Step = async (deps, source, run) => {
  const { store: tx, clock } = deps;
  const isFeed = source.kind === "feed";
  const left = await tx
    .select({ no: sourceLinks.linkNo })
    .from(sourceLinks)
    .where(
      and(
        eq(sourceLinks.sourceNo, source.no),
        sql`${sourceLinks.places} = 0`,
        isFeed ? undefined : sql`${sourceLinks.missingRuns} >= ${MISSING_RUNS}`,
        isFeed ? undefined : lte(sourceLinks.missingAt, clock.now() - MISSING_MS),
      ),
    )
    .limit(RETIRED_AT_ONCE);
  const retired = await detachLinks(deps, source, left);
  const links = { ...run.counts.links, retired: run.counts.links.retired + retired };
  const counted = { ...run, counts: { ...run.counts, links } };
  return { run: counted, after: left.length < RETIRED_AT_ONCE ? null : 0 };
};

/**
 * Ends that a source has links. Those that no other source has and that are not pinned are retired, or pinned instead.
 * @returns how many were retired
 */
export async function detachLinks(
  deps: Deps,
  source: SourceRow,
  some: { no: number }[],
  { pins = false } = {},
): Promise<number> {
  const { store: tx } = deps;
  if (some.length === 0) return 0;
  const nos = some.map(({ no }) => no);
  const given = sql`${numbersOf(tx, nos)}`;
  await lockLinks(tx, nos);
  const ties = await tx
    .delete(sourceLinks)
    .where(and(eq(sourceLinks.sourceNo, source.no), inArray(sourceLinks.linkNo, given)))
    .returning({ no: sourceLinks.linkNo, places: sourceLinks.places });
  await tx.run(
    sql`update source_pages set link_no = null where source_no = ${source.no} and link_no in (select no from ${numbersOf(tx, nos)} as gone)`,
  );
  await tx.run(
    sql`delete from link_tags where tag_no = ${source.no} and link_no in (select no from ${numbersOf(tx, nos)} as gone)`,
  );
  await endOrigins(
    tx,
    ties.map(({ no, places }) => [no, places]),
  );
  const isAlone = and(
    inArray(linkDetails.linkNo, given),
    eq(linkDetails.sources, 0),
    eq(linkDetails.isPinned, false),
  );
  const alone = pins
    ? []
    : await tx.select({ no: linkDetails.linkNo }).from(linkDetails).where(isAlone);
  const retired = await retireLinks(deps, source, alone);
  await tx.update(linkDetails).set({ isPinned: true }).where(isAlone);
  return retired;
}

const endOrigins = onRows(
  { link: "bigint", less: "bigint" },
  (rows) => sql`
    update link_details set sources = sources - 1, places = places - less from ${rows} as gone
    where link_no = link
  `,
);

const sums: Step = async ({ store: tx }, source, run) => {
  const [counted] = await tx
    .select({
      pages: sql`coalesce(sum(case when part = '' then 1 else 0 end), 0)`.mapWith(Number),
      places: sql`coalesce(sum(places), 0)`.mapWith(Number),
    })
    .from(sourcePages)
    .where(
      and(eq(sourcePages.sourceNo, source.no), inArray(sourcePages.state, ["read", "failed"])),
    );
  const [all] = await tx
    .select({ n: sql`coalesce(sum(active + dead + unknown), 0)`.mapWith(Number) })
    .from(linkCounts)
    .where(eq(linkCounts.subject, source.no));
  await tx.update(sources).set(counted!).where(eq(sources.no, source.no));
  const { links } = run.counts;
  // Those that were retired are missing too, and not counted any more.
  const others = links.new + links.returned + links.missing - links.retired;
  const kept = Math.max(0, all!.n - others);
  const counts = { ...run.counts, places: counted!.places, links: { ...links, kept } };
  return done({ ...run, counts });
};

const STEPS: Record<Phase, Step> = {
  pages: linkPages,
  anchors,
  flag,
  guard,
  remove,
  missing,
  retire,
  sums,
};
