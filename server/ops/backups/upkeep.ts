import { Cron } from "croner";
import { eq, sql } from "drizzle-orm";
import { upkeep } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";

const HOUR_MS = 3_600_000;
/** A backup that takes longer has been given up, or its process was killed. */
const LONGEST_MS = 6 * HOUR_MS;
const RETRY_MS = HOUR_MS;
/** With a daily one there is then none for 48 hours. */
const OVERDUE_MS = 24 * HOUR_MS;

type Upkeep = typeof upkeep.$inferSelect;

/** What is noted of the last backup; null also on PostgreSQL, where a move leaves the note of the SQLite database. */
export async function readUpkeep({ store }: Deps): Promise<Upkeep | null> {
  if (store.engine.name !== "sqlite") return null;
  const [row] = await store.select().from(upkeep).where(eq(upkeep.job, "backup"));
  return row ?? null;
}

/** When a backup is wanted next, or was; null where none is made by the clock. */
export async function nextBackupAt(deps: Deps, known: Upkeep | null): Promise<number | null> {
  const { backupCron } = deps.config;
  if (backupCron === "" || deps.store.engine.name !== "sqlite") return null;
  // What lies in the future was written while the clock was wrong.
  const isPast = (at: number) => at <= deps.clock.now();
  const last = [known?.succeededAt ?? 0, await installedAt(deps)].find(
    (at) => at > 0 && isPast(at),
  );
  return new Cron(backupCron).nextRun(new Date(last ?? 0))?.getTime() ?? null;
}

/** Whether one is wanted that is neither being made nor has failed a moment ago. */
export async function isBackupDue(deps: Deps): Promise<boolean> {
  const now = deps.clock.now();
  const known = await readUpkeep(deps);
  const nextAt = await nextBackupAt(deps, known);
  if (nextAt === null || nextAt > now) return false;
  if (!known) return true;
  const failedLately = known.failedAt !== null && isWithin(RETRY_MS, known.failedAt, now);
  return !isUnderWay(known, now) && !failedLately;
}

export function isUnderWay({ startedAt, succeededAt, failedAt }: Upkeep, now: number): boolean {
  const endedAt = Math.max(succeededAt ?? 0, failedAt ?? 0);
  return startedAt > endedAt && isWithin(LONGEST_MS, startedAt, now);
}

/** Whether the last one failed. */
export const hasFailed = ({ succeededAt, failedAt }: Upkeep): boolean =>
  failedAt !== null && failedAt > (succeededAt ?? 0);

/** What is wrong with the backups, in words for an administrator. */
export async function problemOf(deps: Deps, known: Upkeep | null): Promise<string | null> {
  if (known && hasFailed(known)) return `The last backup failed. ${known.problem}`;
  if (known && isUnderWay(known, deps.clock.now())) return null;
  const nextAt = await nextBackupAt(deps, known);
  if (nextAt === null || nextAt + OVERDUE_MS > deps.clock.now()) return null;
  return known?.succeededAt
    ? "The backup that was due has not been made. The server's log says why."
    : "No backup has been made so far. The server's log says why.";
}

const isWithin = (ms: number, at: number, now: number) => at <= now && now < at + ms;

/** When this database was begun. */
async function installedAt({ store, clock }: Deps): Promise<number> {
  const rows = (await store.readPool.all(sql`select min(applied_at) from migrations`)) as unknown[];
  const [at] = Object.values(rows[0] ?? {});
  return typeof at === "number" ? at : clock.now();
}
