import { and, asc, eq, sql } from "drizzle-orm";
import { numbersOf, type Store } from "../ground/db/store.ts";
import { type SourceRow, sourceLinks, sourcePages, sourceRuns } from "../ground/db/tables.ts";
import { repeat } from "../ground/lib/clock.ts";
import { describeError, log, logFailure } from "../ground/lib/log.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { SourceKind } from "../ground/lib/vocabulary.ts";
import { type Batch, jobOf, type ReadEnd, type ReadKind, type Target } from "../read/crawl/job.ts";
import { type SettingsOf, storedSettings } from "../read/crawl/settings.ts";
import type { Deps } from "../work/deps.ts";
import { NEVER_DUE, startQueue } from "../work/queue.ts";
import { inUnit, type Unit } from "../work/unit.ts";
import {
  breakLeases,
  type ClaimedSource,
  claimSources,
  holdLease,
  LeaseLost,
  limitWaits,
  releaseSource,
  renewLeases,
  resumeLeft,
} from "./claim.ts";
import { eraseStep } from "./erase.ts";
import { retireMissing } from "./push.ts";
import {
  endRun,
  isUnderWay,
  latestRun,
  queueRun,
  type Run,
  type RunEnd,
  saveRun,
  toRun,
} from "./runs.ts";
import { countFor, settleStep, startSettling } from "./settle.ts";
import { openCredential } from "./sources.ts";
import { createQueued, LAST_DEPTH, type Queued, queueFirst, writeBatch } from "./write.ts";

const RENEW_MS = 15_000;
const LONGEST_RUN_MS = 72 * 3_600_000;
/** While this monitor is offline, and after a step that could not be written. */
const REST_MS = 60_000;
const TARGETS_AT_ONCE = 20;
/** More pages than this share of those that were to be read may not fail. */
const FAILED_SHARE = 0.1;
const FAILED_FEW = 10;
/** How often a step may end with its process. */
const MOST_INTERRUPTED = 3;

type SourceLoop = { wake(): void; stop(): Promise<void> };

/** What this process reads at the moment. */
type Reading = {
  deps: Deps;
  /** After it nothing more is claimed. */
  ending: AbortSignal;
  /** Claimed sources, and what stops the reading of each once its lease is lost. */
  held: Map<ClaimedSource, AbortController>;
  running: Set<Promise<void>>;
  wake(): void;
};

/** Reads due sources until it is stopped. What it leaves goes on elsewhere, or later. */
export function startSourceLoop(deps: Deps): SourceLoop {
  const ending = new AbortController();
  const { signal } = ending;
  const resumed = resumeLeft(deps).catch(
    logFailure("failed to resume the sources of an earlier process"),
  );
  const { wake, ended } = startQueue(deps, signal, {
    rows: "sources",
    async prepare() {
      await resumed;
      return deps.troubles.stoppingWrites() || isOffline(deps) ? "paused" : "ready";
    },
    claim: () => claimAndRead(reading),
    limitWaits: (_, atStart) => limitWaits(deps, atStart),
  });
  const reading: Reading = {
    deps,
    ending: signal,
    held: new Map(),
    running: new Set(),
    wake,
  };
  const renewing = repeat(deps, RENEW_MS, signal, () => renewHeld(reading));
  return {
    wake,
    async stop() {
      ending.abort();
      await Promise.all([ended, renewing]);
      await Promise.all(reading.running);
    },
  };
}

/** Returns when the next source is due. */
async function claimAndRead(reading: Reading): Promise<number> {
  const { deps, held } = reading;
  await breakLeases(deps);
  const free = deps.config.sourceConcurrency - held.size;
  const { claimed, nextAt } = await claimSources(deps, free);
  for (const source of claimed) begin(reading, source);
  return nextAt ?? NEVER_DUE;
}

function begin(reading: Reading, source: ClaimedSource): void {
  const { deps, ending, held, running, wake } = reading;
  const lost = new AbortController();
  held.set(source, lost);
  const work = workOn(deps, source, AbortSignal.any([ending, lost.signal]))
    .catch((error) => {
      log.error("reading a source failed: internal error", {
        source: source.id,
        ...describeError(error),
      });
      // What fails while this process stops goes on elsewhere at once.
      const restMs = ending.aborted ? 0 : REST_MS;
      return releaseSource(deps, source, deps.clock.now() + restMs);
    })
    .catch(logFailure("failed to release a source"))
    .finally(() => {
      held.delete(source);
      running.delete(work);
      wake();
    });
  running.add(work);
}

