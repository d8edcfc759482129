import { dead, type Finding } from "../probe/finding.ts";
import type { Serving } from "./serving.ts";

/** The content is no longer served. */
const EMPTY = /^(http_(404|410)|parked_suspected|placeholder_page|soft404_\w+)$/;
/** No server answers, which can also happen for a while to a new owner of the name. */
const FAILING =
  /^(http_5\d\d|site_error|maintenance|redirect_(loop|too_many)|conn_\w+|read_timeout|dns_nodata|http_malformed)$/;
const DAY_MS = 24 * 3_600_000;

/**
 * A service that has ended says nothing by itself, since a domain can be reborn; but whatever fails there
 * will not come back, and whoever parks there is not the service.
 */
export function asShutDown(serving: Serving | null, finding: Finding): Finding {
  if (!serving?.service.shutDown || finding.verdict === "active") return finding;
  const { reason, confirm } = finding;
  const text = `${serving.service.name} has shut down, and nothing else is here (${reason}).`;
  const signals = [...finding.signals, { rule: "service_shutdown", text }];
  if (confirm !== "none") return dead("service_shutdown", confirm, signals);
  const isFailing = FAILING.test(reason);
  if (EMPTY.test(reason) || (isFailing && !serving.wasAlive)) {
    return dead("service_shutdown", "C2", signals);
  }
  if (!isFailing) return finding;
  return { ...dead("service_shutdown", "C4", signals), patienceMs: DAY_MS };
}
