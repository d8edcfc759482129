import { and, asc, eq, gt, inArray, isNotNull, like, not, sql } from "drizzle-orm";
import { lockAccounts } from "../ground/db/queries.ts";
import { numbersOf, type Store } from "../ground/db/store.ts";
import { type SourceRow, sources } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { leasesOf, type Share } from "../work/nodes.ts";
import { areOfDead, leaseFor } from "../work/queue.ts";
import { MISSING_MS } from "./push.ts";
import { nextRunAt } from "./runs.ts";

/** How long a claimed source stays locked without a step: then another node goes on. */
export const SOURCE_LEASE_MS = 60_000;
/** Sources of one account that are read at once. */
const OF_ACCOUNT = 2;
/** Read to choose from. */
const CANDIDATES = 200;

/** A source under a lease of this node. */
export type ClaimedSource = SourceRow & { lease: string };

/** Another process has the source now, or it was cancelled or deleted. */
export class LeaseLost extends Error {}

/**
 * Claims due sources in this node's buckets, the oldest first, a few of each account.
 * @returns them, and when the next one is due; null for never
 */
export async function claimSources(
  deps: Deps,
  most: number,
): Promise<{ claimed: ClaimedSource[]; nextAt: number | null }> {
  const { store, clock, nodes } = deps;
  const share = nodes.share("checks");
  if (most <= 0 || share.buckets.length === 0) return { claimed: [], nextAt: null };
  const now = clock.now();
  const [candidates, held] = await Promise.all([readNext(store, share), readHeld(store, now)]);
  const claimed: ClaimedSource[] = [];
  let nextAt: number | null = null;
  for (const { no, accountNo, dueAt } of candidates) {
    const ofAccount = held.get(accountNo) ?? 0;
    const isLeft = dueAt! > now || claimed.length >= most || ofAccount >= OF_ACCOUNT;
    const taken = isLeft ? null : await take(deps, no, dueAt!);
    if (isLeft) nextAt ??= dueAt;
    if (!taken) continue;
    held.set(accountNo, ofAccount + 1);
    claimed.push(taken);
  }
  return { claimed, nextAt };
}

const readNext = (store: Store, { isAll, buckets }: Share) =>
  store
    .select({ no: sources.no, accountNo: sources.accountNo, dueAt: sources.dueAt })
    .from(sources)
    .where(
      and(
        isNotNull(sources.dueAt),
        isAll ? undefined : inArray(sources.bucket, sql`${numbersOf(store, [...buckets])}`),
      ),
    )
    .orderBy(asc(sources.dueAt), asc(sources.no))
    .limit(CANDIDATES);

/** How many sources of each account are being read. */
async function readHeld(store: Store, now: number): Promise<Map<number, number>> {
  const rows = await store
    .select({ accountNo: sources.accountNo })
    .from(sources)
    .where(and(isNotNull(sources.lease), sql`${sources.dueAt} > ${now}`));
  const held = new Map<number, number>();
  for (const { accountNo } of rows) held.set(accountNo, (held.get(accountNo) ?? 0) + 1);
  return held;
}

/** Of two nodes that choose the same source, the second finds it not due any more. */
async function take(deps: Deps, no: number, dueAt: number): Promise<ClaimedSource | null> {
  const claimed = leaseFor(deps, SOURCE_LEASE_MS);
  const [taken] = await deps.store
    .update(sources)
    .set(claimed)
    .where(and(eq(sources.no, no), eq(sources.dueAt, dueAt)))
    .returning();
  return taken ? { ...taken, lease: claimed.lease } : null;
}

/**
 * Begins a transaction of a step: locks the account, and renews the lease.
 * @throws LeaseLost, so that nothing of the step is written
 */
export async function holdLease(
  { store: tx, clock }: Pick<Deps, "store" | "clock">,
  { no, accountNo, lease }: ClaimedSource,
): Promise<void> {
  await lockAccounts(tx, [accountNo]);
  const held = await tx
    .update(sources)
    .set({ dueAt: clock.now() + SOURCE_LEASE_MS })
    .where(and(eq(sources.no, no), eq(sources.lease, lease)))
    .returning({ no: sources.no });
  if (held.length === 0) throw new LeaseLost(`The lease of source ${no} has ended.`);
}

/** Renews leases between steps. Returns those that are lost. */
export async function renewLeases(
  { store, clock }: Deps,
  held: ClaimedSource[],
): Promise<ClaimedSource[]> {
  const leases = held.map(({ lease }) => lease);
  const renewed = await store
    .update(sources)
    .set({ dueAt: clock.now() + SOURCE_LEASE_MS })
    .where(inArray(sources.lease, leases))
    .returning({ lease: sources.lease });
  const kept = new Set(renewed.map(({ lease }) => lease));
  return held.filter(({ lease }) => !kept.has(lease));
}

/** Gives a source back, to go on with its run at a time. */
export async function releaseSource(
  { store }: Pick<Deps, "store">,
  { no, lease }: ClaimedSource,
  dueAt: number,
): Promise<void> {
  await store
    .update(sources)
    .set({ lease: null, dueAt })
    .where(and(eq(sources.no, no), eq(sources.lease, lease)));
}

/** Makes sources due that a process has left which had this database to itself, as this one has now. */
export async function resumeLeft({ store, clock, nodes }: Deps): Promise<void> {
  if (store.engine.isShared) return;
  await store
    .update(sources)
    .set({ lease: null, dueAt: clock.now() })
    .where(
      and(
        isNotNull(sources.lease),
        not(like(sources.lease, leasesOf(nodes.id))),
        isNotNull(sources.dueAt),
      ),
    );
}

/** Makes sources due that dead nodes hold. */
export async function breakLeases(deps: Deps): Promise<void> {
  const areLeft = areOfDead(sources, deps);
  if (!areLeft) return;
  await deps.store
    .update(sources)
    .set({ lease: null, dueAt: deps.clock.now() })
    .where(and(areLeft, isNotNull(sources.dueAt)));
}

/** A site may ask for up to a day without requests. */
const LONGEST_HOLD_MS = 25 * 3_600_000;

/**
 * Makes sources due that would wait longer than their schedules say, or hold leases for longer.
 * @param mayBeHeld whether a long wait may be what a site has asked for, and not due to a wrong clock
 * @returns how many
 */
export async function limitWaits({ store, clock }: Deps, mayBeHeld: boolean): Promise<number> {
  const now = clock.now();
  const latestOf = (source: SourceRow) => {
    if (source.lease !== null) return now + SOURCE_LEASE_MS;
    if (source.deletedAt !== null) return now;
    if (source.kind === "push") return now + MISSING_MS;
    return Math.max(nextRunAt(source, now) ?? now, mayBeHeld ? now + LONGEST_HOLD_MS : now);
  };
  // Leases are renewed meanwhile.
  const waiting = await store
    .select()
    .from(sources)
    .where(gt(sources.dueAt, now + 2 * SOURCE_LEASE_MS));
  const late = waiting.filter((source) => source.dueAt! > latestOf(source));
  for (const source of late) {
    await store
      .update(sources)
      .set({ dueAt: latestOf(source) })
      .where(and(eq(sources.no, source.no), eq(sources.dueAt, source.dueAt!)));
  }
  return late.length;
}
