import { eq } from "drizzle-orm";
import { auditChange, fieldsOf, webhookTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { type WebhookRow, webhookEvents, webhooks } from "../db/tables.ts";
import { conflict, findForChange } from "../lib/errors.ts";
import { toIso } from "../lib/moments.ts";
import { inSteps } from "../lib/steps.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import {
  type RotatedWebhook,
  readChange,
  type WebhookChange,
  type WebhookRecord,
} from "./model.ts";
import { cancelUnwanted, pauseOrResume, UNSENT } from "./pause-resume.ts";
import { newSigningSecret, oldSecretsAt, sealedUrl, toOldSecrets } from "./secrets.ts";
import { findAndLockWebhook, findWebhook, subscriptionRows } from "./webhooks.ts";

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
    await store.insert(webhookEvents).values(subscriptionRows(webhook.id, change.events));
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

/** Limit of old secrets that sign as well: each makes every message longer. */
const MOST_OLD_SECRETS = 2;

/**
 * Gives a webhook a new signing secret. For `graceSeconds` messages are signed with the old one as well, so that the
 * receiver can switch at any time; 0 ends all old secrets now, as after a leak.
 * @throws NOT_FOUND, FORBIDDEN; CONFLICT when too many old secrets still sign
 */
export async function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  graceSeconds: number,
  saveReply: SaveReply<RotatedWebhook> = saveNoReply,
): Promise<RotatedWebhook> {
  return deps.store.transaction(async (tx) => {
    const inTx = { ...deps, store: tx };
    const webhook = await findAndLockWebhook(inTx, caller, id);
    const rotated = withNewSecret(deps, webhook, graceSeconds);
    const { secret, oldSecrets, updatedAt } = rotated.webhook;
    await tx
      .update(webhooks)
      .set({ secret, oldSecrets, updatedAt })
      .where(eq(webhooks.id, webhook.id));
    const target = webhookTarget(webhook);
    await auditChange(inTx, caller, { action: "webhook.secret_rotated", target });
    await saveReply(tx, rotated);
    return rotated;
  });
}

function withNewSecret(
  { clock, secrets }: Deps,
  webhook: WebhookRecord,
  graceSeconds: number,
): RotatedWebhook {
  const now = clock.now();
  const signingSecret = newSigningSecret();
  const old = graceSeconds > 0 ? withOneMore(webhook, now, graceSeconds) : [];
  const secret = secrets.seal(signingSecret);
  return {
    id: webhook.id,
    webhook: { ...webhook, secret, oldSecrets: toOldSecrets(old), updatedAt: now },
    signingSecret,
    oldSecretsExpireAt: old.map(({ expires_at: expiresAt }) => expiresAt),
  };
}

function withOneMore(webhook: WebhookRecord, now: number, graceSeconds: number) {
  const old = oldSecretsAt(webhook, now);
  refuseTooMany(old);
  return [{ secret: webhook.secret, expires_at: now + graceSeconds * 1000 }, ...old];
}

function refuseTooMany(old: { expires_at: number }[]) {
  if (old.length < MOST_OLD_SECRETS) return;
  const firstExpiresAt = toIso(Math.min(...old.map(({ expires_at: expiresAt }) => expiresAt)));
  throw conflict(
    `${old.length} old secrets still sign. Rotate again after ${firstExpiresAt}, when the first of ` +
      "them ends, or with a grace_period_seconds of 0.",
    { reason: "too_many_secrets", firstExpiresAt },
  );
}
