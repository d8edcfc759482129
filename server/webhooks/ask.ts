import { and, eq, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { holdWebhook } from "../db/hold.ts";
import { deliveries } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";

/**
 * Asks for an attempt of these deliveries of a webhook, beside whatever the schedule has planned. None is asked
 * for twice, none that is under way, no digest that still gathers, and none while the webhook is off.
 * @returns which those are, what belongs before the change, and the change, which gives those that are asked for
 */
export const askFor = ({ store, clock }: Deps, webhookId: string, which: SQL | undefined) => {
  const { eventId, status, resting, dueAt } = deliveries;
  const areAsked = and(
    eq(deliveries.webhookId, webhookId),
    which,
    isNull(resting),
    ne(status, "delivering"),
    or(ne(status, "pending"), isNotNull(dueAt)),
    sql`exists (select 1 from webhooks where id = ${webhookId} and is_active = 1)`,
  );
  const asked = store
    .update(deliveries)
    .set({ resting: sql`${status}`, status: "pending", dueAt: clock.now() })
    .where(areAsked)
    .returning({ eventId });
  // Whoever switches it off at this moment comes before or after.
  return { areAsked, hold: holdWebhook(store, webhookId), asked };
};
