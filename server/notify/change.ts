import { eq } from "drizzle-orm";
import { auditChange, fieldsOf, webhookTarget } from "../accounts/audit.ts";
import { type WebhookRow, webhookEvents, webhooks } from "../ground/db/tables.ts";
import { conflict, findForChange } from "../ground/lib/errors.ts";
import { toIso } from "../ground/lib/moments.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, type Unit } from "../work/unit.ts";
import { readFilters, resolveFilter, writeFilter } from "./filter.ts";
import {
  type RotatedWebhook,
  readChange,
  type WebhookChange,
  type WebhookRecord,
} from "./model.ts";
import { cancelUnsubscribed, pauseOrResume } from "./pause-resume.ts";
import { admitRecipient, refuseUnwanted } from "./recipients.ts";
import { newSigningSecret, oldSecretsAt, sealedUrl, toOldSecrets } from "./secrets.ts";
import { nextSummaryAt, readSchedule, writeSchedule } from "./summary-schedule.ts";
import {
  disabledAt,
  findAndLockWebhook,
  findWebhook,
  newSchedule,
  subscriptionRows,
} from "./webhooks.ts";

/**
 * Changes a webhook. Enabling it clears its failures and makes paused deliveries due; disabling it pauses what has not
 * been sent. A new URL applies from the next attempt, also to older deliveries. Deliveries of event types that are no
 * longer subscribed to are cancelled.
 * @throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
 */
