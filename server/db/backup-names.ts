/**
 * A file of the folder of backups, as its name tells: `daily` ones are made by the clock or by hand, the
 * others before the database was brought to a newer schema.
 */
export type BackupName = { name: string; kind: "daily" | "before_upgrade"; madeAt: number };

/** `-` and `:` between the numbers are for files that were named by hand or by another program of ours. */
const MOMENT = "(\\d{4})-?(\\d\\d)-?(\\d\\d)T(\\d\\d)[-:]?(\\d\\d)[-:]?(\\d\\d)(?:[-.]?\\d{3})?Z";
const DAILY = new RegExp(`^stillup-${MOMENT}\\.db$`);
const BEFORE_UPGRADE = new RegExp(`^stillup-before-([\\w.]+)-${MOMENT}\\.db$`);

/** `stillup-20300101T030000Z.db` */
export const dailyName = (at: number) => `stillup-${stampOf(at)}.db`;

/**
 * `stillup-before-0011_audit-20300101T030000123Z.db`, by the first migration that was missing. To the
 * millisecond, as starts that fail may follow each other fast.
 */
export const beforeUpgradeName = (migration: string, at: number) =>
  `stillup-before-${migration.replace(/\.sql$/, "")}-${compact(at)}.db`;

/** Whether both copies were made before the same upgrade, which was begun more than once. */
export const isSameUpgrade = (one: string, other: string): boolean => {
  const migration = BEFORE_UPGRADE.exec(one)?.[1];
  return migration !== undefined && migration === BEFORE_UPGRADE.exec(other)?.[1];
};

/** `20300101T030000Z`, which no file system refuses, and which sorts by time. */
export const stampOf = (at: number) => compact(at).replace(/\d{3}Z$/, "Z");

/** Null for whatever is not ours. */
export function readName(name: string): BackupName | null {
  const daily = DAILY.exec(name);
  if (daily) return { kind: "daily", name, madeAt: momentOf(daily.slice(1)) };
  const before = BEFORE_UPGRADE.exec(name);
  if (!before) return null;
  return { kind: "before_upgrade", name, madeAt: momentOf(before.slice(2)) };
}

const compact = (at: number) => new Date(at).toISOString().replace(/[-:.]/g, "");

function momentOf(parts: string[]): number {
  const [year, month, day, hour, minute, second] = parts.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
