import type { Conclusion } from "./probe/conclusion.ts";
import { type Finding, unclear } from "./probe/finding.ts";
import { type HostSetting, hasCredentials, names } from "./probe/host-setting.ts";
import type { Probe } from "./probe/probe.ts";

/** The setting for a link's host. */
export type LinkHost = HostSetting & {
  /** Whether the credentials have found another page since this link was first seen to be missing. */
  isProven: boolean;
};

/** A login is one also where it looks like a refusal of the browser or of the way of the request. */
const REFUSALS = /^(http_401|http_403|login_required)$/;
/** What makes a link dead without regard to who asks. */
const PUBLIC = /^(domain_parked|hosting_suspended)$/;

/**
 * Judges what a host shows to someone with credentials. Without valid ones many hosts say that there is no such page, so
 * a page is missing only if the credentials are known to work and were sent.
 */
export function asAdmitted(
  finding: Finding,
  { kind, finalUrl, carried }: Probe,
  host: LinkHost | null | undefined,
): Finding {
  if (!host || !hasCredentials(host) || kind === "failed") return finding;
  if (finding.verdict === "unknown" && REFUSALS.test(finding.reason) && carried?.ever) {
    return { ...finding, reason: "credentials_refused" };
  }
  const isWithheld = names(host, new URL(finalUrl).host) && !carried?.last;
  const isBelieved = PUBLIC.test(finding.reason) || (host.isProven && !isWithheld);
  if (finding.verdict !== "dead" || isBelieved) return finding;
  return { ...unclear("credentials_unproven"), signals: finding.signals };
}

/** Returns what a conclusion says about the setting, if it says anything. */
export function useOf(
  { status, statusCode, reason }: Conclusion,
  { carried }: Probe,
  host: LinkHost | null | undefined,
): Pick<Conclusion, "host"> {
  if (!host) return {};
  const { id, version } = host;
  if (reason === "credentials_refused") return { host: { id, version, found: "refused" } };
  const isAccepted =
    status === "active" && statusCode !== null && statusCode >= 200 && statusCode < 300;
  return isAccepted && carried?.last ? { host: { id, version, found: "accepted" } } : {};
}
