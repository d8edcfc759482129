import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../db/store.ts";
import { type DeliveryRow, deliveries, webhooks } from "../db/tables.ts";
import { log } from "../lib/log.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { MINUTE_MS } from "./digest.ts";
import { LEASE_MS } from "./lease.ts";
import { longestWaitMs } from "./retry.ts";

/**
 * After wall time was set back: what was due is due, and nothing waits longer than it ever may, whichever node is
 * to deliver it by now. Not while somebody else is at it. In steps, since there may be very many.
 */
export async function makeDueAgain(deps: Deps): Promise<void> {
  await deps.store.engine.alone("make deliveries due", async (lost) => {
    log.warning("the clock was set back; open deliveries are made due again");
    const { store, clock } = deps;
    const now = clock.now();
    await store
      .update(webhooks)
      .set({ digestAt: now })
      .where(gt(webhooks.digestAt, now + MINUTE_MS));
    await store.update(webhooks).set({ batchDigestAt: now }).where(gt(webhooks.batchDigestAt, now));
    for (const { id } of await store.select({ id: webhooks.id }).from(webhooks)) {
      await makeItsDue(deps, id, now, lost);
    }
  });
}

/** @throws when somebody else may be at it by now */
async function makeItsDue(
  { store, clock, config }: Deps,
  webhookId: string,
  now: number,
  lost: AbortSignal,
): Promise<void> {
  let last = { dueAt: now, eventId: "" };
  await inSteps(clock, async (rows) => {
    lost.throwIfAborted();
    const late = await dueAfter(store, webhookId, last, rows);
    await changeTimes(store, webhookId, late, now, longestWaitMs(config));
    last = late.at(-1) ?? last;
    return late.length;
  });
}

type Late = Pick<DeliveryRow, "eventId" | "status" | "resting" | "nextAttemptAt"> & {
  dueAt: number;
};

async function dueAfter(
  store: Store,
  webhookId: string,
  last: { dueAt: number; eventId: string },
  rows: number,
): Promise<Late[]> {
  const { eventId, status, resting, nextAttemptAt, dueAt } = deliveries;
  const found = await store
    .select({ eventId, status, resting, nextAttemptAt, dueAt: sql`${dueAt}`.mapWith(Number) })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        // By this an index leads to them; the other condition is only about where it goes on.
        gte(dueAt, last.dueAt),
        sql`(${dueAt}, ${eventId}) > (${last.dueAt}, ${last.eventId})`,
      ),
    )
    .orderBy(asc(dueAt), asc(eventId))
    .limit(rows);
  return found;
}

function changeTimes(
  store: Store,
  webhookId: string,
  late: Late[],
  now: number,
  longestMs: number,
): Promise<void> {
  const rows = late.flatMap((delivery) => {
    const next = timesOf(delivery, now, longestMs);
    const isSame = next.dueAt === delivery.dueAt && next.nextAttemptAt === delivery.nextAttemptAt;
    const { eventId, dueAt } = delivery;
    return isSame ? [] : [[webhookId, eventId, dueAt, next.dueAt, next.nextAttemptAt]];
  });
  if (rows.length === 0) return Promise.resolve();
  return store.write([
    store.run(sql`
      update deliveries set due_at = new_due, next_attempt_at = new_next
      from ${rowsOf(store, CHANGE, rows)} as late
      where webhook_id = of_webhook and event_id = of_event and due_at + 0 = old_due
    `),
  ]);
}

const CHANGE = {
  of_webhook: "text",
  of_event: "text",
  old_due: "bigint",
  new_due: "bigint",
  new_next: "bigint",
} as const;

/** A first attempt, and one that somebody asked for, were due when they were written down. */
function timesOf({ status, resting, nextAttemptAt, dueAt }: Late, now: number, longestMs: number) {
  const next = nextAttemptAt !== null && nextAttemptAt > now + longestMs ? now : nextAttemptAt;
  if (status === "delivering") {
    return { dueAt: Math.min(dueAt, now + LEASE_MS), nextAttemptAt: next };
  }
  if (resting !== null) return { dueAt: now, nextAttemptAt: next };
  if (status === "pending") return { dueAt: now, nextAttemptAt: now };
  return { dueAt: next ?? dueAt, nextAttemptAt: next };
}
