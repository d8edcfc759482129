import {
  and,
  count,
  desc,
  eq,
  gt,
  isNull,
  lte,
  max,
  min,
  notInArray,
  type SQL,
  sql,
} from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { lockWebhook } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import { deliveries, events, type WebhookRow, webhooks } from "../ground/db/tables.ts";
import { firstIdAt, newIdAt } from "../ground/lib/ids.ts";
import { toIso } from "../ground/lib/moments.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { DeliveredType } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { type DigestData, LISTED_EVENTS, toDigestEntry } from "./chat-message.ts";
import { selectEventIds } from "./delivery-steps.ts";

const MINUTE_MS = 60_000;

/** Up to `single` events within the time are sent one by one; more become a digest, which closes after that time. */
const PACES = { chat: { single: 10, ms: MINUTE_MS }, mail: { single: 5, ms: 10 * MINUTE_MS } };
/** The same time for a webhook with this format. */
export const longestGatheringMs = (format: AnySQLiteColumn): SQL =>
  sql`case when ${format} = 'email' then ${PACES.mail.ms} else ${PACES.chat.ms} end`;

/** What no digest gathers. */
const ALWAYS_SINGLE: DeliveredType[] = ["digest", "summary.ready", "usage.threshold"];
/** How long first verdicts of batches are gathered while batches are running. */
const LONGEST_BATCH_MS = 15 * MINUTE_MS;
/** Deliveries of one step, so few that other writes wait only briefly. */
const ROWS = 500;
/** Steps for one webhook before the others have their turn. */
const STEPS_AT_ONCE = 10;

/**
 * `flood`: too many events at a time. `batch`: first verdicts of batches. A webhook has at most one open digest of each
 * kind: `digestId`, with `digestAt` for when it closes, or when the last one closed; and `batchDigestId`, with
 * `batchDigestAt` for when it was opened.
 */
type Source = { webhookId: string; kind: "flood" | "batch"; medium: keyof typeof PACES };
type Digest = Source & { id: string };

/**
 * Gathers due deliveries of a chat webhook in digests. Deliveries with a requested attempt are left alone.
 * @returns whether nothing is left to gather
 */
export async function gatherDigests(
  { store, clock }: Deps,
  webhook: Pick<WebhookRow, "id" | "format" | "digestId" | "digestAt" | "batchDigestId">,
): Promise<boolean> {
  const now = clock.now();
  const medium = webhook.format === "email" ? "mail" : "chat";
  const batch = { webhookId: webhook.id, kind: "batch", medium } as const;
  const flood = { webhookId: webhook.id, kind: "flood", medium } as const;
  if (webhook.batchDigestId === null && (await countDue(store, batch, now, 1)) > 0) {
    await openDigest(store, batch, { now, at: now });
  }
  const isAllOfBatches = await gatherOpen(store, batch, now);
  if (webhook.digestId === null) await openIfFlooded(store, flood, now, webhook.digestAt ?? 0);
  const isAll = await gatherOpen(store, flood, now);
  return isAll && isAllOfBatches;
}

/**
 * Whether an open digest is to be closed. A flood's digest has a time for that. A batch's digest closes when no batch of
 * the account is running, but not within a minute, since an import is several batches; and after 15 minutes in any case.
 */
const isOver = {
  flood: (now: number): SQL => sql`digest_id is not null and coalesce(digest_at, 0) <= ${now}`,
  batch: (now: number): SQL => sql`
    batch_digest_id is not null and batch_digest_at <= ${now - MINUTE_MS} and (
      batch_digest_at <= ${now - LONGEST_BATCH_MS}
      or not exists (select 1 from batches b where b.account_id = webhooks.account_id and b.completed_at is null))`,
};

/** A condition on webhooks: an open digest is to be closed. */
export const isDigestOver = (now: number): SQL =>
  sql`((${isOver.flood(now)}) or (${isOver.batch(now)}))`;

