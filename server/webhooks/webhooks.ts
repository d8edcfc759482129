import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { auditChange, isRecorded, webhookTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { lockAccounts, lockWebhook } from "../db/queries.ts";
import { rowsOf, type Store } from "../db/store.ts";
import {
  deliveries,
  type EventType,
  type WebhookRow,
  webhookEvents,
  webhooks,
} from "../db/tables.ts";
import { foreign, limitReached, notFound } from "../lib/errors.ts";
import { newId, parseId } from "../lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../lib/paging.ts";
import { inSteps } from "../lib/steps.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { type NewWebhook, readNewWebhook, type WebhookRecord } from "./model.ts";
import { newSigningSecret, shortUrl, visibleUrl } from "./secrets.ts";

/** A webhook with its signing secret in plain text, which only the reply to its creation contains. */
type CreatedWebhook = { id: string; webhook: WebhookRecord; signingSecret: string };

export async function listWebhooks(
  deps: Deps,
  caller: Caller,
  page: PageQuery,
): Promise<Page<WebhookRecord>> {
  const { store } = deps;
  const { limit, offset } = windowOf(page);
  const matches = eq(webhooks.accountId, caller.accountId);
  const [rows, total] = await Promise.all([
    store
      .select()
      .from(webhooks)
      .where(matches)
      .orderBy(desc(webhooks.createdAt), desc(webhooks.id))
      .limit(limit)
      .offset(offset),
    countRows(store, matches),
  ]);
  return { items: await visibleTo(deps, caller, rows), total };
}

/** @throws NOT_FOUND, or FORBIDDEN when it belongs to another account */
export async function findWebhook(deps: Deps, caller: Caller, id: string): Promise<WebhookRecord> {
  const rows = await deps.store
    .select()
    .from(webhooks)
    .where(eq(webhooks.id, parseId(id) ?? ""));
  const [webhook] = await visibleTo(deps, caller, rows);
  if (!webhook) throw notFound("webhook");
  if (webhook.accountId !== caller.accountId) throw foreign("webhook");
  return webhook;
}

/**
 * Locks a webhook until the transaction ends and returns it. `deps.store` is the transaction.
 * @throws NOT_FOUND, or FORBIDDEN when it belongs to another account
 */
export async function findAndLockWebhook(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<WebhookRecord> {
  await lockWebhook(deps.store, parseId(id) ?? "");
  return findWebhook(deps, caller, id);
}

/** @throws VALIDATION_ERROR with every problem at once; CONFLICT at the account's limit */
export async function createWebhook(
  deps: Deps,
  caller: Caller,
  input: unknown,
  saveReply: SaveReply<CreatedWebhook> = saveNoReply,
): Promise<CreatedWebhook> {
  const created = newWebhook(deps, caller, readNewWebhook(deps, input));
  const { events, urlState: _, ...row } = created.webhook;
  await deps.store.transaction(async (tx) => {
    const inTx = { ...deps, store: tx };
    await lockAccounts(tx, [caller.accountNo]);
    await refuseAtLimit(inTx, caller);
    await tx.insert(webhooks).values({ ...row, url: shortUrl(row.url) });
    await tx.insert(webhookEvents).values(subscriptionRows(row.id, events));
    const target = webhookTarget(row);
    await auditChange(inTx, caller, { action: "webhook.created", target });
    await saveReply(tx, created);
  });
  return created;
}

/**
 * Deletes a webhook with its deliveries; the result of a running attempt is dropped. The webhook is switched off first,
 * so that nothing more is sent. There may be millions of deliveries, so they are deleted in steps.
 */
export async function deleteWebhook(deps: Deps, caller: Caller, id: string): Promise<void> {
  const webhook = await findWebhook(deps, caller, id);
  await beginDeletion(deps, caller, webhook);
  await inSteps(deps.clock, (rows) => deleteDeliveries(deps.store, webhook.id, rows));
  await deps.store.delete(webhooks).where(eq(webhooks.id, webhook.id));
}

/** Switches the webhook off and records the deletion, unless an earlier request has done so and was interrupted. */
async function beginDeletion(deps: Deps, caller: Caller, { id }: WebhookRow): Promise<void> {
  const action = "webhook.deleted";
  await deps.store.transaction(async (tx) => {
    const inTx = { ...deps, store: tx };
    const webhook = await findAndLockWebhook(inTx, caller, id);
    if (webhook.isActive) await tx.update(webhooks).set(offAt(deps.clock.now())).where(isIt(id));
    if (await isRecorded(tx, caller.accountId, { action, id })) return;
    await auditChange(inTx, caller, { action, target: webhookTarget(webhook) });
  });
}

const isIt = (id: string) => eq(webhooks.id, id);

const offAt = (now: number) =>
  ({ isActive: false, disabledReason: "user", disabledAt: now, updatedAt: now }) as const;

/** @returns how many it found, including those that another process deleted first */
async function deleteDeliveries(store: Store, webhookId: string, rows: number): Promise<number> {
  const isOfWebhook = eq(deliveries.webhookId, webhookId);
  const found = await store
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(isOfWebhook)
    .orderBy(deliveries.eventId)
    .limit(rows);
  const named = rowsOf(
    store,
    { id: "text" },
    found.map(({ eventId }) => [eventId]),
  );
  await store
    .delete(deliveries)
    .where(and(isOfWebhook, inArray(deliveries.eventId, sql`${named}`)));
  return found.length;
}

async function countRows(store: Store, matches: SQL): Promise<number> {
  const [counted] = await store.select({ total: count() }).from(webhooks).where(matches);
  return counted!.total;
}

/** Adds the subscribed events, and reduces the URL to what the caller may see. */
async function visibleTo(
  { store, secrets }: Deps,
  { permissions }: Caller,
  rows: WebhookRow[],
): Promise<WebhookRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const subscriptions = await store
    .select()
    .from(webhookEvents)
    .where(inArray(webhookEvents.webhookId, ids))
    .orderBy(asc(webhookEvents.position), asc(webhookEvents.webhookId));
  const byId = Map.groupBy(subscriptions, ({ webhookId }) => webhookId);
  return rows.map((row) => ({
    ...row,
    ...visibleUrl(row, secrets, permissions),
    events: (byId.get(row.id) ?? []).map(({ type }) => type),
  }));
}

async function refuseAtLimit({ store, config }: Deps, { accountId, tier }: Caller) {
  const used = await countRows(store, eq(webhooks.accountId, accountId));
  const limit = config.tierLimits[tier].webhooks;
  if (used >= limit) throw limitReached("webhooks", limit, used);
}

function newWebhook(
  { clock, secrets }: Deps,
  { accountId }: Caller,
  { url, events, format, first_verdicts: firstVerdicts }: NewWebhook,
): CreatedWebhook {
  const now = clock.now();
  const signingSecret = newSigningSecret();
  const webhook: WebhookRecord = {
    id: newId(),
    accountId,
    url,
    isActive: true,
    secret: secrets.seal(signingSecret),
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    lastDeliveryAt: null,
    lastStatusCode: null,
    createdAt: now,
    updatedAt: now,
    format,
    oldSecrets: null,
    failedFrom: null,
    failedTo: null,
    digestId: null,
    digestAt: null,
    sealedUrl: secrets.seal(url),
    firstVerdicts,
    batchDigestId: null,
    batchDigestAt: null,
    urlState: "full",
    events,
  };
  return { id: webhook.id, webhook, signingSecret };
}

export const subscriptionRows = (webhookId: string, events: EventType[]) =>
  events.map((type, position) => ({ webhookId, type, position }));
