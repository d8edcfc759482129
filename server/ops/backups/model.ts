import * as z from "zod";
import type { BackupName } from "../../db/backup-files.ts";
import { toIso, toIsoOrNull } from "../../lib/moments.ts";

/** A backup that is there; each was verified before it got its name. */
export type Backup = BackupName & { bytes: number };

/** How the backups are, for those who run the installation. */
export type BackupState = {
  folder: string | null;
  schedule: string | null;
  daysKept: number;
  nextAt: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  isUnderWay: boolean;
  problem: string | null;
  items: Backup[];
};

const Item = z.object({
  name: z.string(),
  kind: z.enum(["daily", "before_upgrade"]),
  bytes: z.int(),
  made_at: z.string(),
});

export const State = z.object({
  /** Where they are; null on PostgreSQL, which is copied by its own program. */
  folder: z.string().nullable(),
  /** When they are made; null is never. */
  schedule: z.string().nullable(),
  days_kept: z.int(),
  next_at: z.string().nullable(),
  last_success_at: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  is_under_way: z.boolean(),
  problem: z.string().nullable(),
  items: z.array(Item),
});

export const toState = (state: BackupState): z.infer<typeof State> => ({
  folder: state.folder,
  schedule: state.schedule,
  days_kept: state.daysKept,
  next_at: toIsoOrNull(state.nextAt),
  last_success_at: toIsoOrNull(state.lastSuccessAt),
  last_failure_at: toIsoOrNull(state.lastFailureAt),
  is_under_way: state.isUnderWay,
  problem: state.problem,
  items: state.items.map(toItem),
});

const toItem = ({ name, kind, bytes, madeAt }: Backup): z.infer<typeof Item> => ({
  name,
  kind,
  bytes,
  made_at: toIso(madeAt),
});