/** When `isDigestOver` becomes true of a webhook if nothing is written until then; null if it has no such digest. */
export const nextDigestAt = {
  flood: sql`case when digest_id is not null then coalesce(digest_at, 0) end`,
  batch: (now: number): SQL => sql`case when batch_digest_id is not null then batch_digest_at
    + case when batch_digest_at > ${now - MINUTE_MS} then ${MINUTE_MS} else ${LONGEST_BATCH_MS} end end`,
};

/**
 * Opens a digest when events come too fast. Many at once become a digest at once. Those that come one after another are
 * sent until there are too many, then gathered for a while. A digest closes at least that long after the last one.
 */
async function openIfFlooded(store: Store, source: Source, now: number, lastClosedAt: number) {
  const { single, ms } = PACES[source.medium];
  const due = await countDue(store, source, now, single + 1);
  const isFlood = due > single;
  if (!isFlood && !(due > 0 && (await isBusy(store, source, now)))) return;
  const at = isFlood ? Math.max(now, lastClosedAt + ms) : now + ms;
  await openDigest(store, source, { now, at });
}

/** Counts due deliveries up to `most`. */
async function countDue(store: Store, source: Source, now: number, most: number) {
  const rows = await store
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(isGathered(source, now))
    .limit(most);
  return rows.length;
}

/** The due deliveries that a digest of this kind gathers. */
const isGathered = ({ webhookId, kind }: Source, now: number) =>
  and(
    eq(deliveries.webhookId, webhookId),
    lte(deliveries.dueAt, now),
    isNull(deliveries.lease),
    isNull(deliveries.resting),
    notInArray(deliveries.type, ALWAYS_SINGLE),
    eq(deliveries.ofBatch, kind === "batch"),
  );

/** Whether more than a few events happened lately. The ids of events begin with their time. */
async function isBusy(store: Store, source: Source, now: number): Promise<boolean> {
  const { webhookId, medium } = source;
  const { single, ms } = PACES[medium];
  const { eventId, createdAt, type, lastTrigger, ofBatch } = deliveries;
  const [oneTooMany] = await store
    .select({ createdAt })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        gt(eventId, firstIdAt(now - ms)),
        notInArray(type, ALWAYS_SINGLE),
        eq(ofBatch, false),
        sql`coalesce(${lastTrigger}, '') <> 'test'`,
      ),
    )
    .orderBy(desc(eventId))
    .limit(1)
    .offset(single);
  return oneTooMany !== undefined && oneTooMany.createdAt > now - ms;
}

/** Opens a digest unless one is open. @param at the time that the webhook stores with it */
async function openDigest(
  store: Store,
  { webhookId, kind }: Source,
  { now, at }: { now: number; at: number },
): Promise<void> {
  const id = newIdAt(now);
  const time = toIso(now);
  const empty: DigestData = { from: time, until: time, total: 0, counts: {}, first: [] };
  await store.transaction(async (tx) => {
    const [opened] = await tx
      .update(webhooks)
      .set(columnsOf(kind, id, at))
      .where(and(eq(webhooks.id, webhookId), isNull(OPEN[kind])))
      .returning({ accountId: webhooks.accountId });
    if (!opened) return;
    const { accountId } = opened;
    const data = JSON.stringify(empty);
    await tx.insert(events).values({ id, accountId, type: "digest", data, createdAt: now });
    await tx.insert(deliveries).values({
      webhookId,
      eventId: id,
      type: "digest",
      status: "pending",
      createdAt: now,
      attempts: 0,
      unplannedAttempts: 0,
      ofBatch: false,
    });
  });
}

const OPEN = { flood: webhooks.digestId, batch: webhooks.batchDigestId };

/** Columns of a webhook for the digest that it gathers, if any. */
const columnsOf = (kind: Source["kind"], id: string | null, at?: number): Partial<WebhookRow> =>
  kind === "flood"
    ? { digestId: id, ...(at !== undefined && { digestAt: at }) }
    : { batchDigestId: id, ...(at !== undefined && { batchDigestAt: at }) };

/**
 * Moves due deliveries into the digest if one is open, and closes it when it is over.
 * @returns whether nothing is left to gather
 */
