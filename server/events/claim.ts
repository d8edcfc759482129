import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { newId } from "../lib/ids.ts";
import type { Store } from "../store/store.ts";
import { type DeliveryRow, deliveries, type EventRow, events, webhooks } from "../store/tables.ts";

/** How long an attempt may take before it counts as interrupted, and its delivery is due again. */
export const LEASE_MS = 60_000;
/** So that a receiver which never answers holds up only its own deliveries. */
const AT_ONCE_PER_WEBHOOK = 4;

/** A delivery that this process holds until its lease runs out, with all that sending it takes. */
export type ClaimedDelivery = {
  lease: string;
  /** This attempt included. */
  attempts: number;
  event: EventRow;
  /** `secret` is sealed. */
  webhook: { id: string; url: string; secret: string };
};

type DueWebhook = ClaimedDelivery["webhook"] & { inFlight: number; lastDeliveryAt: number | null };

/** Written out, because only then do the databases see that the index of what is due fits. */
const OPEN = sql.raw("('pending', 'failed', 'delivering')");

/**
 * Takes up to `most` due deliveries of active webhooks. The update is the lock: `next_attempt_at`
 * moves to the end of the lease, so nobody else takes the same, and what a crash left is due again.
 */
export async function claimDue(deps: Deps, most: number): Promise<ClaimedDelivery[]> {
  const { store, clock } = deps;
  const now = clock.now();
  const shares = shareOut(await dueWebhooks(store, now), most);
  const [first, ...rest] = shares.map(({ webhook, share }) => claim(store, webhook.id, share, now));
  if (!first) return [];
  const claimed = (await store.batch([first, ...rest])).flat();
  return withEvents(store, claimed, new Map(shares.map(({ webhook }) => [webhook.id, webhook])));
}

/** Active webhooks with something due, and how many attempts are under way for each. */
function dueWebhooks(store: Store, now: number): Promise<DueWebhook[]> {
  return store
    .select({
      id: webhooks.id,
      url: webhooks.url,
      secret: webhooks.secret,
      lastDeliveryAt: webhooks.lastDeliveryAt,
      inFlight: sql`(select count(*) from deliveries d
        where d.webhook_id = webhooks.id and d.status = 'delivering' and d.next_attempt_at > ${now})`.mapWith(
        Number,
      ),
    })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.isActive, true),
        // Asked once: most rounds find nothing, and then no webhook is looked at.
        sql`exists (select 1 from deliveries where status in ${OPEN} and next_attempt_at <= ${now})`,
        sql`exists (select 1 from deliveries d
          where d.webhook_id = webhooks.id and d.status in ${OPEN} and d.next_attempt_at <= ${now})`,
      ),
    );
}

type Share = { webhook: DueWebhook; share: number };

/** One to each before a second to any; whoever has least under way and waited longest comes first. */
function shareOut(due: DueWebhook[], most: number): Share[] {
  const inOrder = due.toSorted(
    (a, b) => a.inFlight - b.inFlight || (a.lastDeliveryAt ?? 0) - (b.lastDeliveryAt ?? 0),
  );
  const shares = inOrder.map((webhook) => ({ webhook, share: 0 }));
  let left = most;
  for (let level = 0; level < AT_ONCE_PER_WEBHOOK; level++) {
    for (const each of shares) {
      if (each.webhook.inFlight > level || left === 0) continue;
      each.share++;
      left--;
    }
  }
  return shares.filter(({ share }) => share > 0);
}

function claim(store: Store, webhookId: string, most: number, now: number) {
  const isDue = sql`${deliveries.webhookId} = ${webhookId}
    and ${deliveries.status} in ${OPEN} and ${deliveries.nextAttemptAt} <= ${now}`;
  return store
    .update(deliveries)
    .set({
      status: "delivering",
      lease: newId(),
      nextAttemptAt: now + LEASE_MS,
      attempts: sql`${deliveries.attempts} + 1`,
    })
    .where(and(isDue, sql`${deliveries.eventId} in ${oldest(store, isDue, most)}`))
    .returning();
}

/** Materialized, because PostgreSQL may otherwise choose anew for each row and take more than `most`. */
const oldest = (store: Store, isDue: SQL, most: number) => sql`(
  with chosen as materialized (
    select ${deliveries.eventId} from ${deliveries} where ${isDue}
    order by ${deliveries.nextAttemptAt}, ${deliveries.eventId}
    limit ${most} ${sql.raw(store.engine.skipLocked)}
  ) select event_id from chosen)`;

async function withEvents(
  store: Store,
  claimed: DeliveryRow[],
  webhookById: Map<string, DueWebhook>,
): Promise<ClaimedDelivery[]> {
  if (claimed.length === 0) return [];
  const ids = [...new Set(claimed.map(({ eventId }) => eventId))];
  const happened = await store.select().from(events).where(inArray(events.id, ids));
  const eventById = new Map(happened.map((event) => [event.id, event]));
  return claimed.flatMap(({ eventId, webhookId, attempts, lease }) => {
    const event = eventById.get(eventId);
    const webhook = webhookById.get(webhookId);
    // Deleted since, and the delivery with it.
    if (!event || !webhook || !lease) return [];
    return [{ lease, attempts, event, webhook }];
  });
}
