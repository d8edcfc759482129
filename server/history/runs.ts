import { and, asc, eq, gte, min } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { checkKinds, checks, historyDays, type LinkRow } from "../ground/db/tables.ts";
import { type Page, type PageQuery, windowOf } from "../ground/lib/paging.ts";
import type { Verdict } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { countSpans, type Extremes, NO_EXTREMES, retainedExtremes, widest } from "./extremes.ts";
import { listLinkChanges } from "./history.ts";
import type { Run } from "./model.ts";
import { DAY_MS, type Span } from "./roll-ups.ts";
import { countChecks } from "./statistics.ts";
import { ofLink, type Subject, spanOf } from "./subject.ts";

/** The first check of a run, as far as it is known. */
type Start = Pick<Run, "status" | "reason" | "cause" | "statusCode" | "startedAt">;

/**
 * Lists the runs of a link, newest first. Each begins with a check that changed the status. The oldest begins with the
 * first check; if that is deleted, with what came before the oldest stored change.
 */
export async function listRuns(
  { store }: Deps,
  link: LinkRow,
  query: PageQuery,
): Promise<Page<Run>> {
  const subject = await ofLink(store, link);
  const { limit, offset } = windowOf(query);
  // A run ends where the next one begins, which is before it in the list.
  const skipped = Math.min(offset, 1);
  const [changes, first] = await Promise.all([
    listLinkChanges(store, subject, { limit: limit + skipped, offset: offset - skipped }),
    findFirst(store, subject),
  ]);
  const starts: Start[] = changes.items.map(({ checkedAt, ...start }) => ({
    ...start,
    startedAt: checkedAt,
  }));
  const hasOldest = first.exists && !first.isChange;
  const isAtEnd = offset - skipped + starts.length === changes.total;
  if (hasOldest && isAtEnd && starts.length < limit + skipped) {
    starts.push(oldestOf(link, first, changes.items.at(-1)?.previousStatus));
  }
  const items = await countRuns(store, subject, starts, { skipped, first });
  return { items, total: changes.total + (hasOldest ? 1 : 0) };
}

/** The first check of a link. `start` is null if it is deleted, while its roll-ups stay. */
type First = { exists: boolean; isChange: boolean; start: Start | null };

async function findFirst(store: Store, { no, since }: Subject): Promise<First> {
  const { status, reason, cause, statusCode, statusChanged } = checkKinds;
  const [[stored], [days]] = await Promise.all([
    store
      .select({
        start: { status, reason, cause, statusCode, startedAt: checks.checkedAt },
        statusChanged,
      })
      .from(checks)
      .innerJoin(checkKinds, eq(checkKinds.no, checks.kindNo))
      .where(and(eq(checks.linkNo, no), gte(checks.checkedAt, since)))
      .orderBy(asc(checks.checkedAt))
      .limit(1),
    store
      .select({ first: min(historyDays.day) })
      .from(historyDays)
      .where(eq(historyDays.subject, no)),
  ]);
  const day = days?.first ?? null;
  const isStored = stored !== undefined && Math.floor(stored.start.startedAt / DAY_MS) === day;
  return {
    exists: day !== null,
    isChange: isStored && stored.statusChanged,
    start: isStored ? stored.start : null,
  };
}

/** @param status before the oldest stored change; undefined if there is none */
function oldestOf(link: LinkRow, { start }: First, status: Verdict | undefined): Start {
  if (start) return start;
  const unknown = { reason: null, cause: null, statusCode: null };
  if (status) return { ...unknown, status, startedAt: null };
  // A link whose status was never decided has never changed it.
  const startedAt = link.decidedStatus === null ? null : link.statusChangedAt;
  return { ...unknown, status: link.status, reason: link.reason, startedAt };
}

/** @param skipped how many of the runs are only there because the next one ends with them */
async function countRuns(
  store: Store,
  subject: Subject,
  starts: Start[],
  { skipped, first }: { skipped: number; first: First },
): Promise<Run[]> {
  const runs = starts.map((start, i) => ({ ...start, endedAt: starts[i - 1]?.startedAt ?? null }));
  const shown = runs.slice(skipped);
  const spans = shown.map(({ startedAt, endedAt }) =>
    spanOf({
      start_date: startedAt ?? undefined,
      end_date: endedAt === null ? undefined : endedAt - 1,
    }),
  );
  const counts = await countSpans(store, subject.no, spans);
  return Promise.all(
    shown.map(async ({ status, reason, cause, statusCode, startedAt, endedAt }, i) => {
      const run = { status, reason, cause, statusCode, startedAt, endedAt };
      const stored = counts[i] ?? { ...NO_EXTREMES, checks: 0 };
      const span = spans[i]!;
      if (first.start || span.from >= subject.since) return { ...run, ...stored };
      return { ...run, ...(await countDeleted(store, subject, span, stored)) };
    }),
  );
}

/** The same with the checks that are deleted. */
async function countDeleted(
  store: Store,
  subject: Subject,
  { from, until }: Span,
  stored: Extremes,
): Promise<Extremes & { checks: number }> {
  const [{ active, dead, unknown }, retained] = await Promise.all([
    countChecks(store, subject, { start_date: from, end_date: until - 1 }),
    retainedExtremes(store, subject.no, { from, until: Math.min(until, subject.since) }),
  ]);
  return { ...widest([stored, retained]), checks: active + dead + unknown };
}