async function gatherOpen(store: Store, source: Source, now: number): Promise<boolean> {
  const { webhookId, kind } = source;
  const [open] = await store
    .select({ id: OPEN[kind], isOver: sql`${isOver[kind](now)}`.mapWith(Boolean) })
    .from(webhooks)
    .where(eq(webhooks.id, webhookId));
  if (!open?.id) return true;
  const digest = { ...source, id: open.id };
  for (let step = 0; step < STEPS_AT_ONCE; step++) {
    const gathered = await store.transaction((tx) => gather(tx, digest, now));
    if (gathered < ROWS) {
      if (open.isOver) await store.transaction((tx) => closeDigest(tx, digest, now));
      return true;
    }
    await yieldToEventLoop();
  }
  return false;
}

async function gather(tx: Store, digest: Digest, now: number): Promise<number> {
  const { eventId, dueAt, lease, resting } = deliveries;
  if (!(await lockIfOpen(tx, digest))) return 0;
  const gathered = await tx
    .update(deliveries)
    .set({
      status: "digested",
      digestId: digest.id,
      completedAt: now,
      nextAttemptAt: null,
      dueAt: null,
    })
    .where(
      and(
        eq(deliveries.webhookId, digest.webhookId),
        sql`${eventId} in ${selectEventIds(tx, isGathered(digest, now), { most: ROWS })}`,
        sql`${dueAt} + 0 <= ${now}`,
        isNull(lease),
        isNull(resting),
        // The event of a digest may be deleted, being old, while its webhook is off.
        sql`exists (select 1 from events where events.id = ${digest.id})`,
      ),
    )
    .returning({ eventId });
  return gathered.length;
}

/** Makes the digest due with the data of what it gathered, or deletes it if it is empty. */
async function closeDigest(tx: Store, digest: Digest, now: number): Promise<void> {
  const { webhookId, id, kind } = digest;
  if (!(await lockIfOpen(tx, digest))) return;
  const isWebhook = eq(webhooks.id, webhookId);
  const data = await readDigest(tx, digest);
  if (!data) {
    await tx.delete(events).where(eq(events.id, id));
    await tx.update(webhooks).set(columnsOf(kind, null)).where(isWebhook);
    return;
  }
  await tx
    .update(deliveries)
    .set({ nextAttemptAt: now, dueAt: now })
    .where(and(eq(deliveries.webhookId, webhookId), eq(deliveries.eventId, id)));
  await tx
    .update(events)
    .set({ data: JSON.stringify(data) })
    .where(eq(events.id, id));
  await tx
    .update(webhooks)
    .set(columnsOf(kind, null, now))
    .where(isWebhook);
}

/** Locks the webhook and returns whether the digest is still open. */
async function lockIfOpen(tx: Store, { webhookId, id, kind }: Digest): Promise<boolean> {
  await lockWebhook(tx, webhookId);
  const isIt = and(eq(webhooks.id, webhookId), eq(OPEN[kind], id));
  return (await tx.select({ id: webhooks.id }).from(webhooks).where(isIt)).length > 0;
}

/** Returns the data of a digest; null when it is empty, as after its events were deleted. */
async function readDigest(tx: Store, { id, medium }: Digest): Promise<DigestData | null> {
  const { type, createdAt, digestId, eventId } = deliveries;
  const isIn = eq(digestId, id);
  const counted = await tx
    .select({ type, count: count(), from: min(createdAt), until: max(createdAt) })
    .from(deliveries)
    .where(isIn)
    .groupBy(type)
    .orderBy(desc(count()), type);
  if (counted.length === 0) return null;
  const first = await tx
    .select({ type: events.type, data: events.data, createdAt: events.createdAt })
    .from(deliveries)
    .innerJoin(events, eq(events.id, eventId))
    .where(isIn)
    .orderBy(sql`case when ${deliveries.type} = 'link.dead' then 0 else 1 end`, eventId)
    .limit(LISTED_EVENTS[medium]);
  return {
    from: toIso(Math.min(...counted.map(({ from }) => Number(from)))),
    until: toIso(Math.max(...counted.map(({ until }) => Number(until)))),
    total: counted.reduce((sum, each) => sum + each.count, 0),
    counts: Object.fromEntries(counted.map((each) => [each.type, each.count])),
    first: first.map(toDigestEntry),
  };
}
