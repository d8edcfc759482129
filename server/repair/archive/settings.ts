import { eq } from "drizzle-orm";
import { type ArchiveUse, archiveOff, lookupsIn, NOT_HERE } from "../../accounts/archive.ts";
import { accounts } from "../../ground/db/tables.ts";
import type { Deps } from "../../work/deps.ts";

/** Returns whether archives are asked for an account's dead links. */
export async function lookupsOf(
  { store, config }: Pick<Deps, "store" | "config">,
  accountNo: number,
): Promise<ArchiveUse> {
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
  if (lookups === "off") throw archiveOff("Ask an owner to turn on archive lookups.");
  if (lookups === "forbidden") throw archiveOff(NOT_HERE);
}
