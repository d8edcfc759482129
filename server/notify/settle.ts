import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../ground/config/config.ts";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { describeError, log } from "../ground/lib/log.ts";
import {
  LONGEST_MS as LONGEST_RETRY_AFTER_MS,
  readRetryAfter,
} from "../judge/politeness/site-load.ts";
import type { Deps } from "../work/deps.ts";
import { createGroupWriter, type GroupWriter } from "../work/group-writer.ts";
import { accountIdsOf } from "../work/topics.ts";
import { type Attempt, HELD, heldRows } from "./delivery-steps.ts";
import { endsOf, isSuccess, statusCodeOf } from "./send.ts";
import { disable, pauseSuspects, recordHealth, suspectsAmong } from "./webhook-health.ts";

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
    await recordHealth(tx, attempts, now);
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
  ...HELD,
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
function cellsOf(config: Config, attempt: Attempt, now: number) {
  const { claimed, outcome } = attempt;
  const answer = outcome.kind === "answered" ? outcome : null;
  return [
    claimed.webhookId,
    claimed.event.id,
    claimed.lease,
    ...changeOf(config, attempt, now),
    claimed.resting === null ? "scheduled" : "manual",
    outcome.startedAt,
    outcome.durationMs,
    statusCodeOf(outcome),
    outcome.kind === "failed" ? outcome.error : null,
    answer?.contentType ?? null,
    answer?.body ?? null,
    answer?.truncated ? 1 : 0,
  ];
}

/** Returns the new status, whether the schedule stays, the next attempt, and when the delivery was completed. */
function changeOf(config: Config, { claimed, outcome, random }: Attempt, now: number) {
  if (isSuccess(outcome)) return ["succeeded", 0, null, now];
  if (claimed.resting !== null) return [claimed.resting, 1, null, null];
  if (endsOf(outcome) === "delivery") return ["exhausted", 0, null, now];
  const { scheduledAttempts: attempts } = claimed;
  const retrySeconds = config.webhookRetrySeconds;
  const next = nextAttemptAt({ attempts, outcome, now, retrySeconds, random });
  return next === null ? ["exhausted", 0, null, now] : ["failed", 0, next, null];
}

/** Selects and locks deliveries that are still held and have been attempted before: they may be deleted meanwhile. */
function heldAgain(tx: Store, attempts: Attempt[]): SQL {
  const rows = heldRows(attempts.map(({ claimed }) => claimed));
  const { holdRows } = tx.engine;
  const lock = sql.raw(holdRows && `${holdRows} of deliveries`);
  return sql`${rowsOf(tx, HELD, rows)} as done join deliveries
    on webhook_id = of_webhook and event_id = of_event and lease = old_lease
    where last_started_at is not null and ${isInRange(attempts)} ${lock}`;
}

/** From the first to the last event: otherwise PostgreSQL may scan a table that it expects to be small. */
function isInRange(attempts: Attempt[]): SQL {
  const ids = attempts.map(({ claimed }) => claimed.event.id).sort();
  return sql`deliveries.event_id between ${ids[0]} and ${ids.at(-1)}`;
}

