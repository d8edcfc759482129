import { inArray, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../db/store.ts";
import { webhooks } from "../db/tables.ts";
import { bucketOf } from "../work/buckets.ts";
import type { Deps } from "../work/deps.ts";

/** Ids of webhooks; `all` where nobody else delivers, so that none need to be named. */
export type OurWebhooks = "all" | string[];

/** The webhooks whose deliveries this node may begin now. */
export async function ourWebhooks({ store, nodes }: Deps): Promise<OurWebhooks> {
  const share = nodes.share("deliveries");
  if (share.isAll) return "all";
  return share.buckets.length === 0 ? [] : webhooksIn(store, share.has);
}

/** The ids of all webhooks that are in such a bucket: which one that is, no database can tell. */
export async function webhooksIn(
  store: Store,
  has: (bucket: number) => boolean,
): Promise<string[]> {
  const rows = await store.select({ id: webhooks.id }).from(webhooks);
  return rows.flatMap(({ id }) => (has(bucketOf(id)) ? [id] : []));
}

/** Whether this node may begin deliveries to the webhook now. */
export const isOurs = ({ nodes }: Pick<Deps, "nodes">, webhookId: string): boolean =>
  nodes.share("deliveries").has(bucketOf(webhookId));

/** For a condition on webhooks. */
export function isAmongOurs(store: Store, ours: OurWebhooks): SQL | undefined {
  if (ours === "all") return undefined;
  const rows = ours.map((id) => [id]);
  return inArray(webhooks.id, sql`${rowsOf(store, { id: "text" }, rows)}`);
}
