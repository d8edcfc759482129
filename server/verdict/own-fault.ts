import { getDomain, getHostname } from "tldts";
import { isReserved } from "../net/resolve.ts";
import type { Attempt, Check } from "./attempt.ts";
import type { Online, SentinelReport } from "./online/online.ts";
import type { Conclusion } from "./probe/conclusion.ts";
import type { Probe } from "./probe/probe.ts";
import type { Reason } from "./reasons/reasons.ts";

/** What tells a fault of ours from one of the other side. */
export type MonitorState = {
  online: Online;
  /** The worst delay of the event loop since a moment on the clock's `elapsed()`, in milliseconds. */
  lag: { worstSince(since: number): number };
};

/** So late that nothing which was seen meanwhile counts. */
const LAG_VOIDS_ALL_MS = 5000;
/** So late that it may have been us who did not listen in time. */
const LAG_VOIDS_TIMEOUTS_MS = 2000;

const ONLINE_REASON = { degraded: "monitor_degraded", offline: "monitor_offline" } as const;

const TRANSPORT = /^(dns|conn|tls)_|^(read_timeout|http_malformed|header_overflow|network_filter)$/;
const TIMEOUTS = new Set<string>(["dns_timeout", "conn_timeout", "read_timeout"]);
const DATES = new Set<string>(["tls_expired", "tls_not_yet_valid"]);

/** Whether a reason is about the way to the server, so that it may as well be the way from us. */
export const isTransportFailure = (reason: string) => TRANSPORT.test(reason);

/** The fault that is ours, if it is, and what the sentinels said if they were asked. */
export type MonitorFault = { fault: Reason | null; report: SentinelReport | null };

/**
 * Is it us? Nothing that the network did counts before a sentinel has answered after it
 * (docs/verdicts.md, "Our own outage").
 */
export async function monitorFault(
  check: Check,
  { probe, finding }: Attempt,
): Promise<MonitorFault> {
  const { online, lag } = check.checker;
  const lagMs = lag.worstSince(check.startedAt);
  const failed = probe.kind === "failed" ? probe.reason : finding.reason;
  if (finding.verdict !== "active" && lagMs > lagLimitOf(failed))
    return withoutReport("internal_error");
  if (DATES.has(failed) && online.clockIsOff()) return withoutReport("internal_error");
  if (probe.kind === "answered" || !isTransportFailure(failed) || !usesInternet(online, probe)) {
    return withoutReport(null);
  }
  const report = await online.confirm(check.lookedAt);
  const isOnline = report === null || report.state === "online";
  return { fault: isOnline ? null : ONLINE_REASON[report.state as "degraded"], report };
}

/** Names that this machine knows, and its own network, can be judged without the internet. */
const usesInternet = (online: Online, { address, finalUrl }: Probe) =>
  online.speaksFor(address) && !isReserved(new URL(finalUrl).hostname);

const lagLimitOf = (reason: string) =>
  TIMEOUTS.has(reason) ? LAG_VOIDS_TIMEOUTS_MS : LAG_VOIDS_ALL_MS;

const withoutReport = (fault: Reason | null): MonitorFault => ({ fault, report: null });

/** Notices when much fails at once that has nothing to do with each other but us. */
type Breaker = {
  /** Learns how a check of the URL ended. */
  note(url: string, conclusion: Conclusion): void;
  isTripped(): boolean;
  reset(): void;
};

const CHECKS = 20;
const SITES = 5;
const FAILED_SHARE = 0.5;

type Ended = { site: string; isFailed: boolean };

export function createBreaker(): Breaker {
  let latest: Ended[] = [];
  // Asked for far more often than it changes.
  let isTripped = false;
  return {
    note(url, { reason, cause = reason, deferMs }) {
      if (deferMs !== null) return;
      const site = getDomain(url) ?? getHostname(url) ?? url;
      latest = [...latest, { site, isFailed: isTransportFailure(cause) }].slice(-CHECKS);
      isTripped = isFailing(latest);
    },
    isTripped: () => isTripped,
    reset() {
      latest = [];
      isTripped = false;
    },
  };
}

function isFailing(latest: Ended[]): boolean {
  const failed = latest.filter(({ isFailed }) => isFailed).length;
  if (latest.length < CHECKS || failed < CHECKS * FAILED_SHARE) return false;
  return new Set(latest.map(({ site }) => site)).size >= SITES;
}
