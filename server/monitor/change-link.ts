import { type SQL, sql } from "drizzle-orm";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import { FREQUENCIES } from "../db/tables.ts";
import type { StoredEvidence } from "../verdict/evidence-model.ts";
import type { Conclusion, Evidence } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { followUpAt, nextCheckAt } from "../work/schedule.ts";
import { rounded, type Settled } from "./settled.ts";

const DAY_MS = 86_400_000;
/** More changes of status than this within a day, and death is believed less quickly for a week. */
const STEADY_CHANGES = 3;
const FLAPPING_MS = 7 * DAY_MS;

/** Writes what checks make of their links, and gives the links back. The checks must be inserted before. */
export function changeLinks({ store, config }: Deps, settled: Settled[]): Statement[] {
  if (settled.length === 0) return [];
  const rows = settled.map((result) => [...cellsOf(result), ...nextTimes(config, result)]);
  return [
    ...keepRecoveries(store, settled),
    ...changeStatuses(store, settled),
    store.run(sql`
      update links set ${CHANGES}, next_check_at = ${NEXT_TIME}
      from ${rowsOf(store, { ...CELLS, ...TIMES }, rows)} as done
      where links.no = done.link_no and links.lease = done.old_lease
    `),
  ];
}

/** What the check saw, as it is kept. */
export const toStored = (evidence: Evidence): string =>
  JSON.stringify(evidence satisfies StoredEvidence);

const CELLS = {
  link_no: "bigint",
  old_lease: "text",
  checked_at: "bigint",
  new_reason: "text",
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
  const { conclusion, series, reason, decidedStatus, decidedReason, inconclusiveChecks } = outcome;
  const unconfirmedSince = isSecondLookDue(conclusion)
    ? (link.unconfirmedSince ?? checkedAt)
    : null;
  return [
    ...[link.no, link.lease, checkedAt, reason],
    ...[decidedStatus, decidedReason, inconclusiveChecks, unconfirmedSince],
    ...[series?.kind ?? null, series?.since ?? null, series?.checks ?? null],
    ...[conclusion.status, conclusion.reason, conclusion.cause ?? null, conclusion.statusCode],
    ...[rounded(conclusion.responseTimeMs), toStored(conclusion.evidence)],
  ];
}

const CHANGES = sql.raw(`
  reason = new_reason, decided_status = new_decided_status, decided_reason = new_decided_reason,
  inconclusive_checks = new_inconclusive_checks, unconfirmed_since = new_unconfirmed_since,
  failing_class = new_failing_class, failing_since = new_failing_since, failing_checks = new_failing_checks,
  last_active_at = case when seen_status = 'active' then done.checked_at else last_active_at end,
  last_status = seen_status, last_reason = seen_reason, last_cause = seen_cause,
  last_status_code = seen_status_code, last_response_time_ms = seen_response_time_ms,
  last_checked_at = done.checked_at, evidence = seen_evidence,
  next_trigger = 'scheduled', checking_until = null, lease = null`);

/** Its name is missing, which counts once it is seen again. */
const isSecondLookDue = ({ reason, followUpMs }: Conclusion) =>
  reason === "unconfirmed" && followUpMs !== null;

/**
 * Apart from the rest, since setting a column that is in an index costs even where it stays the same. This
 * check's own change is counted among the last day's, as its row is there already.
 */
function changeStatuses(store: Store, settled: Settled[]): Statement[] {
  const rows = settled
    .filter(({ outcome }) => outcome.statusChanged)
    .map(({ link, checkedAt, outcome }) => [link.no, link.lease, outcome.status, checkedAt]);
  if (rows.length === 0) return [];
  return [
    store.run(sql`
      update links set status = new_status, status_changed_at = changed_at,
        flapping_until = case when (
          select count(*) from checks c join check_kinds k on k.no = c.kind_no
          where c.link_no = done.link_no and c.checked_at > changed_at - ${sql.raw(String(DAY_MS))}
            and k.status_changed = 1
        ) > ${sql.raw(String(STEADY_CHANGES))}
        then changed_at + ${sql.raw(String(FLAPPING_MS))} else flapping_until end
      from ${rowsOf(store, CHANGE, rows)} as done
      where links.no = done.link_no and links.lease = old_lease
    `),
  ];
}

/** Remembers the links that were dead until now, and when they came back. */
function keepRecoveries(store: Store, settled: Settled[]): Statement[] {
  const rows = settled
    .filter(({ link, outcome }) => outcome.event === "link.alive" && link.decidedStatus === "dead")
    .map(({ link, checkedAt }) => [link.no, link.lease, checkedAt]);
  if (rows.length === 0) return [];
  return [
    store.run(sql`
      insert into recoveries (link_no, account_no, recovered_at)
      select links.no, links.account_no, done.recovered_at
      from ${rowsOf(store, RECOVERY, rows)} as done
      join links on links.no = done.link_no and links.lease = old_lease
      where true
      on conflict (link_no) do update set recovered_at = excluded.recovered_at
    `),
  ];
}

const RECOVERY = { link_no: "bigint", old_lease: "text", recovered_at: "bigint" } as const;

const CHANGE = {
  link_no: "bigint",
  old_lease: "text",
  new_status: "text",
  changed_at: "bigint",
} as const;

const TIMES = Object.fromEntries(
  FREQUENCIES.map((frequency) => [`next_${frequency}`, "bigint" as const]),
);

/** By the frequency that the link has now, which may have been changed while it was checked. */
const NEXT_TIME: SQL = sql.raw(
  `case check_frequency ${FREQUENCIES.map((name) => `when '${name}' then next_${name}`).join(" ")} end`,
);

/** When the link is due next with each frequency, in the order of `FREQUENCIES`. By the clock as it is now. */
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
