import { eq } from "drizzle-orm";
import { sqlitePath } from "../../config/config.ts";
import { isDamage } from "../../db/sqlite-file.ts";
import { upkeep } from "../../db/tables.ts";
import { checkFullyInThread } from "../../db/threads.ts";
import { describeError, log } from "../../lib/log.ts";
import type { Deps } from "../../work/deps.ts";
import { tellOfDamage } from "./damage.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const JOB = "integrity";

/** Looks through the whole SQLite database once a week, in a thread of its own, and notes how it went. */
export async function checkIntegrityWhenDue(deps: Deps, signal?: AbortSignal): Promise<void> {
  const path = sqlitePath(deps.config);
  const startedAt = deps.clock.now();
  if (path === null || !(await isDue(deps, startedAt))) return;
  try {
    await checkFullyInThread(path, signal);
    await note(deps, { startedAt, succeededAt: deps.clock.now(), problem: null });
  } catch (error) {
    if (signal?.aborted) return;
    const problem = describeError(error).error;
    log.error("the weekly look through the database failed", { problem });
    if (isDamage(error)) tellOfDamage(deps.config, deps.troubles);
    await note(deps, { startedAt, failedAt: deps.clock.now(), problem });
  }
}

async function isDue({ store }: Deps, now: number): Promise<boolean> {
  const [last] = await store.select().from(upkeep).where(eq(upkeep.job, JOB));
  // One that lies in the future was noted while the clock was wrong.
  return !last || now - last.startedAt >= WEEK_MS || last.startedAt > now;
}

type Outcome = Omit<Partial<typeof upkeep.$inferInsert>, "job"> & { startedAt: number };

const note = ({ store }: Deps, outcome: Outcome): Promise<void> =>
  store.write([
    store
      .insert(upkeep)
      .values({ job: JOB, ...outcome })
      .onConflictDoNothing(),
    store.update(upkeep).set(outcome).where(eq(upkeep.job, JOB)),
  ]);
