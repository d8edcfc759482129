import { and, asc, eq, gt, inArray, isNotNull, isNull, like, not, or, sql } from "drizzle-orm";
import { numbersOf } from "../ground/db/store.ts";
import {
  links,
  type ReplacementItemRow,
  type ReplacementRow,
  replacementItems,
  replacements,
} from "../ground/db/tables.ts";
import { createTurns } from "../ground/lib/concurrency.ts";
import { logFailure } from "../ground/lib/log.ts";
import type { StoredMemory } from "../links/memories.ts";
import { readMemories } from "../links/memories.ts";
import type { Deps } from "../work/deps.ts";
import { leasesOf } from "../work/nodes.ts";
import { areOfDead, isStillDue, leaseFor, NEVER_DUE, startQueue } from "../work/queue.ts";
import { traceOf, viewPage } from "./suggestions/view-page.ts";

/** Longer than one check takes, with its wait for the turn at its site. Each check that ends renews the lease. */
const LEASE_MS = 10 * 60_000;
/** Previews that one node works on. */
const MOST_RUNNING = 4;
/** New URLs of a preview that are checked at once. They are often of one site, which has limits of its own. */
const AT_ONCE = 8;
/** How long a site may keep a preview waiting that wants no requests now. */
const LONGEST_WAIT_MS = 30 * 60_000;

/** Checks the new URLs of previews until it is stopped. */
export function startReplacementLoop(deps: Deps): { wake(): void; stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const running = new Set<Promise<void>>();
  const { wake, ended } = startQueue(deps, signal, {
    rows: "replacements",
    prepare: async () => (deps.troubles.stoppingWrites() ? "paused" : "ready"),
    async claim() {
      while (running.size < MOST_RUNNING && !signal.aborted) {
        const next = await claimNext(deps);
        if (typeof next === "number") return next;
        const checked = checkItems(deps, next, signal)
          .catch(logFailure("failed to check the new URLs of a replacement"))
          .finally(() => {
            running.delete(checked);
            wake();
          });
        running.add(checked);
      }
      return null;
    },
    limitWaits: (_, atStart) => limitWaits(deps, atStart),
  });
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
      await Promise.all(running);
    },
  };
}

type Claimed = ReplacementRow & { lease: string };

/** Claims a preview whose new URLs are to be checked. @returns when the next one is due if none is */
export async function claimNext(deps: Deps): Promise<Claimed | number> {
  const { store, clock, nodes } = deps;
  const now = clock.now();
  const { isAll, buckets } = nodes.share("checks");
  if (buckets.length === 0) return now;
  const isOurs = and(
    gt(replacements.expiresAt, now),
    isAll ? undefined : inArray(replacements.bucket, sql`${numbersOf(store, [...buckets])}`),
  );
  const areLeft = areOfDead(replacements, deps);
  if (areLeft) await store.update(replacements).set({ lease: null, dueAt: now }).where(areLeft);
  const [next] = await store
    .select({ id: replacements.id, dueAt: replacements.dueAt })
    .from(replacements)
    .where(and(isNotNull(replacements.dueAt), isOurs))
    .orderBy(asc(replacements.dueAt))
    .limit(1);
  if (!next?.dueAt) return NEVER_DUE;
  if (next.dueAt > now) return next.dueAt;
  const leased = leaseFor(deps, LEASE_MS);
  const [taken] = await store
    .update(replacements)
    .set(leased)
    .where(and(eq(replacements.id, next.id), isStillDue(replacements, now)))
    .returning();
  return taken ? { ...taken, lease: leased.lease } : now;
}

/** Checks what is left of a preview, which is ready then. Ends early if the signal aborts, or another node has it. */
export async function checkItems(deps: Deps, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  const items = await store
    .select()
    .from(replacementItems)
    .where(and(eq(replacementItems.replacementId, claimed.id), isNull(replacementItems.verdict)));
  const memories = await memoriesOf(deps, items);
  const takeTurns = createTurns({ atOnce: AT_ONCE });
  const lost = new AbortController();
  const until = AbortSignal.any([signal, lost.signal]);
  const retries: number[] = [];
  const checkOne = async (item: ReplacementItemRow) => {
    if (until.aborted) return;
    const memory = memories.get(item.linkId);
    const retryAt = await checkItem(deps, claimed, item, { memory, signal: until });
    if (retryAt === "lost") lost.abort();
    else if (retryAt !== null) retries.push(retryAt);
  };
  await Promise.all(items.map((item) => takeTurns(() => checkOne(item))));
  const isReady = retries.length === 0 && !until.aborted;
  await store
    .update(replacements)
    .set({
      ...(isReady && { state: "ready" }),
      dueAt: isReady ? null : Math.max(clock.now(), Math.min(...retries, clock.now() + LEASE_MS)),
      lease: null,
    })
    .where(isHeld(claimed));
  if (isReady) deps.topics.counted(new Set([claimed.accountId]));
}

const isHeld = ({ id, lease }: Claimed) =>
  and(eq(replacements.id, id), eq(replacements.lease, lease));

async function memoriesOf({ store }: Deps, items: ReplacementItemRow[]) {
  const ids = items.map(({ linkId }) => linkId);
  if (ids.length === 0) return new Map<string, StoredMemory>();
  const rows = await store
    .select({ id: links.id, no: links.no })
    .from(links)
    .where(inArray(links.id, ids));
  const memories = await readMemories(
    store,
    rows.map(({ no }) => no),
  );
  return new Map(
    rows.flatMap(({ id, no }) => (memories.has(no) ? [[id, memories.get(no)!] as const] : [])),
  );
}

/** @returns when to check it again, null if it was checked, or "lost" if another node has the preview */
async function checkItem(
  deps: Deps,
  claimed: Claimed,
  { replacementId, linkId, newUrl }: ReplacementItemRow,
  { memory, signal }: { memory: StoredMemory | undefined; signal: AbortSignal },
): Promise<number | null | "lost"> {
  const { store, clock } = deps;
  const { accountId, createdAt } = claimed;
  const seen = await viewPage(deps, { accountId, url: newUrl, trace: traceOf(memory), signal });
  if (signal.aborted) return null;
  const now = clock.now();
  if (seen.retryMs !== null && now + seen.retryMs <= createdAt + LONGEST_WAIT_MS)
    return now + seen.retryMs;
  const { status: verdict, reason, matches } = seen;
  return store.transaction(async (tx) => {
    const held = await tx
      .update(replacements)
      .set({ dueAt: now + LEASE_MS })
      .where(isHeld(claimed))
      .returning({ id: replacements.id });
    if (held.length === 0) return "lost";
    const isThis = and(
      eq(replacementItems.replacementId, replacementId),
      eq(replacementItems.linkId, linkId),
    );
    await tx.update(replacementItems).set({ verdict, reason, matches }).where(isThis);
    return null;
  });
}

/** Makes previews due that would wait longer than they may, or that an earlier process has left. @returns how many */
async function limitWaits({ store, clock, nodes }: Deps, atStart: boolean): Promise<number> {
  const { dueAt, lease } = replacements;
  const isLeft = and(isNotNull(lease), not(like(lease, leasesOf(nodes.id))));
  const late = await store
    .update(replacements)
    .set({ dueAt: clock.now(), lease: null })
    .where(
      or(
        gt(dueAt, clock.now() + LONGEST_WAIT_MS),
        atStart && !store.engine.isShared ? and(isNotNull(dueAt), isLeft) : undefined,
      ),
    )
    .returning({ id: replacements.id });
  return late.length;
}
