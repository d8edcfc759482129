import {
  alive,
  dead,
  type Finding,
  type Reader,
  type Retry,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import type { Answer } from "../probe/probe.ts";
import { retriedAfter } from "../probe/statuses.ts";
import {
  type ActiveReason,
  type DeadReason,
  isTrustProblem,
  type UnknownReason,
  verdictOf,
} from "../reasons/reasons.ts";
import { readBarriers } from "../signals/barriers.ts";
import { type Catalogue, serviceOf, type Target, targetOf } from "./catalogue.ts";
import { firstRule, isContradicted, readsBody, replyTo } from "./decide.ts";
import { isGone, type Page, type Rule, type Service } from "./record.ts";

/** Why the page must decide: the request failed, or its result was unclear; and the reason if the page cannot decide. */
export type Undecided = {
  why: "failed" | "unclear";
  undecided: UnknownReason;
  /** Further attempts worth making, as after a 5xx. */
  retries?: Retry[];
};

export const NO_ANSWER: Undecided = { why: "failed", undecided: "service_probe_failed" };
export const UNRECOGNISED: Undecided = { why: "unclear", undecided: "service_unrecognised" };

/** What is known about a link from its service. */
export type Serving = {
  service: Service;
  /** Null for an address that matches no kind: it is treated like any other page. */
  target: Target | null;
  /** Set after a service request whose result left the decision to the page. */
  undecided: Undecided | null;
  /** The redirects that led to the target, if the link redirects. */
  way: Pick<Answer, "hops" | "finalUrl"> | null;
  /** The link was alive when last decided. */
  wasAlive: boolean;
};

/** Returns what is known about a link from its service before any request; null if no service owns it. */
export function servingOf(
  { catalogue }: { catalogue: Catalogue },
  link: { url: string; lastDecided: "active" | "dead" | null },
): Serving | null {
  const url = URL.parse(link.url);
  const service = url && serviceOf(catalogue, url);
  if (!service) return null;
  const wasAlive = link.lastDecided === "active";
  return { service, target: targetOf(catalogue, url), undecided: null, way: null, wasAlive };
}

const HOUR_MS = 3_600_000;

/** Returns the finding of a rule; null if the rule leads to the page or the next request. */
export function findingOf({ means, class: confirm, hours }: Rule, signal: Signal): Finding | null {
  if (means === "next" || means === "page") return null;
  const verdict = verdictOf(means);
  if (verdict === "active") return { ...alive(means as ActiveReason), signals: [signal] };
  if (verdict === "unknown") return suspected(means as UnknownReason, [signal]);
  if (hours === undefined) return dead(means as DeadReason, confirm ?? "C2", [signal]);
  return { ...dead(means as DeadReason, "C4", [signal]), patienceMs: hours * HOUR_MS };
}

/** Returns how the page of a target is read; null if it is never read. */
export const pageOf = ({ kind }: Target): Page | null =>
  kind.page === "never" ? null : (kind.page ?? {});

/** Returns the finding for a page that looks fine but matches no rule of its service; null if it needs none. */
export function unproven({ target, undecided }: Serving): Finding | null {
  if (!target) return null;
  const text = `The page matches no rule for ${target.service.name}.`;
  if (undecided) {
    const finding = suspected(undecided.undecided, [
      { rule: UNDECIDED_RULES[undecided.why], text },
    ]);
    return { ...finding, retries: undecided.retries ?? [] };
  }
  if (pageOf(target)?.needsMarker !== true) return null;
  return suspected("service_unrecognised", [{ rule: "service_unrecognised", text }]);
}

/** Problems of a server or the network path, which prove nothing about the requested item. */
const TROUBLE =
  /^(?:dns_\w+|conn_\w+|tls_\w+|redirect_\w+|body_\w+|read_timeout|header_overflow|http_(?:408|5\d\d|malformed|unexpected)|maintenance|site_error|placeholder_page|parked_suspected|domain_parked|hosting_suspended)$/;

/**
 * Judges a page on a host other than the link's: that host's problems are not the link's. A page behind a bad
 * certificate is not retried, since anyone may have written it.
 */
export function atHelper({ service }: Serving, url: URL, finding: Finding): Finding {
  const { reason, retries } = finding;
  if (!TROUBLE.test(reason)) return finding;
  const text = `The request to ${service.name} at ${url.host} failed (${reason}).`;
  const failed = suspected("service_probe_failed", [{ rule: UNDECIDED_RULES.failed, text }]);
  return { ...failed, retries: isTrustProblem(reason) ? [] : retries };
}

const UNDECIDED_RULES = { failed: "service_silent", unclear: "service_unrecognised" } as const;

/** The content is no longer served. */
const EMPTY = /^(http_(404|410)|parked_suspected|placeholder_page|soft404_\w+)$/;
/** No server answers, which may also be a temporary failure of the domain's new owner. */
const FAILING =
  /^(http_5\d\d|site_error|maintenance|redirect_(loop|too_many)|conn_\w+|read_timeout|dns_nodata|http_malformed)$/;
const DAY_MS = 24 * 3_600_000;

/**
 * Turns failures and parked pages of a service that has shut down into a dead verdict. A page that is alive stays
 * alive, since the domain may have a new owner.
 */
export function asShutDown(serving: Serving | null, finding: Finding): Finding {
  if (!serving?.service.shutDown || finding.verdict === "active") return finding;
  const { reason, confirm } = finding;
  const text = `${serving.service.name} has shut down, and its domain has no other content (${reason}).`;
  const signals = [...finding.signals, { rule: "service_shutdown", text }];
  if (confirm !== "none") return dead("service_shutdown", confirm, signals);
  const isFailing = FAILING.test(reason);
  if (EMPTY.test(reason) || (isFailing && !serving.wasAlive)) {
    return dead("service_shutdown", "C2", signals);
  }
  if (!isFailing) return finding;
  return { ...dead("service_shutdown", "C4", signals), patienceMs: DAY_MS };
}

/**
 * Applies the rules of the link's service to its page. Bot protection may look dead to them, or alive to a rule that
 * does not read the body, so it takes precedence unless a rule recognises the body as alive.
 */
export const readServicePage: Reader<Serving> = (seen) => {
  const { serving, answer } = seen;
  const target = serving?.target;
  const page = target && pageOf(target);
  if (!page) return null;
  const reply = replyTo(answer);
  const rule = firstRule(page, reply, target.values);
  if (!rule) return null;
  const isFromBody = readsBody(rule);
  if (isFromBody && isGone(rule) && isContradicted(page, reply, target.values)) {
    return suspected("service_unrecognised", [contradiction(target)]);
  }
  const text = `${target.service.name} returned ${answer.status} with a page that matches this rule.`;
  const found = findingOf(rule, { rule: "service_page", text });
  const finding = found && retriedAfter(found, answer, seen.now);
  if (!finding || (isFromBody && !isGone(rule))) return finding;
  return readBarriers(seen) ?? finding;
};

/** The description of an item may contain the service's message about missing items. */
const contradiction = ({ service }: Target): Signal => ({
  rule: "service_contradiction",
  text: `The page of ${service.name} says that the item is gone, but contains a marker of existing items.`,
});

export const readUnproven: Reader<Serving> = ({ serving }): Finding | null =>
  serving && unproven(serving);
