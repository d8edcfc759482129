import { eq, sql } from "drizzle-orm";
import { pointRead } from "../db/queries.ts";
import { isUnavailable } from "../db/store.ts";
import { webhooks } from "../db/tables.ts";
import { createWakeSignal, watchClock } from "../lib/clock.ts";
import { describeError, log, logFailure } from "../lib/log.ts";
import { SealedUnderOtherKey } from "../lib/secret-box.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { createLookWhenNeeded } from "../work/when-needed.ts";
import { type ClaimedDelivery, claimDue, isOurs, releaseDeliveries } from "./claim.ts";
import { createPerWebhookQueues } from "./per-webhook-queues.ts";
import { limitDueTimes } from "./reschedule.ts";
import { endsOf, messageFor, type Outcome, resultOf, sendMessage } from "./send.ts";
import { type Attempt, createOutcomes } from "./settle.ts";

const POLL_MS = 1000;
const STOP_MS = 8000;

export type DeliveryOptions = {
  /** As `Math.random`; spreads the waits between attempts. */
  random?: () => number;
  /** Aborts attempts; they are repeated when their leases end. */
  signal?: AbortSignal;
};

type Deliverer = {
  /** Looks for due deliveries now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more and waits up to 8 s for running attempts; the rest is sent again later. */
  stop(): Promise<void>;
};

/** Delivers until it is stopped. A free slot is filled at once, so a slow receiver delays no other. */
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
  const runRound = createRound(deps, sender, state);

  async function run() {
    while (!state.isStopped) {
      if (await runRound().catch(logFailure("failed to claim deliveries"))) wakeSignal.wake();
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

/** Claims and outcomes are writes. */
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
    const begin = () => queues.begin(deps.mail?.places() ?? 0);
    for (let next = begin(); next; next = begin()) {
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
    if (ended === "unsent") {
      await release([delivery, ...queues.release({ of: delivery.webhookId })]);
      wake();
    }
    const isGone = typeof ended === "object" && endsOf(ended.outcome) === "webhook";
    // No other attempt is about to end, or nothing more may be sent to this receiver.
    if (running.size === 1 || isGone) await outcomes.flush();
    beginAll();
    if (queues.isLow(delivery.webhookId) || queues.isMore()) wake();
  }

  const release = (unsent: ClaimedDelivery[]) =>
    releaseDeliveries(deps, unsent).catch(logFailure("failed to release deliveries"));

  return { queues, outcomes, beginAll, release, ended: () => Promise.all(running) };
}

/** Returns a function that claims due deliveries once and returns whether there may be more. */
function createRound(deps: Deps, sender: Sender, state: { readonly isStopped: boolean }) {
  const { queues, outcomes } = sender;
  const clockJump = watchClock(deps.clock);
  const lookAtDeliveries = createLookWhenNeeded(deps);
  /** The clock was set back, and deliveries are not rescheduled yet. */
  let isSetBack = false;

  /** Counts the deliveries of each webhook that wait, are running or are not recorded yet. */
  function heldHere(): Map<string, number> {
    const held = queues.held();
    for (const [id, count] of outcomes.unrecorded()) held.set(id, (held.get(id) ?? 0) + count);
    return held;
  }

  /** Removes deliveries for webhooks that another node has acquired. */
  function removeOthers(): ClaimedDelivery[] {
    const others = [...queues.held().keys()].filter((id) => !isOurs(deps, id));
    return others.flatMap((of) => queues.release({ of }));
  }

  const noteRound = () => deps.loops.noteLook("deliveries", deps.clock.elapsed());

  return async (): Promise<boolean> => {
    if (isPaused(deps)) {
      // A loop that waits for writes does not hang.
      noteRound();
      return false;
    }
    if (!outcomes.isWell()) await outcomes.flush();
    isSetBack ||= clockJump() < 0;
    if (isSetBack) await limitDueTimes(deps);
    isSetBack = false;
    await releaseDeliveries(deps, [...queues.release("stale"), ...removeOthers()]);
    if (!outcomes.isWell() || state.isStopped) return false;
    let isMore = false;
    await lookAtDeliveries(async () => {
      const held = heldHere();
      const { claimed, nextAt } = await claimDue(deps, held, queues.wanted);
      queues.add(claimed);
      sender.beginAll();
      isMore = claimed.length > 0 && queues.isMore();
      return held.size > 0 ? null : nextAt;
    });
    noteRound();
    return isMore;
  };
}

/**
 * Makes one attempt without recording it. Never throws.
 * @returns `unsent` if the lease has ended, or the webhook cannot be read, is disabled, deleted or another node's by now;
 * `aborted` if the signal aborted it
 */
export async function attempt(
  deps: Deps,
  claimed: ClaimedDelivery,
  { random = Math.random, signal }: DeliveryOptions,
): Promise<Attempt | "unsent" | "aborted"> {
  const startedAt = deps.clock.now();
  if (startedAt >= claimed.heldUntil || !isOurs(deps, claimed.webhookId)) return "unsent";
  const outcome = await send(deps, claimed, signal).catch(toFailure(claimed, startedAt));
  if (typeof outcome === "string") return outcome;
  deps.metrics.attemptEnded(resultOf(outcome), outcome.durationMs);
  return { claimed, outcome, random: random() };
}

/** Sends to the current URL of the webhook, signed with its current secrets. */
async function send(deps: Deps, { event, webhookId }: ClaimedDelivery, signal?: AbortSignal) {
  const webhook = await readReceiver(deps.store, { id: webhookId });
  if (!webhook?.isActive) return "unsent";
  const outcome = await sendMessage(deps, messageFor(deps, webhook, event), signal);
  // The mail server does not work, which is not the recipient's fault.
  return typeof outcome === "object" && isOfServer(outcome) ? "unsent" : outcome;
}

const isOfServer = (outcome: Outcome) => outcome.kind === "failed" && outcome.error === "server";

const { id, accountId, sealedUrl, format, isActive, secret, oldSecrets, name, timeZone } = webhooks;

const readReceiver = pointRead(
  { id, accountId, sealedUrl, format, isActive, secret, oldSecrets, name, timeZone },
  (store, columns) =>
    store
      .select(columns)
      .from(webhooks)
      .where(eq(id, sql.placeholder("id"))),
);

/** For example a secret that was sealed with another key, which may be replaced before the next attempt. */
const toFailure =
  ({ webhookId: webhook, event }: ClaimedDelivery, startedAt: number) =>
  (error: unknown): Outcome | "unsent" => {
    if (isUnavailable(error)) return "unsent";
    const about = { webhook, event: event.id };
    log.error("delivery failed: internal error", { ...about, ...describeError(error) });
    const code = error instanceof SealedUnderOtherKey ? "secret_key" : "internal";
    return { kind: "failed", error: code, startedAt, durationMs: 0 };
  };
