import { eq, sql } from "drizzle-orm";
import { pointRead } from "../db/queries.ts";
import { isUnavailable } from "../db/store.ts";
import { webhooks } from "../db/tables.ts";
import { createWakeSignal, watchClock } from "../lib/clock.ts";
import { describeError, log, logFailure } from "../lib/log.ts";
import { SealedUnderOtherKey } from "../lib/secret-box.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { type ClaimedDelivery, claimDue, isOurs, releaseDeliveries } from "./claim.ts";
import { createPerWebhookQueues } from "./per-webhook-queues.ts";
import { limitDueTimes } from "./reschedule.ts";
import { messageFor, type Outcome, resultOf, sendMessage, statusCodeOf } from "./send.ts";
import { type Attempt, createOutcomes } from "./settle.ts";

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

export type DeliveryOptions = {
  /** As `Math.random`; spreads the waits between attempts. */
  random?: () => number;
  /** Aborts attempts; they are repeated when their leases end. */
  signal?: AbortSignal;
};

/**
 * Makes one attempt, without recording it. Returns `unsent` if nothing was sent, because the lease is over, the webhook
 * cannot be read, was switched off or deleted, or is another node's by now; `aborted` if the signal ended it. Never
 * throws.
 */
export async function attempt(
  deps: Deps,
  claimed: ClaimedDelivery,
  { random = Math.random, signal }: DeliveryOptions,
): Promise<Attempt | "unsent" | "aborted"> {
  const startedAt = deps.clock.now();
  if (startedAt >= claimed.heldUntil || !isOurs(deps, claimed.webhookId)) return "unsent";
  const outcome = await send(deps, claimed, signal).catch(toFailure(claimed, startedAt));
  if (outcome === "unsent") return outcome;
  if (outcome.kind === "aborted") return "aborted";
  deps.metrics.attemptEnded(resultOf(outcome), outcome.durationMs);
  return { claimed, outcome, random: random() };
}

/** Sends to the current URL of the webhook, signed with its current secrets. */
async function send(
  deps: Deps,
  { event, webhookId }: ClaimedDelivery,
  signal?: AbortSignal,
): Promise<Outcome | "unsent"> {
  const webhook = await receiverOf(deps.store, { id: webhookId });
  if (!webhook?.isActive) return "unsent";
  const { receiver, message } = messageFor(deps, webhook, event);
  return sendMessage(deps, receiver, message, signal);
}

const { id, url, sealedUrl, format, isActive, secret, oldSecrets } = webhooks;

const receiverOf = pointRead(
  { id, url, sealedUrl, format, isActive, secret, oldSecrets },
  (store, columns) =>
    store
      .select(columns)
      .from(webhooks)
      .where(eq(id, sql.placeholder("id"))),
);

/** For example a secret that was sealed with another key, which may be replaced before the next attempt. */
const toFailure =
  ({ webhookId, event }: ClaimedDelivery, startedAt: number) =>
  (error: unknown): Outcome | "unsent" => {
    if (isUnavailable(error)) return "unsent";
    const about = { webhook: webhookId, event: event.id };
    log.error("delivery failed: internal error", { ...about, ...describeError(error) });
    const isSealed = error instanceof SealedUnderOtherKey;
    return {
      kind: "failed",
      error: isSealed ? "secret_key" : "internal",
      ...{ startedAt, durationMs: 0 },
    };
  };
