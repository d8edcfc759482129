import { ulid } from "ulid";
import type { EventRow, WebhookRow } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { payloadFor } from "./formats/formats.ts";
import type { Message, Receiver } from "./send.ts";
import { secretsAt } from "./signing.ts";

type Recipient = Pick<WebhookRow, "id" | "sealedUrl" | "format" | "secret" | "oldSecrets">;

/**
 * Returns the message about an event and its receiver, with the secrets that sign now.
 * @throws SealedUnderOtherKey when the secret key is not the one that sealed the URL or the signing secret
 */
export function messageFor(
  { secrets, clock, config: { publicUrl } }: Deps,
  webhook: Recipient,
  event: EventRow,
): { receiver: Receiver; message: Message } {
  const { id: webhookId, format } = webhook;
  const whole = secrets.open(webhook.sealedUrl);
  const payload = payloadFor(format, event, { url: whole, webhookId, publicUrl });
  const { body, headers, url = whole } = payload;
  return {
    receiver: { url, secrets: secretsAt(webhook, secrets, clock.now()) },
    message: { id: messageIdOf(event, webhookId), body, headers },
  };
}

/**
 * Returns `msg_` and a ULID made from the event and the webhook: every attempt has the same id, so that a receiver can
 * recognize a repeated message. It has no dot, as the Standard Webhooks specification requires.
 */
export function messageIdOf(event: { id: string; createdAt: number }, webhookId: string): string {
  const bytes = new Bun.CryptoHasher("sha256").update(`${event.id} ${webhookId}`).digest();
  let next = 0;
  return `msg_${ulid(event.createdAt, () => bytes[next++]! / 256)}`;
}
