import { createWakeSignal, watchClock } from "../lib/clock.ts";
import { logFailure } from "../lib/log.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { bucketOf } from "../work/buckets.ts";
import type { Deps } from "../work/deps.ts";
import { type ClaimedDelivery, claimDue, giveBack } from "./claim.ts";
import { attempt, type DeliveryOptions } from "./deliver.ts";
import { createLanes } from "./lanes.ts";
import { isOurs } from "./our-webhooks.ts";
import { createOutcomes } from "./outcomes.ts";
import { statusCodeOf } from "./send.ts";
import { makeDueAgain } from "./set-back.ts";
import { takeOver } from "./take-over.ts";

const POLL_MS = 1000;
const STOP_MS = 8000;

type Deliverer = {
  /** Looks for due deliveries now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more and waits up to 8 s for what is under way; the rest is sent again later. */
  stop(): Promise<void>;
};

/** Delivers from now on. A place that becomes free is filled at once, so a slow receiver delays nobody. */
export function createDeliverer(
  deps: Deps,
  { random }: Pick<DeliveryOptions, "random"> = {},
): Deliverer {
  const { store, clock, nodes } = deps;
  const cutting = new AbortController();
  const running = new Set<Promise<void>>();
  const bell = createWakeSignal(clock);
  const clockJump = watchClock(clock);
  const lanes = createLanes(clock);
  const outcomes = createOutcomes(deps);
  const options = { signal: cutting.signal, ...(random && { random }) };
  /** Wall time was set back, and what goes by it is not set right yet. */
  let isSetBack = false;
  let stopped = false;
  nodes.keeps("deliveries", () => new Set([...heldHere().keys()].map(bucketOf)));
  nodes.onTaken("deliveries", (buckets, from) => takeOver(deps, buckets, from));

  /** Of each webhook, those that wait, are under way or are not recorded yet. */
  function heldHere(): Map<string, number> {
    const held = lanes.held();
    for (const [id, count] of outcomes.waiting()) held.set(id, (held.get(id) ?? 0) + count);
    return held;
  }

  /** A claim is a write, and so is what came of it. */
  const isPaused = () => deps.troubles.stoppingWrites() !== null;

  async function look() {
    if (isPaused()) return noteLook();
    if (!outcomes.isWell()) await outcomes.flush();
    isSetBack ||= clockJump() < 0;
    if (isSetBack) await makeDueAgain(deps);
    isSetBack = false;
    await store.write(giveBack(deps, [...lanes.letGo("stale"), ...letGoOfOthers()]));
    if (!outcomes.isWell() || stopped) return;
    const claimed = await claimDue(deps, heldHere(), lanes.wanted);
    lanes.take(claimed);
    beginAll();
    if (claimed.length > 0 && lanes.isMore()) bell.ring();
    noteLook();
  }

  /** What waits for webhooks that are another node's by now. */
  function letGoOfOthers(): ClaimedDelivery[] {
    const others = [...lanes.held().keys()].filter((id) => !isOurs(deps, id));
    return others.flatMap((of) => lanes.letGo({ of }));
  }

  /** While nothing may be written as well: a loop that waits does not hang. */
  function noteLook() {
    deps.loops.lookedForDeliveriesAt = clock.elapsed();
  }

  function beginAll() {
    if (stopped || isPaused()) return;
    for (let next = lanes.begin(); next; next = lanes.begin()) {
      const sending = deliver(next).finally(() => running.delete(sending));
      running.add(sending);
    }
  }

  async function deliver(delivery: ClaimedDelivery) {
    const { webhookId } = delivery;
    const begunAt = clock.elapsed();
    const ended = await attempt(deps, delivery, options);
    if (typeof ended === "object") outcomes.add(ended);
    // Else answers that keep coming would leave no turn to anybody else.
    await yieldToEventLoop();
    lanes.end(delivery, clock.elapsed() - begunAt);
    if (ended === "unsent") await turnBack(delivery);
    const isGone = typeof ended === "object" && statusCodeOf(ended.outcome) === 410;
    // Nothing is under way that might end soon; or nothing more may be sent there.
    if (running.size === 1 || isGone) await outcomes.flush();
    beginAll();
    if (lanes.isLow(webhookId) || lanes.isMore()) bell.ring();
  }

  async function turnBack(delivery: ClaimedDelivery) {
    const unsent = [delivery, ...lanes.letGo({ of: delivery.webhookId })];
    await store.write(giveBack(deps, unsent)).catch(logFailure("deliveries were not given back"));
    bell.ring();
  }

  async function run() {
    while (!stopped) {
      await look().catch(logFailure("no deliveries could be claimed"));
      await bell.wait(POLL_MS);
    }
  }

  const runs = run();
  return {
    wake: bell.ring,
    async stop() {
      stopped = true;
      bell.ring();
      await runs;
      const unsent = giveBack(deps, lanes.letGo("all"));
      await store.write(unsent).catch(logFailure("deliveries were not given back"));
      await Promise.race([Promise.all(running), clock.sleep(STOP_MS, cutting.signal)]);
      cutting.abort();
      await Promise.all(running);
      await outcomes.flush();
    },
  };
}
