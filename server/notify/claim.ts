import { and, eq, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import { describeError, log } from "../ground/lib/log.ts";
import type { Deps } from "../work/deps.ts";
import { bucketOf, DELIVERY_LEASE_MS } from "../work/nodes.ts";
import { isStillDue, leaseFor, NEVER_DUE } from "../work/queue.ts";
import { inUnit } from "../work/unit.ts";
import { type ClaimedDelivery, isAmong, selectEventIds } from "./delivery-steps.ts";
import { gatherDigests, isDigestOver, nextDigestAt } from "./digest.ts";
import { isLeaseOver, releaseInterrupted } from "./leases.ts";
import { pauseOrResume } from "./pause-resume.ts";

/** A webhook with due deliveries. */
export type DueWebhook = {
  id: string;
  /** Number of deliveries that other processes hold. */
  heldElsewhere: number;
  lastDeliveryAt: number | null;
  /** No attempt has succeeded since one failed. */
  isFailing: boolean;
  isMail: boolean;
};

/** Decides how many deliveries to claim for each webhook, by its id. */
export type Wanted = (due: DueWebhook[]) => Map<string, number>;

/** `nextAt` is when there is work next if nothing is written until then; null while there is some. */
type Claims = { claimed: ClaimedDelivery[]; nextAt: number | null };

/**
 * Claims due deliveries of active webhooks in this node's share. The update is the lock: it moves `due_at` to the end
 * of the lease, so no other process claims the same, and what a crash has left becomes due again. Before that it
 * releases expired leases, pauses or resumes deliveries of webhooks that were switched, and gathers digests.
 * @param held number of deliveries that this process holds of each webhook
 */
export async function claimDue(
  deps: Deps,
  held: ReadonlyMap<string, number>,
  wanted: Wanted,
): Promise<Claims> {
  const now = deps.clock.now();
  const { ready, nextAt } = await findReady(deps, now, held);
  const due = ready.map(({ id, format, lastDeliveryAt, failingSince, leased }) => ({
    id,
    lastDeliveryAt,
    isMail: format === "email",
    isFailing: failingSince !== null,
    heldElsewhere: Math.max(0, leased - (held.get(id) ?? 0)),
  }));
  const shares = [...wanted(due)].filter(([, most]) => most > 0);
  if (shares.length === 0) return { claimed: [], nextAt };
  const rows = await deps.store.transaction(async (tx) => {
    const all: Claimed[] = [];
    await expireUnsent(tx, due, now);
    for (const [id, most] of shares) all.push(...(await claim(deps, tx, { id, most, now })));
    return all;
  });
  const claimed = await withEvents(deps.store, rows, now + DELIVERY_LEASE_MS);
  return { claimed, nextAt: null };
}

/** The mail server did not work for this long: what waited for it is not news any more. */
const EXPIRY_MS = 72 * 3_600_000;
/** What was attempted has retries until 76 hours after it was queued. */
const RETRIES_MS = 8 * 3_600_000;

async function expireUnsent(tx: Store, due: DueWebhook[], now: number): Promise<void> {
  const ids = due.filter(({ isMail }) => isMail).map(({ id }) => id);
  if (ids.length === 0) return;
  await tx
    .update(deliveries)
    .set({ status: "expired", completedAt: now, nextAttemptAt: null, dueAt: null })
    .where(
      and(
        inArray(deliveries.webhookId, ids),
        lte(deliveries.dueAt, now),
        isNull(deliveries.lease),
        sql`${deliveries.createdAt} + case when ${deliveries.attempts} = 0 then 0 else ${RETRIES_MS} end
          <= ${now - EXPIRY_MS}`,
      ),
    );
}

/** Whether deliveries to the webhook are in this node's share. */
export function isOurs({ nodes }: Pick<Deps, "nodes">, webhookId: string): boolean {
  const bucket = bucketOf(webhookId);
  return nodes.share("deliveries").has(bucket) || nodes.mailShare().has(bucket);
}

/** Webhooks by e-mail that are prepared for each place at the mail server. */
const MAIL_AHEAD = 8;

/**
 * The webhooks that have their turn now. There may be thousands for one mail server: only as many as it can take soon,
 * those that have waited longest, so that preparing the others does not hold up the rest.
 */
function inTurn({ mail }: Deps, found: Found[], held: ReadonlyMap<string, number>): Found[] {
  const isMail = ({ format }: Found) => format === "email";
  const mails = found.filter(isMail);
  const heldMails = mails.reduce((sum, { id }) => sum + (held.get(id) ?? 0), 0);
  const room = (mail?.places() ?? 0) * MAIL_AHEAD - heldMails;
  if (mails.length <= room) return found;
  const waitOf = ({ lastDeliveryAt }: Found) => lastDeliveryAt ?? 0;
  const next = mails.toSorted((a, b) => waitOf(a) - waitOf(b)).slice(0, Math.max(0, room));
  return found.filter((webhook) => !isMail(webhook) || next.includes(webhook));
}

/** Finds webhooks with due deliveries, after preparing those that need it. */
async function findReady(deps: Deps, now: number, held: ReadonlyMap<string, number>) {
  const { found: all, nextAt } = await findWork(deps, now);
  const found = inTurn(deps, all, held);
  const unprepared = found.filter(needsPreparing);
  const failed = new Set<string>();
  for (const webhook of unprepared) {
    const isReady = await prepare(deps, webhook).catch(logFailure(webhook));
    if (!isReady) failed.add(webhook.id);
  }
  const chosen = new Set(found.map(({ id }) => id));
  const again = unprepared.length > 0 ? (await findWork(deps, now)).found : found;
  const ready = again.filter(
    ({ id, isActive, isDue }) => isActive && isDue && chosen.has(id) && !failed.has(id),
  );
  return { ready, nextAt: all.length > 0 ? null : nextAt };
}

const flag = (condition: SQL) => sql`${condition}`.mapWith(Boolean);
const time = (value: SQL) => sql`${value}`.mapWith((at): number | null => Number(at));

/** Finds those of our webhooks that need any work, by a few index reads for each, and when the others do. */
async function findWork(deps: Deps, now: number) {
  const { store } = deps;
  const { id, isActive, format, lastDeliveryAt, failingSince } = webhooks;
  const { digestId, digestAt, batchDigestId } = webhooks;
  // Without a mail server, another node sends mail.
  const mailWaitMs = deps.mail?.waitMs() ?? NEVER_DUE;
  const rows = await store
    .select({
      id,
      isActive,
      format,
      lastDeliveryAt,
      failingSince,
      digestId,
      digestAt,
      batchDigestId,
      isDigestOver: flag(isDigestOver(now)),
      leased: sql`(select count(*) from deliveries d
        where d.webhook_id = webhooks.id and d.lease is not null and d.due_at > ${now})`.mapWith(
        Number,
      ),
      isInterrupted: flag(sql`exists (select 1 from deliveries
        where deliveries.webhook_id = webhooks.id and ${isLeaseOver(deps)})`),
      isDue: flag(sql`exists (select 1 from deliveries d
        where d.webhook_id = webhooks.id and d.due_at <= ${now})`),
      isSwitched: flag(sql`case when is_active = 1
        then exists (select 1 from deliveries d where d.webhook_id = webhooks.id and d.status = 'paused')
        else exists (select 1 from deliveries d
          where d.webhook_id = webhooks.id and d.due_at > 0 and d.lease is null) end`),
      nextDueAt: time(sql`(select min(d.due_at) from deliveries d
        where d.webhook_id = webhooks.id and d.due_at > ${now})`),
      nextFloodAt: time(nextDigestAt.flood),
      nextBatchAt: time(nextDigestAt.batch(now)),
    })
    .from(webhooks)
    .where(and(await areOurs(deps), mailWaitMs > 0 ? ne(format, "email") : undefined));
  const found = rows.filter(
    (webhook) =>
      webhook.isDue || webhook.isInterrupted || webhook.isSwitched || webhook.isDigestOver,
  );
  const times = rows.flatMap((row) => [row.nextDueAt, row.nextFloodAt, row.nextBatchAt]);
  const mailAt = mailWaitMs > 0 ? now + mailWaitMs : NEVER_DUE;
  const nextAt = times.reduce<number>((least, at) => Math.min(least, at ?? NEVER_DUE), mailAt);
  return { found, nextAt };
}

type Found = Awaited<ReturnType<typeof findWork>>["found"][number];

/** A condition on webhooks: they are in this node's share. Undefined if it is the only node that delivers. */
async function areOurs({ store, nodes }: Deps): Promise<SQL | undefined> {
  const [share, mail] = [nodes.share("deliveries"), nodes.mailShare()];
  if (share.isAll && mail.isAll) return undefined;
  const hasSome = share.buckets.length > 0 || mail.buckets.length > 0;
  const { id, format } = webhooks;
  const rows = hasSome ? await store.select({ id, format }).from(webhooks) : [];
  const ours = rows.filter((row) => (row.format === "email" ? mail : share).has(bucketOf(row.id)));
  return isAmong(
    store,
    ours.map((row) => row.id),
  );
}

const needsPreparing = (webhook: Found) =>
  webhook.isInterrupted || webhook.isSwitched || mayGather(webhook);

const mayGather = ({ format, isActive, digestId, batchDigestId }: Found) =>
  format !== "standard" && (isActive || digestId !== null || batchDigestId !== null);

/** Returns whether the webhook is ready; otherwise the next round continues. */
async function prepare(deps: Deps, webhook: Found): Promise<boolean> {
  if (webhook.isInterrupted) await releaseInterrupted(deps, webhook.id);
  if (webhook.isSwitched) {
    await inUnit(deps, (unit) => pauseOrResume(unit, webhook.id));
  }
  return mayGather(webhook) ? gatherDigests(deps, webhook) : true;
}

/** One webhook does not delay the others. */
const logFailure =
  ({ id: webhook }: Found) =>
  (error: unknown) => {
    log.error("failed to prepare deliveries of a webhook", { webhook, ...describeError(error) });
    return false;
  };

type Claim = { id: string; most: number; now: number };

function claim(deps: Deps, tx: Store, { id, most, now }: Claim) {
  const { webhookId, eventId, dueAt, lease, attempts, unplannedAttempts, resting } = deliveries;
  const isOfWebhook = eq(webhookId, id);
  // A delivery of a batch that was queued after digests were gathered belongs in a digest.
  const isSingle = or(eq(deliveries.ofBatch, false), isNotNull(resting));
  const oldest = selectEventIds(tx, and(isOfWebhook, lte(dueAt, now), isNull(lease), isSingle), {
    most,
    by: sql`${dueAt}, event_id`,
    isClaim: true,
  });
  return tx
    .update(deliveries)
    .set({
      ...leaseFor(deps, DELIVERY_LEASE_MS),
      status: "delivering",
      attempts: sql`${attempts} + 1`,
      unplannedAttempts: sql`${unplannedAttempts} + case when ${resting} is null then 0 else 1 end`,
    })
    .where(
      and(isOfWebhook, sql`${eventId} in ${oldest}`, isStillDue(deliveries, now), isNull(lease)),
    )
    .returning({ webhookId, eventId, lease, attempts, unplannedAttempts, resting });
}

type Claimed = Awaited<ReturnType<typeof claim>>[number];

async function withEvents(
  store: Store,
  claimed: Claimed[],
  heldUntil: number,
): Promise<ClaimedDelivery[]> {
  if (claimed.length === 0) return [];
  const ids = [...new Set(claimed.map(({ eventId }) => eventId))].map((id) => [id]);
  const rows = await store
    .select()
    .from(events)
    .where(inArray(events.id, sql`${rowsOf(store, { id: "text" }, ids)}`));
  const eventById = new Map(rows.map((event) => [event.id, event]));
  return claimed.flatMap(({ eventId, lease, unplannedAttempts, ...rest }) => {
    const event = eventById.get(eventId);
    // The event was deleted meanwhile, and the delivery with it.
    if (!event || !lease) return [];
    const scheduledAttempts = rest.attempts - unplannedAttempts;
    return [{ ...rest, event, lease, heldUntil, scheduledAttempts }];
  });
}
