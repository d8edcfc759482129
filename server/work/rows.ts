import { and, eq, exists, gt, inArray, isNull, lte, not, or, sql } from "drizzle-orm";
import * as z from "zod";
import { ROLES } from "../config/config.ts";
import { numbersOf, type Statement, type Store } from "../db/store.ts";
import { buckets, nodes, ofWorks, type Work } from "../db/tables.ts";
import { ONLINE_STATES } from "../verdict/online/online.ts";
import type { NodeInfo, NodeState } from "./nodes.ts";
import type { OpenBucket } from "./rendezvous.ts";

/** What is read with every sign of life. */
export type Seen = { nodes: Omit<NodeInfo, "isLive">[]; open: OpenBucket[] };

/**
 * Writes this node's sign of life and reads those of all, in one batch: whoever takes a dead node's buckets waits
 * for the row, or this one sees that they are taken.
 * @param liveSince whoever was seen after that is live
 */
export async function exchange(store: Store, self: NodeInfo, liveSince: number): Promise<Seen> {
  const { id, ...row } = rowOf(self);
  const [, , all, open] = await store.batch([
    store
      .insert(nodes)
      .values({ id, ...row })
      .onConflictDoNothing(),
    store.update(nodes).set(row).where(eq(nodes.id, id)),
    store.select().from(nodes),
    store
      .select()
      .from(buckets)
      .where(or(isNull(buckets.owner), eq(buckets.owner, id), not(isOfLive(store, liveSince)))),
  ]);
  return { nodes: all.map(toNode), open };
}

const isOfLive = (store: Store, liveSince: number) =>
  exists(
    store
      .select({ one: sql`1` })
      .from(nodes)
      .where(and(eq(nodes.id, buckets.owner), gt(nodes.seenAt, liveSince))),
  );

type Taking = { work: Work; buckets: number[] };

/**
 * Makes the buckets this node's own, unless their owner has given a sign of life: of those that have not, the
 * rows are held until it is done.
 * @returns which it got
 */
export async function take(
  store: Store,
  { self, liveSince, taking }: { self: string; liveSince: number; taking: Taking[] },
): Promise<OpenBucket[]> {
  const silent = sql`select id from nodes where seen_at <= ${liveSince} order by id ${sql.raw(store.engine.holdRows)}`;
  const taken = taking.map(({ work, buckets: wanted }) =>
    store
      .update(buckets)
      .set({ owner: self })
      .where(
        and(
          eq(buckets.work, work),
          sql`${buckets.bucket} in ${numbersOf(store, wanted)}`,
          or(isNull(buckets.owner), not(isOfLive(store, liveSince))),
        ),
      )
      .returning(),
  );
  const [, ...got] = await store.batch([store.all(silent), ...taken]);
  return (got as OpenBucket[][]).flat();
}

/** Gives buckets to whoever they are to belong to. */
export const release = (store: Store, self: string, { work, buckets: unwanted }: Taking) =>
  store
    .update(buckets)
    .set({ owner: null })
    .where(
      and(
        eq(buckets.work, work),
        eq(buckets.owner, self),
        sql`${buckets.bucket} in ${numbersOf(store, unwanted)}`,
      ),
    );

/** Gives everything up, and is not there any more. */
export const farewell = (store: Store, self: string): Statement[] => [
  store.update(buckets).set({ owner: null }).where(eq(buckets.owner, self)),
  store.delete(nodes).where(eq(nodes.id, self)),
];

/** Forgets nodes that have been silent since before then. */
export const forgetNodes = (store: Store, ids: string[], before: number) =>
  store.delete(nodes).where(and(inArray(nodes.id, ids), lte(nodes.seenAt, before)));

function rowOf({ id, name, roles, version, startedAt, seenAt, state }: NodeInfo) {
  return {
    id,
    name,
    roles: roles.join(),
    version,
    startedAt,
    seenAt,
    state: JSON.stringify(state),
  };
}

function toNode({ roles, state, ...row }: typeof nodes.$inferSelect): Seen["nodes"][number] {
  const named = roles.split(",");
  return { ...row, roles: ROLES.filter((role) => named.includes(role)), state: readState(state) };
}

/** Another version may say more of itself, or less. */
const State = z.object({
  online: z.enum([...ONLINE_STATES, "unknown"]).catch("unknown"),
  onlineSince: z.number().nullable().catch(null),
  clockOffMs: z.number().catch(0),
  lagMs: ofWorks(z.number().nullable().catch(null)).catch({ checks: null, deliveries: null }),
  buckets: ofWorks(z.number().catch(0)).catch({ checks: 0, deliveries: 0 }),
  takesPart: z.boolean().catch(true),
});

const readState = (text: string): NodeState => State.parse(JSON.parse(text));
