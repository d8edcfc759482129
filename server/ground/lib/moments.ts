const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:[Zz]|([+\- ])(\d{2}):(\d{2}))$/;
const LAST_MS_OF_DAY = 86_400_000 - 1;

/** The one format of moments in replies: UTC with three decimals, which sorts as text. */
export const toIso = (ms: number) => new Date(ms).toISOString();

export const toIsoOrNull = (ms: number | null) => (ms === null ? null : toIso(ms));

/**
 * Milliseconds of an RFC 3339 moment with offset, or of a real calendar date, which means its first
 * or its last millisecond in UTC. A `+` that a query turned into a space is repaired.
 */
export function parseMoment(text: string, end: "start" | "end" = "start"): number | null {
  const date = DATE.exec(text);
  if (date) {
    const start = utcDay(date);
    return start === null || end === "start" ? start : start + LAST_MS_OF_DAY;
  }
  const moment = MOMENT.exec(text);
  return moment && momentOf(moment);
}

function momentOf(parts: RegExpExecArray): number | null {
  const day = utcDay(parts);
  const [hour, minute, second] = parts.slice(4, 7).map(Number) as [number, number, number];
  const offset = offsetMs(parts[8], Number(parts[9] ?? 0), Number(parts[10] ?? 0));
  // RFC 3339 knows the leap second 23:59:60; it counts as the next second.
  if (day === null || offset === null || hour > 23 || minute > 59 || second > 60) return null;
  const fraction = Math.floor(Number(parts[7] ?? 0) * 1000);
  return day + ((hour * 60 + minute) * 60 + second) * 1000 + fraction - offset;
}

function offsetMs(sign: string | undefined, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null;
  const ms = (hours * 60 + minutes) * 60_000;
  return sign === "-" ? -ms : ms;
}

function utcDay(parts: RegExpExecArray): number | null {
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const at = new Date(0).setUTCFullYear(year, month - 1, day);
  const real = new Date(at);
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === day ? at : null;
}
