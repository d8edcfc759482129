import { and, eq, gte, lte, or, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { type WebhookRow, webhooks } from "../ground/db/tables.ts";
import { type Attempt, isAmong } from "./delivery-steps.ts";
import { pause } from "./pause-resume.ts";
import { endsOf, isSuccess, statusCodeOf } from "./send.ts";

const HOUR_MS = 3_600_000;
/** A webhook without a success for this long is disabled, … */
const FAILING_MS = 120 * HOUR_MS;
/** … but only if deliveries of events this far apart have failed: a webhook with few events may have one bad day. */
const APART_MS = 24 * HOUR_MS;

/**
 * Stores the results of attempts, in the order in which they ended, on their webhooks. Failures after the last success
 * count: when the first was recorded, and the earliest and latest event among them. A success of a requested attempt
 * counts, its failure does not.
 */
export async function recordHealth(tx: Store, attempts: Attempt[], now: number): Promise<void> {
  const byWebhook = Map.groupBy(attempts, ({ claimed }) => claimed.webhookId);
  const rows = [...byWebhook]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, ofWebhook]) => {
      const lastSuccess = ofWebhook.findLastIndex(({ outcome }) => isSuccess(outcome));
      const failed = ofWebhook
        .slice(lastSuccess + 1)
        .filter(({ claimed }) => claimed.resting === null)
        .map(({ claimed }) => claimed.event.createdAt);
      const failing =
        failed.length > 0 ? [now, Math.min(...failed), Math.max(...failed)] : [null, null, null];
      const { outcome } = ofWebhook.at(-1)!;
      return [id, statusCodeOf(outcome), lastSuccess >= 0 ? 1 : 0, ...failing];
    });
  await tx.run(sql`
    update webhooks set last_delivery_at = ${now}, last_status_code = status_code,
      failing_since = case when has_succeeded = 1 or failing_since is null then since else failing_since end,
      failed_from = case when has_succeeded = 1 or failed_from is null or earliest < failed_from
        then earliest else failed_from end,
      failed_to = case when has_succeeded = 1 or failed_to is null or latest > failed_to
        then latest else failed_to end
    from ${rowsOf(tx, HEALTH, rows)} as noted
    where webhooks.id = noted.of_webhook
  `);
}

const HEALTH = {
  of_webhook: "text",
  status_code: "bigint",
  has_succeeded: "bigint",
  since: "bigint",
  earliest: "bigint",
  latest: "bigint",
} as const;

/** Webhooks that may have to be disabled. Of requested attempts only one that finds the receiver gone counts. */
type Suspects = { gone: string[]; failing: string[] };

export function suspectsAmong(attempts: Attempt[]): Suspects {
  const failed = attempts.filter(({ outcome }) => !isSuccess(outcome));
  const gone = failed.filter(({ outcome }) => endsOf(outcome) === "webhook");
  const failing = failed.filter(({ claimed }) => claimed.resting === null);
  const ids = (some: Attempt[]) => [...new Set(some.map(({ claimed }) => claimed.webhookId))];
  return { gone: ids(gone), failing: ids(failing) };
}

/** Disables those of the webhooks that are gone, or have been failing for too long. Returns them. */
export function disable(tx: Store, suspects: Suspects, now: number) {
  const isGone = isAmong(tx, suspects.gone);
  const isFailing = and(
    isAmong(tx, suspects.failing),
    lte(webhooks.failingSince, now - FAILING_MS),
    gte(sql`${webhooks.failedTo} - ${webhooks.failedFrom}`, APART_MS),
  );
  const reason = sql<
    WebhookRow["disabledReason"]
  >`case when ${isGone} then 'gone' else 'failing' end`;
  return tx
    .update(webhooks)
    .set({ isActive: false, disabledReason: reason, disabledAt: now, updatedAt: now })
    .where(and(eq(webhooks.isActive, true), or(isGone, isFailing)))
    .returning({ id: webhooks.id, disabledReason: webhooks.disabledReason });
}

export async function pauseSuspects(tx: Store, { gone, failing }: Suspects): Promise<void> {
  for (const id of [...new Set([...gone, ...failing])].sort()) await pause({ store: tx }, id);
}
