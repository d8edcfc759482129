import { and, eq, gt, inArray, isNull, lte, ne, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Statement } from "../db/store.ts";
import { deliveries } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { someOf } from "./some-of.ts";

/** News older than this is not worth sending to a receiver that comes back. */
const STALE_MS = 72 * 3_600_000;
/** So few that nobody waits for it. What is more follows when the deliverer looks again. */
const ROWS = 500;

/**
 * Lets deliveries follow the switch of their webhook, as it stands when the statements run: what waits for one
 * that is off is held back; what was held back for one that is on again is due, or has grown old.
 */
export const follow = (deps: Deps, webhookId: string): Statement[] => [
  holdBack(deps, webhookId),
  resume(deps, webhookId),
];

/** Holds back what waits for a webhook, if that is off. What somebody asked for is forgotten. */
export function holdBack({ store }: Deps, webhookId: string): Statement {
  const { dueAt, lease } = deliveries;
  const waits = and(isOf(webhookId), gt(dueAt, 0), isNull(lease), isTurned(webhookId, "off"));
  return store
    .update(deliveries)
    .set({
      ...{ nextAttemptAt: null, dueAt: null, resting: null },
      status: sql`case when resting is null or resting in ('pending', 'failed') then 'paused' else resting end`,
    })
    .where(
      and(
        isOf(webhookId),
        sql`event_id in ${someOf(store, waits, { most: ROWS })}`,
        sql`${dueAt} + 0 > 0`,
        isNull(lease),
      ),
    );
}

function resume({ store, clock }: Deps, webhookId: string): Statement {
  const now = clock.now();
  const isPaused = and(isOf(webhookId), eq(deliveries.status, "paused"), isTurned(webhookId, "on"));
  const ifYoung = (then: SQL, otherwise: SQL) =>
    sql`case when created_at > ${now - STALE_MS} then ${then} else ${otherwise} end`;
  const [moment, none] = [sql`cast(${now} as bigint)`, sql`null`];
  return store
    .update(deliveries)
    .set({
      status: ifYoung(sql`'failed'`, sql`'expired'`),
      nextAttemptAt: ifYoung(moment, none),
      dueAt: ifYoung(moment, none),
      completedAt: ifYoung(none, moment),
    })
    .where(
      and(
        isOf(webhookId),
        sql`event_id in ${someOf(store, isPaused, { most: ROWS })}`,
        sql`status || '' = 'paused'`,
      ),
    );
}

/** What is still to be sent has one of these. */
export const UNSENT = ["pending", "failed", "paused"] as const;

type Step = { status: (typeof UNSENT)[number]; after: string; rows: number };

/**
 * Cancels what waits with this status to tell of a type that its webhook does not subscribe to as the statement
 * runs, among deliveries of later events than `after`.
 * @param step `rows` is how many are looked at
 * @returns the last event that was looked at; null when there are no more
 */
export async function cancelUnwanted(
  { store, clock }: Deps,
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
  const named = seen.map((each) => [each.eventId]);
  await store
    .update(deliveries)
    .set({
      ...{ status: "cancelled", nextAttemptAt: null, dueAt: null, completedAt: clock.now() },
    })
    .where(
      and(
        isUnsent,
        lte(eventId, last),
        inArray(eventId, sql`${rowsOf(store, { id: "text" }, named)}`),
        isNull(resting),
        ne(deliveries.type, "digest"),
        sql`not exists (select 1 from webhook_events e
          where e.webhook_id = ${webhookId} and e.type = deliveries.type)`,
      ),
    );
  return seen.length < rows ? null : last;
}

const isOf = (webhookId: string) => eq(deliveries.webhookId, webhookId);

const isTurned = (webhookId: string, to: "on" | "off"): SQL =>
  sql`exists (select 1 from webhooks where id = ${webhookId} and is_active = ${sql.raw(to === "on" ? "1" : "0")})`;
