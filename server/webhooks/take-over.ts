import { and, inArray, isNotNull, like, or, sql } from "drizzle-orm";
import { rowsOf } from "../db/store.ts";
import { deliveries } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { leasesOf } from "../work/node-lease.ts";
import { releaseInterrupted } from "./interrupted.ts";
import { webhooksIn } from "./our-webhooks.ts";

/**
 * Makes due what nodes that died had under way for webhooks in these buckets. Others give back what they have
 * themselves.
 */
export async function takeOver(deps: Deps, buckets: number[], from: string[]): Promise<void> {
  if (from.length === 0) return;
  const taken = new Set(buckets);
  const ids = await webhooksIn(deps.store, (bucket) => taken.has(bucket));
  for (const id of await leftBy(deps, ids, from)) await releaseInterrupted(deps, id, from);
}

/** Those of the webhooks of which these nodes hold anything. */
async function leftBy({ store }: Deps, ids: string[], nodes: string[]): Promise<string[]> {
  const { webhookId, lease } = deliveries;
  const named = rowsOf(
    store,
    { id: "text" },
    ids.map((id) => [id]),
  );
  const isTheirs = or(...nodes.map((id) => like(lease, leasesOf(id))));
  const rows = await store
    .selectDistinct({ webhookId })
    .from(deliveries)
    .where(and(inArray(webhookId, sql`${named}`), isNotNull(lease), isTheirs));
  return rows.map((row) => row.webhookId);
}
