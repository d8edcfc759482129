import type { Config } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Outbound } from "../outbound/request.ts";
import type { Conclusion } from "./conclusion.ts";
import { checkUrl, type KnownLink } from "./confirm.ts";
import { createManners } from "./manners.ts";

/** What checks one link, as configured. Manners hold across all the checks of one such function. */
export function createCheck(config: Config, clock: Clock, outbound: Outbound) {
  const { hostConcurrency, hostGapMs, checkTimeoutMs, confirmDelaysMs, checkUserAgent } = config;
  const manners = createManners({ clock, hostConcurrency, hostGapMs });
  const checker = {
    clock,
    outbound,
    manners,
    userAgent: checkUserAgent,
    checkTimeoutMs,
    confirmDelaysMs,
  };
  return (link: KnownLink, signal: AbortSignal): Promise<Conclusion> =>
    checkUrl({ ...checker, signal }, link);
}
