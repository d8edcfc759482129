import type { Deps } from "../deps.ts";
import { bodyOf } from "../events/message.ts";
import { isSuccess, type Outcome, sendMessage, statusCodeOf } from "../events/send.ts";
import { newMessageId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import type { WebhookRecord } from "./model.ts";
import { sampleOf } from "./samples.ts";

/** What a test came to. `message` says what the receiver did, or why there was no answer. */
export type TestResult = {
  success: boolean;
  message: string;
  response: { statusCode: number; duration: number };
};

/**
 * Sends an event of the first subscribed type with made-up data, marked as a test, whether or not the
 * webhook is switched on. It is not retried and counts neither for nor against the webhook.
 */
export async function sendTest(deps: Deps, webhook: WebhookRecord): Promise<TestResult> {
  const now = deps.clock.now();
  const [type] = webhook.events as [WebhookRecord["events"][number]];
  const data = JSON.stringify({ ...sampleOf(type, now), test: true });
  const receiver = { url: webhook.url, secret: deps.secrets.open(webhook.secret) };
  const body = bodyOf({ type, data, createdAt: now }, webhook.id);
  const result = toResult(await sendMessage(deps, receiver, { id: newMessageId(), body }));
  log.info("a test was sent", { webhook: webhook.id, trigger: "test", ...result.response });
  return result;
}

const toResult = (outcome: Outcome): TestResult => ({
  success: isSuccess(outcome),
  message: describe(outcome),
  response: {
    statusCode: statusCodeOf(outcome),
    duration: outcome.kind === "aborted" ? 0 : outcome.durationMs,
  },
});

function describe(outcome: Outcome): string {
  if (outcome.kind === "answered") return `The receiver answered ${outcome.statusCode}.`;
  return outcome.kind === "failed" ? outcome.error : "connect";
}
