import { and, eq } from "drizzle-orm";
import { recordChange } from "../accounts/audit.ts";
import type { Store } from "../ground/db/store.ts";
import { type SourceRow, type SourceRunRow, sourceRuns, sources } from "../ground/db/tables.ts";
import { newIdAt } from "../ground/lib/ids.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import type { RUN_TRIGGERS, RunStatus } from "../ground/lib/vocabulary.ts";
import type { Actor } from "../http/caller.ts";
import { publishEvents } from "../notify/events.ts";
import type { Cursor } from "../read/crawl/job.ts";
import type { Deps } from "../work/deps.ts";
import { nextTurns } from "../work/schedule.ts";

/** A run that has not ended. */
export const UNDER_WAY = ["queued", "reading", "settling"] as const satisfies RunStatus[];

export const isUnderWay = ({ status }: Pick<SourceRunRow, "status">): boolean =>
  UNDER_WAY.some((each) => each === status);

/** How many pages a run has met, and what became of the links. */
export type RunCounts = {
  pages: { read: number; unchanged: number; gone: number; failed: number; skipped: number };
  links: {
    new: number;
    kept: number;
    missing: number;
    retired: number;
    returned: number;
    refused: number;
  };
  fragments: number;
  /** Pages that were to be read. */
  wanted: number;
  /** Pages and links that the source had before. */
  before: { pages: number; links: number };
  /** Of these, how many were not found any more, before anything was removed. */
  lost: { pages: number; links: number } | null;
  /** Places that the source has. */
  places: number;
};

const NO_COUNTS: RunCounts = {
  pages: { read: 0, unchanged: 0, gone: 0, failed: 0, skipped: 0 },
  links: { new: 0, kept: 0, missing: 0, retired: 0, returned: 0, refused: 0 },
  fragments: 0,
  wanted: 0,
  before: { pages: 0, links: 0 },
  lost: null,
  places: 0,
};

/** Why a run is incomplete, so that it takes nothing away. */
export type IncompleteReason = "limit" | "pages_failed" | "total_mismatch" | "shrunken";

/** What was met that cannot be a link. */
export type RunError = { url: string; page_url: string; reason: string };

/** Where a run is. `reader` is for the reader; `settling` is a phase and how far it is. */
export type RunPlace = {
  reader: Cursor | null;
  /** Whether the reader has read all, apart from pages that wait. */
  isRead: boolean;
  settling: { phase: string; after: number } | null;
  /** Why the run will be incomplete. */
  incomplete: IncompleteReason | null;
  /** For a later run. */
  mark: string | null;
  /** Whether everything is read again, since the source was changed after its last complete run. */
  rereads: boolean;
};

const FIRST_PLACE: RunPlace = {
  reader: null,
  isRead: false,
  settling: null,
  incomplete: null,
  mark: null,
  rereads: false,
};

/** A run with its JSON read. */
export type Run = Omit<SourceRunRow, "cursor" | "counts" | "notes"> & {
  place: RunPlace;
  counts: RunCounts;
  errors: RunError[];
  notes: string[];
};

/** A run after a step of settling, and where its phase goes on; null when the phase is done. */
export type Progress = { run: Run; after: number | null };

/** Stands for the run of what is pushed, which has none. */
export const PUSH_RUN: Run = {
  sourceNo: 0,
  runNo: 1,
  id: "",
  accountId: "",
  status: "reading",
  reason: null,
  message: null,
  trigger: "manual",
  acceptsShrink: false,
  queuedAt: 0,
  startedAt: null,
  endedAt: null,
  place: FIRST_PLACE,
  counts: NO_COUNTS,
  errors: [],
  notes: [],
};

export function toRun({ cursor, counts, notes, ...row }: SourceRunRow): Run {
  const said = JSON.parse(notes) as Pick<Run, "errors" | "notes">;
  return { ...row, place: JSON.parse(cursor!), counts: JSON.parse(counts), ...said };
}

/** Reads the latest run of a source; null before the first. */
export async function latestRun(
  store: Store,
  { no, runNo }: Pick<SourceRow, "no" | "runNo">,
): Promise<Run | null> {
  const [row] = await store
    .select()
    .from(sourceRuns)
    .where(and(eq(sourceRuns.sourceNo, no), eq(sourceRuns.runNo, runNo)));
  return row ? toRun(row) : null;
}

type NewRun = { trigger: (typeof RUN_TRIGGERS)[number]; acceptsShrink?: boolean };

/** Queues a run, in a transaction that has locked the source's account. The source must be claimed for it then. */
export async function queueRun(
  { store: tx, clock }: Pick<Deps, "store" | "clock">,
  source: Pick<SourceRow, "no" | "runNo" | "accountId">,
  { trigger, acceptsShrink = false }: NewRun,
): Promise<Run> {
  const now = clock.now();
  const row: SourceRunRow = {
    sourceNo: source.no,
    runNo: source.runNo + 1,
    id: newIdAt(now),
    accountId: source.accountId,
    status: "queued",
    reason: null,
    message: null,
    trigger,
    acceptsShrink,
    queuedAt: now,
    startedAt: null,
    endedAt: null,
    cursor: JSON.stringify(FIRST_PLACE),
    counts: JSON.stringify(NO_COUNTS),
    notes: JSON.stringify({ errors: [], notes: [] }),
  };
  await tx.insert(sourceRuns).values(row);
  await tx.update(sources).set({ runNo: row.runNo }).where(eq(sources.no, source.no));
  return toRun(row);
}

