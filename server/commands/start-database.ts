import { openDeps } from "../app/build.ts";
import type { Config } from "../config/config.ts";
import { backupFolder, sqlitePath } from "../config/config.ts";
import { type FolderLock, lockFolder } from "../db/folder-lock.ts";
import { refuseNewer } from "../db/migrate.ts";
import { ownMigrations } from "../db/open.ts";
import { deleteUnfinished } from "../db/prepare.ts";
import { makeParts } from "../history/make-parts.ts";
import { systemClock } from "../lib/clock.ts";
import { describeError, log } from "../lib/log.ts";
import { noteCleanStop } from "../ops/start/clean-stop.ts";
import {
  type Fresh,
  makeFolder,
  prepareToServe,
  type Tell,
} from "../ops/start/prepare-database.ts";
import { noteVersion } from "../ops/start/versions.ts";
import type { Deps } from "../work/deps.ts";

/** Makes the data folder and takes it for this process. @throws when another server has it */
export function takeFolder({ dataDir }: Config): FolderLock {
  makeFolder(dataDir);
  return lockFolder(dataDir);
}

/**
 * Opens the database, which may take long when it is large and has to be upgraded.
 * @param tell is called with each step
 * @returns null when the process is stopped meanwhile: then nothing was done
 */
export async function startDatabase(
  config: Config,
  tell: Tell,
  ended: Promise<void>,
  options?: Fresh,
): Promise<Deps | null> {
  const sayAndTell = (doing: string) => {
    log.info(doing);
    tell(doing);
  };
  const opening = openDeps(config, systemClock, prepareToServe(sayAndTell, options));
  const opened = await Promise.race([opening, ended.then(() => null)]);
  if (!opened) {
    // A transaction that is cut off leaves nothing; a copy would leave its beginning.
    deleteUnfinished(backupFolder(config));
    log.info("stopped before the start was done");
    return null;
  }
  const { deps, migrated } = opened;
  if (migrated.length > 0) log.info("database migrated", { migrated });
  await noteVersion(deps.store, deps.clock);
  await awaitUpgrade(deps);
  // Else what is checked before housekeeping comes round would have to be moved.
  await makeParts(deps).catch((error) =>
    log.warning("history has no room ahead", describeError(error)),
  );
  return deps;
}

/** Others may be upgrading it now, and know nothing of this process. */
async function awaitUpgrade({ store: { engine } }: Deps): Promise<void> {
  if (engine.isShared) await refuseNewer(engine, ownMigrations(), systemClock.now());
}

/** Closes the database and notes that it was closed in order. */
export async function closeDatabase({ store, config, troubles }: Deps): Promise<void> {
  await store.engine.close();
  const path = sqlitePath(config);
  const isWell = troubles.all().every(({ name }) => name !== "database_damaged");
  if (path !== null && isWell) noteCleanStop(config, path);
}
