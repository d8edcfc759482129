import { and, asc, count, desc, eq, inArray, isNotNull, isNull, type SQL } from "drizzle-orm";
import { auditChange, webhookTarget } from "../accounts/audit.ts";
import { lockWebhook } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import { deliveries, type WebhookRow, webhookEvents, webhooks } from "../ground/db/tables.ts";
import { foreign, limitReached, notFound } from "../ground/lib/errors.ts";
import { newId, parseId } from "../ground/lib/ids.ts";
import { logFailure } from "../ground/lib/log.ts";
import { type Page, windowOf } from "../ground/lib/paging.ts";
import type { EventType } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { inDeliverySteps } from "./delivery-steps.ts";
import { readFilters, resolveFilter, writeFilter } from "./filter.ts";
import {
  type CreatedWebhook,
  readNewWebhook,
  type WebhookQuery,
  type WebhookRecord,
} from "./model.ts";
import { admitRecipient } from "./recipients.ts";
import { newSigningSecret, sealedUrl, visibleUrl } from "./secrets.ts";
import { nextSummaryAt, type Schedule, writeSchedule } from "./summary-schedule.ts";

export async function listWebhooks(
  deps: Deps,
  caller: Caller,
  { format, ...page }: WebhookQuery,
): Promise<Page<WebhookRecord>> {
  const { store } = deps;
  const { limit, offset } = windowOf(page);
  const isOwn = and(
    eq(webhooks.accountId, caller.accountId),
    isNull(webhooks.deletedAt),
    format && eq(webhooks.format, format),
  )!;
  const [rows, total] = await Promise.all([
    store
      .select()
      .from(webhooks)
      .where(isOwn)
      .orderBy(desc(webhooks.createdAt), desc(webhooks.id))
      .limit(limit)
      .offset(offset),
    countRows(store, isOwn),
  ]);
  return { items: await visibleTo(deps, caller, rows), total };
}

/** @throws NOT_FOUND, or FORBIDDEN when it belongs to another account */
export async function findWebhook(deps: Deps, caller: Caller, id: string): Promise<WebhookRecord> {
  const rows = await deps.store
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, parseId(id) ?? ""), isNull(webhooks.deletedAt)));
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
  unit: Unit,
  caller: Caller,
  input: unknown,
): Promise<CreatedWebhook> {
  const { store, clock, secrets } = unit;
  const { url, events, format, ...rest } = readNewWebhook(unit, input);
  const {
    first_verdicts: firstVerdicts,
    name = null,
    time_zone: timeZone = null,
    filter: wanted = null,
    summary = null,
  } = rest;
  const id = newId();
  const signingSecret = newSigningSecret();
  await refuseAtLimit(unit, caller);
  const filter = await resolveFilter(unit, caller, wanted);
  const now = clock.now();
  await store.insert(webhooks).values({
    id,
    accountId: caller.accountId,
    format,
    firstVerdicts,
    isActive: true,
    filters: 0,
    name,
    timeZone,
    ...(summary && newSchedule(summary, now)),
    ...(format === "email" && (await admitRecipient(unit, caller, { id, name, url }))),
    ...sealedUrl(url, secrets),
    secret: secrets.seal(signingSecret),
    createdAt: now,
    updatedAt: now,
  });
  await store.insert(webhookEvents).values(subscriptionRows(id, events));
  const filters = await writeFilter(store, id, filter);
  await store.update(webhooks).set({ filters }).where(eq(webhooks.id, id));
  const webhook = await findWebhook(unit, caller, id);
  const target = webhookTarget(webhook);
  await auditChange(unit, caller, { action: "webhook.created", target });
  return { id, webhook, signingSecret };
}

/** Columns of a webhook whose schedule of summaries is new. The first one begins now. */
export const newSchedule = (schedule: Schedule, now: number) => ({
  summary: writeSchedule({ ...schedule, last_at: null }),
  summaryAt: nextSummaryAt(schedule, now),
  summarySince: now,
});

export const subscriptionRows = (webhookId: string, events: EventType[]) =>
  events.map((type, position) => ({ webhookId, type, position }));

async function refuseAtLimit({ store, config }: Deps, { accountId, tier }: Caller) {
  const isOwn = and(eq(webhooks.accountId, accountId), isNull(webhooks.deletedAt))!;
  const used = await countRows(store, isOwn);
  const limit = config.tierLimits[tier].webhooks;
  if (used >= limit) throw limitReached("webhooks", limit, used);
}

/**
 * Deletes a webhook with its deliveries; the result of a running attempt is dropped. It is gone from every answer at
 * once. There may be millions of deliveries, so they are deleted in steps, which housekeeping continues if they fail.
 * @throws NOT_FOUND, or FORBIDDEN when it belongs to another account
 */
export async function deleteWebhook(deps: Deps, caller: Caller, id: string): Promise<void> {
  const { id: webhookId } = await makeChange(deps, caller, async (unit) => {
    const webhook = await findAndLockWebhook(unit, caller, id);
    const now = unit.clock.now();
    await unit.store
      .update(webhooks)
      .set({ ...disabledAt(now), summaryAt: null, deletedAt: now })
      .where(eq(webhooks.id, webhook.id));
    const target = webhookTarget(webhook);
    await auditChange(unit, caller, { action: "webhook.deleted", target });
    return webhook;
  });
  await erase(deps, webhookId).catch(logDelay);
}

const logDelay = logFailure("failed to delete a webhook: housekeeping continues");

/** Erases webhooks whose deletion was cut short, until the signal. */
export async function eraseDeletedWebhooks(deps: Deps, signal?: AbortSignal): Promise<void> {
  const deleted = await deps.store
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(isNotNull(webhooks.deletedAt));
  for (const { id } of deleted) await erase(deps, id, signal);
}

async function erase(deps: Deps, webhookId: string, signal?: AbortSignal): Promise<void> {
  const { store } = deps;
  const isDone = await inDeliverySteps(
    deps,
    { webhookId },
    (isInStep) => store.delete(deliveries).where(isInStep),
    signal,
  );
  if (isDone) await store.delete(webhooks).where(eq(webhooks.id, webhookId));
}

/** Columns of a webhook that a user disables. */
export const disabledAt = (now: number) =>
  ({ isActive: false, disabledReason: "user", disabledAt: now, updatedAt: now }) as const;

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
  const filters = await readFilters(store, ids);
  return rows.map((row) => ({
    ...row,
    ...visibleUrl(row, secrets, permissions),
    events: (byId.get(row.id) ?? []).map(({ type }) => type),
    filter: filters.get(row.id) ?? null,
  }));
}
