import { backupFolder, sqlitePath } from "../../config/config.ts";
import type { Deps } from "../../work/deps.ts";
import { listBackups } from "./folder.ts";
import type { BackupState } from "./model.ts";
import { isUnderWay, nextBackupAt, problemOf, readUpkeep } from "./upkeep.ts";

export async function readBackups(deps: Deps): Promise<BackupState> {
  const { config, clock } = deps;
  const known = await readUpkeep(deps);
  return {
    folder: sqlitePath(config) === null ? null : backupFolder(config),
    schedule: config.backupCron || null,
    daysKept: config.backupKeep,
    nextAt: await nextBackupAt(deps, known),
    lastSuccessAt: known?.succeededAt ?? null,
    lastFailureAt: known?.failedAt ?? null,
    isUnderWay: known !== null && isUnderWay(known, clock.now()),
    problem: await problemOf(deps, known),
    items: listBackups(config),
  };
}
