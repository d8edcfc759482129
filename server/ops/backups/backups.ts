import { join } from "node:path";
import { and, eq } from "drizzle-orm";
import { recordChange } from "../../accounts/audit.ts";
import type { Actor } from "../../api/caller.ts";
import { sqlitePath } from "../../config/config.ts";
import { copyDatabase, dailyName } from "../../db/backup-files.ts";
import { isDamage } from "../../db/sqlite-file.ts";
import { upkeep } from "../../db/tables.ts";
import { conflict } from "../../lib/errors.ts";
import { describeError, log } from "../../lib/log.ts";
import { sizeText } from "../../lib/text.ts";
import type { Deps } from "../../work/deps.ts";
import { tellOfDamage } from "../start/damage.ts";
import { clearCutShort, makeBackupFolder, removeAll, requireBackup, rotate } from "./folder.ts";
import { DUMP_HINT } from "./sqlite-only.ts";
import { isUnderWay, readUpkeep } from "./upkeep.ts";

const MIB = 1024 * 1024;

/** How a backup ended; what failed stands in the log, in the upkeep and among the troubles. */
export type Outcome = "made" | "failed";

/**
 * Begins a backup unless one is being made: of those who try at once, also in other processes, one does it.
 * @returns what waits for its end
 * @throws CONFLICT when one is being made, and on PostgreSQL
 */
export async function beginBackup(deps: Deps, by?: Actor): Promise<() => Promise<Outcome>> {
  const path = sqlitePath(deps.config);
  if (path === null) throw conflict(DUMP_HINT, { reason: "not_sqlite" });
  if (!(await claim(deps))) {
    throw conflict("A backup is being made already.", { reason: "under_way" });
  }
  const outcome = make(deps, path, by).then(
    () => "made" as const,
    (error) => fail(deps, error),
  );
  return () => outcome;
}

/** Deletes one; who does is on record before it is gone. @throws NOT_FOUND */
export async function deleteBackup(deps: Deps, by: Actor, name: string): Promise<void> {
  const { path } = requireBackup(deps.config, name);
  await recordChange(deps, told("backup.deleted", by, name));
  await removeAll([path]);
}

/** Returns the path of a backup to download, and records who downloads it. @throws NOT_FOUND */
export async function takeBackup(deps: Deps, by: Actor, name: string) {
  const backup = requireBackup(deps.config, name);
  await recordChange(deps, told("backup.downloaded", by, name));
  return backup;
}

async function make(deps: Deps, path: string, by: Actor | undefined): Promise<void> {
  refuseDamaged(deps);
  const folder = makeBackupFolder(deps.config);
  await clearCutShort(deps.config);
  const name = dailyName(deps.clock.now());
  const began = performance.now();
  const leaveFree = deps.config.diskFloorMb * MIB;
  const { bytes } = await copyDatabase(path, join(folder, name), { leaveFree });
  await rotate(deps.config, name);
  await succeed(deps, name, by);
  const seconds = Math.round(performance.now() - began) / 1000;
  log.info("backup made", { name, size: sizeText(bytes), seconds });
}

/** Copies of what is damaged would push out the good ones. */
function refuseDamaged({ troubles }: Deps) {
  const damaged = troubles.all().find(({ name }) => name === "database_damaged");
  if (damaged) throw new Error(`No backup is made of a damaged database. ${damaged.message}`);
}

/** The conditional update is the lock, as everywhere. */
async function claim(deps: Deps): Promise<boolean> {
  const { store, clock } = deps;
  const now = clock.now();
  const known = await readUpkeep(deps);
  if (known && isUnderWay(known, now)) return false;
  if (!known) {
    const row = { job: "backup", startedAt: now } as const;
    const made = await store.insert(upkeep).values(row).onConflictDoNothing().returning();
    return made.length > 0;
  }
  const isSame = and(eq(upkeep.job, "backup"), eq(upkeep.startedAt, known.startedAt));
  // What seems to have ended only later was written while the clock was wrong.
  const succeededAt = known.succeededAt && Math.min(known.succeededAt, now - 1);
  const begun = { startedAt: now, succeededAt, failedAt: null, problem: null };
  const taken = await store.update(upkeep).set(begun).where(isSame).returning();
  return taken.length > 0;
}

async function succeed(deps: Deps, name: string, by: Actor | undefined): Promise<void> {
  const succeededAt = deps.clock.now();
  await deps.store.transaction(async (tx) => {
    await tx.update(upkeep).set({ succeededAt, problem: null }).where(eq(upkeep.job, "backup"));
    if (by) await recordChange({ ...deps, store: tx }, told("backup.made", by, name));
  });
  deps.troubles.set("backup_failed", null);
}

async function fail(deps: Deps, error: unknown): Promise<Outcome> {
  const problem = describeError(error).error;
  log.error("the backup failed", { problem });
  deps.troubles.set("backup_failed", `The last backup failed. ${problem}`);
  if (isDamage(error)) tellOfDamage(deps.config, deps.troubles);
  // A disk that is full may not take this either.
  await deps.store
    .update(upkeep)
    .set({ failedAt: deps.clock.now(), problem })
    .where(eq(upkeep.job, "backup"))
    .catch((second) => log.error("that a backup failed was not kept", describeError(second)));
  return "failed";
}

const told = (
  action: "backup.made" | "backup.deleted" | "backup.downloaded",
  by: Actor,
  name: string,
) => ({ action, by, accountId: null, target: { id: name, name } }) as const;
