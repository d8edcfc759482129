import { alive, dead, type Finding, type Retry, type Signal, suspected } from "../probe/finding.ts";
import type { Answer } from "../probe/probe.ts";
import {
  type ActiveReason,
  type DeadReason,
  isTrustProblem,
  type UnknownReason,
  verdictOf,
} from "../reasons/reasons.ts";
import type { Target } from "./catalogue.ts";
import type { Page, Rule, Service } from "./record.ts";

/** Why the page must decide: no use came of asking, or it left a doubt; and what is said if it cannot. */
export type Undecided = {
  why: "ill" | "doubt";
  undecided: UnknownReason;
  /** The further attempts that are worth making, as after a 5xx. */
  retries?: Retry[];
};

export const NO_ANSWER: Undecided = { why: "ill", undecided: "service_probe_failed" };
export const UNRECOGNISED: Undecided = { why: "doubt", undecided: "service_unrecognised" };

/** What is known of a link through its service when its page is judged. */
export type Serving = {
  service: Service;
  /** Null where the service has no word for the address, so that it is a page like any other. */
  target: Target | null;
  /** Set after something special was asked that the page must decide. */
  undecided: Undecided | null;
  /** The redirects that led to what is asked about, when the link's own address is not it. */
  way: Pick<Answer, "hops" | "finalUrl"> | null;
  /** The link was alive when last decided. */
  wasAlive: boolean;
};

const HOUR_MS = 3_600_000;

/** What a rule comes to, unless it sends on to somewhere else. `text` says what it saw. */
export function findingOf({ means, class: confirm, hours }: Rule, signal: Signal): Finding | null {
  if (means === "next" || means === "page") return null;
  const verdict = verdictOf(means);
  if (verdict === "active") return { ...alive(means as ActiveReason), signals: [signal] };
  if (verdict === "unknown") return suspected(means as UnknownReason, [signal]);
  if (hours === undefined) return dead(means as DeadReason, confirm ?? "C2", [signal]);
  return { ...dead(means as DeadReason, "C4", [signal]), patienceMs: hours * HOUR_MS };
}

/** How the page of a kind is read; null where it tells nothing. */
export const pageOf = ({ kind }: Target): Page | null =>
  kind.page === "never" ? null : (kind.page ?? {});

/** What remains to be said of a page that looks fine and that no rule of its service knows. */
export function unproven({ target, undecided }: Serving): Finding | null {
  if (!target) return null;
  const text = `No rule for ${target.service.name} knows the page.`;
  if (undecided) {
    const finding = suspected(undecided.undecided, [{ rule: LEFT_RULES[undecided.why], text }]);
    return { ...finding, retries: undecided.retries ?? [] };
  }
  if (pageOf(target)?.needsMarker !== true) return null;
  return suspected("service_unrecognised", [{ rule: "service_unrecognised", text }]);
}

/** Trouble of a server, or on the way to it, which says nothing about what it was asked. */
const TROUBLE =
  /^(?:dns_\w+|conn_\w+|tls_\w+|redirect_\w+|body_\w+|read_timeout|header_overflow|http_(?:408|5\d\d|malformed|unexpected)|maintenance|site_error|placeholder_page|parked_suspected|domain_parked|hosting_suspended)$/;

/**
 * What the page of a host other than the link's own comes to: that host's trouble is not the link's. A page
 * behind a bad certificate is not looked at, since anyone may have written it.
 */
export function atHelper({ service }: Serving, url: URL, finding: Finding): Finding {
  const { reason, retries } = finding;
  if (!TROUBLE.test(reason)) return finding;
  const text = `${service.name} was asked at ${url.host}, and that failed (${reason}).`;
  const failed = suspected("service_probe_failed", [{ rule: LEFT_RULES.ill, text }]);
  return { ...failed, retries: isTrustProblem(reason) ? [] : retries };
}

const LEFT_RULES = { ill: "service_silent", doubt: "service_unrecognised" } as const;
