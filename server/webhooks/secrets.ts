import type { WebhookRow } from "../db/tables.ts";
import type { SecretBox } from "../lib/secret-box.ts";

/** A signing secret that was replaced, sealed, and the moment until which it still signs. */
type OldSecret = { secret: string; expires_at: number };

type Keyring = Pick<WebhookRow, "secret" | "oldSecrets">;

/** The secrets in clear that a webhook signs with at this moment, the current one first. */
export const livingSecrets = (webhook: Keyring, secrets: SecretBox, now: number): string[] => [
  secrets.open(webhook.secret),
  ...oldSecretsOf(webhook, now).flatMap(({ secret }) => openable(secrets, secret)),
];

/** Those that were replaced and still sign at this moment, newest first. */
export function oldSecretsOf({ oldSecrets }: Pick<Keyring, "oldSecrets">, now: number) {
  const old: OldSecret[] = JSON.parse(oldSecrets ?? "[]");
  return old.filter(({ expires_at: expiresAt }) => expiresAt > now);
}

/** As they are kept with the webhook. */
export const toOldSecrets = (old: OldSecret[]): WebhookRow["oldSecrets"] =>
  old.length > 0 ? JSON.stringify(old) : null;

/** An old one that was sealed under another key cannot sign; that is no reason to send nothing. */
function openable({ open }: SecretBox, sealed: string): string[] {
  try {
    return [open(sealed)];
  } catch {
    return [];
  }
}
