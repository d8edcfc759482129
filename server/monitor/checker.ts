import { createWakeSignal, repeat } from "../lib/clock.ts";
import { logFailure } from "../lib/log.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { completeBatches } from "../links/batches/complete.ts";
import { fillBatches } from "../links/batches/fill.ts";
import { tendBatches } from "../links/batches/tend.ts";
import { type Conclusion, sawNothing } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { type CheckingDeps, checkOne } from "./check-one.ts";
import { type ClaimedLink, claimDueLinks } from "./claim.ts";
import { createClockRepair } from "./clock-repair.ts";
import { createDispatch } from "./dispatch.ts";
import { createHeld } from "./held.ts";
import { createIntake, type IntakeDeps } from "./intake.ts";
import { recordResults } from "./record.ts";
import { createRecorder, GROUP_MS } from "./recorder.ts";
import { createSlots } from "./slots.ts";

/** Everything the loop may need. */
type CheckerDeps = CheckingDeps & IntakeDeps;

const POLL_MS = 1000;
/** How often batches are looked after, beside what is done for them when results are written. */
const TENDED_EVERY_MS = 500;
const HANDED_OVER_EVERY_MS = 500;
const HOLDS_KEPT_EVERY_MS = 2000;
const STOP_MS = 8000;

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
  const bell = createWakeSignal(clock);
  const held = createHeld(deps);
  const recorder = createRecorder(deps, held.letGo);
  const dispatch = createDispatch(deps);
  const hasShare = () => deps.nodes.share("checks").buckets.length > 0;
  const slots = createSlots({
    clock,
    size: deps.config.checkConcurrency,
    check: (link, signal) => checkOne(deps, link, signal),
    ended,
    putOff(link, deferMs) {
      deps.metrics.checkNotBegun();
      add(link, { ...sawNothing("check_aborted"), deferMs });
    },
    isOpen: () => !dispatch.isInDoubt() && recorder.hasRoom() && !isPaused() && hasShare(),
    isHeld: held.has,
  });
  const intake = createIntake(deps, { held, slots, recorder }, ending.signal);
  const clockRepair = createClockRepair(deps, ending.signal, dispatch.catchUp);
  /** Claims are writes, and so are results. */
  const isPaused = () => deps.troubles.stoppingWrites() !== null;
  let wasPaused = false;
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
    clockRepair.look();
    slots.turn();
    if (notePause()) return noteLook();
    await held.renew();
    await dispatch.look();
    await deps.holds?.learn(deps.nodes.share("checks"));
    await intake.takeOn(slots.roomForAsked(), dispatch.claimAsked);
    // Not for every place that becomes free, since each claim is a commit.
    if (slots.isLow()) mayBeMore = await intake.takeOn(slots.room(), dispatch.claimDue);
    noteLook();
    lookForMore();
  }

  /** While nothing may be written as well: a loop that waits does not hang. */
  function noteLook() {
    deps.loops.lookedForLinksAt = clock.elapsed();
  }

  /** What has come due meanwhile is spread. */
  function notePause(): boolean {
    if (wasPaused && !isPaused()) dispatch.catchUp();
    wasPaused = isPaused();
    return wasPaused;
  }

  async function poll() {
    while (!ending.signal.aborted) {
      await look().catch(logFailure("no links could be claimed"));
      await yieldToEventLoop();
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

  const keepHolds = async () => {
    if (isPaused()) return;
    await deps.holds?.keep().catch(logFailure("what sites want was not kept"));
  };

  const loops = [
    poll(),
    repeat(deps, GROUP_MS, ending.signal, recorder.flush),
    repeat(deps, TENDED_EVERY_MS, ending.signal, tend),
    repeat(deps, HANDED_OVER_EVERY_MS, ending.signal, intake.handOver),
    repeat(deps, HOLDS_KEPT_EVERY_MS, ending.signal, keepHolds),
  ];
  return {
    wake: bell.ring,
    async stop() {
      ending.abort();
      bell.ring();
      await within(deps, STOP_MS, slots.stop());
      await Promise.all([...loops, clockRepair.done()]);
      await Promise.all([recorder.drain(), keepHolds()]);
      await held.giveBack().catch(logFailure("links were not given back"));
    },
  };
}

/** Waits for the work, but no longer than that. */
async function within({ clock }: Deps, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}
