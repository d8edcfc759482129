import type { Deps } from "../deps.ts";
import { describeError, log } from "../lib/log.ts";
import { type ClaimedDelivery, claimDue } from "./claim.ts";
import { bodyOf, messageIdOf } from "./message.ts";
import { type Outcome, sendMessage } from "./send.ts";
import { settle } from "./settle.ts";

/** Attempts under way at once in one process. */
export const AT_ONCE = 64;

export type DeliveryOptions = {
  /** As `Math.random`; spreads the waits between attempts. */
  random?: () => number;
  /** Ends attempts early; they are tried again when their leases end. */
  signal?: AbortSignal;
};

/** One round: claims what is due, sends it all and records it. Returns how many attempts that were. */
export async function deliverDue(deps: Deps, options: DeliveryOptions = {}): Promise<number> {
  const claimed = await claimDue(deps, AT_ONCE);
  await Promise.all(claimed.map((delivery) => attempt(deps, delivery, options)));
  return claimed.length;
}

/** One attempt from sending to recording. Never throws: what cannot be recorded comes back by its lease. */
export async function attempt(
  deps: Deps,
  claimed: ClaimedDelivery,
  { random = Math.random, signal }: DeliveryOptions,
): Promise<void> {
  try {
    const outcome = await send(deps, claimed, signal).catch(ourFault);
    if (outcome.kind !== "aborted") await settle(deps, claimed, outcome, random);
  } catch (error) {
    log.error("a delivery was not recorded", describeError(error));
  }
}

async function send(
  deps: Deps,
  { event, webhook }: ClaimedDelivery,
  signal?: AbortSignal,
): Promise<Outcome> {
  const receiver = { url: webhook.url, secret: deps.secrets.open(webhook.secret) };
  const message = { id: messageIdOf(event, webhook.id), body: bodyOf(event, webhook.id) };
  return sendMessage(deps, receiver, message, signal);
}

/** Such as a signing secret that was sealed under another key: it may be cured before the next attempt. */
function ourFault(error: unknown): Outcome {
  log.error("a delivery failed by itself", describeError(error));
  return { kind: "failed", error: "internal", durationMs: 0 };
}
