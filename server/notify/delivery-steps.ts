import { and, eq, gt, inArray, lte, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { deliveries, type EventRow, webhooks } from "../ground/db/tables.ts";
import { inSteps } from "../ground/lib/steps.ts";
import type { DeliveryStatus } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import type { Outcome } from "./send.ts";

type Selection = {
  most: number;
  /** Order in which they are selected; any by default. */
  by?: SQL;
  /** Skips deliveries that another process is claiming. */
  isClaim?: boolean;
};

/**
 * Selects event ids of some deliveries, for the `in` of a statement that changes them. Materialized, since otherwise
 * PostgreSQL may select others for each row. The statement repeats the conditions in a form that no index serves:
 * otherwise databases read all rows that meet them, and use this list only to exclude some.
 */
export function selectEventIds(
  store: Store,
  which: SQL | undefined,
  { most, by, isClaim }: Selection,
): SQL {
  return sql`(
    with chosen as materialized (
      select event_id from deliveries where ${which} ${by ? sql`order by ${by}` : sql``}
      limit ${most} ${sql.raw(isClaim ? store.engine.skipLocked : "")}
    ) select event_id from chosen)`;
}

/**
 * Goes through a webhook's deliveries, or those with one status, in the order of their events and in short steps: there
 * may be millions.
 * @param change gets a condition for the deliveries of a step
 * @param signal ends it after a step
 * @returns whether it came to the end
 */
export async function inDeliverySteps(
  { store, clock }: Pick<Deps, "store" | "clock">,
  { webhookId, status }: { webhookId: string; status?: DeliveryStatus },
  change: (isInStep: SQL) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<boolean> {
  const { eventId } = deliveries;
  const isListed = and(
    eq(deliveries.webhookId, webhookId),
    status && eq(deliveries.status, status),
  );
  let after = "";
  const step = async (rows: number) => {
    const found = await store
      .select({ eventId })
      .from(deliveries)
      .where(and(isListed, gt(eventId, after)))
      .orderBy(eventId)
      .limit(rows);
    const last = found.at(-1)?.eventId;
    if (last === undefined) return 0;
    const cells = found.map((row) => [row.eventId]);
    const ids = sql`${rowsOf(store, { id: "text" }, cells)}`;
    // SQLite uses the list and PostgreSQL its ends; otherwise they would scan all deliveries.
    await change(and(isListed, gt(eventId, after), lte(eventId, last), inArray(eventId, ids))!);
    after = last;
    return found.length;
  };
  const { isDone } = await inSteps(clock, step, { signal });
  return isDone;
}

/** A delivery that this process holds until its lease ends. Its receiver is read when it is sent. */
export type ClaimedDelivery = {
  webhookId: string;
  event: EventRow;
  lease: string;
  /** When the lease ends, by the wall clock. */
  heldUntil: number;
  /** Including this attempt. */
  attempts: number;
  /** Attempts that count in the retry schedule. */
  scheduledAttempts: number;
  /** Status that the delivery returns to if this attempt, which a user has requested, fails. */
  resting: DeliveryStatus | null;
};

/** A finished attempt. */
export type Attempt = {
  claimed: ClaimedDelivery;
  outcome: Outcome;
  /** Result of `Math.random`: spreads the wait until the next attempt. */
  random: number;
};

/** Cells that identify claimed deliveries and their leases. */
export const HELD = { of_webhook: "text", of_event: "text", old_lease: "text" } as const;

export const heldRows = (claimed: ClaimedDelivery[]) =>
  claimed.map(({ webhookId, event, lease }) => [webhookId, event.id, lease]);

/** A condition on webhooks. */
export const isAmong = (store: Store, ids: string[]): SQL => {
  const rows = ids.map((id) => [id]);
  return sql`${webhooks.id} in (select id from ${rowsOf(store, { id: "text" }, rows)} as named)`;
};