async function renewHeld({ deps, held }: Reading): Promise<void> {
  if (held.size === 0) return;
  const lost = await renewLeases(deps, [...held.keys()]).catch(() => []);
  for (const source of lost) held.get(source)?.abort();
}

const isOffline = ({ online }: Deps) => online.known().state === "offline";

/** Goes on with the run of a source, step by step, until it ends or must wait. */
async function workOn(deps: Deps, source: ClaimedSource, signal: AbortSignal): Promise<void> {
  try {
    if (source.deletedAt !== null) return await inSteps(deps, source, signal, eraseStep);
    if (source.kind === "push") return await inSteps(deps, source, signal, retireMissing);
    let run = await startOrResume(deps, source);
    const queued = createQueued();
    let interrupted = 0;
    while (isUnderWay(run)) {
      if (signal.aborted || !deps.nodes.share("checks").has(source.bucket)) {
        return await releaseSource(deps, source, deps.clock.now());
      }
      const step = await stepOf(deps, source, { run, queued, signal });
      if (step.kind === "rest") {
        return await releaseSource(deps, source, deps.clock.now() + step.forMs);
      }
      interrupted = step.isInterrupted ? interrupted + 1 : 0;
      if (interrupted > MOST_INTERRUPTED) {
        const message = "Reading it has ended its process several times.";
        run = await write(deps, source, async (within) => {
          const end = { status: "failed", reason: "unreadable", message } as const;
          return (await endRun(within, source, step.run, end)).run;
        });
      } else run = step.run;
    }
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/** Does work in steps, each in a transaction that holds the lease, until one says that it was the last. */
async function inSteps(
  deps: Deps,
  source: ClaimedSource,
  signal: AbortSignal,
  step: (within: Deps, source: SourceRow) => Promise<boolean>,
): Promise<void> {
  while (!(await write(deps, source, (within) => step(within, source)))) {
    if (signal.aborted) return releaseSource(deps, source, deps.clock.now());
    await yieldToEventLoop();
  }
}

/** Runs one transaction of a step, which begins with the lease. @param wakes whether others have something to do now */
async function write<T>(
  deps: Deps,
  source: ClaimedSource,
  work: (unit: Unit) => Promise<T>,
  wakes: (result: T) => boolean = () => true,
): Promise<T> {
  const result = await inUnit(deps, async (unit) => {
    await holdLease(unit, source);
    return work(unit);
  });
  if (wakes(result)) deps.loops.wake();
  deps.topics.counted(new Set([source.accountId]));
  return result;
}

async function startOrResume(deps: Deps, source: ClaimedSource): Promise<Run> {
  const run = await latestRun(deps.store, source);
  if (run && isUnderWay(run) && run.status !== "queued") return run;
  const before = await countBefore(deps.store, source);
  const last = await lastComplete(deps.store, source);
  const rereads = last !== null && source.updatedAt > last.queuedAt;
  return write(deps, source, async (within) => {
    const queued =
      run && isUnderWay(run) ? run : await queueRun(within, source, { trigger: "scheduled" });
    const started: Run = {
      ...queued,
      status: "reading",
      place: { ...queued.place, rereads },
      startedAt: deps.clock.now(),
      counts: { ...queued.counts, before, places: source.places },
    };
    const seeded = await queueFirst(within, source, started);
    await saveRun(within.store, seeded);
    return seeded;
  });
}

/** What the source has before a run. */
async function countBefore(
  { readPool }: Store,
  { no, pages }: SourceRow,
): Promise<Run["counts"]["before"]> {
  const links = await readPool.$count(
    sourceLinks,
    and(eq(sourceLinks.sourceNo, no), sql`${sourceLinks.places} > 0`),
  );
  return { pages, links };
}

type Stepped = { kind: "on"; run: Run; isInterrupted?: boolean } | { kind: "rest"; forMs: number };

async function stepOf(
  deps: Deps,
  source: ClaimedSource,
  { run, queued, signal }: Omit<ReadingStep, "targets">,
): Promise<Stepped & { isInterrupted?: boolean }> {
  if (run.status === "settling") {
    const counted = await countFor(deps.store, source, run);
    const settled = await write(deps, source, async (within) => {
      const next = await settleStep(within, source, counted);
      if (isUnderWay(next)) await saveRun(within.store, next);
      return next;
    });
    return { kind: "on", run: settled };
  }
  const isTooLong = deps.clock.now() - run.startedAt! > LONGEST_RUN_MS;
  const targets = isTooLong ? [] : await nextTargets(deps.store, source, run);
  if (isTooLong || (run.place.isRead && targets.length === 0)) {
    const read = isTooLong ? asIncomplete(run, "limit") : judgeFailures(run);
    return {
      kind: "on",
      run: await write(deps, source, async ({ store: tx }) => {
        const settling = startSettling(read);
        await saveRun(tx, settling);
        return settling;
      }),
    };
  }
  return readStep(deps, source, { run, targets, queued, signal });
}

const asIncomplete = (run: Run, reason: NonNullable<Run["place"]["incomplete"]>): Run => ({
  ...run,
  place: { ...run.place, incomplete: run.place.incomplete ?? reason },
});

function judgeFailures(run: Run): Run {
  const { failed } = run.counts.pages;
  const isMany = failed > FAILED_FEW && failed > run.counts.wanted * FAILED_SHARE;
  return isMany ? asIncomplete(run, "pages_failed") : run;
}

/** An unchanged answer of other kinds would leave out the sitemaps, feeds and items that it names. */
const CONDITIONAL: SourceKind[] = ["site", "list"];

/** The pages that are read next: those nearest to the beginning, known ones first. */
async function nextTargets(
  store: Store,
  { no, kind }: SourceRow,
  { runNo, place }: Run,
): Promise<Target[]> {
  const rows = await store
    .select()
    .from(sourcePages)
    .where(
      and(
        eq(sourcePages.sourceNo, no),
        // A literal, since a database cannot match a parameter with the condition of an index.
        sql`${sourcePages.state} = 'waiting'`,
        eq(sourcePages.wantedRun, runNo),
      ),
    )
    .orderBy(asc(sourcePages.depth), asc(sourcePages.no))
    .limit(TARGETS_AT_ONCE);
  if (rows.length === 0) return [];
  const parts = await store
    .select({
      key: sourcePages.urlKey,
      part: sourcePages.part,
      hash: sourcePages.listHash,
      flagged: sourcePages.flagged,
      refused: sourcePages.refused,
    })
    .from(sourcePages)
    .where(
      and(
        eq(sourcePages.sourceNo, no),
        sql`${sourcePages.urlKey} in (select url_key from source_pages where no in (select no from ${numbersOf(
          store,
          rows.map((row) => row.no),
        )} as chosen))`,
      ),
    );
  const byKey = Map.groupBy(parts, ({ key }) => key);
  return rows.map((row) => {
    const own = byKey.get(row.urlKey) ?? [];
    // What was refused, or is missing, is compared once more.
    const isKnown =
      CONDITIONAL.includes(kind) &&
      !place.rereads &&
      own.every(({ flagged, refused }) => flagged === 0 && refused === 0);
    const hashes = own.flatMap(({ part, hash, flagged, refused }) =>
      place.rereads || hash === null || flagged > 0 || refused > 0 ? [] : [[part, hash] as const],
    );
    return {
      url: row.url,
      key: row.urlKey,
      depth: row.depth % LAST_DEPTH,
      isSecond: row.depth >= LAST_DEPTH,
      etag: isKnown ? row.etag : null,
      lastModified: isKnown ? row.lastModified : null,
      hashes: Object.fromEntries(hashes),
    };
  });
}

type ReadingStep = { run: Run; targets: Target[]; queued: Queued; signal: AbortSignal };

async function readStep(
  deps: Deps,
  source: ClaimedSource,
  { run: before, targets, queued, signal }: ReadingStep,
): Promise<Stepped> {
  const startedAt = deps.clock.elapsed();
  let run = before;
  let failure: unknown = null;
  let isOut = false;
  const stop = new AbortController();
  const emit = async (batch: Batch) => {
    try {
      isOut = hasUnanswered(batch) && (await wentOffline(deps, startedAt));
      // Its pages wait, and are read when this monitor is online again.
      if (isOut) throw new Error("This monitor is offline.");
      const { links } = run.counts;
      const isNews = (next: Run) =>
        next.counts.links.new + next.counts.links.returned > links.new + links.returned;
      const written = await write(
        deps,
        source,
        async (within) => {
          const next = await writeBatch(within, source, { run, queued }, batch);
          await saveRun(within.store, next.run);
          return next;
        },
        (next) => isNews(next.run),
      );
      run = written.run;
      for (const [name, { no, linkNo }] of written.pages) queued.set(name, { no, linkNo });
    } catch (error) {
      failure ??= error;
      stop.abort();
      throw error;
    }
  };
  const job = jobOf(source.kind as ReadKind, storedSettings(source) as SettingsOf<ReadKind>, {
    url: source.url!,
    runId: run.id,
    targets,
    credential: openCredential(deps, source),
    cursor: run.place.reader,
    mark: await markOf(deps.store, source, run),
  });
  const end = await deps.readSource(job, emit, AbortSignal.any([signal, stop.signal]));
  if (isOut) return { kind: "rest", forMs: REST_MS };
  if (failure) throw failure;
  return afterStep(deps, source, { run, end, startedAt });
}

/** Whether a page has sent no answer. */
const hasUnanswered = ({ pages }: Batch) =>
  pages.some(({ outcome, statusCode }) => outcome === "failed" && statusCode === null);

/** Our own outage says nothing about the source. */
const wentOffline = async ({ online }: Deps, startedAt: number): Promise<boolean> =>
  (await online.confirm(startedAt))?.state === "offline";

async function lastComplete(store: Store, { no, completeRun }: SourceRow): Promise<Run | null> {
  if (completeRun === 0) return null;
  const [last] = await store
    .select()
    .from(sourceRuns)
    .where(and(eq(sourceRuns.sourceNo, no), eq(sourceRuns.runNo, completeRun)));
  return last ? toRun(last) : null;
}

/** What the last complete run ended with, if nothing is to be read again. */
async function markOf(store: Store, source: SourceRow, { place }: Run): Promise<string | null> {
  const last = await lastComplete(store, source);
  if (!last?.place.mark || place.rereads) return null;
  const isOpen = await store.$count(
    sourcePages,
    and(
      eq(sourcePages.sourceNo, source.no),
      sql`(${sourcePages.flagged} > 0 or ${sourcePages.refused} > 0)`,
    ),
  );
  return isOpen > 0 ? null : last.place.mark;
}

async function afterStep(
  deps: Deps,
  source: ClaimedSource,
  { run, end, startedAt }: { run: Run; end: ReadEnd; startedAt: number },
): Promise<Stepped> {
  if (end.kind === "aborted") return { kind: "on", run, isInterrupted: true };
  if (end.kind === "held") return { kind: "rest", forMs: end.forMs };
  if (end.kind === "failed") {
    if (await wentOffline(deps, startedAt)) return { kind: "rest", forMs: REST_MS };
    const failed: RunEnd = { status: "failed", reason: end.reason, message: end.message };
    const ended = await write(
      deps,
      source,
      async (within) => (await endRun(within, source, run, failed)).run,
    );
    return { kind: "on", run: ended };
  }
  // A crawl goes on with the pages that wait.
  if (end.kind === "done" && run.place.isRead && !end.mark && !end.isUnchanged && !end.isMismatch)
    return { kind: "on", run };
  const next = await write(deps, source, async (within) => {
    const { place } = run;
    const read: Run =
      end.kind === "more"
        ? { ...run, place: { ...place, reader: end.cursor } }
        : { ...run, place: { ...place, isRead: true, mark: end.mark ?? null } };
    if (end.kind === "done" && end.isUnchanged) {
      // What is missing still is, so it may be time for it to leave.
      const settling = startSettling(read, "missing");
      await saveRun(within.store, settling);
      return settling;
    }
    const judged =
      end.kind === "done" && end.isMismatch ? asIncomplete(read, "total_mismatch") : read;
    await saveRun(within.store, judged);
    return judged;
  });
  return { kind: "on", run: next };
}
