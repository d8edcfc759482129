import { type SQL, sql } from "drizzle-orm";
import { onRows, type Store } from "../db/store.ts";
import { FREQUENCIES } from "../db/tables.ts";
import type { Conclusion, StoredEvidence } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { followUpAt, nextCheckAt } from "../work/schedule.ts";
import { rounded, type Settled } from "./outcome.ts";

const DAY_MS = 86_400_000;
/** A link with more changes of status within a day is flapping: for a week its death takes longer to confirm. */
const STEADY_CHANGES = 3;
const FLAPPING_MS = 7 * DAY_MS;

/** Writes results to their links and releases them, inside a transaction in which their checks are inserted already. */
export async function changeLinks(
  tx: Store,
  config: Deps["config"],
  settled: Settled[],
): Promise<void> {
  await noteRecoveries(tx, settled);
  await changeStatuses(tx, settled);
  await changeReasons(tx, settled);
  const rows = settled.map((result) => [...cellsOf(result), ...nextTimes(config, result)]);
  await updateLinks(tx, rows);
}

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
    ...[link.no, checkedAt],
    ...[decidedStatus, decidedReason, inconclusiveChecks, unconfirmedSince],
    ...[series?.kind ?? null, series?.since ?? null, series?.checks ?? null],
    ...[conclusion.status, conclusion.reason, conclusion.cause ?? null, conclusion.statusCode],
    ...[rounded(conclusion.responseTimeMs), toStored(conclusion.evidence)],
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

/**
 * Only for links whose status changes, since setting an indexed column costs even if it stays the same. This check
 * counts among the changes of the last day, as its row exists already.
 */
async function changeStatuses(tx: Store, settled: Settled[]): Promise<void> {
  const rows = settled
    .filter(({ outcome }) => outcome.statusChanged)
    .map(({ link, checkedAt, outcome }) => [link.no, outcome.status, checkedAt]);
  await updateStatuses(tx, rows);
}

const updateStatuses = onRows(
  { link_no: "bigint", new_status: "text", changed_at: "bigint" },
  (rows) => sql`
    update links set status = new_status, status_changed_at = changed_at,
      flapping_until = case when (
        select count(*) from checks c join check_kinds k on k.no = c.kind_no
        where c.link_no = done.link_no and c.checked_at > changed_at - ${sql.raw(String(DAY_MS))}
          and k.status_changed = 1
      ) > ${sql.raw(String(STEADY_CHANGES))}
      then changed_at + ${sql.raw(String(FLAPPING_MS))} else flapping_until end
    from ${rows} as done where links.no = done.link_no
  `,
);

/** Only for links whose reason changes: dead links are indexed by it. */
async function changeReasons(tx: Store, settled: Settled[]): Promise<void> {
  const rows = settled
    .filter(({ link, outcome }) => outcome.reason !== link.reason)
    .map(({ link, outcome }) => [link.no, outcome.reason]);
  await updateReasons(tx, rows);
}

const updateReasons = onRows(
  { link_no: "bigint", new_reason: "text" },
  (rows) =>
    sql`update links set reason = new_reason from ${rows} as done where links.no = done.link_no`,
);

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

/** Returns when the link is due next with each frequency, in the order of `FREQUENCIES`. */
function nextTimes({ frequencySeconds }: Deps["config"], { link, outcome, at }: Settled): number[] {
  const { followUpMs, restMs } = outcome.conclusion;
  if (followUpMs !== null) return FREQUENCIES.map(() => at + followUpMs);
  const earliest = at + (restMs ?? 0);
  const since = outcome.series?.since;
  const followUp = since === undefined ? null : followUpAt({ linkId: link.id, since, after: at });
  return FREQUENCIES.map((frequency) => {
    const regular = nextCheckAt({
      linkId: link.id,
      frequencySeconds: frequencySeconds[frequency],
      from: at,
      before: link.lastCheckedAt,
    });
    return Math.max(earliest, Math.min(regular, followUp ?? regular));
  });
}
