import { eq } from "drizzle-orm";
import { auditChange } from "../accounts/audit/record.ts";
import { webhookTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { webhooks } from "../db/tables.ts";
import { conflict } from "../lib/errors.ts";
import { toIso } from "../lib/moments.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import type { RotatedWebhook, WebhookRecord } from "./model.ts";
import { newSigningSecret, oldSecretsAt, toOldSecrets } from "./signing.ts";
import { findAndLockWebhook } from "./webhooks.ts";

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
