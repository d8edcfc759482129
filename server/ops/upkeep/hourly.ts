import { and, eq, gt, lte, or } from "drizzle-orm";
import { upkeep } from "../../ground/db/tables.ts";
import type { Deps } from "../../work/deps.ts";

/** Nodes that begin within this time do the work of the same hour, even if their clocks differ. */
const SAME_HOUR_MS = 30 * 60_000;

/**
 * Does the work of this hour, unless another node is doing or has done it. Every node tries, so no node is special.
 * @param signal ends the work early, as losing the lock does; the next hour does the rest
 * @returns whether this node did it
 */
export async function hourly(
  deps: Deps,
  job: Job,
  signal: AbortSignal,
  work: (deps: Deps, signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const done = await deps.store.engine.alone(job, async (lost) => {
    if (!(await begin(deps, job))) return false;
    await work(deps, AbortSignal.any([signal, lost]));
    const isDone = { succeededAt: deps.clock.now() };
    await deps.store.update(upkeep).set(isDone).where(eq(upkeep.job, job));
    return true;
  });
  return done ?? false;
}

type Job = (typeof upkeep.$inferSelect)["job"];

/** A time in the future was written while the clock was wrong. */
async function begin({ store, clock }: Deps, job: Job): Promise<boolean> {
  const now = clock.now();
  const isOld = or(lte(upkeep.startedAt, now - SAME_HOUR_MS), gt(upkeep.startedAt, now));
  const [, begun] = await store.batch([
    store.insert(upkeep).values({ job, startedAt: NEVER }).onConflictDoNothing(),
    store
      .update(upkeep)
      .set({ startedAt: now })
      .where(and(eq(upkeep.job, job), isOld))
      .returning({ job: upkeep.job }),
  ]);
  return begun.length > 0;
}

const NEVER = 0;
