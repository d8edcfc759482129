import { getDomain, getHostname } from "tldts";
import { isReserved } from "../ground/net/resolve.ts";
import type { Attempt, Check } from "./attempt.ts";
import type { Online, SentinelReport } from "./online/online.ts";
import type { Conclusion } from "./probe/conclusion.ts";
import type { Probe } from "./probe/probe.ts";
import type { Reason } from "./reasons/reasons.ts";

/** So late that nothing that was seen counts, except an active page. */
const LAG_VOIDS_ALL_MS = 5000;
/** So late that a timeout may be the monitor's own. */
const LAG_VOIDS_TIMEOUTS_MS = 2000;

const ONLINE_REASON = { degraded: "monitor_degraded", offline: "monitor_offline" } as const;

const TRANSPORT = /^(dns|conn|tls)_|^(read_timeout|http_malformed|header_overflow|network_filter)$/;
const TIMEOUTS = new Set<string>(["dns_timeout", "conn_timeout", "read_timeout"]);
const DATES = new Set<string>(["tls_expired", "tls_not_yet_valid"]);

/** Whether a reason may be a fault of the network path, and so of the monitor's network. */
const isTransportFailure = (reason: string) => TRANSPORT.test(reason);

/** `report` is set if the sentinels were asked. */
type MonitorFault = { fault: Reason | null; report: SentinelReport | null };

/** See docs/verdicts.md, "Outage of the monitor". */
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
  const report = await online.confirm(check.attemptedAt);
  const isOnline = report === null || report.state === "online";
  return { fault: isOnline ? null : ONLINE_REASON[report.state as "degraded"], report };
}

/** Local names and the monitor's own network do not depend on the internet. */
const usesInternet = (online: Online, { address, finalUrl }: Probe) =>
  online.speaksFor(address) && !isReserved(new URL(finalUrl).hostname);

const lagLimitOf = (reason: string) =>
  TIMEOUTS.has(reason) ? LAG_VOIDS_TIMEOUTS_MS : LAG_VOIDS_ALL_MS;

const withoutReport = (fault: Reason | null): MonitorFault => ({ fault, report: null });

/** Detects that many unrelated sites fail at once. */
type Breaker = {
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
