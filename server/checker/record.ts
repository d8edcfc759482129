import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { addUsage, dayOf } from "../accounts/meter.ts";
import type { Deps } from "../deps.ts";
import { recordEvents } from "../events/events.ts";
import type { Statement, Store } from "../store/store.ts";
import { batches, checks, FREQUENCIES, type Frequency, links } from "../store/tables.ts";
import type { ClaimedLink } from "./claim.ts";
import type { Conclusion } from "./conclusion.ts";
import { outcomeOf } from "./outcome.ts";
import { nextCheckAt } from "./schedule.ts";
import { completed, eventsOf, type Result, rounded, type Settled } from "./settled.ts";

/** When to try again after a fault of our own. */
const FAULT_PAUSE_MS = 60_000;

/**
 * Writes the results in one batch: history, links, events and counts together, or none of it. A result
 * counts only while its link is still there and held under the lease it was claimed with.
 */
export async function recordResults(deps: Deps, results: Result[]): Promise<void> {
  const { store } = deps;
  // In the order of ids, so that two processes never wait for each other's rows.
  const sorted = results.toSorted((a, b) => (a.link.id < b.link.id ? -1 : 1));
  const settled = sorted.flatMap((result) => asSettled(result) ?? []);
  const voided = sorted.filter((result) => !asSettled(result));
  await store.write([
    ...insertChecks(store, [...settled, ...voided.filter(isAsked).map(asObserved)]),
    ...countForBatches(store, settled),
    ...recordEvents(store, [
      ...settled.flatMap(eventsOf),
      ...voided.filter(isAsked).map(asObserved).map(completed),
    ]),
    ...usageOf(store, settled),
    ...settled.map((result) => changeLink(deps, result)),
    ...voided.map((result) => giveBack(store, result)),
  ]);
}

function asSettled(result: Result): Settled | null {
  const outcome = outcomeOf(result.link, result.conclusion);
  return outcome.kind === "settled" ? { ...result, outcome } : null;
}

/** Only a check that somebody asked for by hand tells of a fault of our own. */
const isAsked = ({ link, conclusion }: Result) =>
  link.nextTrigger === "manual" && conclusion.reason !== "check_aborted";

/** A fault as history shows it: the check is unknown, and the link as it was. */
function asObserved(result: Result): Settled {
  const { status, reason, decidedStatus, inconclusiveChecks } = result.link;
  return {
    ...result,
    outcome: {
      kind: "settled",
      status,
      reason: reason ?? result.conclusion.reason,
      statusChanged: false,
      decidedStatus,
      inconclusiveChecks,
      event: null,
    },
  };
}

/** The rows that later statements of the batch look for: no check, no event and no count. */
function insertChecks(store: Store, results: Settled[]): Statement[] {
  if (results.length === 0) return [];
  const rows = sql.join(results.map(checkValues), sql`, `);
  return [
    store.run(sql`
      insert into ${checks} (id, account_id, link_id, status, previous_status, status_changed, status_code,
        response_time_ms, reason, final_url, redirect_count, trigger_kind, checked_at)
      select column1, column2, column3, column4, column5, column6, column7, column8, column9, column10,
        column11, column12, column13
      from (values ${rows}) as done
      where exists (select 1 from links where id = column3 and lease = column14)
    `),
  ];
}

function checkValues({ checkId, link, conclusion, at, outcome }: Settled): SQL {
  const text = (value: string | null) => sql`cast(${value} as text)`;
  const number = (value: number | null) => sql`cast(${value} as bigint)`;
  const columns = [
    text(checkId),
    text(link.accountId),
    text(link.id),
    text(conclusion.status),
    text(link.status),
    number(outcome.statusChanged ? 1 : 0),
    number(conclusion.statusCode),
    number(rounded(conclusion.responseTimeMs)),
    text(conclusion.reason),
    text(conclusion.finalUrl),
    number(conclusion.redirectCount),
    text(link.nextTrigger),
    number(at),
    text(link.lease),
  ];
  return sql`(${sql.join(columns, sql`, `)})`;
}

