import { eq } from "drizzle-orm";
import * as z from "zod";
import { type AccountRow, accounts } from "../ground/db/tables.ts";
import { conflict, notFound } from "../ground/lib/errors.ts";
import { flag } from "../ground/lib/fields.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import type { Unit } from "../work/unit.ts";
import { auditChange, emailTarget, fieldsOf } from "./audit.ts";

export const ARCHIVE_USES = ["on", "off", "forbidden"] as const;
/** Whether archives are used for an account: `forbidden` by the operator, or off as long as no owner turns it on. */
export type ArchiveUse = (typeof ARCHIVE_USES)[number];

type Settings = Pick<AccountRow, "archiveLookup" | "archiveSave">;
type Server = Pick<Deps["config"], "archive" | "archiveKeyFile">;

/** Whether archives are asked for dead links. */
export function lookupsIn({ archive }: Pick<Server, "archive">, account: Settings): ArchiveUse {
  if (archive === "off") return "forbidden";
  return (account.archiveLookup ?? archive === "on") ? "on" : "off";
}

/** Whether pages are saved in the archive, which needs the operator's key for it. */
export function savesIn({ archive, archiveKeyFile }: Server, account: Settings): ArchiveUse {
  if (archive === "off" || archiveKeyFile === null) return "forbidden";
  return account.archiveSave ? "on" : "off";
}

/** The refusal of what needs an archive. */
export const archiveOff = (message: string) => conflict(message, { reason: "archive_off" });

export const NOT_HERE = "This server does not use archives.";

export const ArchiveChange = z.object(
  { archive_lookup: flag().optional(), archive_save: flag().optional() },
  "must be a JSON object",
);
export type ArchiveChange = z.output<typeof ArchiveChange>;

/** @throws CONFLICT with `archive_off` for what the operator forbids */
export async function changeArchive(
  unit: Unit,
  caller: Caller,
  { archive_lookup: lookup, archive_save: save }: ArchiveChange,
): Promise<void> {
  const { store: tx, config } = unit;
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, caller.accountId));
  if (!account) throw notFound("account");
  if ((lookup || save) && config.archive === "off") throw archiveOff(NOT_HERE);
  if (save && config.archiveKeyFile === null) {
    throw archiveOff("This server cannot save pages: ask the operator to set a key for it.");
  }
  const before = {
    archive_lookup: account.archiveLookup ?? config.archive === "on",
    archive_save: account.archiveSave,
  };
  await tx
    .update(accounts)
    .set({
      archiveLookup: lookup ?? account.archiveLookup,
      archiveSave: save ?? account.archiveSave,
    })
    .where(eq(accounts.id, account.id));
  await auditChange(unit, caller, {
    action: "archive.setting_changed",
    target: emailTarget(account),
    fields: fieldsOf({ archive_lookup: lookup, archive_save: save }, before),
  });
}
