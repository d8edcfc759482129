import { and, eq, gte, lte, or, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import { type WebhookRow, webhooks } from "../db/tables.ts";
import { log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { holdBack } from "./follow.ts";
import { nextAttemptAt } from "./retry.ts";
import { isSuccess, type Outcome, statusCodeOf } from "./send.ts";

const HOUR_MS = 3_600_000;
/** A webhook without one success for so long is switched off, … */
const FAILING_MS = 120 * HOUR_MS;
/** … but only when two of its deliveries, so far apart, have failed: a quiet one may have one bad day. */
const APART_MS = 24 * HOUR_MS;
/** RFC 9110 §15.5.11: the receiver says that it is gone for good. */
const GONE = 410;

/** An attempt that came to its end. */
export type Attempt = {
  claimed: ClaimedDelivery;
  outcome: Exclude<Outcome, { kind: "aborted" }>;
  /** As `Math.random` gave it: spreads the wait until the next attempt. */
  random: number;
};

/**
 * Records what attempts came to, all of them in one batch: a delivery only while it is held under the lease it
 * was claimed with, its webhook in any case. Webhooks are written before deliveries, here as in every batch,
 * so that two processes never wait for each other.
 */
export async function settle(deps: Deps, attempts: Attempt[]): Promise<void> {
  const { store } = deps;
  const rows = attempts.map((attempt) => cellsOf(deps, attempt));
  const suspects = suspectsAmong(attempts);
  const [, switchedOff] = await store.batch([
    noteOnWebhooks(deps, attempts),
    switchOff(deps, suspects),
    keepLastAttempts(store, heldAgain(store, attempts)),
    changeDeliveries(store, rows, isNear(attempts)),
    ...[...new Set([...suspects.gone, ...suspects.failing])].sort().map((id) => holdBack(deps, id)),
  ]);
  for (const { id, disabledReason: reason } of switchedOff) {
    log.warn("a webhook was switched off", { webhook: id, reason });
  }
}

/**
 * Moves the latest attempts of deliveries to the earlier ones, before another takes their place.
 * @param which what stands after `from`: deliveries that have one
 */
export const keepLastAttempts = (store: Store, which: SQL): Statement =>
  store.run(sql`
    insert into delivery_attempts (webhook_id, event_id, number, trigger_kind, started_at, duration_ms, status_code,
      error, content_type, body, truncated)
    select webhook_id, event_id, attempts - 1, last_trigger, last_started_at, last_duration_ms, last_status_code,
      last_error, last_content_type, last_body, last_truncated
    from ${which}
  `);

const CELLS = {
  of_webhook: "text",
  of_event: "text",
  old_lease: "text",
  new_status: "text",
  /** 1: the schedule stays as it is, since somebody asked for this attempt and it failed. */
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
function cellsOf(deps: Deps, { claimed, outcome, random }: Attempt) {
  const answer = outcome.kind === "answered" ? outcome : null;
  return [
    ...[claimed.webhookId, claimed.event.id, claimed.lease],
    ...changeOf(deps, { claimed, outcome, random }),
    claimed.resting === null ? "scheduled" : "manual",
    ...[outcome.startedAt, outcome.durationMs, statusCodeOf(outcome)],
    ...[outcome.kind === "failed" ? outcome.error : null, answer?.contentType ?? null],
    ...[answer?.body ?? null, answer?.truncated ? 1 : 0],
  ];
}

/** The delivery's new status, whether its schedule stays, its next attempt, and when it was completed. */
function changeOf({ clock, config }: Deps, { claimed, outcome, random }: Attempt) {
  const now = clock.now();
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

/** The deliveries that are still held, of those that have been attempted before. */
function heldAgain(store: Store, attempts: Attempt[]): SQL {
  const rows = attempts.map(({ claimed }) => [claimed.webhookId, claimed.event.id, claimed.lease]);
  return sql`${rowsOf(store, HELD, rows)} as done join deliveries
    on webhook_id = of_webhook and event_id = of_event and lease = old_lease
    where last_started_at is not null and ${isNear(attempts)}`;
}

const HELD = { of_webhook: "text", of_event: "text", old_lease: "text" } as const;

/** Between the first and the last event: else PostgreSQL may look through a whole table that it thinks small. */
function isNear(attempts: Attempt[]): SQL {
  const ids = attempts.map(({ claimed }) => claimed.event.id).sort();
  return sql`deliveries.event_id between ${ids[0]} and ${ids.at(-1)}`;
}

const changeDeliveries = (store: Store, rows: Cells, isOneOf: SQL): Statement =>
  store.run(sql`
    update deliveries set status = new_status, lease = null, resting = null,
      next_attempt_at = case when keeps_schedule = 1 then next_attempt_at else new_next end,
      due_at = case when keeps_schedule = 1 then next_attempt_at else new_next end,
      completed_at = coalesce(new_completed, completed_at),
      last_trigger = attempt_trigger, last_started_at = started_at, last_duration_ms = duration_ms,
      last_status_code = status_code, last_error = error, last_content_type = content_type,
      last_body = body, last_truncated = truncated
    from ${rowsOf(store, CELLS, rows)} as done
    where deliveries.webhook_id = of_webhook and deliveries.event_id = of_event and deliveries.lease = old_lease
      and ${isOneOf}
  `);

/** What attempts, in the order in which they ended, say about their webhook. */
type Noted = {
  statusCode: number;
  /** Something succeeded, so that earlier failures are forgiven. */
  isForgiven: boolean;
  /** Of those that failed after that: when the first did, and the earliest and latest event among them. */
  failing: { since: number; from: number; to: number } | null;
};

function noteOnWebhooks({ store, clock }: Deps, attempts: Attempt[]) {
  const now = clock.now();
  const noted = new Map<string, Noted>();
  for (const attempt of attempts) {
    const { webhookId } = attempt.claimed;
    noted.set(webhookId, noteOf(noted.get(webhookId), attempt, now));
  }
  const rows = [...noted]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { statusCode, isForgiven, failing }]) => [
      ...[id, statusCode, isForgiven ? 1 : 0],
      ...[failing?.since ?? null, failing?.from ?? null, failing?.to ?? null],
    ]);
  return store.run(sql`
    update webhooks set last_delivery_at = ${now}, last_status_code = status_code,
      failing_since = case when is_forgiven = 1 or failing_since is null then since else failing_since end,
      failed_from = case when is_forgiven = 1 or failed_from is null or earliest < failed_from
        then earliest else failed_from end,
      failed_to = case when is_forgiven = 1 or failed_to is null or latest > failed_to
        then latest else failed_to end
    from ${rowsOf(store, NOTED, rows)} as noted
    where webhooks.id = noted.of_webhook
  `);
}

const NOTED = {
  of_webhook: "text",
  status_code: "bigint",
  is_forgiven: "bigint",
  since: "bigint",
  earliest: "bigint",
  latest: "bigint",
} as const;

/** An attempt that somebody asked for may show that all is well again, but never counts against a webhook. */
function noteOf(before: Noted | undefined, { claimed, outcome }: Attempt, now: number): Noted {
  const statusCode = statusCodeOf(outcome);
  if (isSuccess(outcome)) return { statusCode, isForgiven: true, failing: null };
  const { isForgiven = false, failing = null } = before ?? {};
  if (claimed.resting !== null) return { statusCode, isForgiven, failing };
  const { createdAt: at } = claimed.event;
  const { since, from, to } = failing ?? { since: now, from: at, to: at };
  return {
    ...{ statusCode, isForgiven },
    failing: { since, from: Math.min(from, at), to: Math.max(to, at) },
  };
}

/** Webhooks that may have to be switched off. What somebody asked for tells only that a receiver is gone. */
type Suspects = { gone: string[]; failing: string[] };

function suspectsAmong(attempts: Attempt[]): Suspects {
  const failed = attempts.filter(({ outcome }) => !isSuccess(outcome));
  const gone = failed.filter(({ outcome }) => statusCodeOf(outcome) === GONE);
  const failing = failed.filter(({ claimed }) => claimed.resting === null);
  const ids = (some: Attempt[]) => [...new Set(some.map(({ claimed }) => claimed.webhookId))];
  return { gone: ids(gone), failing: ids(failing) };
}

/** Gives those of the webhooks that were switched off, and why. */
function switchOff({ store, clock }: Deps, suspects: Suspects) {
  const now = clock.now();
  const isGone = isAmong(store, suspects.gone);
  const isFailing = and(
    isAmong(store, suspects.failing),
    lte(webhooks.failingSince, now - FAILING_MS),
    gte(sql`${webhooks.failedTo} - ${webhooks.failedFrom}`, APART_MS),
  );
  const reason = sql<
    WebhookRow["disabledReason"]
  >`case when ${isGone} then 'gone' else 'failing' end`;
  return store
    .update(webhooks)
    .set({ isActive: false, disabledReason: reason, disabledAt: now, updatedAt: now })
    .where(and(eq(webhooks.isActive, true), or(isGone, isFailing)))
    .returning({ id: webhooks.id, disabledReason: webhooks.disabledReason });
}

const isAmong = (store: Store, ids: string[]): SQL => {
  const rows = ids.map((id) => [id]);
  return sql`${webhooks.id} in (select id from ${rowsOf(store, { id: "text" }, rows)} as named)`;
};
