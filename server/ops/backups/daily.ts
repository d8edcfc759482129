import { Cron } from "croner";
import { eq } from "drizzle-orm";
import { upkeep } from "../../db/tables.ts";
import { logFailure } from "../../lib/log.ts";
import type { Deps } from "../../work/deps.ts";
import { beginBackup } from "./backups.ts";
import { isBackupDue, isUnderWay, problemOf, readUpkeep } from "./upkeep.ts";

/**
 * Makes backups by the clock, as long as this process lives. Looking every minute whether one is due is all
 * there is to it: so one that was missed while the machine was off is made up, and one that failed repeated.
 */
export function startBackups(deps: Deps): { stop(): void } {
  const options = { protect: true, catch: noteFailure };
  void recallLast(deps).catch(noteFailure);
  return new Cron("* * * * *", options, async () => {
    await backUpIfDue(deps);
  });
}

/** @returns whether one was made */
export async function backUpIfDue(deps: Deps): Promise<boolean> {
  if (!(await isBackupDue(deps))) return false;
  const ended = await beginBackup(deps);
  return (await ended()) === "made";
}

/** At the start: jobs of the last process have ended with it, and its failures still have to be reported. */
export async function recallLast(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const known = await readUpkeep(deps);
  if (known && isUnderWay(known, now)) {
    const problem =
      "Stillup was stopped while it was being made. It is made again within the hour.";
    const failed = { failedAt: now, problem };
    await deps.store.update(upkeep).set(failed).where(eq(upkeep.job, "backup"));
  }
  deps.troubles.set("backup_failed", await problemOf(deps, await readUpkeep(deps)));
}

const noteFailure = logFailure("a backup could not begin");
