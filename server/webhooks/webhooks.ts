import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { isNotTold, isThere, onRecord } from "../accounts/audit/record.ts";
import { webhookTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { asSeen, onlyWhile } from "../db/as-seen.ts";
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
import { oneAtATime } from "../lib/lock.ts";
import { type Page, type PageQuery, windowOf } from "../lib/paging.ts";
import { inSteps } from "../lib/steps.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import type { NewWebhook, WebhookRecord } from "./model.ts";
import { readNewWebhook } from "./read.ts";
import { newSigningSecret } from "./sign.ts";
import { sealedUrl, urlFor } from "./webhook-url.ts";

/** A webhook and its signing secret, which exists in clear only here and in one reply. */
type FreshWebhook = { id: string; webhook: WebhookRecord; signingSecret: string };

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
  return { items: await asSeenBy(deps, caller, rows), total };
}

/** @throws NOT_FOUND, or FORBIDDEN when it belongs to another account */
export async function findWebhook(deps: Deps, caller: Caller, id: string): Promise<WebhookRecord> {
  const rows = await deps.store
    .select()
    .from(webhooks)
    .where(eq(webhooks.id, parseId(id) ?? ""));
  const [webhook] = await asSeenBy(deps, caller, rows);
  if (!webhook) throw notFound("webhook");
  if (webhook.accountId !== caller.accountId) throw foreign("webhook");
  return webhook;
}

/** @throws VALIDATION_ERROR with every problem at once; CONFLICT at the account's limit */
export async function createWebhook(
  deps: Deps,
  caller: Caller,
  input: unknown,
  receipt: Receipt<FreshWebhook> = noReceipt,
): Promise<FreshWebhook> {
  const given = readNewWebhook(deps, input);
  const create = async () => {
    await refuseAtLimit(deps, caller);
    const fresh = freshWebhook(deps, caller, given);
    const { events, urlState: _, ...row } = fresh.webhook;
    await deps.store.write([
      ...onRecord(deps, caller, { action: "webhook.created", target: webhookTarget(row) }),
      ...onlyBelowLimit(deps, caller),
      deps.store.insert(webhooks).values({ ...row, ...sealedUrl(row.url, deps.secrets) }),
      deps.store.insert(webhookEvents).values(subscriptionsOf(row.id, events)),
      ...receipt(fresh),
    ]);
    return fresh;
  };
  return oneAtATime(caller.accountId, () => asSeen(create));
}

/**
 * What waits for it goes with it; an attempt under way ends without a trace. From the first moment on nothing is
 * sent there; its deliveries go in steps, since there may be very many, and then the webhook itself.
 */
export async function deleteWebhook(deps: Deps, caller: Caller, id: string): Promise<void> {
  const webhook = await findWebhook(deps, caller, id);
  await oneAtATime(`delete ${webhook.id}`, () => deleteInSteps(deps, caller, webhook));
}

async function deleteInSteps(deps: Deps, caller: Caller, webhook: WebhookRow): Promise<void> {
  const { store, clock } = deps;
  const now = clock.now();
  const off = { isActive: false, disabledReason: "user", disabledAt: now, updatedAt: now } as const;
  const isIt = and(eq(webhooks.id, webhook.id), eq(webhooks.accountId, caller.accountId));
  const action = "webhook.deleted";
  await store.write([
    ...onRecord(deps, caller, {
      action,
      target: webhookTarget(webhook),
      onlyIf: and(
        isThere(store, webhooks, isIt),
        isNotTold(store, caller.accountId, { action, id: webhook.id }),
      ),
    }),
    store
      .update(webhooks)
      .set(off)
      .where(and(isIt, eq(webhooks.isActive, true))),
  ]);
  await inSteps(clock, (rows) => deleteDeliveries(store, webhook.id, rows));
  await store.delete(webhooks).where(isIt);
}

/** @returns how many it found, also if another process was quicker to delete them */
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

const countWebhooks = ({ store }: Deps, accountId: string): Promise<number> =>
  countRows(store, eq(webhooks.accountId, accountId));

async function countRows(store: Store, matches: SQL): Promise<number> {
  const [counted] = await store.select({ total: count() }).from(webhooks).where(matches);
  return counted!.total;
}

/** With their events, and with as much of the URL as the caller may see. */
async function asSeenBy(
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
    ...urlFor(row, secrets, permissions),
    events: (byId.get(row.id) ?? []).map(({ type }) => type),
  }));
}

async function refuseAtLimit(deps: Deps, { accountId, tier }: Caller) {
  const used = await countWebhooks(deps, accountId);
  const limit = deps.config.tierLimits[tier].webhooks;
  if (used >= limit) throw limitReached("webhooks", limit, used);
}

const onlyBelowLimit = ({ store, config }: Deps, { accountId, accountNo, tier }: Caller) =>
  onlyWhile(
    store,
    accountNo,
    sql`(select count(*) from webhooks where account_id = ${accountId}) < ${config.tierLimits[tier].webhooks}`,
  );

function freshWebhook(
  { clock, secrets }: Deps,
  { accountId }: Caller,
  { url, events, format, first_verdicts: firstVerdicts }: NewWebhook,
): FreshWebhook {
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
    sealedUrl: null,
    firstVerdicts,
    batchDigestId: null,
    batchDigestAt: null,
    urlState: "full",
    events,
  };
  return { id: webhook.id, webhook, signingSecret };
}

const subscriptionsOf = (webhookId: string, events: EventType[]) =>
  events.map((type, position) => ({ webhookId, type, position }));
