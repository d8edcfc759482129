import { lockLinks } from "../ground/db/queries.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { readHostSettings } from "../hosts/lookup.ts";
import { createRamp, type OnlineChange } from "../judge/online/online.ts";
import { createBreaker } from "../judge/own-fault.ts";
import { type Conclusion, sawNothing } from "../judge/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { countDueLinks, countOwnDueLinks } from "../work/due.ts";
import { LEASE_MS } from "../work/nodes.ts";
import { accountIdsOf } from "../work/topics.ts";
import {
  type ClaimedLink,
  claimDueLinks,
  claimRequestedLinks,
  releaseLinks,
  releaseLinksOf,
  renewLeases,
} from "./claim.ts";
import type { Recorder } from "./record.ts";
import type { Slots } from "./slots.ts";

type DispatchDeps = Pick<Deps, "store" | "clock" | "nodes" | "online">;

/** Decides which links are checked next, and how fast. */
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

const RENEW_EVERY_MS = LEASE_MS / 4;

/** The links that this process holds, until their results are written. */
export type HeldLinks = ReturnType<typeof createHeldLinks>;

export function createHeldLinks(deps: Pick<Deps, "store" | "clock" | "nodes">) {
  const { clock, store, nodes } = deps;
  const held = new Map<number, ClaimedLink>();
  const released = new Set<string>();
  let renewedAt = clock.now();

  // A link that was requested meanwhile is claimed a second time, and held by that claim.
  const has = (link: ClaimedLink) => held.get(link.no) === link;

  return {
    has,
    isEmpty: () => held.size === 0,
    add(links: ClaimedLink[]) {
      for (const link of links) held.set(link.no, link);
    },
    remove(link: ClaimedLink) {
      if (has(link)) held.delete(link.no);
    },
    /** Renews all leases when it is time, or when the clock was set. Call it before every claim. */
    async renew() {
      const sinceMs = clock.now() - renewedAt;
      if (sinceMs >= 0 && sinceMs < RENEW_EVERY_MS) return;
      await renewLeases(deps, [...held.values()]);
      renewedAt = clock.now();
    },
    /** Makes the links of nodes that have died due, once for each death. */
    async releaseDead() {
      const dead = nodes.dead();
      for (const id of released) if (!dead.includes(id)) released.delete(id);
      for (const id of dead.filter((each) => !released.has(each))) {
        await releaseLinksOf(deps, id);
        released.add(id);
      }
    },
    async releaseAll() {
      const dueAt = clock.now();
      const all = [...held.values()].map((link) => ({ link, dueAt }));
      await store.transaction(async (tx) => {
        await lockLinks(tx, held.keys());
        await releaseLinks(tx, all);
      });
      held.clear();
    },
  };
}

/** Most links claimed at once: more would delay requests. */
const CLAIMED_AT_ONCE = 250;

type Claim = (most: number) => Promise<ClaimedLink[]>;

/**
 * Claims links for the slots.
 * @param ending after it nothing more begins
 */
export function createIntake(
  deps: Pick<Deps, "store" | "secrets" | "clock" | "nodes" | "topics">,
  { held, slots, recorder }: { held: HeldLinks; slots: Slots; recorder: Recorder },
  ending: AbortSignal,
) {
  const { clock, nodes, topics } = deps;
  const share = () => nodes.share("checks");
  const isOurs = ({ bucket }: ClaimedLink) => share().has(bucket);

  function putBack(links: ClaimedLink[]) {
    const conclusion = { ...sawNothing("check_aborted"), deferMs: 0 };
    for (const link of links) recorder.add({ link, conclusion, at: clock.now() });
  }

  return {
    /** Claims as many links as there is room for. Returns whether there were as many, so that there may be more. */
    async take(room: number, claim: Claim): Promise<boolean> {
      if (room === 0 || !recorder.hasRoom()) return false;
      const most = Math.min(room, CLAIMED_AT_ONCE);
      const claimed = await claim(most);
      held.add(claimed);
      const accountIds = accountIdsOf(claimed);
      topics.counted(accountIds);
      // A check that finds none reads for itself, and says what is wrong.
      await readHostSettings(deps, accountIds).catch(() => {});
      // A loop that stops meanwhile releases all that it holds.
      if (!ending.aborted) slots.take(claimed.filter(isOurs));
      putBack(claimed.filter((link) => !isOurs(link)));
      return claimed.length === most;
    },
    /**
     * Releases queued links that are another node's by now. Without any share other nodes may already have taken the
     * work, or this one is offline: then it sends no more requests.
     */
    async handOver() {
      putBack(slots.takeBack(isOurs));
      if (share().buckets.length === 0) slots.abortAll();
    },
  };
}
