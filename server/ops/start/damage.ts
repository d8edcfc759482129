import { backupFolder, type Config, sqlitePath } from "../../config/config.ts";
import { newestReadable } from "../../db/backup-files.ts";
import { damaged, ownMigrationNames } from "../../db/open.ts";
import type { Store } from "../../db/store.ts";
import { log } from "../../lib/log.ts";
import type { Troubles } from "../../lib/troubles.ts";

/** Reports damage to the operator, wherever it is found first. The report stays until a restart. */
export function watchForDamage(store: Store, config: Config, troubles: Troubles): void {
  store.engine.onDamage(() => tellOfDamage(config, troubles));
}

export function tellOfDamage(config: Config, troubles: Troubles): void {
  const path = sqlitePath(config);
  if (path === null || troubles.all().some(({ name }) => name === "database_damaged")) return;
  // None is read through, which would hold up every request.
  const newest = newestReadable(backupFolder(config), ownMigrationNames());
  const message = damaged(path, newest);
  log.error(message);
  troubles.set("database_damaged", message);
}
