import { and, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import {
  type DeliveryRow,
  type DeliveryStatus,
  deliveries,
  type EventRow,
  events,
  webhooks,
} from "../db/tables.ts";
import { describeError, log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import { newLease } from "../work/node-lease.ts";
import { gatherDigests, isBatchDigestOver } from "./digest.ts";
import { follow } from "./follow.ts";
import { releaseInterrupted } from "./interrupted.ts";
import { LEASE_MS } from "./lease.ts";
import { isAmongOurs, type OurWebhooks, ourWebhooks } from "./our-webhooks.ts";
import { someOf } from "./some-of.ts";

/** A delivery that this process holds until its lease runs out. Whom it goes to is read when it is sent. */
export type ClaimedDelivery = {
  webhookId: string;
  event: EventRow;
  lease: string;
  /** When the lease ends, by wall time. */
  heldUntil: number;
  /** This attempt included. */
  attempts: number;
  /** Of these, the ones that the schedule goes by. */
  scheduledAttempts: number;
  /** What the delivery returns to if this attempt, which somebody asked for, fails. */
  resting: DeliveryStatus | null;
};

/** A webhook with something to do, as its row says. */
export type DueWebhook = {
  id: string;
  /** Attempts that other processes have under way, or are about to make. */
  heldElsewhere: number;
  lastDeliveryAt: number | null;
  /** Nothing succeeded since something failed. */
  isFailing: boolean;
};

/** How many deliveries to claim for each webhook, by its id. */
export type Wanted = (due: DueWebhook[]) => Map<string, number>;

/**
 * Takes due deliveries of active webhooks of this node's share. The update is the lock: `due_at` moves to the end
 * of the lease, so nobody else takes the same, and what a crash left is due again. Before that, what stands in the
 * way is set right: leases that ran out, switches that were turned, and floods that become a digest.
 * @param held how many this process holds of each webhook already
 */
export async function claimDue(
  deps: Deps,
  held: ReadonlyMap<string, number>,
  wanted: Wanted,
): Promise<ClaimedDelivery[]> {
  const now = deps.clock.now();
  const ours = await ourWebhooks(deps);
  if (ours !== "all" && ours.length === 0) return [];
  const found = await findWork(deps.store, now, ours);
  const wrong = found.filter(isToBeSetRight);
  const unready = new Set<string>();
  for (const webhook of wrong) {
    const isRight = await setRight(deps, webhook).catch(logFailure(webhook));
    if (!isRight) unready.add(webhook.id);
  }
  const right = wrong.length > 0 ? await findWork(deps.store, now, ours) : found;
  const due = right
    .filter(({ id, isActive, isDue }) => isActive && isDue && !unready.has(id))
    .map(({ id, lastDeliveryAt, failingSince, leased }) => ({
      id,
      lastDeliveryAt,
      isFailing: failingSince !== null,
      heldElsewhere: Math.max(0, leased - (held.get(id) ?? 0)),
    }));
  const shares = [...wanted(due)].filter(([, most]) => most > 0);
  const claims = shares.map(([id, most]) => claim(deps, id, most, now));
  const [first, ...rest] = claims;
  if (!first) return [];
  const claimed = (await deps.store.batch([first, ...rest])).flat();
  return withEvents(deps.store, claimed, now + LEASE_MS);
}

const yes = (condition: SQL) => sql`${condition}`.mapWith(Boolean);

/** Those of our webhooks that have anything to do, each looked at with a few steps down an index. */
async function findWork(store: Store, now: number, ours: OurWebhooks) {
  const { id, isActive, format, lastDeliveryAt, failingSince } = webhooks;
  const { digestId, digestAt, batchDigestId } = webhooks;
  const rows = await store
    .select({
      ...{ id, isActive, format, lastDeliveryAt, failingSince },
      ...{ digestId, digestAt, batchDigestId },
      isBatchDigestOver: yes(isBatchDigestOver(now)),
      leased: sql`(select count(*) from deliveries d
        where d.webhook_id = webhooks.id and d.lease is not null and d.due_at > ${now})`.mapWith(
        Number,
      ),
      isInterrupted: yes(sql`exists (select 1 from deliveries d
        where d.webhook_id = webhooks.id and d.lease is not null and d.due_at <= ${now})`),
      isDue: yes(sql`exists (select 1 from deliveries d
        where d.webhook_id = webhooks.id and d.due_at <= ${now})`),
      isTurned: yes(sql`case when is_active = 1
        then exists (select 1 from deliveries d where d.webhook_id = webhooks.id and d.status = 'paused')
        else exists (select 1 from deliveries d
          where d.webhook_id = webhooks.id and d.due_at > 0 and d.lease is null) end`),
    })
    .from(webhooks)
    .where(isAmongOurs(store, ours));
  return rows.filter(
    ({ isDue, isInterrupted, isTurned, digestAt: closesAt, digestId: open, ...webhook }) =>
      isDue ||
      isInterrupted ||
      isTurned ||
      webhook.isBatchDigestOver ||
      (open !== null && (closesAt ?? 0) <= now),
  );
}

type Found = Awaited<ReturnType<typeof findWork>>[number];

const isToBeSetRight = (webhook: Found) =>
  webhook.isInterrupted || webhook.isTurned || mayGather(webhook);

const mayGather = ({ format, isActive, digestId, batchDigestId }: Found) =>
  format !== "standard" && (isActive || digestId !== null || batchDigestId !== null);

/** Returns whether that is done; else the rest of it comes with the next look. */
async function setRight(deps: Deps, webhook: Found): Promise<boolean> {
  if (webhook.isInterrupted) await releaseInterrupted(deps, webhook.id);
  if (webhook.isTurned) await deps.store.write(follow(deps, webhook.id));
  return mayGather(webhook) ? gatherDigests(deps, webhook) : true;
}

/** The others are not to wait for one of them. */
const logFailure =
  ({ id: webhook }: Found) =>
  (error: unknown) => {
    log.error("deliveries of a webhook were not set right", { webhook, ...describeError(error) });
    return false;
  };

function claim({ store, nodes }: Deps, webhookId: string, most: number, now: number) {
  const { dueAt, lease, resting, ofBatch } = deliveries;
  const isOfWebhook = eq(deliveries.webhookId, webhookId);
  // One that came after the last look at digests belongs into one of them.
  const isSingle = or(eq(ofBatch, false), isNotNull(resting));
  const oldest = someOf(store, and(isOfWebhook, lte(dueAt, now), isNull(lease), isSingle), {
    ...{ most, by: sql`${dueAt}, event_id`, isClaim: true },
  });
  return store
    .update(deliveries)
    .set({
      status: "delivering",
      lease: newLease(nodes),
      dueAt: now + LEASE_MS,
      attempts: sql`${deliveries.attempts} + 1`,
      unplannedAttempts: sql`${deliveries.unplannedAttempts} + case when ${resting} is null then 0 else 1 end`,
    })
    .where(
      and(
        isOfWebhook,
        sql`${deliveries.eventId} in ${oldest}`,
        // Added to nothing, so that SQLite goes by the list above and not once more through all that is due.
        sql`${dueAt} + 0 <= ${now}`,
        isNull(lease),
      ),
    )
    .returning({
      webhookId: deliveries.webhookId,
      eventId: deliveries.eventId,
      lease: deliveries.lease,
      attempts: deliveries.attempts,
      unplannedAttempts: deliveries.unplannedAttempts,
      resting: deliveries.resting,
    });
}

type Claimed = Pick<
  DeliveryRow,
  "webhookId" | "eventId" | "lease" | "attempts" | "unplannedAttempts" | "resting"
>;

async function withEvents(
  store: Store,
  claimed: Claimed[],
  heldUntil: number,
): Promise<ClaimedDelivery[]> {
  if (claimed.length === 0) return [];
  const ids = [...new Set(claimed.map(({ eventId }) => eventId))];
  const wanted = rowsOf(
    store,
    { id: "text" },
    ids.map((id) => [id]),
  );
  const happened = await store
    .select()
    .from(events)
    .where(inArray(events.id, sql`${wanted}`));
  const eventById = new Map(happened.map((event) => [event.id, event]));
  return claimed.flatMap(({ eventId, lease, unplannedAttempts, ...rest }) => {
    const event = eventById.get(eventId);
    // Deleted since, and the delivery with it.
    if (!event || !lease) return [];
    const scheduledAttempts = rest.attempts - unplannedAttempts;
    return [{ ...rest, event, lease, heldUntil, scheduledAttempts }];
  });
}

/** Gives deliveries back that were claimed and not sent, as if they had never been. */
export function giveBack({ store, clock }: Deps, unsent: ClaimedDelivery[]): Statement[] {
  if (unsent.length === 0) return [];
  const now = clock.now();
  const rows = unsent.map(({ webhookId, event, lease }) => [webhookId, event.id, lease]);
  return [
    store.run(sql`
      update deliveries set lease = null, attempts = attempts - 1,
        unplanned_attempts = unplanned_attempts - case when resting is null then 0 else 1 end,
        status = case when resting is null and attempts > 1 then 'failed' else 'pending' end,
        due_at = case when resting is null then next_attempt_at else ${now} end
      from ${rowsOf(store, HELD, rows)} as held
      where deliveries.webhook_id = of_webhook and deliveries.event_id = of_event
        and deliveries.lease = old_lease
    `),
  ];
}

const HELD = { of_webhook: "text", of_event: "text", old_lease: "text" } as const;
