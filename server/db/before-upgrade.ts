import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeUpgradeName, isSameUpgrade } from "./backup-names.ts";
import { backupsIn, cutShortIn } from "./backups-at-hand.ts";
import { copyDatabase } from "./copy.ts";
import { NoRoom } from "./file-system.ts";

/** Of so many upgrades the copies stay. */
export const UPGRADES_KEPT = 3;

/**
 * Copies the database as it is before its first missing migration runs, and verifies the copy.
 * @throws when there is no room, or the database does not hold together
 */
export async function copyBeforeUpgrade(
  path: string,
  folder: string,
  migration: string,
  now: number,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  forgetUnfinished(folder);
  const name = beforeUpgradeName(migration, now);
  const target = join(folder, name);
  await copyDatabase(path, target).catch(sayHowToGoWithout);
  forgetOlder(folder, name);
  return target;
}

/** What a start that was cut off was copying. */
export function forgetUnfinished(folder: string): void {
  for (const path of cutShortIn(folder, "before_upgrade")) rmSync(path, { force: true });
}

function sayHowToGoWithout(error: unknown): never {
  if (!(error instanceof NoRoom)) throw error;
  throw new Error(
    `The database has to be upgraded, and is copied first. ${error.message} ` +
      "To go without the copy, set STILLUP_UPGRADE_BACKUP=false.",
  );
}

/** An upgrade that fails at each start must not fill the disk with copies of the same. */
function forgetOlder(folder: string, newest: string) {
  const others = backupsIn(folder).filter(
    ({ kind, name }) => kind === "before_upgrade" && name !== newest,
  );
  const superseded = others.filter(({ name }) => isSameUpgrade(name, newest));
  const old = others.filter(({ name }) => !isSameUpgrade(name, newest)).slice(UPGRADES_KEPT - 1);
  for (const { path } of [...superseded, ...old]) rmSync(path);
}
