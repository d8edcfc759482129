import { asc, eq } from "drizzle-orm";
import { deliveries, events } from "../server/ground/db/tables.ts";
import type { Asker, Parsed, TestServer } from "./harness.ts";

/**
 * Subscribes an account to kinds of `link.changed`.
 * @returns a function that reads what the webhook is sent, in the order of time
 */
export async function hearChanges(
  { deps: { store } }: Pick<TestServer, "deps">,
  me: Asker,
  kinds: string[],
): Promise<() => Promise<Parsed[]>> {
  const url = "https://hook.test/";
  const reply = await me.post("/api/v1/webhooks", {
    url,
    events: ["link.changed"],
    filter: { kinds },
  });
  if (reply.status !== 201) throw new Error(`The webhook was refused: ${reply.status}`);
  return async () => {
    const rows = await store
      .select({ data: events.data })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(eq(deliveries.webhookId, reply.body.data.id))
      .orderBy(asc(events.id));
    return rows.map(({ data }) => JSON.parse(data));
  };
}
