import { type SQL, sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import { FREQUENCIES } from "../ground/lib/vocabulary.ts";
import type { Conclusion, StoredEvidence } from "../judge/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { type CheckSchedule, followUpAt, nextCheckAt, turnAfter } from "../work/schedule.ts";
import { rounded, type Settled } from "./outcome.ts";
import { readSchedules } from "./schedules.ts";

const DAY_MS = 86_400_000;
/** A link with more changes of status within a day is flapping: for a week its death takes longer to confirm. */
const STEADY_CHANGES = 3;
const FLAPPING_MS = 7 * DAY_MS;

/**
 * Writes results to their links and releases them, inside a transaction in which their checks are inserted already.
 * Status and reason are set only where one of them changes, since setting an indexed column costs even if it stays
 * the same.
 */
export async function changeLinks(
  tx: Store,
  config: Deps["config"],
  settled: Settled[],
): Promise<void> {
  await noteRecoveries(tx, settled);
  const schedules = await readSchedules(
    tx,
    settled.map(({ link }) => link.no),
  );
  const timesOf = (result: Settled) => nextTimes(config, result, schedules.get(result.link.no));
  const toRow = (result: Settled) => [...cellsOf(result), ...timesOf(result)];
  const isUnchanged = ({ outcome }: Settled) => outcome.conclusion.unchanged !== undefined;
  const changed = settled.filter(isChange);
  const same = settled.filter((each) => !isChange(each) && !isUnchanged(each));
  await updateUnchanged(
    tx,
    settled.filter(isUnchanged).map((result) => {
      const { link, checkedAt, outcome } = result;
      const ms = rounded(outcome.conclusion.responseTimeMs);
      return [link.no, checkedAt, ms, ...timesOf(result)];
    }),
  );
  await updateLinks(tx, same.map(toRow));
  await updateChangedLinks(
    tx,
    changed.map((result) => [...toRow(result), result.outcome.status, result.outcome.reason]),
  );
}

/** Whether the status or the reason of the link changes. */
export const isChange = ({ link, outcome }: Settled) =>
  outcome.statusChanged || outcome.reason !== link.reason;

export const toStored = (evidence: StoredEvidence): string => JSON.stringify(evidence);

const CELLS = {
  link_no: "bigint",
  checked_at: "bigint",
  new_decided_status: "text",
  new_decided_reason: "text",
  new_inconclusive_checks: "bigint",
  new_unconfirmed_since: "bigint",
  new_failing_class: "text",
  new_failing_since: "bigint",
  new_failing_checks: "bigint",
  seen_status: "text",
  seen_reason: "text",
  seen_cause: "text",
  seen_status_code: "bigint",
  seen_response_time_ms: "bigint",
  seen_evidence: "text",
} as const;

/** In the order of `CELLS`. */
function cellsOf({ link, outcome, checkedAt }: Settled) {
  const { conclusion, series, decidedStatus, decidedReason, inconclusiveChecks } = outcome;
  const unconfirmedSince = isSecondLookDue(conclusion)
    ? (link.unconfirmedSince ?? checkedAt)
    : null;
  return [
    link.no,
    checkedAt,
    decidedStatus,
    decidedReason,
    inconclusiveChecks,
    unconfirmedSince,
    series?.kind ?? null,
    series?.since ?? null,
    series?.checks ?? null,
    conclusion.status,
    conclusion.reason,
    conclusion.cause ?? null,
    conclusion.statusCode,
    rounded(conclusion.responseTimeMs),
    toStored(conclusion.evidence),
  ];
}

const CHANGES = sql.raw(`
  decided_status = new_decided_status, decided_reason = new_decided_reason,
  inconclusive_checks = new_inconclusive_checks, unconfirmed_since = new_unconfirmed_since,
  failing_class = new_failing_class, failing_since = new_failing_since, failing_checks = new_failing_checks,
  last_active_at = case when seen_status = 'active' then done.checked_at else last_active_at end,
  last_status = seen_status, last_reason = seen_reason, last_cause = seen_cause,
  last_status_code = seen_status_code, last_response_time_ms = seen_response_time_ms,
  last_checked_at = done.checked_at, evidence = seen_evidence,
  next_trigger = 'scheduled', checking_until = null, lease = null`);

/** The site's name does not resolve, which counts only if a second check confirms it. */
const isSecondLookDue = ({ reason, followUpMs }: Conclusion) =>
  reason === "unconfirmed" && followUpMs !== null;

/** Stores when dead links have come back. */
async function noteRecoveries(tx: Store, settled: Settled[]): Promise<void> {
  const rows = settled
    .filter(({ link, outcome }) => outcome.event === "link.alive" && link.decidedStatus === "dead")
    .map(({ link, checkedAt }) => [link.no, link.accountNo, checkedAt]);
  await insertRecoveries(tx, rows);
}

const insertRecoveries = onRows(
  { link: "bigint", account: "bigint", at: "bigint" },
  (rows) => sql`
    insert into recoveries (link_no, account_no, recovered_at)
    select link, account, at from ${rows} as done where true
    on conflict (link_no) do update set recovered_at = excluded.recovered_at
  `,
);

const TIMES = Object.fromEntries(
  FREQUENCIES.map((frequency) => [`next_${frequency}`, "bigint" as const]),
);

/** By the current frequency of the link, which may have changed during the check. */
const NEXT_TIME: SQL = sql.raw(
  `case check_frequency ${FREQUENCIES.map((name) => `when '${name}' then next_${name}`).join(" ")} end`,
);

const updateLinks = onRows(
  { ...CELLS, ...TIMES },
  (rows) => sql`
    update links set ${CHANGES}, next_check_at = ${NEXT_TIME}
    from ${rows} as done where links.no = done.link_no
  `,
);

/** The rest of the link is as its last check left it, with the evidence. */
const updateUnchanged = onRows(
  { link_no: "bigint", checked_at: "bigint", response_ms: "bigint", ...TIMES },
  (rows) => sql`
    update links set last_active_at = checked_at, last_checked_at = checked_at, last_response_time_ms = response_ms,
      next_trigger = 'scheduled', checking_until = null, lease = null, next_check_at = ${NEXT_TIME}
    from ${rows} as done where links.no = done.link_no
  `,
);

/** This check counts among the changes of the last day, as its row exists already. */
const updateChangedLinks = onRows(
  { ...CELLS, ...TIMES, new_status: "text", new_reason: "text" },
  (rows) => sql`
    update links set ${CHANGES}, next_check_at = ${NEXT_TIME}, status = new_status, reason = new_reason,
      status_changed_at = case when status = new_status then status_changed_at else done.checked_at end,
      flapping_until = case when status <> new_status and (
        select count(*) from checks c join check_kinds k on k.no = c.kind_no
        where c.link_no = done.link_no and c.checked_at > done.checked_at - ${sql.raw(String(DAY_MS))}
          and k.status_changed = 1
      ) > ${sql.raw(String(STEADY_CHANGES))}
      then done.checked_at + ${sql.raw(String(FLAPPING_MS))} else flapping_until end
    from ${rows} as done where links.no = done.link_no
  `,
);

/** Returns when the link is due next with each frequency, in the order of `FREQUENCIES`. A schedule replaces them. */
function nextTimes(
  { frequencySeconds }: Deps["config"],
  { link, outcome, at, compared }: Settled,
  schedule: CheckSchedule | undefined,
): number[] {
  const { followUpMs, restMs } = outcome.conclusion;
  if (followUpMs !== null) return FREQUENCIES.map(() => at + followUpMs);
  const lookAgainMs = compared?.lookAgainMs ?? null;
  const earliest = at + (restMs ?? 0);
  const since = outcome.series?.since;
  const followUp = since === undefined ? null : followUpAt({ linkId: link.id, since, after: at });
  const turn = schedule && turnAfter(schedule, { linkId: link.id, from: at });
  return FREQUENCIES.map((frequency) => {
    const regular =
      turn ??
      nextCheckAt({
        linkId: link.id,
        frequencySeconds: frequencySeconds[frequency],
        from: at,
        before: link.lastCheckedAt,
      });
    const again = lookAgainMs === null ? regular : at + lookAgainMs;
    return Math.max(earliest, Math.min(regular, followUp ?? regular, again));
  });
}
