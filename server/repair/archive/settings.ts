import { eq } from "drizzle-orm";
import { type AccountRow, accounts } from "../../ground/db/tables.ts";
import { conflict } from "../../ground/lib/errors.ts";
import type { Deps } from "../../work/deps.ts";

/** Whether archives are asked for an account: `forbidden` by the operator, or off as long as no owner turns it on. */
export type Lookups = "on" | "off" | "forbidden";

type Settings = Pick<AccountRow, "archiveLookup" | "archiveSave">;
type Archive = Pick<Deps["config"], "archive" | "archiveKeyFile">;

/** Whether archives are asked for dead links. */
export function lookupsIn({ archive }: Pick<Archive, "archive">, account: Settings): Lookups {
  if (archive === "off") return "forbidden";
  return (account.archiveLookup ?? archive === "on") ? "on" : "off";
}

/** Whether pages are saved in the archive, which needs the operator's key for it. */
export function savesIn({ archive, archiveKeyFile }: Archive, account: Settings): Lookups {
  if (archive === "off" || archiveKeyFile === null) return "forbidden";
  return account.archiveSave ? "on" : "off";
}

/** Returns whether archives are asked for an account's dead links. */
export async function lookupsOf(
  { store, config }: Pick<Deps, "store" | "config">,
  accountNo: number,
): Promise<Lookups> {
  if (config.archive === "off") return "forbidden";
  const [account] = await store.select().from(accounts).where(eq(accounts.no, accountNo));
  return account ? lookupsIn(config, account) : "off";
}

/** @throws unless archives are asked for the account */
export async function demandLookups(
  deps: Pick<Deps, "store" | "config">,
  accountNo: number,
): Promise<void> {
  const lookups = await lookupsOf(deps, accountNo);
  if (lookups === "on") return;
  const message =
    lookups === "off"
      ? "Ask an owner to turn on archive lookups."
      : "This server does not use archives.";
  throw conflict(message, { reason: "archive_off" });
}
