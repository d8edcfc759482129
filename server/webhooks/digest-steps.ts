import { and, asc, count, desc, eq, isNull, lte, max, min, ne, type SQL, sql } from "drizzle-orm";
import { holdWebhook } from "../db/hold.ts";
import type { Store } from "../db/store.ts";
import { deliveries, events, type WebhookRow, webhooks } from "../db/tables.ts";
import { newIdAt } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { type DigestData, toDigestEntry } from "./formats/notice.ts";
import { someOf } from "./some-of.ts";

/** How many events a digest shows one by one. */
const TOLD = 10;
/** Deliveries that are gathered by one statement: so few that nothing waits for it for long. */
const ROWS = 500;
/** Such statements for one webhook before the others have their turn. */
const STEPS_AT_ONCE = 10;

/** What a digest of a webhook gathers: events that come too fast, or first verdicts of batches. */
export type DigestKind = "flood" | "batch";
type Digest = { webhookId: string; id: string; kind: DigestKind };

const openIn = (kind: DigestKind) =>
  kind === "flood" ? webhooks.digestId : webhooks.batchDigestId;

const column = (kind: DigestKind) => sql.raw(kind === "flood" ? "digest_id" : "batch_digest_id");

const slot = (
  kind: DigestKind,
  { id, at }: { id: string | null; at: number },
): Partial<WebhookRow> =>
  kind === "flood" ? { digestId: id, digestAt: at } : { batchDigestId: id, batchDigestAt: at };

/** The deliveries of this kind that are due. */
export const singleDue = ({ webhookId, kind }: Omit<Digest, "id">, now: number) =>
  and(
    eq(deliveries.webhookId, webhookId),
    lte(deliveries.dueAt, now),
    isNull(deliveries.lease),
    isNull(deliveries.resting),
    ne(deliveries.type, "digest"),
    eq(deliveries.ofBatch, kind === "batch"),
  );

/** Opens a digest unless another process has. @param at what the webhook is to remember with it, by its kind */
export function openDigest(
  store: Store,
  { webhookId, kind }: Pick<Digest, "webhookId" | "kind">,
  { now, at }: { now: number; at: number },
): Promise<void> {
  const id = newIdAt(now);
  const empty: DigestData = {
    from: toIso(now),
    until: toIso(now),
    total: 0,
    counts: {},
    first: [],
  };
  const data = JSON.stringify(empty);
  const isOurs = sql`from webhooks where id = ${webhookId} and ${column(kind)} = ${id}`;
  return store.write([
    store
      .update(webhooks)
      .set(slot(kind, { id, at }))
      .where(and(eq(webhooks.id, webhookId), isNull(openIn(kind)))),
    store.run(sql`
      insert into ${events} (id, account_id, type, data, created_at)
      select ${column(kind)}, account_id, 'digest', cast(${data} as text), cast(${now} as bigint) ${isOurs}`),
    store.run(sql`
      insert into ${deliveries}
        (webhook_id, event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at, created_at)
      select id, ${column(kind)}, 'digest', 'pending', 0, 0, null, null, cast(${now} as bigint) ${isOurs}`),
  ]);
}

/**
 * Puts what is due into the digest, as long as that is open, but no more than others can wait for.
 * @returns whether that was all
 */
export async function gather(store: Store, digest: Digest, now: number): Promise<boolean> {
  const { webhookId, kind } = digest;
  const { eventId, dueAt, lease, resting } = deliveries;
  const some = someOf(store, singleDue({ webhookId, kind }, now), { most: ROWS });
  for (let step = 0; step < STEPS_AT_ONCE; step++) {
    const gathered = store
      .update(deliveries)
      .set({
        ...{ status: "digested", digestId: digest.id, completedAt: now },
        ...{ nextAttemptAt: null, dueAt: null },
      })
      .where(
        and(
          eq(deliveries.webhookId, webhookId),
          sql`${eventId} in ${some}`,
          sql`${dueAt} + 0 <= ${now}`,
          isNull(lease),
          isNull(resting),
          isOpen(digest),
        ),
      )
      .returning({ eventId });
    const [, rows] = await store.batch([holdWebhook(store, webhookId), gathered]);
    if (rows.length < ROWS) return true;
    await yieldToEventLoop();
  }
  return false;
}

