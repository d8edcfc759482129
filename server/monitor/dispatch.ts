import { describeError, log } from "../lib/log.ts";
import { createRamp, type OnlineChange } from "../verdict/online/online.ts";
import { createBreaker } from "../verdict/own-fault.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { countDueLinks, countOwnDueLinks } from "../work/due.ts";
import { type ClaimedLink, claimDueLinks, claimRequestedLinks } from "./claim.ts";

type DispatchDeps = Pick<Deps, "store" | "clock" | "nodes" | "online">;

/** Decides which links are checked next, and how fast. */
export type Dispatch = ReturnType<typeof createDispatch>;

export function createDispatch(deps: DispatchDeps) {
  return { ...createNetworkWatch(deps), ...createBacklog(deps) };
}

/** Answers of sentinels are recent enough for so long while the connection is in trouble. */
const ASK_AGAIN_MS = 10_000;
const LOG_AGAIN_MS = 3_600_000;

/** Watches whether failures are due to this monitor's own connection. */
function createNetworkWatch({ clock, online }: DispatchDeps) {
  const breaker = createBreaker();
  let logAgainAt = 0;

  function logTrouble() {
    if (clock.elapsed() < logAgainAt) return;
    logAgainAt = clock.elapsed() + LOG_AGAIN_MS;
    log.warn("at least half of the latest checks failed, and there are no sentinels to ask why");
  }

  return {
    /** Asks the sentinels, but only after failures. Call it before every claim. */
    async look() {
      if (breaker.isTripped()) {
        breaker.reset();
        if ((await online.confirm(clock.elapsed())) === null) logTrouble();
      }
      const { state } = online.known();
      const isInTrouble = state === "offline" || state === "degraded";
      if (isInTrouble) await online.confirm(clock.elapsed() - ASK_AGAIN_MS);
    },
    /** Whether so many checks failed that none may begin before the next look. */
    isInDoubt: breaker.isTripped,
    /** Learns how a check ended. */
    note: ({ url }: ClaimedLink, conclusion: Conclusion) => breaker.note(url, conclusion),
  };
}

/** Least share of the free slots for the backlog. */
const BACKLOG_SHARE = 1 / 4;

/** Claims due links. A backlog is worked off step by step, and delays nothing that comes due meanwhile. */
function createBacklog(deps: DispatchDeps) {
  const { clock, online, nodes } = deps;
  const ramp = createRamp(clock);
  /** Links may have come due while none were claimed, as before the start. */
  let mayHaveBacklog = true;
  /** The backlog was due by then; null when there is none. */
  let backlogBy: number | null = null;
  /** Size of this node's share when the backlog was counted, or since. */
  let buckets = 0;

  /** Links of other nodes are late by seconds, unless there is a backlog: then it is counted again. */
  function noteShare() {
    const ours = nodes.share("checks").buckets.length;
    if (ours > buckets && backlogBy !== null) mayHaveBacklog = true;
    buckets = ours;
  }

  async function begin() {
    ramp.begin(await countOwnDueLinks(deps));
    backlogBy = clock.now();
    mayHaveBacklog = false;
  }

  async function claimBoth(most: number, dueBy: number) {
    const allowance = ramp.allowance();
    const reserved = Math.min(allowance, Math.ceil(most * BACKLOG_SHARE));
    const fresh = await claimDueLinks(deps, most - reserved, { after: dueBy });
    const share = Math.min(allowance, most - fresh.length);
    const late = await claimDueLinks(deps, share, { by: Math.min(dueBy, clock.now()) });
    ramp.took(late.length);
    if (late.length < share) end(dueBy);
    return [...fresh, ...late];
  }

  /** Unless a batch has added to the backlog meanwhile. */
  function end(dueBy: number) {
    ramp.end();
    if (backlogBy === dueBy) backlogBy = null;
  }

  return {
    claimRequested: (most: number) => claimRequestedLinks(deps, most),
    /** Claims up to `most` due links; none while this node is offline or has no share. */
    async claimDue(most: number): Promise<ClaimedLink[]> {
      noteShare();
      if (online.known().state === "offline" || buckets === 0) {
        mayHaveBacklog = true;
        return [];
      }
      if (mayHaveBacklog) await begin();
      return backlogBy === null ? claimDueLinks(deps, most) : claimBoth(most, backlogBy);
    },
    /** Treats what is due by now as a backlog. */
    catchUp() {
      mayHaveBacklog = true;
    },
    /** Lets links of a batch, due by then, use all slots but those for links that come due later. */
    shareWith(dueBy: number) {
      backlogBy = Math.max(backlogBy ?? dueBy, dueBy);
    },
  };
}

/** Logs when this monitor goes offline, and when it is online again. */
export function logOutage(deps: Pick<Deps, "store" | "clock">, { from, to }: OnlineChange): void {
  const { sentinels } = to.report;
  if (to.state === "offline") {
    log.warn("offline: no sentinel answers, checks are paused", { sentinels });
  } else if (to.state === "degraded") {
    log.warn("degraded: too few sentinels answer, failures do not count", { sentinels });
  } else if (from.state !== "unknown") {
    const lasted_s = Math.round((to.since - from.since) / 1000);
    countDueLinks(deps)
      .then((due) => log.info("online again", { after: from.state, lasted_s, due }))
      .catch((error) => log.error("failed to count due links", describeError(error)));
  }
}
