/** No wish for more is granted. */
export const LONGEST_MS = 24 * 3_600_000;

/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110 §10.2.3): seconds, a date, or what servers
 * also write, such as `3s`, `1m30s` and `1e9`. At most a day; null when it cannot be read.
 */
export function readRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim().toLowerCase() ?? "";
  const ms = readLength(text) ?? readDate(text, now);
  return ms === null ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}

function readLength(text: string): number | null {
  if (/^\d+(e\d+)?$/.test(text)) return Number(text) * 1000;
  const [, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return null;
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000;
}

/** Without letters it is no HTTP date, and `Date.parse` would make something of it. */
function readDate(text: string, now: number): number | null {
  const at = /[a-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}
