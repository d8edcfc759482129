import { eq, sql } from "drizzle-orm";
import { pointRead } from "../db/point-read.ts";
import { isUnavailable } from "../db/store.ts";
import { webhooks } from "../db/tables.ts";
import { describeError, log } from "../lib/log.ts";
import { SealedUnderOtherKey } from "../lib/secret-box.ts";
import type { Deps } from "../work/deps.ts";
import { type ClaimedDelivery, isOurs } from "./claim.ts";
import { messageFor } from "./message.ts";
import { type Outcome, resultOf, sendMessage } from "./send.ts";
import type { Attempt } from "./settle.ts";

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
