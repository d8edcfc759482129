import { and, eq, gte, inArray, lte } from "drizzle-orm";
import { deliveries, events, webhooks } from "../../ground/db/tables.ts";
import { receiverOf } from "../../ground/lib/mail-address.ts";
import type { DeliveryStatus } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import type { Message } from "./model.ts";

/** An event is stored a moment after its check. */
const LATER_MS = 60_000;
/** Changes of one page whose deliveries are looked up. */
const MOST_LINKS = 500;

/** Changes that are shown as one, by their links and moments. */
type Entry = { rows: { id: string; at: number }[]; newest: number; oldest: number };

/** Returns the messages about each of the entries, one for each webhook and state. */
export async function readMessages(
  deps: Deps,
  caller: Caller,
  entries: Entry[],
): Promise<Message[][]> {
  if (entries.length === 0) return [];
  const sent = await readSent(deps, caller, entries);
  const byLink = Map.groupBy(sent, ({ linkId }) => linkId);
  return entries.map(({ rows }) =>
    messagesOf(
      rows.flatMap(({ id, at }) =>
        (byLink.get(id) ?? []).filter(({ at: sentAt }) => sentAt >= at && sentAt <= at + LATER_MS),
      ),
    ),
  );
}

type Sent = Awaited<ReturnType<typeof readSent>>[number];

function readSent({ store }: Deps, { accountId }: Caller, entries: Entry[]) {
  const ids = [...new Set(entries.flatMap(({ rows }) => rows.map(({ id }) => id)))];
  const oldest = Math.min(...entries.map((entry) => entry.oldest));
  const newest = Math.max(...entries.map((entry) => entry.newest));
  return store.readPool
    .select({
      linkId: events.linkId,
      at: events.createdAt,
      webhookId: webhooks.id,
      name: webhooks.name,
      url: webhooks.url,
      format: webhooks.format,
      status: deliveries.status,
      digestId: deliveries.digestId,
      eventId: deliveries.eventId,
    })
    .from(events)
    .innerJoin(deliveries, eq(deliveries.eventId, events.id))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(
      and(
        eq(events.accountId, accountId),
        gte(events.createdAt, oldest),
        lte(events.createdAt, newest + LATER_MS),
        inArray(events.linkId, ids.slice(0, MOST_LINKS)),
        inArray(events.type, ["link.dead", "link.alive"]),
      ),
    );
}

const STATES: Partial<Record<DeliveryStatus, Message["state"]>> = {
  succeeded: "sent",
  digested: "digest",
  failed: "failed",
  exhausted: "failed",
  expired: "failed",
  cancelled: "failed",
};

function messagesOf(sent: Sent[]): Message[] {
  const stateOf = ({ status }: Sent) => STATES[status] ?? "pending";
  const byWebhook = Map.groupBy(sent, (each) => `${each.webhookId} ${stateOf(each)}`);
  return [...byWebhook.values()].map((some) => {
    const [first] = some as [Sent];
    // A digest is one message about several events.
    const messages = new Set(some.map(({ digestId, eventId }) => digestId ?? eventId));
    return {
      webhook_id: first.webhookId,
      name: first.name,
      host: receiverOf(first.url),
      format: first.format,
      state: stateOf(first),
      count: messages.size,
    };
  });
}
