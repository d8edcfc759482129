import type { EventRow, WebhookRow } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { messageIdOf } from "./events/message.ts";
import { postedAs } from "./formats/format.ts";
import { livingSecrets } from "./secrets.ts";
import type { Message, Receiver } from "./send.ts";
import { fullUrl } from "./webhook-url.ts";

/** What sending to a webhook goes by. */
type Addressee = Pick<WebhookRow, "id" | "url" | "sealedUrl" | "format" | "secret" | "oldSecrets">;

/**
 * The message that tells a webhook of an event, and its receiver with the secrets of this moment.
 * @throws SealedUnderOtherKey when its URL or its signing secret was
 */
export function addressed(
  { secrets, clock, config: { publicUrl } }: Deps,
  webhook: Addressee,
  event: EventRow,
): { receiver: Receiver; message: Message } {
  const { id: webhookId, format } = webhook;
  const url = fullUrl(webhook, secrets);
  const posted = postedAs(format, event, { url, webhookId, publicUrl });
  const { body, headers } = posted;
  return {
    receiver: { url: posted.url ?? url, secrets: livingSecrets(webhook, secrets, clock.now()) },
    message: { id: messageIdOf(event, webhookId), body, headers },
  };
}
