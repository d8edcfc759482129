import { eq, sql } from "drizzle-orm";
import { pointRead } from "../ground/db/queries.ts";
import { isUnavailable } from "../ground/db/store.ts";
import { webhooks } from "../ground/db/tables.ts";
import { describeError, log, logFailure } from "../ground/lib/log.ts";
import { SealedUnderOtherKey } from "../ground/lib/secret-box.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { startQueue } from "../work/queue.ts";
import { claimDue, isOurs } from "./claim.ts";
import type { Attempt, ClaimedDelivery } from "./delivery-steps.ts";
import { limitWaits, releaseDeliveries } from "./leases.ts";
import { createPerWebhookQueues } from "./per-webhook-queues.ts";
import { endsOf, messageFor, type Outcome, resultOf, sendMessage } from "./send.ts";
import { createOutcomes, type Outcomes } from "./settle.ts";

const STOP_MS = 8000;

export type DeliveryOptions = {
  /** As `Math.random`; spreads the waits between attempts. */
  random?: () => number;
  /** Aborts attempts; they are repeated when their leases end. */
  signal?: AbortSignal;
};

/** What this process delivers at the moment. */
type Delivering = {
  deps: Deps;
  options: DeliveryOptions;
  /** After it nothing more is claimed or begun. */
  ending: AbortSignal;
  /** Claimed deliveries that wait or are being sent. */
  queues: ReturnType<typeof createPerWebhookQueues>;
  /** What attempts came to, until it is recorded. */
  outcomes: Outcomes;
  running: Set<Promise<void>>;
  /** Starts the next round at once. */
  wake(): void;
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
  const [ending, aborting] = [new AbortController(), new AbortController()];
  const { signal } = ending;
  const { wake, ended } = startQueue(deps, signal, {
    rows: "deliveries",
    work: "deliveries",
    prepare: () => prepare(delivering),
    claim: () => claimAndSend(delivering),
    limitWaits: (signal) => limitWaits(deps, signal),
  });
  const delivering: Delivering = {
    deps,
    options: { signal: aborting.signal, ...(random && { random }) },
    ending: signal,
    queues: createPerWebhookQueues(deps.clock),
    outcomes: createOutcomes(deps),
    running: new Set(),
    wake,
  };
  const { queues, outcomes, running } = delivering;
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
      await release(delivering, queues.release("all"));
      await Promise.race([Promise.all(running), deps.clock.sleep(STOP_MS, aborting.signal)]);
      aborting.abort();
      await Promise.all(running);
      await outcomes.flush();
    },
  };
}

/** Records what waits for that, and releases what others can send sooner. */
async function prepare({ deps, ending, queues, outcomes }: Delivering) {
  if (isPaused(deps)) return "paused";
  if (!outcomes.isWell()) await outcomes.flush();
  const others = [...queues.held().keys()].filter((id) => !isOurs(deps, id));
  const released = [...queues.release("stale"), ...others.flatMap((of) => queues.release({ of }))];
  await releaseDeliveries(deps, released);
  return outcomes.isWell() && !ending.aborted ? "ready" : "failing";
}

/** Claims as many deliveries as can be sent soon. Returns when one is due next. */
async function claimAndSend(delivering: Delivering): Promise<number | null> {
  const { deps, queues, wake } = delivering;
  const held = heldHere(delivering);
  const { claimed, nextAt } = await claimDue(deps, held, queues.wanted);
  queues.add(claimed);
  beginAll(delivering);
  if (claimed.length > 0 && queues.isMore()) wake();
  return held.size > 0 ? null : nextAt;
}

/** Claims and outcomes are writes. */
const isPaused = ({ troubles }: Deps) => troubles.stoppingWrites() !== null;

/** Counts the deliveries of each webhook that wait, are running or are not recorded yet. */
function heldHere({ queues, outcomes }: Delivering): Map<string, number> {
  const held = queues.held();
  for (const [id, count] of outcomes.unrecorded()) held.set(id, (held.get(id) ?? 0) + count);
  return held;
}

/** Begins as many deliveries as have a slot. */
function beginAll(delivering: Delivering): void {
  const { deps, ending, queues, running } = delivering;
  while (!ending.aborted && !isPaused(deps)) {
    const next = queues.begin(deps.mail?.places() ?? 0);
    if (!next) return;
    const sending = deliver(delivering, next).finally(() => running.delete(sending));
    running.add(sending);
  }
}

/** Sends a delivery once, hands over what it came to, and gives its slot to the next one. */
async function deliver(delivering: Delivering, delivery: ClaimedDelivery): Promise<void> {
  const { deps, options, queues, outcomes, running, wake } = delivering;
  const startedAt = deps.clock.elapsed();
  const ended = await attempt(deps, delivery, options);
  if (typeof ended === "object") outcomes.add(ended);
  // Otherwise continuous responses would keep the event loop busy.
  await yieldToEventLoop();
  queues.end(delivery, deps.clock.elapsed() - startedAt);
  if (ended === "unsent") {
    await release(delivering, [delivery, ...queues.release({ of: delivery.webhookId })]);
    wake();
  }
  const isGone = typeof ended === "object" && endsOf(ended.outcome) === "webhook";
  // No other attempt is about to end, or nothing more may be sent to this receiver.
  if (running.size === 1 || isGone) await outcomes.flush();
  beginAll(delivering);
  if (queues.isLow(delivery.webhookId) || queues.isMore()) wake();
}

const release = ({ deps }: Delivering, unsent: ClaimedDelivery[]) =>
  releaseDeliveries(deps, unsent).catch(logFailure("failed to release deliveries"));

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
