import { completeBatches } from "../batches/complete.ts";
import { fillBatches } from "../batches/fill.ts";
import { tendBatches } from "../batches/tend.ts";
import type { Deps } from "../deps.ts";
import { createBell } from "../lib/bell.ts";
import { watchClock } from "../lib/clock-jump.ts";
import { giveWay } from "../lib/give-way.ts";
import { describeError, log } from "../lib/log.ts";
import { bringBack, LONGEST_REST_MS } from "./bring-back.ts";
import { type ClaimedLink, claimDueLinks } from "./claim.ts";
import { type Conclusion, sawNothing } from "./conclusion.ts";
import type { KnownLink } from "./confirm.ts";
import { createDispatch } from "./dispatch.ts";
import { createHeld } from "./held.ts";
import { recordResults } from "./record.ts";
import { createRecorder, GROUP_MS } from "./recorder.ts";
import { createSlots } from "./slots.ts";

/** Everything the loop may need: what checks one link comes in from outside. */
type CheckerDeps = Deps & {
  /** One whole check; ends early when the signal aborts. Never throws for network reasons. */
  check: (link: KnownLink, signal: AbortSignal) => Promise<Conclusion>;
};

const POLL_MS = 1000;
/** How often batches are looked after, beside what is done for them when results are written. */
const TENDED_EVERY_MS = 500;
/** More at once would keep requests waiting. */
const CLAIMED_AT_ONCE = 250;
const STOP_MS = 10_000;

/** One round: fills batches, claims what is due, checks it all and records it. Returns how many. */
export async function checkDueLinks(deps: CheckerDeps): Promise<number> {
  await fillBatches(deps);
  const claimed = await claimDueLinks(deps, deps.config.checkConcurrency);
  const { signal } = new AbortController();
  const check = async (link: ClaimedLink) => {
    const conclusion = await checkOne(deps, link, signal);
    return { link, conclusion, at: deps.clock.now() };
  };
  await recordResults(deps, await Promise.all(claimed.map(check)));
  await completeBatches(deps);
  return claimed.length;
}

type CheckLoop = {
  /** Looks for due links now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more, ends the checks under way and gives their links back. */
  stop(): Promise<void>;
};

/** Keeps as many checks in flight as configured: a slow one never holds up the others. */
export function startCheckLoop(deps: CheckerDeps): CheckLoop {
  const { clock } = deps;
  const ending = new AbortController();
  const bell = createBell(clock);
  const held = createHeld(deps);
  const recorder = createRecorder(deps, held.letGo);
  const dispatch = createDispatch(deps);
  const slots = createSlots({
    clock,
    size: deps.config.checkConcurrency,
    check: (link, signal) => checkOne(deps, link, signal),
    ended,
    putOff: (link, deferMs) => add(link, { ...sawNothing("check_aborted"), deferMs }),
    isOpen: () => !dispatch.isInDoubt() && recorder.hasRoom() && !isPaused(),
    isHeld: held.has,
  });
  const clockJump = watchClock(clock);
  /** Claims are writes, and so are results. */
  const isPaused = () => deps.troubles.stoppingWrites() !== null;
  let wasPaused = false;
  // A wish of a site that was noted before the start is none of a wrong clock.
  let repairs = repair(LONGEST_REST_MS);
  /** As many were due as there was room for, so that more may wait. */
  let mayBeMore = false;

  const add = (link: ClaimedLink, conclusion: Conclusion) =>
    recorder.add({ link, conclusion, at: clock.now() });

  function ended(link: ClaimedLink, conclusion: Conclusion) {
    dispatch.note(link, conclusion);
    add(link, conclusion);
    if (dispatch.isInDoubt()) bell.ring();
    lookForMore();
  }

  function lookForMore() {
    if (mayBeMore && slots.isLow()) bell.ring();
  }

  async function look() {
    noteJump(clockJump());
    slots.turn();
    if (notePause()) return noteLook();
    await held.renew();
    await dispatch.look();
    await takeOn(slots.roomForAsked(), dispatch.claimAsked);
    // Not for every place that becomes free, since each claim is a commit.
    if (slots.isLow()) mayBeMore = await takeOn(slots.room(), dispatch.claimDue);
    noteLook();
    lookForMore();
  }

  /** While nothing may be written as well: a loop that waits does not hang. */
  function noteLook() {
    deps.loops.lookedForLinksAt = clock.elapsed();
  }

  /** Returns whether as many were claimed as might be. */
  async function takeOn(room: number, claim: (most: number) => Promise<ClaimedLink[]>) {
    if (room === 0 || !recorder.hasRoom()) return false;
    const most = Math.min(room, CLAIMED_AT_ONCE);
    const claimed = await claim(most);
    held.add(claimed);
    // Told to stop meanwhile, which gives back what is held.
    if (!ending.signal.aborted) slots.take(claimed);
    return claimed.length === most;
  }

  /** What has come due meanwhile is spread. */
  function notePause(): boolean {
    if (wasPaused && !isPaused()) dispatch.catchUp();
    wasPaused = isPaused();
    return wasPaused;
  }

  function noteJump(ms: number) {
    if (ms === 0) return;
    const seconds = Math.round(Math.abs(ms) / 1000);
    if (ms > 0) {
      log.warn("the clock was set forward; what is due is spread", { seconds });
      dispatch.catchUp();
      return;
    }
    log.warn("the clock was set back; links that would wait too long come back", { seconds });
    repairs = repairs.then(() => repair(0));
  }

  /** What a wrong clock wrote, in this process or before it. Beside all else, as it takes a while. */
  async function repair(restMs: number) {
    const count = await bringBack(deps, restMs, ending.signal).catch(
      logFailure("no links were brought back"),
    );
    if (count) log.warn("links that would have waited too long were brought back", { count });
  }

  async function poll() {
    while (!ending.signal.aborted) {
      await look().catch(logFailure("no links could be claimed"));
      await giveWay();
      await bell.wait(POLL_MS);
    }
  }

  /** Beside the others, since a large batch takes a while to fill. */
  const tend = async () => {
    if (isPaused()) return;
    await tendBatches(deps, ending.signal, dispatch.share).catch(
      logFailure("batches were not looked after"),
    );
  };

  const loops = [
    poll(),
    repeat(deps, GROUP_MS, ending.signal, recorder.flush),
    repeat(deps, TENDED_EVERY_MS, ending.signal, tend),
  ];
  return {
    wake: bell.ring,
    async stop() {
      ending.abort();
      bell.ring();
      await within(deps, STOP_MS, slots.stop());
      await Promise.all([...loops, repairs]);
      await recorder.drain();
      await held.giveBack().catch(logFailure("links were not given back"));
    },
  };
}

function checkOne(deps: CheckerDeps, link: ClaimedLink, signal: AbortSignal): Promise<Conclusion> {
  const offline = concludeOffline(deps);
  if (offline) return Promise.resolve(offline);
  return counted(deps, () =>
    Promise.try(() => deps.check(knownOf(deps, link), signal)).catch(ourFault(link)),
  );
}

async function counted({ metrics, clock }: Deps, check: () => Promise<Conclusion>) {
  const begunAt = clock.elapsed();
  metrics.checkBegan();
  const conclusion = await check();
  metrics.checkEnded(conclusion, clock.elapsed() - begunAt);
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

/** Waits for the work, but no longer than that. */
async function within({ clock }: Deps, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}

async function repeat(
  { clock }: Deps,
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal);
    await work();
  }
}

const logFailure = (what: string) => (error: unknown) => log.error(what, describeError(error));
