import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import type { StoredEvidence } from "../evidence/model.ts";
import type { Statement } from "../store/store.ts";
import { FREQUENCIES, links } from "../store/tables.ts";
import type { ClaimedLink } from "./claim.ts";
import type { Conclusion, Evidence } from "./conclusion.ts";
import { followUpAt, nextCheckAt } from "./schedule.ts";
import { rounded, type Settled } from "./settled.ts";

const DAY_MS = 86_400_000;
/** More changes of status than this within a day, and death is believed less quickly for a week. */
const STEADY_CHANGES = 3;
const FLAPPING_MS = 7 * DAY_MS;

/** Writes what the check makes of its link, and gives the link back. Its check must be inserted before. */
export function changeLink({ store, config }: Deps, settled: Settled): Statement {
  const { link, outcome, at } = settled;
  const { conclusion, series } = outcome;
  return store
    .update(links)
    .set({
      status: outcome.status,
      reason: outcome.reason,
      decidedStatus: outcome.decidedStatus,
      decidedReason: outcome.decidedReason,
      inconclusiveChecks: outcome.inconclusiveChecks,
      unconfirmedSince: isSecondLookDue(conclusion) ? (link.unconfirmedSince ?? at) : null,
      failingClass: series?.kind ?? null,
      failingSince: series?.since ?? null,
      failingChecks: series?.checks ?? null,
      ...(outcome.statusChanged && { statusChangedAt: at, flappingUntil: flappingUntil(settled) }),
      ...(conclusion.status === "active" && { lastActiveAt: at }),
      lastStatus: conclusion.status,
      lastReason: conclusion.reason,
      lastCause: conclusion.cause ?? null,
      lastStatusCode: conclusion.statusCode,
      lastResponseTimeMs: rounded(conclusion.responseTimeMs),
      lastCheckedAt: at,
      evidence: toStored(conclusion.evidence),
      nextCheckAt: nextTime(config.frequencySeconds, settled),
      nextTrigger: "scheduled",
      checkingUntil: null,
      lease: null,
      batchId: null,
    })
    .where(isHeld(link));
}

/** What the check saw, as it is kept. */
export const toStored = (evidence: Evidence): string =>
  JSON.stringify(evidence satisfies StoredEvidence);

/** Its name is missing, which counts once it is seen again. */
const isSecondLookDue = ({ reason, followUpMs }: Conclusion) =>
  reason === "unconfirmed" && followUpMs !== null;

const isHeld = ({ id, lease }: ClaimedLink) => and(eq(links.id, id), eq(links.lease, lease));

/** This check's own change is counted as well, as its row is there already. */
const flappingUntil = ({ link, at }: Settled): SQL => sql`
  case when (
    select count(*) from checks
    where link_id = ${link.id} and checked_at > ${at - DAY_MS} and status_changed = 1
  ) > ${sql.raw(String(STEADY_CHANGES))}
  then cast(${at + FLAPPING_MS} as bigint) else ${links.flappingUntil} end`;

/** By the frequency that the link has now, which may have been changed while it was checked. */
function nextTime(
  seconds: Deps["config"]["frequencySeconds"],
  { link, outcome, at }: Settled,
): SQL | number {
  const { followUpMs, restMs } = outcome.conclusion;
  if (followUpMs !== null) return at + followUpMs;
  const earliest = at + (restMs ?? 0);
  const since = outcome.series?.since;
  const followUp = since === undefined ? null : followUpAt({ linkId: link.id, since, after: at });
  const cases = FREQUENCIES.map((frequency) => {
    const regular = nextCheckAt({
      linkId: link.id,
      frequencySeconds: seconds[frequency],
      from: at,
    });
    const next = Math.max(earliest, Math.min(regular, followUp ?? regular));
    return sql`when ${sql.raw(`'${frequency}'`)} then cast(${next} as bigint)`;
  });
  return sql`case ${links.checkFrequency} ${sql.join(cases, sql` `)} end`;
}
