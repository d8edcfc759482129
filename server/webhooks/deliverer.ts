import { createWakeSignal, watchClock } from "../lib/clock.ts";
import { logFailure } from "../lib/log.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { attempt, type DeliveryOptions } from "./attempt.ts";
import { type ClaimedDelivery, claimDue, isOurs, releaseDeliveries } from "./claim.ts";
import { limitDueTimes } from "./clock-backward.ts";
import { createOutcomes } from "./outcomes.ts";
import { createPerWebhookQueues } from "./per-webhook-queues.ts";
import { statusCodeOf } from "./send.ts";

const POLL_MS = 1000;
const STOP_MS = 8000;
const GONE = 410;

type Deliverer = {
  /** Looks for due deliveries now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more and waits up to 8 s for attempts under way; the rest is sent again later. */
  stop(): Promise<void>;
};

/** Delivers until it is stopped. A slot that becomes free is filled at once, so a slow receiver delays no other. */
export function createDeliverer(
  deps: Deps,
  { random }: Pick<DeliveryOptions, "random"> = {},
): Deliverer {
  const { clock } = deps;
  const aborting = new AbortController();
  const wakeSignal = createWakeSignal(clock);
  const state = { isStopped: false };
  const sender = createSender(deps, {
    options: { signal: aborting.signal, ...(random && { random }) },
    wake: wakeSignal.wake,
    isClosed: () => state.isStopped || isPaused(deps),
  });
  const look = createLook(deps, sender, state);

  async function run() {
    while (!state.isStopped) {
      if (await look().catch(logFailure("failed to claim deliveries"))) wakeSignal.wake();
      await wakeSignal.wait(POLL_MS);
    }
  }

  const loop = run();
  return {
    wake: wakeSignal.wake,
    async stop() {
      state.isStopped = true;
      wakeSignal.wake();
      await loop;
      await sender.release(sender.queues.release("all"));
      await Promise.race([sender.ended(), clock.sleep(STOP_MS, aborting.signal)]);
      aborting.abort();
      await sender.ended();
      await sender.outcomes.flush();
    },
  };
}

/** A claim is a write, and so is an outcome. */
const isPaused = ({ troubles }: Deps) => troubles.stoppingWrites() !== null;

type Sending = { options: DeliveryOptions; wake: () => void; isClosed: () => boolean };

type Sender = ReturnType<typeof createSender>;

/** Sends claimed deliveries. */
function createSender(deps: Deps, { options, wake, isClosed }: Sending) {
  const queues = createPerWebhookQueues(deps.clock);
  const outcomes = createOutcomes(deps);
  const running = new Set<Promise<void>>();

  function beginAll() {
    if (isClosed()) return;
    for (let next = queues.begin(); next; next = queues.begin()) {
      const sending = deliver(next).finally(() => running.delete(sending));
      running.add(sending);
    }
  }

  async function deliver(delivery: ClaimedDelivery) {
    const startedAt = deps.clock.elapsed();
    const ended = await attempt(deps, delivery, options);
    if (typeof ended === "object") outcomes.add(ended);
    // Otherwise continuous responses would keep the event loop busy.
    await yieldToEventLoop();
    queues.end(delivery, deps.clock.elapsed() - startedAt);
    if (ended === "unsent") await turnBack(delivery);
    const isGone = typeof ended === "object" && statusCodeOf(ended.outcome) === GONE;
    // No other attempt is about to end, or nothing more may be sent to this receiver.
    if (running.size === 1 || isGone) await outcomes.flush();
    beginAll();
    if (queues.isLow(delivery.webhookId) || queues.isMore()) wake();
  }

  async function turnBack(delivery: ClaimedDelivery) {
    await release([delivery, ...queues.release({ of: delivery.webhookId })]);
    wake();
  }

  const release = (unsent: ClaimedDelivery[]) =>
    releaseDeliveries(deps, unsent).catch(logFailure("failed to release deliveries"));

  return { queues, outcomes, beginAll, release, ended: () => Promise.all(running) };
}

/** Returns one look for due deliveries, which returns whether there may be more. */
function createLook(deps: Deps, sender: Sender, state: { readonly isStopped: boolean }) {
  const { queues, outcomes } = sender;
  const clockJump = watchClock(deps.clock);
  /** The clock was set back, and deliveries are not rescheduled yet. */
  let isSetBack = false;

  /** Deliveries of each webhook that wait, are under way or are not recorded yet. */
  function heldHere(): Map<string, number> {
    const held = queues.held();
    for (const [id, count] of outcomes.unrecorded()) held.set(id, (held.get(id) ?? 0) + count);
    return held;
  }

  /** Removes deliveries for webhooks that are another node's by now. */
  function releaseOthers(): ClaimedDelivery[] {
    const others = [...queues.held().keys()].filter((id) => !isOurs(deps, id));
    return others.flatMap((of) => queues.release({ of }));
  }

  // Also while writes are stopped: a loop that waits for that does not hang.
  const noteLook = () => deps.loops.noteLook("deliveries", deps.clock.elapsed());

  return async (): Promise<boolean> => {
    if (isPaused(deps)) {
      noteLook();
      return false;
    }
    if (!outcomes.isWell()) await outcomes.flush();
    isSetBack ||= clockJump() < 0;
    if (isSetBack) await limitDueTimes(deps);
    isSetBack = false;
    await releaseDeliveries(deps, [...queues.release("stale"), ...releaseOthers()]);
    if (!outcomes.isWell() || state.isStopped) return false;
    const claimed = await claimDue(deps, heldHere(), queues.wanted);
    queues.add(claimed);
    sender.beginAll();
    noteLook();
    return claimed.length > 0 && queues.isMore();
  };
}
