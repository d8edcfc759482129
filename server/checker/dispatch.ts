import type { Deps } from "../deps.ts";
import { log } from "../lib/log.ts";
import { type ClaimedLink, claimAskedLinks, claimDueLinks, countDueLinks } from "./claim.ts";
import type { Conclusion } from "./conclusion.ts";
import { createBreaker } from "./online/breaker.ts";
import { createRamp } from "./online/ramp.ts";

/** Decides which links a check is begun for, and how fast. */
type Dispatch = {
  /** Claims links for so many free places. While we are offline, only those that somebody asks for. */
  claim(free: number): Promise<ClaimedLink[]>;
  /** Learns how a check ended. */
  note(link: ClaimedLink, conclusion: Conclusion): void;
};

/** How long what the sentinels said is good enough while not all is well. */
const ASK_AGAIN_MS = 10_000;
const TELL_AGAIN_MS = 3_600_000;

export function createDispatch(deps: Deps): Dispatch {
  const { clock, online } = deps;
  const breaker = createBreaker();
  const ramp = createRamp(clock);
  let wasOffline = false;
  /** As many were due as there was room for, so that more may wait. */
  let isBehind = false;
  let tellAgainAt = 0;

  /** Asks the sentinels after trouble only: never without a reason, and never on a timer of its own. */
  async function look() {
    if (breaker.isTripped()) {
      breaker.reset();
      if ((await online.confirm(clock.elapsed())) === null) tellOfTrouble();
    }
    const { state } = online.known();
    const isTroubled = state === "offline" || state === "degraded";
    if (isTroubled) await online.confirm(clock.elapsed() - ASK_AGAIN_MS);
  }

  function tellOfTrouble() {
    if (clock.elapsed() < tellAgainAt) return;
    tellAgainAt = clock.elapsed() + TELL_AGAIN_MS;
    log.warn("at least half of the latest checks failed, and there are no sentinels to ask why");
  }

  async function claim(free: number) {
    await look();
    const isOffline = online.known().state === "offline";
    if (wasOffline && !isOffline) ramp.begin(await countDueLinks(deps));
    wasOffline = isOffline;
    if (isOffline) return claimAskedLinks(deps, free);
    const hasBacklog = isBehind || ramp.allowance() < free;
    const claimed = hasBacklog
      ? await claimAskedFirst(free)
      : taken(await claimDueLinks(deps, free), free);
    isBehind = claimed.length === free;
    return claimed;
  }

  /** Nobody who asked waits for the backlog. */
  async function claimAskedFirst(free: number) {
    const asked = await claimAskedLinks(deps, free);
    const most = Math.min(free - asked.length, ramp.allowance());
    const due = most > 0 ? await claimDueLinks(deps, most) : [];
    return [...asked, ...taken(due, most)];
  }

  function taken(claimed: ClaimedLink[], most: number) {
    ramp.took(claimed.length);
    if (claimed.length < most) ramp.end();
    return claimed;
  }

  return { claim, note: ({ url }, conclusion) => breaker.note(url, conclusion) };
}
