/** Above this a number of seconds is a moment of this century, and no length. */
const FIRST_EPOCH_S = 1_000_000_000;
/** Above this a moment is told in milliseconds. */
const FIRST_EPOCH_MS = 1_000_000_000_000;

/** The names under which what is left, and when there is more, come in two headers. */
const PREFIXES = ["ratelimit", "x-ratelimit", "x-rate-limit"];

/**
 * Milliseconds until a server's rate limit is renewed, when it says that nothing is left of it. Null
 * when something is left, nothing is said, or it cannot be read. `now` is wall time.
 */
export function readUsedUpLimit(headers: Headers, now: number): number | null {
  const pairs = PREFIXES.map((prefix) =>
    resetOf(headers.get(`${prefix}-remaining`), headers.get(`${prefix}-reset`), now),
  );
  const found = [...pairs, ...readRateLimit(headers.get("ratelimit") ?? "", now)];
  const longest = Math.max(0, ...found.filter((ms) => ms !== null));
  return longest > 0 ? longest : null;
}

/**
 * One header tells both: `limit=100, remaining=0, reset=50` (draft-ietf-httpapi-ratelimit-headers-07), or
 * a list of limits such as `"default";r=0;t=30` (drafts 08 and later).
 */
function readRateLimit(value: string, now: number): (number | null)[] {
  if (value === "") return [];
  const whole = resetOf(memberOf(value, "remaining"), memberOf(value, "reset"), now);
  const limits = value.split(",").map((limit) => {
    return resetOf(memberOf(limit, "r"), memberOf(limit, "t"), now);
  });
  return [whole, ...limits];
}

/** The value of `name=…` in a list or among parameters (RFC 9651). */
function memberOf(text: string, name: string): string | null {
  const member = text.split(/[,;]/).find((part) => part.trimStart().startsWith(`${name}=`));
  return member ? member.slice(member.indexOf("=") + 1) : null;
}

/** Lengths and moments are told apart by their size: GitHub and GitLab send seconds since 1970. */
function resetOf(remaining: string | null, reset: string | null, now: number): number | null {
  if (readNumber(remaining) !== 0) return null;
  const at = readNumber(reset);
  if (at === null) return null;
  if (at >= FIRST_EPOCH_MS) return Math.max(0, at - now);
  return at >= FIRST_EPOCH_S ? Math.max(0, at * 1000 - now) : at * 1000;
}

/** Some servers count in fractions. */
function readNumber(text: string | null): number | null {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,15}(\.\d{1,9})?$/.test(trimmed) ? Number(trimmed) : null;
}
