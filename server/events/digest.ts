import {
  and,
  asc,
  count,
  desc,
  eq,
  isNull,
  lte,
  max,
  min,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { giveWay } from "../lib/give-way.ts";
import { newIdAt } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import { holdWebhook } from "../store/hold.ts";
import type { Store } from "../store/store.ts";
import { deliveries, events, webhooks } from "../store/tables.ts";
import { type DigestData, happenedIn } from "./formats/told.ts";
import { someOf } from "./some-of.ts";

/** So many events within a minute are told one by one; more become a digest. */
const MOST_SINGLE = 10;
export const MINUTE_MS = 60_000;
/** How many events a digest tells of in full. */
const TOLD = 10;
/** Deliveries that are gathered by one statement: so few that nobody waits for it. */
const ROWS = 500;
/** Such statements for one webhook before the others have their turn. */
const STEPS_AT_ONCE = 10;

/** `digestId` names the digest that gathers now; `digestAt` is when it closes, or when the last one did. */
type Gathering = { id: string; digestId: string | null; digestAt: number | null };

/**
 * For a webhook that people read: gathers what is due in one digest when there is too much of it. What comes at
 * once becomes a digest at once; what comes one after another is told until it is too much, then gathered for a
 * minute. No digest follows another within a minute. What somebody asked for again is left alone.
 * @returns whether all is gathered that belongs there
 */
export async function gatherDigest(deps: Deps, webhook: Gathering): Promise<boolean> {
  const { store } = deps;
  const now = deps.clock.now();
  if (webhook.digestId === null) await openIfFlooded(store, webhook, now);
  const [open] = await store
    .select({ digestId: webhooks.digestId, closesAt: webhooks.digestAt })
    .from(webhooks)
    .where(eq(webhooks.id, webhook.id));
  if (!open?.digestId) return true;
  const digest = { webhookId: webhook.id, id: open.digestId };
  const isAll = await gather(store, digest, now);
  if (isAll && (open.closesAt ?? now) <= now) await close(store, digest, now);
  return isAll;
}

type Digest = { webhookId: string; id: string };

const singleDue = (webhookId: string, now: number) =>
  and(
    eq(deliveries.webhookId, webhookId),
    lte(deliveries.dueAt, now),
    isNull(deliveries.lease),
    isNull(deliveries.resting),
    ne(deliveries.type, "digest"),
  );

async function openIfFlooded(store: Store, webhook: Gathering, now: number): Promise<void> {
  const due = await countDue(store, webhook.id, now);
  const isFlood = due > MOST_SINGLE;
  if (!isFlood && !(due > 0 && (await isBusy(store, webhook.id, now)))) return;
  const earliest = (webhook.digestAt ?? 0) + MINUTE_MS;
  const closesAt = isFlood ? Math.max(now, earliest) : now + MINUTE_MS;
  await openDigest(store, webhook, { now, closesAt });
}

/** How many wait, as far as it matters. */
async function countDue(store: Store, webhookId: string, now: number): Promise<number> {
  const rows = await store
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(singleDue(webhookId, now))
    .limit(MOST_SINGLE + 1);
  return rows.length;
}

/** Whether more than a few happened within the last minute. */
async function isBusy(store: Store, webhookId: string, now: number): Promise<boolean> {
  const { eventId, createdAt, type, lastTrigger } = deliveries;
  const isNoTest = or(isNull(lastTrigger), ne(lastTrigger, "test"));
  const [eleventh] = await store
    .select({ createdAt })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), ne(type, "digest"), isNoTest))
    .orderBy(desc(eventId))
    .limit(1)
    .offset(MOST_SINGLE);
  return eleventh !== undefined && eleventh.createdAt > now - MINUTE_MS;
}

/** Unless another process has opened one. */
function openDigest(
  store: Store,
  { id: webhookId }: Gathering,
  { now, closesAt }: { now: number; closesAt: number },
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
  const isOurs = sql`from webhooks where id = ${webhookId} and digest_id = ${id}`;
  return store.write([
    store
      .update(webhooks)
      .set({ digestId: id, digestAt: closesAt })
      .where(and(eq(webhooks.id, webhookId), isNull(webhooks.digestId))),
    store.run(sql`
      insert into ${events} (id, account_id, type, data, created_at)
      select digest_id, account_id, 'digest', cast(${data} as text), cast(${now} as bigint) ${isOurs}`),
    store.run(sql`
      insert into ${deliveries}
        (webhook_id, event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at, created_at)
      select id, digest_id, 'digest', 'pending', 0, 0, null, null, cast(${now} as bigint) ${isOurs}`),
  ]);
}

/**
 * Puts what is due into the digest, as long as that is open, but no more than others can wait for.
 * @returns whether that was all
 */
async function gather(store: Store, digest: Digest, now: number): Promise<boolean> {
  const { webhookId } = digest;
  const { eventId, dueAt, lease, resting } = deliveries;
  const some = someOf(store, singleDue(webhookId, now), { most: ROWS });
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
    await giveWay();
  }
  return false;
}

/** The webhook gathers with it, and its event is still there. */
const isOpen = ({ webhookId, id }: Digest): SQL => sql`exists (
  select 1 from webhooks join events on events.id = digest_id where webhooks.id = ${webhookId} and digest_id = ${id})`;

/**
 * Lets the digest go out as it is now, unless something was added since it was read, or somebody else has done
 * so: the first change decides, and the others follow from it.
 */
async function close(store: Store, digest: Digest, now: number): Promise<void> {
  const { webhookId, id } = digest;
  const data = await readDigest(store, id);
  const isComplete = and(
    isOpen(digest),
    sql`(select count(*) from deliveries where digest_id = ${id}) = ${data?.total ?? 0}`,
  );
  if (!data) return discard(store, digest, isComplete);
  const goesOut = sql`exists (select 1 from deliveries
    where webhook_id = ${webhookId} and event_id = ${id} and due_at > 0)`;
  return store.write([
    // In a statement of its own, so that the next one sees what was added by whoever held it before.
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
      .set({ digestId: null, digestAt: now })
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
      .set({ digestId: null })
      .where(
        and(
          isGathering(digest),
          sql`not exists (select 1 from events where events.id = ${digest.id})`,
        ),
      ),
  ]);

const isGathering = ({ webhookId, id }: Digest) =>
  and(eq(webhooks.id, webhookId), eq(webhooks.digestId, id));

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
    .orderBy(asc(eventId))
    .limit(TOLD);
  return {
    from: toIso(Math.min(...counted.map(({ from }) => Number(from)))),
    until: toIso(Math.max(...counted.map(({ until }) => Number(until)))),
    total: counted.reduce((sum, each) => sum + each.count, 0),
    counts: Object.fromEntries(counted.map((each) => [each.type, each.count])),
    first: first.map(happenedIn),
  };
}