function changeLink(
  { store, config }: Deps,
  { link, conclusion, outcome, at }: Settled,
): Statement {
  const { status, reason } = outcome;
  return store
    .update(links)
    .set({
      status,
      reason,
      decidedStatus: outcome.decidedStatus,
      inconclusiveChecks: outcome.inconclusiveChecks,
      unconfirmedSince: conclusion.followUpMs === null ? null : (link.unconfirmedSince ?? at),
      ...(outcome.statusChanged && { statusChangedAt: at }),
      ...(conclusion.status === "active" && { lastActiveAt: at }),
      lastStatus: conclusion.status,
      lastReason: conclusion.reason,
      lastStatusCode: conclusion.statusCode,
      lastResponseTimeMs: rounded(conclusion.responseTimeMs),
      lastCheckedAt: at,
      evidence: JSON.stringify(conclusion.evidence),
      nextCheckAt: nextTime(config.frequencySeconds, link.id, conclusion, at),
      nextTrigger: "scheduled",
      checkingUntil: null,
      lease: null,
      batchId: null,
    })
    .where(isHeld(link));
}

/** By the frequency that the link has now, which may have been changed while it was checked. */
function nextTime(
  seconds: Record<Frequency, number>,
  linkId: string,
  { followUpMs, retryAfterMs }: Conclusion,
  at: number,
): SQL | number {
  if (followUpMs !== null) return at + followUpMs;
  const earliest = at + (retryAfterMs ?? 0);
  const cases = FREQUENCIES.map((frequency) => {
    const next = nextCheckAt({ linkId, frequencySeconds: seconds[frequency], from: at });
    return sql`when ${sql.raw(`'${frequency}'`)} then cast(${Math.max(next, earliest)} as bigint)`;
  });
  return sql`case ${links.checkFrequency} ${sql.join(cases, sql` `)} end`;
}

/** An aborted check is due at once, by whoever runs next; another fault waits a little. */
function giveBack(store: Store, { link, conclusion, at }: Result): Statement {
  const isAborted = conclusion.reason === "check_aborted";
  return store
    .update(links)
    .set({
      nextCheckAt: isAborted ? at : at + FAULT_PAUSE_MS,
      checkingUntil: null,
      lease: null,
      ...(!isAborted && link.nextTrigger === "manual" && { nextTrigger: "scheduled" as const }),
    })
    .where(isHeld(link));
}

const isHeld = ({ id, lease }: ClaimedLink) => and(eq(links.id, id), eq(links.lease, lease));

/** Adds each link's first verdict to the batch it came with. */
function countForBatches(store: Store, results: Settled[]): Statement[] {
  const firsts = results.filter(({ link }) => link.batchId !== null);
  const groups = Map.groupBy(
    firsts,
    ({ link, conclusion }) => `${link.batchId} ${conclusion.status}`,
  );
  return [...groups.values()].map((members) => {
    const [{ link, conclusion }] = members as [Settled];
    const counted = store
      .select({ count: sql`count(*)` })
      .from(checks)
      .where(
        inArray(
          checks.id,
          members.map(({ checkId }) => checkId),
        ),
      );
    const column = conclusion.status;
    return store
      .update(batches)
      .set({ [column]: sql`${batches[column]} + (${counted})` })
      .where(eq(batches.id, link.batchId!));
  });
}

function usageOf(store: Store, results: Settled[]): Statement[] {
  const byDay = Map.groupBy(results, ({ link, at }) => `${link.accountId} ${dayOf(at)}`);
  return [...byDay.values()].flatMap((members) => {
    const last = members.reduce((a, b) => (b.at > a.at ? b : a));
    return addUsage(store, last.link.accountId, dayOf(last.at), {
      checks: members.length,
      lastCheckAt: last.at,
    });
  });
}
