import { log } from "../lib/log.ts";
import { createBreaker } from "../verdict/breaker.ts";
import { createRamp } from "../verdict/online/online.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { countOwnDueLinks } from "../work/due.ts";
import { type ClaimedLink, claimAskedLinks, claimDueLinks } from "./claim.ts";

/** Decides which links a check is begun for, and how fast. */
type Dispatch = {
  /** Finds out whether it is us, where something speaks for it. Before every claim. */
  look(): Promise<void>;
  /** Whether so much failed that nothing may be begun before the next look. */
  isInDoubt(): boolean;
  /** Claims up to so many links that somebody asked for, and are due before all others. */
  claimAsked(most: number): Promise<ClaimedLink[]>;
  /**
   * Claims up to so many that are due: fewer than there are while what has gathered is worked off, and
   * none while we are offline.
   */
  claimDue(most: number): Promise<ClaimedLink[]>;
  /** What is due by now has gathered: it is worked off step by step, beside what comes due. */
  catchUp(): void;
  /** What was due by then, a great many, has all places but those for what comes due after it. */
  share(dueBy: number): void;
  /** Learns how a check ended. */
  note(link: ClaimedLink, conclusion: Conclusion): void;
};

/** How long what the sentinels said is good enough while not all is well. */
const ASK_AGAIN_MS = 10_000;
const TELL_AGAIN_MS = 3_600_000;
/** Of the places that are free, for what has gathered. */
const GATHERED_SHARE = 1 / 4;

export function createDispatch(deps: Deps): Dispatch {
  const { clock, online, nodes } = deps;
  const breaker = createBreaker();
  const ramp = createRamp(clock);
  /** Something has gathered while nobody looked, as before the start. */
  let hasGathered = true;
  /** What is worked off was due by then; null when nothing is. */
  let gatheredBy: number | null = null;
  /** How many buckets were ours when that was counted, or since. */
  let buckets = 0;
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

  /** What comes due is not late because of what has gathered, which still gets on in any case. */
  async function claimDue(most: number) {
    noteShare();
    if (online.known().state === "offline" || buckets === 0) {
      hasGathered = true;
      return [];
    }
    if (hasGathered) await begin();
    return gatheredBy === null ? claimDueLinks(deps, most) : claimBoth(most, gatheredBy);
  }

  /**
   * What comes from others is late by seconds and taken as it is. Only while something is worked off it may be
   * as late as that, so that it is counted anew.
   */
  function noteShare() {
    const ours = nodes.share("checks").buckets.length;
    if (ours > buckets && gatheredBy !== null) hasGathered = true;
    buckets = ours;
  }

  async function claimBoth(most: number, dueBy: number) {
    const allowance = ramp.allowance();
    const reserved = Math.min(allowance, Math.ceil(most * GATHERED_SHARE));
    const fresh = await claimDueLinks(deps, most - reserved, { after: dueBy });
    const share = Math.min(allowance, most - fresh.length);
    const late = await claimDueLinks(deps, share, { by: Math.min(dueBy, clock.now()) });
    ramp.took(late.length);
    if (late.length < share) ended(dueBy);
    return [...fresh, ...late];
  }

  /** Nothing is left, unless more was to be shared with meanwhile. */
  function ended(dueBy: number) {
    ramp.end();
    if (gatheredBy === dueBy) gatheredBy = null;
  }

  async function begin() {
    ramp.begin(await countOwnDueLinks(deps));
    gatheredBy = clock.now();
    hasGathered = false;
  }

  return {
    look,
    isInDoubt: breaker.isTripped,
    claimAsked: (most) => claimAskedLinks(deps, most),
    claimDue,
    catchUp: () => {
      hasGathered = true;
    },
    share: (dueBy) => {
      gatheredBy = Math.max(gatheredBy ?? dueBy, dueBy);
    },
    note: ({ url }, conclusion) => breaker.note(url, conclusion),
  };
}
