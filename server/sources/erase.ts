import { asc, eq, inArray, sql } from "drizzle-orm";
import { numbersOf } from "../ground/db/store.ts";
import {
  linkCounts,
  occurrences,
  type SourceRow,
  sourceLinks,
  sourcePages,
  sourceRuns,
  sources,
} from "../ground/db/tables.ts";
import { inSteps } from "../ground/lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { detachLinks } from "./settle.ts";

const TIES_AT_ONCE = 100;
const PLACES_AT_ONCE = 2000;
const RUNS_AT_ONCE = 100;

/**
 * Does one step of erasing a deleted source, in a transaction that holds its lease: first its links, then where they
 * stand, then the source.
 * @returns whether it is gone
 */
export async function eraseStep(deps: Deps, source: SourceRow): Promise<boolean> {
  const { store: tx } = deps;
  const ties = await tx
    .select({ no: sourceLinks.linkNo })
    .from(sourceLinks)
    .where(eq(sourceLinks.sourceNo, source.no))
    .limit(TIES_AT_ONCE);
  if (ties.length > 0) {
    await detachLinks(deps, source, ties, { pins: !source.retires });
    return false;
  }
  const [page] = await tx
    .select({ no: sourcePages.no })
    .from(sourcePages)
    .where(eq(sourcePages.sourceNo, source.no))
    .orderBy(asc(sourcePages.no))
    .limit(1);
  if (page) return erasePages(deps, source);
  const { sourceNo, runNo } = sourceRuns;
  const runs = await tx
    .select({ runNo })
    .from(sourceRuns)
    .where(eq(sourceNo, source.no))
    .limit(RUNS_AT_ONCE);
  const nos = runs.map((run) => run.runNo);
  await tx
    .delete(sourceRuns)
    .where(sql`${sourceNo} = ${source.no} and ${inArray(runNo, sql`${numbersOf(tx, nos)}`)}`);
  if (runs.length === RUNS_AT_ONCE) return false;
  await tx.delete(linkCounts).where(eq(linkCounts.subject, source.no));
  await tx.delete(sources).where(eq(sources.no, source.no));
  return true;
}

/** Erases whole pages, or the first places of a long one. */
async function erasePages({ store: tx }: Deps, { no }: SourceRow): Promise<false> {
  const pages = await tx
    .select({ no: sourcePages.no, places: sourcePages.places })
    .from(sourcePages)
    .where(eq(sourcePages.sourceNo, no))
    .orderBy(asc(sourcePages.no))
    .limit(TIES_AT_ONCE);
  let places = 0;
  const nos: number[] = [];
  for (const page of pages) {
    places += page.places;
    if (nos.length > 0 && places > PLACES_AT_ONCE) break;
    nos.push(page.no);
  }
  const given = () => sql`${numbersOf(tx, nos)}`;
  await tx.delete(occurrences).where(inArray(occurrences.pageNo, given()));
  await tx.delete(sourcePages).where(inArray(sourcePages.no, given()));
  return false;
}

const RUNS_KEPT_MS = 90 * 86_400_000;
/** Of each source, however old. */
const RUNS_KEPT = 100;

/** Deletes old runs, until the signal. The last complete one stays, since the next begins from it. */
export async function deleteOldRuns(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, online } = deps;
  // By a clock that is ahead, all of them would be old.
  if (online.clockIsOff()) return;
  const before = clock.now() - RUNS_KEPT_MS;
  const step = async (rows: number) => {
    const gone = await store.all(sql`
      delete from source_runs where id in (
        select r.id from sources s join source_runs r on r.source_no = s.no and r.run_no <= s.run_no - ${RUNS_KEPT}
        where r.queued_at < ${before} and r.run_no <> s.complete_run limit ${rows}
      ) returning id`);
    return gone.length;
  };
  await inSteps(clock, step, { signal });
}
