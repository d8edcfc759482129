import { and, asc, eq } from "drizzle-orm";
import { events } from "../server/ground/db/tables.ts";
import type { Asker, Parsed, TestServer } from "./harness.ts";

/**
 * Subscribes an account to kinds of `link.changed`.
 * @returns a function that reads the data of all such events until now, oldest first
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
      .from(events)
      .where(and(eq(events.accountId, me.accountId), eq(events.type, "link.changed")))
      .orderBy(asc(events.id));
    return rows.map(({ data }) => JSON.parse(data));
  };
}
