import { and, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import type { Statement } from "../store/store.ts";
import { deliveries, type WebhookRow, webhooks } from "../store/tables.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { pauseIfOff } from "./pause.ts";
import { nextAttemptAt } from "./retry.ts";
import { isSuccess, type Outcome, statusCodeOf } from "./send.ts";

const HOUR_MS = 3_600_000;
/** A webhook without one success for so long is switched off, … */
const FAILING_MS = 120 * HOUR_MS;
/** … but only when two of its deliveries, so far apart, have failed: a quiet one may have one bad day. */
const APART_MS = 24 * HOUR_MS;
/** RFC 9110 §15.5.11: the receiver says that it is gone for good. */
const GONE = 410;

export type Settled = Exclude<Outcome, { kind: "aborted" }>;

/**
 * Records what an attempt came to: the delivery only while it is held under the lease it was claimed
 * with, the webhook in any case. Webhooks are written before deliveries, here as in every batch, so
 * that two processes never wait for each other.
 */
export async function settle(
  deps: Deps,
  claimed: ClaimedDelivery,
  outcome: Settled,
  random: () => number,
): Promise<void> {
  const statements = isSuccess(outcome)
    ? successOf(deps, claimed, outcome)
    : failureOf(deps, claimed, outcome, random);
  await deps.store.write(statements);
}

function successOf(deps: Deps, claimed: ClaimedDelivery, outcome: Settled): Statement[] {
  const now = deps.clock.now();
  return [
    noteAttempt(deps, claimed, outcome, { failingSince: null }),
    changeDelivery(deps, claimed, outcome, { status: "succeeded", completedAt: now }),
  ];
}

function failureOf(
  deps: Deps,
  claimed: ClaimedDelivery,
  outcome: Settled,
  random: () => number,
): Statement[] {
  const now = deps.clock.now();
  const retrySeconds = deps.config.webhookRetrySeconds;
  const next = nextAttemptAt({ attempts: claimed.attempts, outcome, now, retrySeconds, random });
  return [
    noteAttempt(deps, claimed, outcome, {
      failingSince: sql`coalesce(${webhooks.failingSince}, ${now})`,
    }),
    switchOff(deps, claimed, outcome),
    changeDelivery(
      deps,
      claimed,
      outcome,
      next === null
        ? { status: "exhausted", completedAt: now }
        : { status: "failed", nextAttemptAt: next },
    ),
    pauseIfOff(deps, claimed.webhook.id),
  ];
}

function noteAttempt(
  { store, clock }: Deps,
  { webhook }: ClaimedDelivery,
  outcome: Settled,
  change: { failingSince: SQL | null },
): Statement {
  return store
    .update(webhooks)
    .set({ lastDeliveryAt: clock.now(), lastStatusCode: statusCodeOf(outcome), ...change })
    .where(eq(webhooks.id, webhook.id));
}

function changeDelivery(
  { store }: Deps,
  { event, webhook, lease }: ClaimedDelivery,
  outcome: Settled,
  change: Partial<typeof deliveries.$inferInsert>,
): Statement {
  return store
    .update(deliveries)
    .set({
      ...change,
      lease: null,
      lastStatusCode: statusCodeOf(outcome),
      lastError: outcome.kind === "failed" ? outcome.error : null,
      lastDurationMs: outcome.durationMs,
    })
    .where(
      and(
        eq(deliveries.eventId, event.id),
        eq(deliveries.webhookId, webhook.id),
        eq(deliveries.lease, lease),
      ),
    );
}

function switchOff(deps: Deps, claimed: ClaimedDelivery, outcome: Settled): Statement {
  const now = deps.clock.now();
  const isGone = statusCodeOf(outcome) === GONE;
  const disabledReason: WebhookRow["disabledReason"] = isGone ? "gone" : "failing";
  return deps.store
    .update(webhooks)
    .set({ isActive: false, disabledReason, disabledAt: now, updatedAt: now })
    .where(
      and(
        eq(webhooks.id, claimed.webhook.id),
        eq(webhooks.isActive, true),
        isGone ? undefined : isFailing(deps, claimed, now),
      ),
    );
}

function isFailing({ store }: Deps, { event, webhook }: ClaimedDelivery, now: number) {
  const { webhookId, status, completedAt, createdAt, attempts } = deliveries;
  const another = store
    .select({ one: sql`1` })
    .from(deliveries)
    .where(
      and(
        eq(webhookId, webhook.id),
        inArray(status, ["failed", "exhausted"]),
        sql`${attempts} > 0`,
        or(isNull(completedAt), sql`${completedAt} >= ${webhooks.failingSince}`),
        sql`abs(${createdAt} - ${event.createdAt}) >= ${APART_MS}`,
      ),
    );
  return and(lte(webhooks.failingSince, now - FAILING_MS), sql`exists ${another}`);
}
