import { and, eq, isNull, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { webhooks } from "../ground/db/tables.ts";
import { firstIdAt } from "../ground/lib/ids.ts";
import { toIso } from "../ground/lib/moments.ts";
import type { DeliveryStatus } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import type { DeliveryDay, DeliveryDays, DeliveryDaysQuery } from "./deliveries-model.ts";

const DAY_MS = 86_400_000;

type Kind = Exclude<keyof DeliveryDay, "day">;

/** What is not counted was not sent alone: a digest covers it, or its event was unsubscribed. */
const KINDS: Partial<Record<DeliveryStatus, Kind>> = {
  succeeded: "delivered",
  failed: "failed",
  exhausted: "failed",
  expired: "failed",
  pending: "pending",
  delivering: "pending",
  paused: "pending",
};

type Row = [webhookId: string, day: number, status: DeliveryStatus, count: number];

/** Counts the deliveries of each webhook of the account by the day (UTC) of their events, oldest day first. */
export async function countDeliveryDays(
  { store, clock }: Deps,
  { accountId }: Caller,
  { days: length }: DeliveryDaysQuery,
): Promise<DeliveryDays[]> {
  const own = await store
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.accountId, accountId), isNull(webhooks.deletedAt)));
  const today = Math.floor(clock.now() / DAY_MS);
  const days = Array.from({ length }, (_, index) => today - length + 1 + index);
  const rows = await readCounts(
    store,
    own.map(({ id }) => id),
    days,
  );
  const byWebhook = Map.groupBy(rows, ([webhookId]) => webhookId);
  return own.map(({ id }) => toDays(id, days, byWebhook.get(id) ?? []));
}

/** Counts in an index that has the id of the event, which begins with its time. */
async function readCounts(store: Store, ids: string[], days: number[]): Promise<Row[]> {
  const ofDays = rowsOf(
    store,
    { day: "bigint", first_id: "text", next_id: "text" },
    days.map((day) => [day, firstIdAt(day * DAY_MS), firstIdAt((day + 1) * DAY_MS)]),
  );
  const ofStatuses = Object.keys(KINDS).map((status) => [status]);
  const rows = await store.readPool.all<Row>(sql`
    select hooks.id, days.day, kinds.status, count(*)
    from ${rowsOf(
      store,
      { id: "text" },
      ids.map((id) => [id]),
    )} as hooks
    cross join ${rowsOf(store, { status: "text" }, ofStatuses)} as kinds
    cross join ${ofDays} as days
    inner join deliveries on deliveries.webhook_id = hooks.id and deliveries.status = kinds.status
      and deliveries.event_id >= days.first_id and deliveries.event_id < days.next_id
    group by hooks.id, days.day, kinds.status
  `);
  return rows.map(([id, day, status, count]) => [id, Number(day), status, Number(count)]);
}

function toDays(webhookId: string, days: number[], rows: Row[]): DeliveryDays {
  const counted = days.map((day) => ({ day, delivered: 0, failed: 0, pending: 0 }));
  const total = { delivered: 0, failed: 0, pending: 0 };
  for (const [, day, status, count] of rows) {
    const kind = KINDS[status]!;
    counted[day - days[0]!]![kind] += count;
    total[kind] += count;
  }
  return {
    webhook_id: webhookId,
    ...total,
    days: counted.map(({ day, ...counts }) => ({
      day: toIso(day * DAY_MS).slice(0, 10),
      ...counts,
    })),
  };
}