/** Stores where a run is and what it has counted. */
export async function saveRun(tx: Store, run: Run): Promise<void> {
  const { sourceNo, runNo, status, reason, message, startedAt, endedAt } = run;
  const { place, counts, errors, notes } = run;
  await tx
    .update(sourceRuns)
    .set({
      status,
      reason,
      message,
      startedAt,
      endedAt,
      cursor: JSON.stringify(place),
      counts: JSON.stringify(counts),
      notes: JSON.stringify({ errors, notes }),
    })
    .where(and(eq(sourceRuns.sourceNo, sourceNo), eq(sourceRuns.runNo, runNo)));
}

const MOST_ERRORS = 100;
const MOST_NOTES = 100;

/** Adds what people should know of a run, each once and not without end. */
export function withNotes(run: Run, notes: string[], errors: RunError[] = []): Run {
  return {
    ...run,
    notes: [...new Set([...run.notes, ...notes])].slice(0, MOST_NOTES),
    errors: [...run.errors, ...errors].slice(0, MOST_ERRORS),
  };
}

const DAY_MS = 86_400_000;

/** When a source is read next by its schedule, or daily at a place of its own; null for never. */
export function nextRunAt(
  source: Pick<SourceRow, "id" | "kind" | "cron" | "timeZone" | "isPaused">,
  from: number,
): number | null {
  const { id, kind, cron, timeZone, isPaused } = source;
  if (isPaused || kind === "push") return null;
  if (cron !== null) {
    return nextTurns({ cron, timeZone: timeZone! }, from, 1)[0]?.getTime() ?? null;
  }
  const place = (Bun.hash.crc32(id) / 2 ** 32) * DAY_MS;
  return Math.floor(Math.floor((from - place) / DAY_MS) * DAY_MS + DAY_MS + place);
}

/** Makes changes as the source itself, in the audit log. */
export const actorOf = ({ id, name }: Pick<SourceRow, "id" | "name">): Actor => ({
  kind: "source",
  id,
  name,
  address: () => null,
});

export type RunEnd =
  | { status: "complete" | "cancelled" }
  | { status: "incomplete"; reason: IncompleteReason }
  | { status: "failed"; reason: string; message: string };

/**
 * Ends a run: the source is due again by its schedule. Tells webhooks and the audit log. Call it in a transaction that
 * holds the account's lock, and wake the loops afterwards.
 */
export async function endRun(
  deps: Deps,
  source: SourceRow,
  run: Run,
  end: RunEnd,
): Promise<{ source: SourceRow; run: Run }> {
  const { store: tx, clock } = deps;
  const now = clock.now();
  const reason = "reason" in end ? end.reason : null;
  const ended: Run = {
    ...run,
    status: end.status,
    reason,
    message: "message" in end ? end.message : null,
    startedAt: run.startedAt ?? now,
    endedAt: now,
  };
  await saveRun(tx, ended);
  const isFailing = end.status === "failed" || (end.status === "incomplete" && reason !== "limit");
  const columns = {
    lease: null,
    dueAt: nextRunAt(source, now),
    ...(end.status === "complete" && { completeRun: run.runNo }),
    ...(end.status !== "cancelled" && {
      failingSince: isFailing ? (source.failingSince ?? now) : null,
    }),
  };
  await tx.update(sources).set(columns).where(eq(sources.no, source.no));
  const after = { ...source, ...columns };
  await publishEvents(tx, [completeEvent(after, ended)]);
  if (end.status !== "cancelled") {
    const { id, name, accountId } = source;
    const { links } = run.counts;
    const changed = links.new + links.returned + links.retired;
    await recordChange(deps, {
      action: "source.synced",
      by: actorOf(source),
      accountId,
      target: { id, name },
      count: Math.max(1, changed),
    });
  }
  deps.metrics.sourceEnded(source.kind, end.status, run.startedAt ? now - run.startedAt : 0);
  return { source: after, run: ended };
}

function completeEvent(source: SourceRow, run: Run) {
  const { pages, links, fragments } = run.counts;
  return {
    type: "source.complete" as const,
    accountId: source.accountId,
    at: run.endedAt!,
    data: {
      sourceId: source.id,
      name: source.name,
      kind: source.kind,
      runId: run.id,
      status: run.status as RunEnd["status"],
      reason: run.reason,
      trigger: run.trigger,
      pages,
      links,
      fragments,
      startedAt: toIso(run.startedAt!),
      endedAt: toIso(run.endedAt!),
      nextRunAt: toIsoOrNull(source.dueAt),
    },
  };
}
