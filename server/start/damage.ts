import type { Config } from "../config.ts";
import { backupFolder, sqlitePath } from "../config.ts";
import { log } from "../lib/log.ts";
import type { Troubles } from "../lib/troubles.ts";
import { backupsIn } from "../store/backups-at-hand.ts";
import { damaged } from "../store/prepare.ts";
import type { Store } from "../store/store.ts";

/** Has damage told to the operator, whoever comes upon it first. It is not over before a restart. */
export function watchForDamage(store: Store, config: Config, troubles: Troubles): void {
  store.engine.onDamage(() => tellOfDamage(config, troubles));
}

export function tellOfDamage(config: Config, troubles: Troubles): void {
  const path = sqlitePath(config);
  if (path === null || troubles.all().some(({ name }) => name === "database_damaged")) return;
  const message = damaged(path, backupsIn(backupFolder(config))[0]?.path ?? null);
  log.error(message);
  troubles.set("database_damaged", message);
}
