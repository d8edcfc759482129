import { eq, sql } from "drizzle-orm";
import { pointRead } from "../db/point-read.ts";
import { isUnavailable } from "../db/store.ts";
import { webhooks } from "../db/tables.ts";
import { describeError, log } from "../lib/log.ts";
import { SealedUnderOtherKey } from "../lib/secret-box.ts";
import type { Deps } from "../work/deps.ts";
import { type ClaimedDelivery, claimDue, type DueWebhook, giveBack } from "./claim.ts";
import { messageFor } from "./message.ts";
import { isOurs } from "./our-webhooks.ts";
import { AT_ONCE, AT_ONCE_PER_WEBHOOK, shareBeside } from "./places.ts";
import { type Outcome, resultOf, sendMessage } from "./send.ts";
import { type Attempt, settle } from "./settle.ts";

export type DeliveryOptions = {
  /** As `Math.random`; spreads the waits between attempts. */
  random?: () => number;
  /** Ends attempts early; they are tried again when their leases end. */
  signal?: AbortSignal;
};

/** One round: claims what is due, sends it all and records it. Returns how many deliveries that were. */
export async function deliverDue(deps: Deps, options: DeliveryOptions = {}): Promise<number> {
  const claimed = await claimDue(deps, new Map(), shareOut);
  const sent = await Promise.all(claimed.map((delivery) => attempt(deps, delivery, options)));
  const ended = sent.filter((each) => typeof each === "object");
  if (ended.length > 0) await settle(deps, ended);
  await deps.store.write(
    giveBack(
      deps,
      claimed.filter((_, i) => sent[i] === "unsent"),
    ),
  );
  return claimed.length;
}

/**
 * One attempt, not recorded yet. `unsent` says that nothing was sent, since its lease is over, or the webhook is
 * another node's now, was switched off or deleted meanwhile, or cannot be read; `aborted` that it was ended by us.
 * Never throws.
 */
export async function attempt(
  deps: Deps,
  claimed: ClaimedDelivery,
  { random = Math.random, signal }: DeliveryOptions,
): Promise<Attempt | "unsent" | "aborted"> {
  const startedAt = deps.clock.now();
  if (startedAt >= claimed.heldUntil || !isOurs(deps, claimed.webhookId)) return "unsent";
  const outcome = await send(deps, claimed, signal).catch(ourFault(claimed, startedAt));
  if (outcome === "unsent") return outcome;
  if (outcome.kind === "aborted") return "aborted";
  deps.metrics.attemptEnded(resultOf(outcome), outcome.durationMs);
  return { claimed, outcome, random: random() };
}

/** To where the webhook is now, signed by the secrets it has now. */
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

/** Such as a signing secret that was sealed under another key: it may be replaced before the next attempt. */
const ourFault =
  ({ webhookId, event }: ClaimedDelivery, startedAt: number) =>
  (error: unknown): Outcome | "unsent" => {
    if (isUnavailable(error)) return "unsent";
    const about = { webhook: webhookId, event: event.id };
    log.error("a delivery failed by itself", { ...about, ...describeError(error) });
    const isSealed = error instanceof SealedUnderOtherKey;
    return {
      kind: "failed",
      error: isSealed ? "secret_key" : "internal",
      ...{ startedAt, durationMs: 0 },
    };
  };

/** One to each before a second to any; whoever waited longest comes first. */
function shareOut(due: DueWebhook[]): Map<string, number> {
  const inOrder = due.toSorted((a, b) => (a.lastDeliveryAt ?? 0) - (b.lastDeliveryAt ?? 0));
  const shares = new Map<string, number>();
  let left = AT_ONCE;
  for (let level = 0; level < AT_ONCE_PER_WEBHOOK; level++) {
    for (const { id: webhookId, heldElsewhere } of inOrder) {
      if (level >= shareBeside(heldElsewhere) || left === 0) continue;
      shares.set(webhookId, (shares.get(webhookId) ?? 0) + 1);
      left--;
    }
  }
  return shares;
}
