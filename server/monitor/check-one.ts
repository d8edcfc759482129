import { describeError, log } from "../lib/log.ts";
import type { KnownLink } from "../verdict/confirm.ts";
import { type Conclusion, sawNothing } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import type { ClaimedLink } from "./claim.ts";

/** What a check may need: what checks one link comes in from outside. */
export type CheckingDeps = Deps & {
  /** One whole check; ends early when the signal aborts. Never throws for network reasons. */
  check: (link: KnownLink, signal: AbortSignal) => Promise<Conclusion>;
};

/** Checks a claimed link, unless nothing can be reached anyway. Never throws. */
export function checkOne(
  deps: CheckingDeps,
  link: ClaimedLink,
  signal: AbortSignal,
): Promise<Conclusion> {
  const offline = concludeOffline(deps);
  if (offline) return Promise.resolve(offline);
  return counted(deps, () =>
    Promise.try(() => deps.check(knownOf(deps, link), signal)).catch(ourFault(link)),
  );
}

async function counted({ metrics, clock }: Deps, check: () => Promise<Conclusion>) {
  const begunAt = clock.elapsed();
  metrics.checkStarted();
  const conclusion = await check();
  if (conclusion.deferMs === null) metrics.checkEnded(conclusion, clock.elapsed() - begunAt);
  else metrics.checkDeferred();
  return conclusion;
}

function knownOf({ clock }: Deps, link: ClaimedLink): KnownLink {
  const now = clock.now();
  return {
    id: link.id,
    url: link.url,
    lastDecided: link.decidedStatus,
    decidedReason: link.decidedReason,
    lastActiveAt: link.lastActiveAt,
    unconfirmedSince: link.unconfirmedSince,
    isFlapping: (link.flappingUntil ?? 0) > now,
    isAsked: link.nextTrigger === "manual",
  };
}

/** Known to be offline, we need not try. */
function concludeOffline({ online }: Deps): Conclusion | null {
  const known = online.known();
  return known.state === "offline"
    ? sawNothing("monitor_offline", { monitor: known.report })
    : null;
}

/** A bug of ours is not the link's fault. */
const ourFault = (link: ClaimedLink) => (error: unknown) => {
  log.error("a check failed by itself", { link: link.id, ...describeError(error) });
  return sawNothing("internal_error");
};
