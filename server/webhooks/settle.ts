import { type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../db/store.ts";
import { log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { nextAttemptAt } from "./retry.ts";
import { isSuccess, type Outcome, statusCodeOf } from "./send.ts";
import { disable, noteOnWebhooks, pauseSuspects, suspectsAmong } from "./webhook-health.ts";

/** A finished attempt. */
export type Attempt = {
  claimed: ClaimedDelivery;
  outcome: Exclude<Outcome, { kind: "aborted" }>;
  /** Result of `Math.random`: spreads the wait until the next attempt. */
  random: number;
};

/**
 * Records attempts in one transaction: a delivery only while it is held under the lease it was claimed with, its
 * webhook in any case. Webhooks are written before deliveries, as in every transaction, so that two processes never
 * wait for each other.
 */
export async function settle(deps: Deps, attempts: Attempt[]): Promise<void> {
  const now = deps.clock.now();
  const rows = attempts.map((attempt) => cellsOf(deps.config, attempt, now));
  const suspects = suspectsAmong(attempts);
  const disabled = await deps.store.transaction(async (tx) => {
    await noteOnWebhooks(tx, attempts, now);
    const disabled = await disable(tx, suspects, now);
    await archiveLastAttempts(tx, heldAgain(tx, attempts));
    await changeDeliveries(tx, rows, isInRange(attempts));
    await pauseSuspects(tx, suspects);
    return disabled;
  });
  for (const { id, disabledReason: reason } of disabled) {
    log.warn("webhook disabled", { webhook: id, reason });
  }
}

/**
 * Moves the latest attempts of deliveries to the earlier ones, before others replace them.
 * @param which what follows `from`: deliveries that have one
 */
export async function archiveLastAttempts(tx: Store, which: SQL): Promise<void> {
  await tx.run(sql`
    insert into delivery_attempts (webhook_id, event_id, number, trigger_kind, started_at, duration_ms, status_code,
      error, content_type, body, truncated)
    select webhook_id, event_id, attempts - 1, last_trigger, last_started_at, last_duration_ms, last_status_code,
      last_error, last_content_type, last_body, last_truncated
    from ${which}
  `);
}

const CELLS = {
  of_webhook: "text",
  of_event: "text",
  old_lease: "text",
  new_status: "text",
  /** 1: a requested attempt failed, and the schedule stays as it is. */
  keeps_schedule: "bigint",
  new_next: "bigint",
  new_completed: "bigint",
  attempt_trigger: "text",
  started_at: "bigint",
  duration_ms: "bigint",
  status_code: "bigint",
  error: "text",
  content_type: "text",
  body: "text",
  truncated: "bigint",
} as const;

/** In the order of `CELLS`. */
function cellsOf(config: Deps["config"], attempt: Attempt, now: number) {
  const { claimed, outcome } = attempt;
  const answer = outcome.kind === "answered" ? outcome : null;
  return [
    ...[claimed.webhookId, claimed.event.id, claimed.lease],
    ...changeOf(config, attempt, now),
    claimed.resting === null ? "scheduled" : "manual",
    ...[outcome.startedAt, outcome.durationMs, statusCodeOf(outcome)],
    ...[outcome.kind === "failed" ? outcome.error : null, answer?.contentType ?? null],
    ...[answer?.body ?? null, answer?.truncated ? 1 : 0],
  ];
}

/** Returns the new status, whether the schedule stays, the next attempt, and when the delivery was completed. */
function changeOf(config: Deps["config"], { claimed, outcome, random }: Attempt, now: number) {
  if (isSuccess(outcome)) return ["succeeded", 0, null, now];
  if (claimed.resting !== null) return [claimed.resting, 1, null, null];
  const next = nextAttemptAt({
    attempts: claimed.scheduledAttempts,
    outcome,
    now,
    retrySeconds: config.webhookRetrySeconds,
    random,
  });
  return next === null ? ["exhausted", 0, null, now] : ["failed", 0, next, null];
}

type Cells = ReturnType<typeof cellsOf>[];

/** Selects deliveries that are still held and have been attempted before. */
function heldAgain(tx: Store, attempts: Attempt[]): SQL {
  const rows = attempts.map(({ claimed }) => [claimed.webhookId, claimed.event.id, claimed.lease]);
  return sql`${rowsOf(tx, HELD, rows)} as done join deliveries
    on webhook_id = of_webhook and event_id = of_event and lease = old_lease
    where last_started_at is not null and ${isInRange(attempts)}`;
}

const HELD = { of_webhook: "text", of_event: "text", old_lease: "text" } as const;

/** From the first to the last event: otherwise PostgreSQL may scan a table that it expects to be small. */
function isInRange(attempts: Attempt[]): SQL {
  const ids = attempts.map(({ claimed }) => claimed.event.id).sort();
  return sql`deliveries.event_id between ${ids[0]} and ${ids.at(-1)}`;
}

async function changeDeliveries(tx: Store, rows: Cells, isInRange: SQL): Promise<void> {
  await tx.run(sql`
    update deliveries set status = new_status, lease = null, resting = null,
      next_attempt_at = case when keeps_schedule = 1 then next_attempt_at else new_next end,
      due_at = case when keeps_schedule = 1 then next_attempt_at else new_next end,
      completed_at = coalesce(new_completed, completed_at),
      last_trigger = attempt_trigger, last_started_at = started_at, last_duration_ms = duration_ms,
      last_status_code = status_code, last_error = error, last_content_type = content_type,
      last_body = body, last_truncated = truncated
    from ${rowsOf(tx, CELLS, rows)} as done
    where deliveries.webhook_id = of_webhook and deliveries.event_id = of_event and deliveries.lease = old_lease
      and ${isInRange}
  `);
}
