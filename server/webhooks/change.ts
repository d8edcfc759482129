import { eq } from "drizzle-orm";
import { auditChange, fieldsOf } from "../accounts/audit/record.ts";
import { webhookTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { type WebhookRow, webhookEvents, webhooks } from "../db/tables.ts";
import { findForChange } from "../lib/errors.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { readChange, type WebhookChange, type WebhookRecord } from "./model.ts";
import { cancelUnwanted, pauseOrResume, UNSENT } from "./pause-resume.ts";
import { sealedUrl } from "./webhook-url.ts";
import { findAndLockWebhook, findWebhook, subscriptionsOf } from "./webhooks.ts";

/**
 * Changes a webhook. Switching it on clears its failures and makes paused deliveries due; switching it off pauses what
 * has not been sent. A new URL applies from the next attempt, also to older deliveries. Deliveries of event types that
 * are no longer subscribed to are cancelled.
 * @throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
 */
export async function changeWebhook(
  deps: Deps,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<WebhookRecord> {
  const found = findWebhook(deps, caller, id);
  const webhook = await findForChange(found, () => readChange(deps, null, input));
  const change = readChange(deps, webhook, input);
  if (Object.values(change).every((value) => value === undefined)) return webhook;
  await deps.store.transaction((tx) => write({ ...deps, store: tx }, caller, id, change));
  if (change.events) await cancelUnsubscribed(deps, webhook.id);
  deps.loops.wake();
  return findWebhook(deps, caller, id);
}

async function write(deps: Deps, caller: Caller, id: string, change: WebhookChange) {
  const { store } = deps;
  const webhook = await findAndLockWebhook(deps, caller, id);
  await store
    .update(webhooks)
    .set(columnsOf(deps, webhook, change))
    .where(eq(webhooks.id, webhook.id));
  if (change.events) {
    await store.delete(webhookEvents).where(eq(webhookEvents.webhookId, webhook.id));
    await store.insert(webhookEvents).values(subscriptionsOf(webhook.id, change.events));
  }
  if (change.is_active !== undefined) await pauseOrResume(deps, webhook.id);
  const { isActive: is_active, firstVerdicts: first_verdicts } = webhook;
  await auditChange(deps, caller, {
    action: "webhook.changed",
    target: webhookTarget(webhook),
    fields: fieldsOf(change, { ...webhook, is_active, first_verdicts }),
  });
}

function columnsOf(
  { secrets, clock }: Deps,
  webhook: WebhookRecord,
  { url, is_active: isActive, first_verdicts: firstVerdicts }: WebhookChange,
): Partial<WebhookRow> {
  const now = clock.now();
  return {
    updatedAt: now,
    ...(url !== undefined && sealedUrl(url, secrets)),
    ...(firstVerdicts !== undefined && { firstVerdicts }),
    ...(isActive === true && ON),
    // A webhook that is off already keeps the reason for it.
    ...(isActive === false &&
      webhook.isActive && { isActive, disabledReason: "user" as const, disabledAt: now }),
  };
}

const ON = {
  ...{ isActive: true, disabledReason: null, disabledAt: null },
  ...{ failingSince: null, failedFrom: null, failedTo: null },
};

async function cancelUnsubscribed(deps: Deps, webhookId: string): Promise<void> {
  for (const status of UNSENT) {
    let after: string | null = "";
    await inSteps(deps.clock, async (rows) => {
      after = await cancelUnwanted(deps, webhookId, { status, after: after ?? "", rows });
      return after === null ? 0 : rows;
    });
  }
}