export async function changeWebhook(
  deps: Deps,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<WebhookRecord> {
  const found = findWebhook(deps, caller, id);
  const webhook = await findForChange(found, () => readChange(deps, null, input));
  const change = readChange(deps, webhook, input);
  if (Object.values(change).every((value) => value === undefined)) return webhook;
  await inUnit(deps, (unit) => write(unit, caller, id, change));
  // Before the loops wake: nothing of these is sent any more.
  if (change.events) await cancelUnsubscribed(deps, webhook.id);
  deps.loops.wake();
  return findWebhook(deps, caller, id);
}

async function write(unit: Unit, caller: Caller, id: string, change: WebhookChange) {
  const { store } = unit;
  const webhook = await findAndLockWebhook(unit, caller, id);
  if (change.is_active && change.url === undefined) await refuseUnwanted(unit, caller, webhook);
  await store
    .update(webhooks)
    .set({
      ...columnsOf(unit, webhook, change),
      ...(await recipientColumns(unit, caller, webhook, change)),
    })
    .where(eq(webhooks.id, webhook.id));
  if (change.filter !== undefined) {
    const before = (await readFilters(store, [webhook.id])).get(webhook.id);
    const filter = await resolveFilter(unit, caller, change.filter, before);
    const filters = await writeFilter(store, webhook.id, filter);
    await store.update(webhooks).set({ filters }).where(eq(webhooks.id, webhook.id));
  }
  if (change.events) {
    await store.delete(webhookEvents).where(eq(webhookEvents.webhookId, webhook.id));
    await store.insert(webhookEvents).values(subscriptionRows(webhook.id, change.events));
  }
  if (change.is_active !== undefined || change.url !== undefined) {
    await pauseOrResume(unit, webhook.id);
  }
  const { isActive: is_active, firstVerdicts: first_verdicts, timeZone: time_zone } = webhook;
  await auditChange(unit, caller, {
    action: "webhook.changed",
    target: webhookTarget(webhook),
    fields: fieldsOf(change, { ...webhook, is_active, first_verdicts, time_zone }),
  });
}

function columnsOf(
  { secrets, clock }: Deps,
  webhook: WebhookRow,
  { url, is_active: isActive, first_verdicts: firstVerdicts, ...change }: WebhookChange,
): Partial<WebhookRow> {
  const now = clock.now();
  const { name, time_zone, events, summary } = change;
  return {
    updatedAt: now,
    ...(url !== undefined && sealedUrl(url, secrets)),
    ...(firstVerdicts !== undefined && { firstVerdicts }),
    ...(name !== undefined && { name }),
    ...(time_zone !== undefined && { timeZone: time_zone }),
    ...(isActive === true && ENABLED),
    ...scheduleColumns(webhook, { events, summary, isActive }, now),
    // A webhook that is disabled already keeps its reason.
    ...(isActive === false && webhook.isActive && disabledAt(now)),
  };
}

type Rescheduling = Pick<WebhookChange, "events" | "summary"> & { isActive: boolean | undefined };

/** A schedule goes with its event. After a pause the next summary is at its time, over all that was missed. */
function scheduleColumns(
  webhook: WebhookRow,
  { events, summary, isActive }: Rescheduling,
  now: number,
): Partial<WebhookRow> {
  if (summary) {
    const fresh = newSchedule(summary, now);
    if (webhook.summary === null) return fresh;
    const { last_at } = readSchedule(webhook.summary);
    const { summaryAt } = fresh;
    return { summary: writeSchedule({ ...summary, last_at }), summaryAt };
  }
  const isDropped = summary === null || (events && !events.includes("summary.ready"));
  if (isDropped) return { summary: null, summaryAt: null, summarySince: null };
  if (!isActive || webhook.summary === null) return {};
  return { summaryAt: nextSummaryAt(readSchedule(webhook.summary), now) };
}

/** Another address has to agree for itself, and the one before hears no more. */
async function recipientColumns(
  deps: Deps,
  caller: Caller,
  { id, name, format, url, disabledReason }: WebhookRecord,
  change: WebhookChange,
): Promise<Partial<WebhookRow>> {
  if (format !== "email" || change.url === undefined || change.url === url) return {};
  const columns = await admitRecipient(deps, caller, { id, name, url: change.url });
  // It waited for the address before.
  const isWaiting = disabledReason === "unconfirmed" || disabledReason === "unsubscribed";
  return isWaiting && !("isActive" in columns) ? ENABLED : columns;
}

const ENABLED = {
  isActive: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  failedFrom: null,
  failedTo: null,
};

/** Most old secrets that sign as well: each makes every message longer. */
const MOST_OLD_SECRETS = 2;

/**
 * Gives a webhook a new signing secret. For `graceSeconds` messages are signed with the old one as well, so that the
 * receiver can switch at any time; 0 ends all old secrets now, as after a leak.
 * @throws NOT_FOUND, FORBIDDEN; CONFLICT when too many old secrets still sign
 */
export async function rotateSecret(
  unit: Unit,
  caller: Caller,
  id: string,
  graceSeconds: number,
): Promise<RotatedWebhook> {
  const { store, clock, secrets } = unit;
  const now = clock.now();
  const before = await findAndLockWebhook(unit, caller, id);
  const old = graceSeconds > 0 ? withOneMore(before, now, graceSeconds) : [];
  const signingSecret = newSigningSecret();
  const secret = secrets.seal(signingSecret);
  const changed = { secret, oldSecrets: toOldSecrets(old), updatedAt: now };
  await store.update(webhooks).set(changed).where(eq(webhooks.id, before.id));
  const target = webhookTarget(before);
  await auditChange(unit, caller, { action: "webhook.secret_rotated", target });
  return {
    id: before.id,
    webhook: { ...before, ...changed },
    signingSecret,
    oldSecretsExpireAt: old.map(({ expires_at: expiresAt }) => expiresAt),
  };
}

function withOneMore(webhook: WebhookRow, now: number, graceSeconds: number) {
  const old = oldSecretsAt(webhook, now);
  if (old.length >= MOST_OLD_SECRETS) throw tooManySecrets(old);
  return [{ secret: webhook.secret, expires_at: now + graceSeconds * 1000 }, ...old];
}

function tooManySecrets(old: { expires_at: number }[]) {
  const firstExpiresAt = toIso(Math.min(...old.map(({ expires_at: expiresAt }) => expiresAt)));
  return conflict(
    `${old.length} old secrets still sign. Rotate again after ${firstExpiresAt}, when the first of ` +
      "them expires, or with a grace_period_seconds of 0.",
    { reason: "too_many_secrets", firstExpiresAt },
  );
}
