import { and, eq } from "drizzle-orm";
import { isThere, makeChange, onRecord } from "../accounts/audit/record.ts";
import { webhookTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { webhooks } from "../db/tables.ts";
import { conflict } from "../lib/errors.ts";
import { toIso } from "../lib/moments.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import type { RotatedWebhook, WebhookRecord } from "./model.ts";
import { oldSecretsOf, toOldSecrets } from "./secrets.ts";
import { newSigningSecret } from "./sign.ts";
import { findWebhook } from "./webhooks.ts";

/** Beside the current one. Each makes every message longer. */
const MOST_OLD_SECRETS = 2;

/**
 * Gives a webhook a new signing secret. For so many seconds the old one signs as well, so that a receiver can
 * change over in its own time; with none of them all old ones end, as after a leak.
 * @throws CONFLICT when the old one would be one too many
 */
export async function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  graceSeconds: number,
  receipt: Receipt<RotatedWebhook> = noReceipt,
): Promise<RotatedWebhook> {
  for (;;) {
    const before = await findWebhook(deps, caller, id);
    const rotated = withNewSecret(deps, before, graceSeconds);
    if (await replace(deps, caller, { before, rotated }, receipt)) return rotated;
  }
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
  const old = oldSecretsOf(webhook, now);
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

/** Whether the secret was still the one that was read: of two rotations at once each replaces the one before. */
async function replace(
  deps: Deps,
  caller: Caller,
  { before, rotated }: { before: WebhookRecord; rotated: RotatedWebhook },
  receipt: Receipt<RotatedWebhook>,
): Promise<boolean> {
  const { store } = deps;
  const { secret, oldSecrets, updatedAt } = rotated.webhook;
  const isAsRead = and(
    eq(webhooks.id, before.id),
    eq(webhooks.accountId, before.accountId),
    eq(webhooks.secret, before.secret),
  );
  const changed = await makeChange(
    deps,
    onRecord(deps, caller, {
      action: "webhook.secret_rotated",
      target: webhookTarget(before),
      onlyIf: isThere(store, webhooks, isAsRead),
    }),
    store
      .update(webhooks)
      .set({ secret, oldSecrets, updatedAt })
      .where(isAsRead)
      .returning({ id: webhooks.id }),
    receipt(rotated, isThere(store, webhooks, eq(webhooks.secret, secret))),
  );
  return changed.length === 1;
}
