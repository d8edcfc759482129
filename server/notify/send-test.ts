import type * as z from "zod";
import { auditChange, webhookTarget } from "../accounts/audit.ts";
import { deliveries, type EventRow, events } from "../ground/db/tables.ts";
import { conflict } from "../ground/lib/errors.ts";
import { newIdAt } from "../ground/lib/ids.ts";
import { log } from "../ground/lib/log.ts";
import { SealedUnderOtherKey } from "../ground/lib/secret-box.ts";
import type { EventType } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import { sampleOf } from "./event-types.ts";
import type { TestResult as Schema, WebhookRecord } from "./model.ts";
import { refuseUnqueued } from "./recipients.ts";
import { isSuccess, messageFor, type Outcome, sendMessage, statusCodeOf } from "./send.ts";

export type TestResult = z.infer<typeof Schema>;

/**
 * Sends an event, by default of the first subscribed type with sample data, marked as a test, even if the webhook is disabled. It is
 * recorded as a delivery, is not retried, and does not count for or against the webhook.
 * @throws CONFLICT when the recipient of a mail has not agreed to it, when the webhook was deleted meanwhile, or was
 * sealed with another secret key
 */
export async function sendTest(
  deps: Deps,
  caller: Caller,
  webhook: WebhookRecord,
  save: SaveReply<TestResult>,
  sample: Sample = sampleFor(webhook, deps.clock.now()),
): Promise<TestResult> {
  await refuseUnqueued(deps, webhook);
  const event = testEvent(webhook, sample, deps.clock.now());
  const message = messageOrConflict(deps, webhook, event);
  // Without a signal it cannot be aborted.
  const outcome = (await sendMessage(deps, message)) as Outcome;
  const result = toResult(deps, webhook, outcome);
  const delivery = deliveryOf(webhook, event, outcome, deps.clock.now());
  await makeChange(deps, caller, async (unit) => {
    await unit.store.insert(events).values(event);
    await unit.store.insert(deliveries).values(delivery);
    const target = webhookTarget(webhook);
    await auditChange(unit, caller, { action: "webhook.tested", target });
    await save(unit.store, result);
  });
  log.info("test delivery sent", { webhook: webhook.id, trigger: "test", ...result.response });
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

/** The type and the data of an event that is sent as a test. */
type Sample = { type: EventType; data: object };

function sampleFor({ events: subscribed }: WebhookRecord, now: number): Sample {
  const type = subscribed[0]!;
  return { type, data: sampleOf(type, now) };
}

/** An event as `sendTest` sends it, not stored. */
export const sampleEvent = (webhook: WebhookRecord, now: number): EventRow =>
  testEvent(webhook, sampleFor(webhook, now), now);

const testEvent = (
  { accountId }: WebhookRecord,
  { type, data }: Sample,
  now: number,
): EventRow => ({
  id: newIdAt(now),
  accountId,
  type,
  createdAt: now,
  data: JSON.stringify({ ...data, test: true }),
});

function deliveryOf(
  { id: webhookId }: WebhookRecord,
  { id: eventId, type, createdAt }: EventRow,
  outcome: Outcome,
  now: number,
): typeof deliveries.$inferInsert {
  const answer = outcome.kind === "answered" ? outcome : null;
  return {
    webhookId,
    eventId,
    type,
    createdAt,
    completedAt: now,
    ofBatch: false,
    status: isSuccess(outcome) ? "succeeded" : "exhausted",
    // Unplanned, since no schedule contains it.
    attempts: 1,
    unplannedAttempts: 1,
    lastTrigger: "test",
    lastStartedAt: outcome.startedAt,
    lastDurationMs: outcome.durationMs,
    lastStatusCode: statusCodeOf(outcome),
    lastError: outcome.kind === "failed" ? outcome.error : null,
    lastContentType: answer?.contentType,
    lastBody: answer?.body,
    lastTruncated: answer?.truncated ?? false,
  };
}

const toResult = ({ mail }: Deps, { format }: WebhookRecord, outcome: Outcome): TestResult => ({
  success: isSuccess(outcome),
  message:
    format === "email"
      ? mailResult(outcome, mail?.state().problem)
      : outcome.kind === "answered"
        ? `The receiver answered ${outcome.statusCode}.`
        : outcome.error,
  response: { statusCode: statusCodeOf(outcome), duration: outcome.durationMs },
});

function mailResult(outcome: Outcome, problem: string | null | undefined): string {
  if (isSuccess(outcome)) return "The mail server accepted the message.";
  if (outcome.kind === "answered") return `The mail server answered: ${outcome.body}`;
  return `The mail server does not work: ${problem ?? outcome.error}`;
}
