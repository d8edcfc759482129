import {
  and,
  asc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lte,
  min,
  type SQL,
  sql,
} from "drizzle-orm";
import { numbersOf, type Store } from "../../ground/db/store.ts";
import { accounts, type LookupRow, linkLookups, links } from "../../ground/db/tables.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import type { Share } from "../../work/nodes.ts";
import { areOfDead, isStillDue, leaseFor, NEVER_DUE } from "../../work/queue.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export type Step = LookupRow["step"];
export const STEPS: Step[] = ["own", "archive"];

/** An archive is asked in turns, for which a lookup may wait for long. */
const LEASE_MS: Record<Step, number> = { own: 10 * MINUTE_MS, archive: 40 * MINUTE_MS };

/** A lookup under a lease of this node. */
export type Claimed = LookupRow & { lease: string };

/**
 * Claims due lookups of links in this node's buckets, in their order. Those that are not due are passed on the way, so call
 * it only if some are.
 */
export async function claimLookups(deps: Deps, step: Step, most: number): Promise<Claimed[]> {
  const { store, clock, nodes } = deps;
  const share = nodes.share("checks");
  if (most <= 0 || share.buckets.length === 0) return [];
  const now = clock.now();
  const claimed = leaseFor(deps, LEASE_MS[step]);
  const next = store
    .select({ no: linkLookups.linkNo })
    .from(linkLookups)
    .where(
      and(
        eq(linkLookups.step, step),
        isNotNull(linkLookups.dueAt),
        isStillDue(linkLookups, now),
        isOwn(store, share),
      ),
    )
    .orderBy(asc(linkLookups.rank), asc(linkLookups.linkNo))
    .limit(most);
  const rows = await store
    .update(linkLookups)
    .set(claimed)
    .where(and(inArray(linkLookups.linkNo, next), isStillDue(linkLookups, now)))
    .returning();
  return rows.map((row) => ({ ...row, lease: claimed.lease }));
}

function isOwn(store: Store, { isAll, buckets }: Share): SQL | undefined {
  if (isAll) return undefined;
  const isOurs = inArray(links.bucket, sql`${numbersOf(store, [...buckets])}`);
  const ofThis = eq(links.no, linkLookups.linkNo);
  return exists(store.select({ no: links.no }).from(links).where(and(ofThis, isOurs)));
}

/** When the next lookup is due that has come to a step. */
export async function nextDue({ store }: Pick<Deps, "store">, step: Step): Promise<number> {
  const [row] = await store
    .select({ at: min(linkLookups.dueAt) })
    .from(linkLookups)
    .where(and(eq(linkLookups.step, step), isNotNull(linkLookups.dueAt)));
  return row?.at == null ? NEVER_DUE : Number(row.at);
}

export async function breakLeases(deps: Deps): Promise<void> {
  const areLeft = areOfDead(linkLookups, deps);
  if (!areLeft) return;
  const released = { lease: null, dueAt: deps.clock.now() };
  await deps.store.update(linkLookups).set(released).where(areLeft);
}

/** What becomes of a lookup. `dueAt`: null if nothing is left to do. */
export type Settled = Partial<Pick<LookupRow, "state" | "step" | "reasons" | "misses">> & {
  dueAt: number | null;
};

/** Ends a claim. @returns false if another node has the lookup by now, or it began again */
export async function settle(
  tx: Store,
  { linkNo, lease }: Claimed,
  settled: Settled,
): Promise<boolean> {
  const held = await tx
    .update(linkLookups)
    .set({ ...settled, lease: null })
    .where(and(eq(linkLookups.linkNo, linkNo), eq(linkLookups.lease, lease)))
    .returning({ no: linkLookups.linkNo });
  return held.length > 0;
}

const POSTPONED_AT_ONCE = 1000;

/** Lets those that would be refused like another one wait as long as that. */
export async function postpone(
  { store, clock }: Pick<Deps, "store" | "clock">,
  retryAt: number,
): Promise<void> {
  const next = store
    .select({ no: linkLookups.linkNo })
    .from(linkLookups)
    .where(
      and(
        eq(linkLookups.step, "archive"),
        lte(linkLookups.dueAt, clock.now()),
        isNull(linkLookups.lease),
      ),
    )
    .limit(POSTPONED_AT_ONCE);
  await store
    .update(linkLookups)
    .set({ state: "unavailable", dueAt: retryAt })
    .where(and(inArray(linkLookups.linkNo, next), isStillDue(linkLookups, clock.now())));
}

/** The accounts whose owners want archives to be asked. */
export async function readWanting({ store, config }: Pick<Deps, "store" | "config">) {
  if (config.archive === "off") return [];
  const isWanting = eq(accounts.archiveLookup, true);
  const rows = await store
    .select({ no: accounts.no })
    .from(accounts)
    .where(config.archive === "on" ? sql`coalesce(${accounts.archiveLookup}, 1) = 1` : isWanting);
  return rows.map(({ no }) => no);
}

const ASKED_AT_ONCE = 1000;

/** Has an archive asked about all links of accounts which nothing was asked about before. */
export async function askForAll(
  { store, clock }: Pick<Deps, "store" | "clock">,
  accountNos: number[],
): Promise<void> {
  if (accountNos.length === 0) return;
  const next = store
    .select({ no: linkLookups.linkNo })
    .from(linkLookups)
    .where(
      and(
        eq(linkLookups.step, "own"),
        isNull(linkLookups.dueAt),
        sql`${linkLookups.accountNo} in ${numbersOf(store, accountNos)}`,
      ),
    )
    .limit(ASKED_AT_ONCE);
  for (let asked = ASKED_AT_ONCE; asked === ASKED_AT_ONCE; await yieldToEventLoop()) {
    const rows = await store
      .update(linkLookups)
      .set({ step: "archive", state: "looking", dueAt: clock.now() })
      .where(inArray(linkLookups.linkNo, next))
      .returning({ no: linkLookups.linkNo });
    asked = rows.length;
  }
}

/** No lookup waits longer, whatever the clock said when it was written. */
const LONGEST_MS = 31 * DAY_MS;
const LONGEST_UNAVAILABLE_MS = 25 * 3_600_000;

export async function limitWaits({ store, clock }: Deps): Promise<number> {
  const now = clock.now();
  const rows = await store
    .update(linkLookups)
    .set({ dueAt: now })
    .where(
      sql`${linkLookups.dueAt} > case ${linkLookups.state} when 'nothing_good'
        then cast(${now + LONGEST_MS} as bigint) else cast(${now + LONGEST_UNAVAILABLE_MS} as bigint) end`,
    )
    .returning({ no: linkLookups.linkNo });
  return rows.length;
}