/** The webhook gathers with it, and its event is still there. */
const isOpen = ({ webhookId, id, kind }: Digest): SQL => sql`exists (
  select 1 from webhooks join events on events.id = ${column(kind)}
  where webhooks.id = ${webhookId} and ${column(kind)} = ${id})`;

/**
 * Lets the digest go out as it is now, unless something was added since it was read, or another node has done
 * so: the first change decides, and the others follow from it.
 */
export async function close(store: Store, digest: Digest, now: number): Promise<void> {
  const { webhookId, id, kind } = digest;
  const data = await readDigest(store, id);
  const isComplete = and(
    isOpen(digest),
    sql`(select count(*) from deliveries where digest_id = ${id}) = ${data?.total ?? 0}`,
  );
  if (!data) return discard(store, digest, isComplete);
  const goesOut = sql`exists (select 1 from deliveries
    where webhook_id = ${webhookId} and event_id = ${id} and due_at > 0)`;
  return store.write([
    // In a statement of its own, so that the next one sees what the previous holder of the lock added.
    holdWebhook(store, webhookId),
    store
      .update(deliveries)
      .set({ nextAttemptAt: now, dueAt: now })
      .where(and(eq(deliveries.webhookId, webhookId), eq(deliveries.eventId, id), isComplete)),
    store
      .update(events)
      .set({ data: JSON.stringify(data) })
      .where(and(eq(events.id, id), isOpen(digest), goesOut)),
    store
      .update(webhooks)
      .set(slot(kind, { id: null, at: now }))
      .where(and(isGathering(digest), goesOut)),
  ]);
}

/** Forgets a digest with nothing in it, and one whose event was forgotten while its webhook was off. */
const discard = (store: Store, digest: Digest, isEmpty: SQL | undefined): Promise<void> =>
  store.write([
    holdWebhook(store, digest.webhookId),
    store.delete(events).where(and(eq(events.id, digest.id), isEmpty)),
    store
      .update(webhooks)
      .set(digest.kind === "flood" ? { digestId: null } : { batchDigestId: null })
      .where(
        and(
          isGathering(digest),
          sql`not exists (select 1 from events where events.id = ${digest.id})`,
        ),
      ),
  ]);

const isGathering = ({ webhookId, id, kind }: Digest) =>
  and(eq(webhooks.id, webhookId), eq(openIn(kind), id));

/** Null when nothing is in it, as after its events were deleted. */
async function readDigest(store: Store, id: string): Promise<DigestData | null> {
  const { type, createdAt, digestId, eventId } = deliveries;
  const isIn = eq(digestId, id);
  const counted = await store
    .select({ type, count: count(), from: min(createdAt), until: max(createdAt) })
    .from(deliveries)
    .where(isIn)
    .groupBy(type)
    .orderBy(desc(count()), asc(type));
  if (counted.length === 0) return null;
  const first = await store
    .select({ type: events.type, data: events.data, createdAt: events.createdAt })
    .from(deliveries)
    .innerJoin(events, eq(events.id, eventId))
    .where(isIn)
    .orderBy(sql`case when ${deliveries.type} = 'link.dead' then 0 else 1 end`, asc(eventId))
    .limit(TOLD);
  return {
    from: toIso(Math.min(...counted.map(({ from }) => Number(from)))),
    until: toIso(Math.max(...counted.map(({ until }) => Number(until)))),
    total: counted.reduce((sum, each) => sum + each.count, 0),
    counts: Object.fromEntries(counted.map((each) => [each.type, each.count])),
    first: first.map(toDigestEntry),
  };
}
