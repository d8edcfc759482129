import type { BackupName } from "../../db/backup-files.ts";
import { UPGRADES_KEPT } from "../../db/open.ts";

const WEEKS_KEPT = 4;
const DAY_MS = 86_400_000;
/** 1970 began on a Thursday; weeks begin on Mondays. */
const DAYS_BEFORE_MONDAY = 3;

/**
 * The backups that have had their time: all but the last one of each of the newest days and weeks, and the
 * last ones before an upgrade. Days and weeks are those of UTC.
 * @param days how many of them are kept
 */
export function outdated<T extends BackupName>(backups: T[], days: number): T[] {
  const newestFirst = backups.toSorted((a, b) => b.madeAt - a.madeAt);
  const daily = newestFirst.filter(({ kind }) => kind === "daily");
  const upgrades = newestFirst.filter(({ kind }) => kind === "before_upgrade");
  const kept = new Set([
    ...lastOfEach(daily, dayOf).slice(0, days),
    ...lastOfEach(daily, weekOf).slice(0, WEEKS_KEPT),
    ...upgrades.slice(0, UPGRADES_KEPT),
  ]);
  return newestFirst.filter((backup) => !kept.has(backup));
}

function lastOfEach<T extends BackupName>(newestFirst: T[], spanOf: (at: number) => number): T[] {
  const spans = newestFirst.map(({ madeAt }) => spanOf(madeAt));
  return newestFirst.filter((_, i) => spans[i] !== spans[i - 1]);
}

const dayOf = (at: number) => Math.floor(at / DAY_MS);

const weekOf = (at: number) => Math.floor((dayOf(at) + DAYS_BEFORE_MONDAY) / 7);
