import { and, eq, gt, inArray, isNull, lte, ne, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../db/store.ts";
import { deliveries } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";

type Writing = Pick<Deps, "store" | "clock">;

/** Older events are not sent to a webhook that is switched on again. */
const STALE_MS = 72 * 3_600_000;
/** Most deliveries in one statement; the rest follows when the deliverer looks again. */
const ROWS = 500;

/** Pauses deliveries of a webhook that is off; resumes those of one that is on, unless they are too old. */
export async function pauseOrResume(deps: Writing, webhookId: string): Promise<void> {
  await pause(deps, webhookId);
  await resume(deps, webhookId);
}

/** Pauses waiting deliveries of a webhook that is off. Requested attempts are dropped. */
export async function pause({ store }: Pick<Deps, "store">, webhookId: string): Promise<void> {
  const { dueAt, lease } = deliveries;
  const waits = and(isOf(webhookId), gt(dueAt, 0), isNull(lease), isSwitched(webhookId, "off"));
  await store
    .update(deliveries)
    .set({
      ...{ nextAttemptAt: null, dueAt: null, resting: null },
      status: sql`case when resting is null or resting in ('pending', 'failed') then 'paused' else resting end`,
    })
    .where(
      and(
        isOf(webhookId),
        sql`event_id in ${selectEventIds(store, waits, { most: ROWS })}`,
        sql`${dueAt} + 0 > 0`,
        isNull(lease),
      ),
    );
}

async function resume({ store, clock }: Writing, webhookId: string): Promise<void> {
  const now = clock.now();
  const isPaused = and(
    isOf(webhookId),
    eq(deliveries.status, "paused"),
    isSwitched(webhookId, "on"),
  );
  const ifRecent = (then: SQL, otherwise: SQL) =>
    sql`case when created_at > ${now - STALE_MS} then ${then} else ${otherwise} end`;
  const [at, none] = [sql`cast(${now} as bigint)`, sql`null`];
  await store
    .update(deliveries)
    .set({
      status: ifRecent(sql`'failed'`, sql`'expired'`),
      nextAttemptAt: ifRecent(at, none),
      dueAt: ifRecent(at, none),
      completedAt: ifRecent(none, at),
    })
    .where(
      and(
        isOf(webhookId),
        sql`event_id in ${selectEventIds(store, isPaused, { most: ROWS })}`,
        sql`status || '' = 'paused'`,
      ),
    );
}

/** Statuses of deliveries that are still to be sent. */
export const UNSENT = ["pending", "failed", "paused"] as const;

type Step = { status: (typeof UNSENT)[number]; after: string; rows: number };

/**
 * Cancels waiting deliveries of event types that their webhook no longer subscribes to, among those of later events
 * than `after`.
 * @param step `rows` is how many deliveries it reads
 * @returns the last event that it has read; null when there are no more
 */
export async function cancelUnwanted(
  { store, clock }: Writing,
  webhookId: string,
  { status, after, rows }: Step,
): Promise<string | null> {
  const { eventId, resting } = deliveries;
  const isUnsent = and(isOf(webhookId), eq(deliveries.status, status), gt(eventId, after));
  const seen = await store
    .select({ eventId })
    .from(deliveries)
    .where(isUnsent)
    .orderBy(eventId)
    .limit(rows);
  const last = seen.at(-1)?.eventId;
  if (last === undefined) return null;
  const ids = seen.map((each) => [each.eventId]);
  await store
    .update(deliveries)
    .set({
      ...{ status: "cancelled", nextAttemptAt: null, dueAt: null, completedAt: clock.now() },
    })
    .where(
      and(
        isUnsent,
        lte(eventId, last),
        inArray(eventId, sql`${rowsOf(store, { id: "text" }, ids)}`),
        isNull(resting),
        ne(deliveries.type, "digest"),
        sql`not exists (select 1 from webhook_events e
          where e.webhook_id = ${webhookId} and e.type = deliveries.type)`,
      ),
    );
  return seen.length < rows ? null : last;
}

const isOf = (webhookId: string) => eq(deliveries.webhookId, webhookId);

const isSwitched = (webhookId: string, to: "on" | "off"): SQL =>
  sql`exists (select 1 from webhooks where id = ${webhookId} and is_active = ${sql.raw(to === "on" ? "1" : "0")})`;

type Choice = {
  most: number;
  /** Which come first; any if it is not said. */
  by?: SQL;
  /** Those that another process takes at this moment are passed over. */
  isClaim?: boolean;
};

/**
 * Events of some deliveries, for the `in` of a statement that changes them. Materialized, since PostgreSQL may
 * otherwise choose anew for each row. Around it the condition is repeated in a form that no index fits: else the
 * databases look through all rows that meet it, and go by this list only to leave some out.
 */
export function selectEventIds(
  store: Store,
  which: SQL | undefined,
  { most, by, isClaim }: Choice,
): SQL {
  return sql`(
    with chosen as materialized (
      select event_id from deliveries where ${which} ${by ? sql`order by ${by}` : sql``}
      limit ${most} ${sql.raw(isClaim ? store.engine.skipLocked : "")}
    ) select event_id from chosen)`;
}
