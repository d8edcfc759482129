import { and, desc, eq, gt, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { deliveries, webhooks } from "../db/tables.ts";
import { firstIdAt } from "../lib/ids.ts";
import type { Deps } from "../work/deps.ts";
import { close, type DigestKind, gather, openDigest, singleDue } from "./digest-steps.ts";

/** So many events within a minute are sent one by one; more become a digest. */
const MOST_SINGLE = 10;
export const MINUTE_MS = 60_000;
/** How long first verdicts of batches are gathered while batches are running. */
const LONGEST_BATCH_MS = 15 * MINUTE_MS;

/**
 * `digestId` names the digest that gathers now; `digestAt` is when it closes, or when the last one did. The same of
 * batches, where `batchDigestAt` is when it was opened.
 */
type Gathering = {
  id: string;
  digestId: string | null;
  digestAt: number | null;
  batchDigestId: string | null;
};

/**
 * For a webhook that people read: gathers what is due in digests. What was asked for again is left alone.
 * @returns whether all is gathered that belongs there
 */
export async function gatherDigests(deps: Deps, webhook: Gathering): Promise<boolean> {
  const isAllOfBatches = await gatherBatches(deps, webhook);
  const isAll = await gatherFlood(deps, webhook);
  return isAll && isAllOfBatches;
}

/**
 * First verdicts of batches are always in a digest, also when they are few. It closes once no batch of the account is
 * running, but not within a minute, since an import is several batches; and after a quarter of an hour in any case.
 */
async function gatherBatches({ store, clock }: Deps, webhook: Gathering): Promise<boolean> {
  const now = clock.now();
  const of = { webhookId: webhook.id, kind: "batch" } as const;
  if (webhook.batchDigestId === null) {
    if ((await countDue(store, of, { now, most: 1 })) === 0) return true;
    await openDigest(store, of, { now, at: now });
  }
  const [open] = await store
    .select({ id: webhooks.batchDigestId, isOver: isBatchDigestOver(now).mapWith(Boolean) })
    .from(webhooks)
    .where(eq(webhooks.id, webhook.id));
  if (!open?.id) return true;
  const digest = { ...of, id: open.id };
  const isAll = await gather(store, digest, now);
  if (isAll && open.isOver) await close(store, digest, now);
  return isAll;
}

/** Whether the batch digest of a webhook is to be closed, as a condition on webhooks. */
export const isBatchDigestOver = (now: number): SQL => sql`
  batch_digest_id is not null and batch_digest_at <= ${now - MINUTE_MS} and (
    batch_digest_at <= ${now - LONGEST_BATCH_MS}
    or not exists (select 1 from batches b where b.account_id = webhooks.account_id and b.completed_at is null))`;

/**
 * What comes at once becomes a digest at once; what comes one after another is sent until it is too much, then
 * gathered for a minute. No digest follows another within a minute.
 */
async function gatherFlood({ store, clock }: Deps, webhook: Gathering): Promise<boolean> {
  const now = clock.now();
  const of = { webhookId: webhook.id, kind: "flood" } as const;
  if (webhook.digestId === null) await openIfFlooded(store, webhook, now);
  const [open] = await store
    .select({ id: webhooks.digestId, closesAt: webhooks.digestAt })
    .from(webhooks)
    .where(eq(webhooks.id, webhook.id));
  if (!open?.id) return true;
  const digest = { ...of, id: open.id };
  const isAll = await gather(store, digest, now);
  if (isAll && (open.closesAt ?? now) <= now) await close(store, digest, now);
  return isAll;
}

async function openIfFlooded(store: Store, webhook: Gathering, now: number): Promise<void> {
  const of = { webhookId: webhook.id, kind: "flood" } as const;
  const due = await countDue(store, of, { now, most: MOST_SINGLE + 1 });
  const isFlood = due > MOST_SINGLE;
  if (!isFlood && !(due > 0 && (await isBusy(store, webhook.id, now)))) return;
  const earliest = (webhook.digestAt ?? 0) + MINUTE_MS;
  await openDigest(store, of, { now, at: isFlood ? Math.max(now, earliest) : now + MINUTE_MS });
}

/** How many are due, as far as it matters. */
async function countDue(
  store: Store,
  of: { webhookId: string; kind: DigestKind },
  { now, most }: { now: number; most: number },
): Promise<number> {
  const rows = await store
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(singleDue(of, now))
    .limit(most);
  return rows.length;
}

/** Whether more than a few happened within the last minute. Ids of events begin with their moment. */
async function isBusy(store: Store, webhookId: string, now: number): Promise<boolean> {
  const { eventId, createdAt, type, lastTrigger, ofBatch } = deliveries;
  const isNoTest = or(isNull(lastTrigger), ne(lastTrigger, "test"));
  const [eleventh] = await store
    .select({ createdAt })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        gt(eventId, firstIdAt(now - MINUTE_MS)),
        ne(type, "digest"),
        eq(ofBatch, false),
        isNoTest,
      ),
    )
    .orderBy(desc(eventId))
    .limit(1)
    .offset(MOST_SINGLE);
  return eleventh !== undefined && eleventh.createdAt > now - MINUTE_MS;
}