async function changeDeliveries(tx: Store, rows: ReturnType<typeof cellsOf>[], isInRange: SQL) {
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

/** The part of an outcome that decides how long to wait. */
type Failure =
  | { kind: "answered"; statusCode: number; retryAfter: string | null }
  | { kind: "failed"; error: string };

/** Responses of an overloaded receiver: an early retry would make it worse. */
const OVERLOADED = [429, 502, 504];
const OVERLOAD_MS = 60_000;
const LEAST_JITTER = 0.8;
const JITTER_RANGE = 0.4;

/**
 * Returns when a delivery is retried after its `attempts`-th attempt failed; null if that was the last. Waits vary by
 * a fifth, so that deliveries that failed together are not retried together; the receiver's `Retry-After` can only
 * lengthen them.
 */
export function nextAttemptAt(input: {
  /** Number of scheduled attempts, including the one that failed. */
  attempts: number;
  outcome: Failure;
  now: number;
  /** Waits between attempts, in seconds. */
  retrySeconds: readonly number[];
  /** From 0 to 1, as from `Math.random`. */
  random: number;
}): number | null {
  const { attempts, outcome, now } = input;
  const seconds = input.retrySeconds[attempts - 1];
  if (seconds === undefined) return null;
  const planned = seconds * 1000 * (LEAST_JITTER + JITTER_RANGE * input.random);
  return now + Math.round(Math.max(planned, leastWait(outcome, now)));
}

/** Longest wait for the next attempt. */
export const longestWaitMs = ({ webhookRetrySeconds }: Pick<Config, "webhookRetrySeconds">) =>
  Math.max(
    LONGEST_RETRY_AFTER_MS,
    OVERLOAD_MS,
    ...webhookRetrySeconds.map((seconds) => seconds * 1000 * (LEAST_JITTER + JITTER_RANGE)),
  );

function leastWait(outcome: Failure, now: number): number {
  if (outcome.kind === "failed") return outcome.error === "timeout" ? OVERLOAD_MS : 0;
  const requested = readRetryAfter(outcome.retryAfter, now) ?? 0;
  return OVERLOADED.includes(outcome.statusCode) ? Math.max(OVERLOAD_MS, requested) : requested;
}

/** How long an outcome waits for others, so that one commit records many: real time, independent of the clock. */
const GATHER_MS = 25;
const GROUP_SIZE = 100;
/** Limit for all response bodies in a group, since the database takes a while to parse them. */
const GROUP_CHARACTERS = 200_000;

export type Outcomes = Pick<GroupWriter<Attempt>, "add" | "flush" | "isWell"> & {
  /** Number of outcomes of each webhook that are not recorded yet. */
  unrecorded(): Map<string, number>;
};

/** Records outcomes of attempts in groups. */
export function createOutcomes(deps: Deps): Outcomes {
  let timer: Timer | null = null;
  const writer = createGroupWriter<Attempt>({
    write: async (group) => {
      await settle(deps, group);
      deps.topics.counted(accountIdsOf(group.map(({ claimed }) => claimed.event)));
    },
    drop: (attempt, error) => recordLost(deps, attempt, error),
    groupSize,
    leastNext: 1,
    isStopped: () => deps.troubles.stoppingDeletions() !== null,
    log: {
      failing: "failed to record deliveries: they wait for the database",
      resumed: "deliveries are recorded again",
    },
  });

  function add(attempt: Attempt) {
    writer.add(attempt);
    if (writer.waiting() >= GROUP_SIZE) void flush();
    else timer ??= setTimeout(flush, GATHER_MS);
  }

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    await writer.flush();
    // Added while the writer finished.
    if (writer.waiting() > 0 && writer.isWell()) await writer.flush();
  }

  function unrecorded() {
    const counts = new Map<string, number>();
    for (const { claimed } of writer.unwritten()) {
      counts.set(claimed.webhookId, (counts.get(claimed.webhookId) ?? 0) + 1);
    }
    return counts;
  }

  return { add, flush, unrecorded, isWell: writer.isWell };
}

function groupSize(waiting: Attempt[]): number {
  let characters = 0;
  const tooMuch = waiting.findIndex(({ outcome }) => {
    characters += outcome.kind === "answered" ? outcome.body.length : 0;
    return characters > GROUP_CHARACTERS;
  });
  return tooMuch === -1 ? GROUP_SIZE : Math.min(GROUP_SIZE, Math.max(1, tooMuch));
}

/** Records a failure without the response, which may be why it cannot be recorded: otherwise it would be sent forever. */
async function recordLost(deps: Deps, { claimed, outcome, random }: Attempt, why: unknown) {
  const about = { webhook: claimed.webhookId, event: claimed.event.id };
  log.error("failed to record a delivery", { ...about, ...describeError(why) });
  const { startedAt, durationMs } = outcome;
  const bare = { kind: "failed", error: "internal", startedAt, durationMs } as const;
  await settle(deps, [{ claimed, outcome: bare, random }]).catch((error) =>
    log.error("a delivery is repeated when its lease ends", { ...about, ...describeError(error) }),
  );
}
