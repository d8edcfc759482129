import { and, eq, sql } from "drizzle-orm";
import { fieldsOf, isThere, onRecord } from "../accounts/audit/record.ts";
import { webhookTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import type { Statement } from "../db/store.ts";
import { type EventType, type WebhookRow, webhookEvents, webhooks } from "../db/tables.ts";
import { findForChange } from "../lib/errors.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { cancelUnwanted, follow, UNSENT } from "./follow.ts";
import type { WebhookChange, WebhookRecord } from "./model.ts";
import { readChange } from "./read.ts";
import { sealedUrl } from "./webhook-url.ts";
import { findWebhook } from "./webhooks.ts";

/**
 * Switching on forgives all failures and makes due what was held back; switching off holds back what
 * is not sent yet. A new URL counts from the next attempt, also for what is older. What waits to tell of an
 * event type that is wanted no more is cancelled.
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
  const now = deps.clock.now();
  const isIt = and(eq(webhooks.id, webhook.id), eq(webhooks.accountId, caller.accountId));
  await deps.store.write([
    ...onRecord(deps, caller, {
      action: "webhook.changed",
      target: webhookTarget(webhook),
      fields: fieldsOf(change, {
        ...webhook,
        is_active: webhook.isActive,
        first_verdicts: webhook.firstVerdicts,
      }),
      onlyIf: isThere(deps.store, webhooks, isIt),
    }),
    deps.store
      .update(webhooks)
      .set({ ...columnsOf(deps, webhook, change, now), updatedAt: now })
      .where(isIt),
    ...(change.events ? subscribe(deps, webhook.id, change.events) : []),
    ...(change.is_active === undefined ? [] : follow(deps, webhook.id)),
  ]);
  if (change.events) await cancelUnsubscribed(deps, webhook.id);
  deps.loops.wake();
  return findWebhook(deps, caller, id);
}

function columnsOf(
  { secrets }: Deps,
  webhook: WebhookRecord,
  { url, is_active: isActive, first_verdicts: firstVerdicts }: WebhookChange,
  now: number,
): Partial<WebhookRow> {
  return {
    ...(url !== undefined && sealedUrl(url, secrets)),
    ...(firstVerdicts !== undefined && { firstVerdicts }),
    ...(isActive === true && ON),
    // What is off already keeps the reason why.
    ...(isActive === false &&
      webhook.isActive && { isActive, disabledReason: "user" as const, disabledAt: now }),
  };
}

const ON = {
  ...{ isActive: true, disabledReason: null, disabledAt: null },
  ...{ failingSince: null, failedFrom: null, failedTo: null },
};

/** Selected from the webhook, since it may be deleted at the same moment. */
function subscribe({ store }: Deps, webhookId: string, types: EventType[]): Statement[] {
  return [
    store.delete(webhookEvents).where(eq(webhookEvents.webhookId, webhookId)),
    ...types.map((type, position) =>
      store.run(sql`
        insert into ${webhookEvents} (webhook_id, type, position)
        select id, cast(${type} as text), cast(${position} as bigint) from ${webhooks} where id = ${webhookId}`),
    ),
  ];
}

async function cancelUnsubscribed(deps: Deps, webhookId: string): Promise<void> {
  for (const status of UNSENT) {
    let after: string | null = "";
    await inSteps(deps.clock, async (rows) => {
      after = await cancelUnwanted(deps, webhookId, { status, after: after ?? "", rows });
      return after === null ? 0 : rows;
    });
  }
}
