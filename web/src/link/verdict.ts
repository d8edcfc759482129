import { agreement } from "../../../server/judge/reasons/evidence-words.ts";
import { settledStatus } from "../data/evidence.ts";
import { lengthText } from "../data/format.ts";
import type { LinkDetail } from "../data/links.ts";
import { STATUS_WORDS } from "../data/words.ts";

const MINUTE_MS = 60_000;

/** "Dead for 12 days", or that there is no verdict yet. During a check, it is that of the last one. */
export function headlineOf(link: LinkDetail, now: number): string {
  if (!link.last_check)
    return link.status === "checking" ? "Checking…" : "Waiting for its first check";
  const length = now - Date.parse(link.status_changed_at);
  const word = STATUS_WORDS[settledStatus(link)];
  return `${word} for ${length < MINUTE_MS ? "less than a minute" : lengthText(length)}`;
}

/** Why, in whole sentences, and for an unknown link what would settle it. */
export function sentencesOf(link: LinkDetail): string[] {
  const { last_check: last, last_change: change, reason } = link;
  if (!last) return [];
  const status = settledStatus(link);
  const settling = status === "unknown" ? [settlingOf(reason ?? last.reason, link.evidence)] : [];
  if (last.status === status) return [last.message, agreement(status, link.evidence), ...settling];
  const inconclusive = `The last check was inconclusive: ${last.message}`;
  if (change?.status !== status) return [inconclusive, ...settling];
  return [change.message, agreement(status, change.evidence), ...settling, inconclusive];
}

const LOOK = "Open the link and see: only a person can tell.";
const days = (count: number) =>
  `If it fails the same way for ${count === 1 ? "a day" : `${count} days`}, it is marked dead.`;

/** What would settle an unknown link. Each rule is for reasons that no earlier one matches. */
const SETTLING: [reasons: RegExp, sentence: string][] = [
  [/^(conn_refused|http_530)$/, days(1)],
  [/^(http_503|maintenance|tls_protocol|tls_handshake_reset|http_malformed)$/, days(7)],
  [/^(header_overflow|dns_servfail|redirect_bad_location|placeholder_page|site_error)$/, days(7)],
  [/^(conn_|read_timeout|http_408|dns_nodata|redirect_loop|redirect_too_many)/, days(3)],
  [/^http_5(?!01)/, days(3)],
  [/^https_only$/, "Change the link to https."],
  [/^tls_/, "It is settled once the certificate can be trusted."],
  [/^(target_forbidden|redirect_forbidden_target)$/, "An administrator can allow the address."],
  [/^(url_invalid|scheme_unsupported)$/, "Add the link again with a URL that can be requested."],
  [
    /^(http_429|service_|dns_|body_|unconfirmed|monitor_|check_|internal_|captive)/,
    "The next checks will tell.",
  ],
];

/** Signals of failures that never count as lasting. */
const NEVER_LASTING = /^(no_ipv6_here|unsafe_location|answered_malformed)$/;

function settlingOf(reason: string, evidence: LinkDetail["evidence"]): string {
  if (evidence?.signals.some(({ rule }) => NEVER_LASTING.test(rule))) return LOOK;
  return SETTLING.find(([reasons]) => reasons.test(reason))?.[1] ?? LOOK;
}
