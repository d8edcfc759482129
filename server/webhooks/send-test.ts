import { auditChange, webhookTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { type DeliveryRow, deliveries, type EventRow, events } from "../db/tables.ts";
import { conflict } from "../lib/errors.ts";
import { newIdAt } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { SealedUnderOtherKey } from "../lib/secret-box.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { sampleOf } from "./event-types.ts";
import type { WebhookRecord } from "./model.ts";
import { isSuccess, messageFor, type Outcome, sendMessage, statusCodeOf } from "./send.ts";

/** What a test came to. `message` says what the receiver did, or why there was no answer. */
export type TestResult = {
  success: boolean;
  message: string;
  response: { statusCode: number; duration: number };
};

type Ended = Exclude<Outcome, { kind: "aborted" }>;

/**
 * Sends an event of the first subscribed type with made-up data, marked as a test, whether or not the
 * webhook is switched on. It is logged as a delivery, is not retried, and counts neither for nor against
 * the webhook.
 * @throws CONFLICT when the webhook was deleted meanwhile, or the secret key is another one than its own
 */
export async function sendTest(
  deps: Deps,
  caller: Caller,
  webhook: WebhookRecord,
  saveReply: SaveReply<TestResult> = saveNoReply,
): Promise<TestResult> {
  const event = sampleEvent(webhook, deps.clock.now());
  const { receiver, message } = messageOrConflict(deps, webhook, event);
  // A test has no signal that could abort it.
  const outcome = (await sendMessage(deps, receiver, message)) as Ended;
  const result = toResult(outcome);
  const delivery = deliveryOf(webhook, event, outcome, deps.clock.now());
  await deps.store.transaction(async (tx) => {
    await tx.insert(events).values(event);
    await tx.insert(deliveries).values(delivery);
    const target = webhookTarget(webhook);
    await auditChange({ ...deps, store: tx }, caller, { action: "webhook.tested", target });
    await saveReply(tx, result);
  });
  log.info("a test was sent", { webhook: webhook.id, trigger: "test", ...result.response });
  return result;
}

function messageOrConflict(deps: Deps, webhook: WebhookRecord, event: EventRow) {
  try {
    return messageFor(deps, webhook, event);
  } catch (error) {
    if (!(error instanceof SealedUnderOtherKey)) throw error;
    throw conflict(
      "This server's secret key was replaced. Enter the URL of this webhook again and give it a new signing secret.",
      { reason: "secret_key_replaced" },
    );
  }
}

function sampleEvent({ accountId, events: subscribed }: WebhookRecord, now: number): EventRow {
  const [type] = subscribed as [WebhookRecord["events"][number]];
  const data = JSON.stringify({ ...sampleOf(type, now), test: true });
  return { id: newIdAt(now), accountId, type, data, createdAt: now };
}

function deliveryOf(
  webhook: WebhookRecord,
  { id: eventId, type, createdAt }: EventRow,
  outcome: Ended,
  now: number,
): DeliveryRow {
  const answer = outcome.kind === "answered" ? outcome : null;
  return {
    webhookId: webhook.id,
    eventId,
    type,
    status: isSuccess(outcome) ? "succeeded" : "exhausted",
    resting: null,
    attempts: 1,
    // Nothing that a schedule planned.
    unplannedAttempts: 1,
    nextAttemptAt: null,
    dueAt: null,
    lease: null,
    digestId: null,
    createdAt,
    completedAt: now,
    lastTrigger: "test",
    lastStartedAt: outcome.startedAt,
    lastDurationMs: outcome.durationMs,
    lastStatusCode: statusCodeOf(outcome),
    lastError: outcome.kind === "failed" ? outcome.error : null,
    lastContentType: answer?.contentType ?? null,
    lastBody: answer?.body ?? null,
    lastTruncated: answer?.truncated ?? false,
    ofBatch: false,
  };
}

const toResult = (outcome: Ended): TestResult => ({
  success: isSuccess(outcome),
  message: describe(outcome),
  response: { statusCode: statusCodeOf(outcome), duration: outcome.durationMs },
});

const describe = (outcome: Ended): string =>
  outcome.kind === "answered" ? `The receiver answered ${outcome.statusCode}.` : outcome.error;
