import { ulid } from "ulid";
import type { DeliveredType } from "../../db/tables.ts";
import { toIso } from "../../lib/moments.ts";

/** What a message tells: `data` is JSON text, `createdAt` when it happened. */
type Content = { type: DeliveredType; data: string; createdAt: number };

/**
 * `msg_` and a ULID made from the event and the webhook, so that every attempt of one delivery carries
 * the same id and a receiver can tell a repetition. It has no dot, as Standard Webhooks asks of an id.
 */
export function messageIdOf(event: { id: string; createdAt: number }, webhookId: string): string {
  const bytes = new Bun.CryptoHasher("sha256").update(`${event.id} ${webhookId}`).digest();
  let next = 0;
  return `msg_${ulid(event.createdAt, () => bytes[next++]! / 256)}`;
}

/** The same bytes at every attempt: the stored data goes in as it is. */
export function bodyOf({ type, data, createdAt }: Content, webhookId: string): string {
  const head = JSON.stringify({ event: type, timestamp: toIso(createdAt), webhookId });
  return `${head.slice(0, -1)},"data":${data}}`;
}
