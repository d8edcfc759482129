import { type Conclusion, sawNothing } from "../../server/judge/probe/conclusion.ts";
import type { Reason } from "../../server/judge/reasons/reasons.ts";
import type { ClaimedLink } from "../../server/monitor/claim.ts";
import { type Outcome, outcomeOf } from "../../server/monitor/outcome.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const NOON = Date.parse("2030-01-01T12:00:00Z");

export const NO_EVIDENCE = sawNothing("ok").evidence;

/** What a check came to, as if it had been made. */
export const saw = (reason: Reason, more: Partial<Conclusion> = {}): Conclusion => ({
  ...sawNothing(reason),
  ...more,
});

/** A link that was never checked, in the hands of a checker. */
export const NEW_LINK: ClaimedLink = {
  no: 2,
  id: "0197c1d2-0000-7000-8000-000000000001",
  accountId: "a",
  accountNo: 1,
  handling: "open",
  groupId: null,
  url: "https://example.org/a",
  urlKey: "https://example.org/a",
  service: "generic",
  status: "unknown",
  reason: null,
  statusChangedAt: NOON,
  decidedStatus: null,
  lastActiveAt: null,
  inconclusiveChecks: 0,
  unconfirmedSince: null,
  checkFrequency: "daily",
  nextCheckAt: NOON,
  nextTrigger: "scheduled",
  checkingUntil: NOON,
  lease: "l",
  lastStatus: null,
  lastReason: null,
  lastStatusCode: null,
  lastResponseTimeMs: null,
  lastCheckedAt: null,
  createdAt: NOON,
  updatedAt: NOON,
  decidedReason: null,
  flappingUntil: null,
  failingClass: null,
  failingSince: null,
  failingChecks: null,
  lastCause: null,
  bucket: 0,
  site: "example.org",
  tlsExpiresAt: null,
  aliveResponse: null,
  deadResponse: null,
  retiredAt: 0,
};

/** The link as the outcome leaves it, as far as the next outcome depends on it. */
function linkAfter(link: ClaimedLink, outcome: Outcome): ClaimedLink {
  if (outcome.kind === "void") return link;
  const { status, reason, decidedStatus, decidedReason, inconclusiveChecks, series } = outcome;
  return {
    ...link,
    status,
    reason,
    decidedStatus,
    decidedReason,
    inconclusiveChecks,
    failingClass: series?.kind ?? null,
    failingSince: series?.since ?? null,
    failingChecks: series?.checks ?? null,
  };
}

/** One check after another, each so many hours after the first moment; what each of them makes of the link. */
export function outcomesOf(checks: [hour: number, seen: Conclusion][], link = NEW_LINK): Outcome[] {
  let current = link;
  return checks.map(([hour, seen]) => {
    const outcome = outcomeOf(current, seen, NOON + hour * HOUR);
    current = linkAfter(current, outcome);
    return outcome;
  });
}
