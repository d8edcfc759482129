import { type TargetPolicy, vetTarget } from "../../net/policy.ts";
import { parseRefresh, type Refresh } from "../page/finder.ts";
import type { Page } from "../page/page.ts";

/** A response that pointed elsewhere: by its `Location`, or as a page that sends its reader on. */
export type Hop = { url: string; status: number; via: "location" | "refresh" };

type Refused = {
  ok: false;
  reason: "redirect_bad_location" | "redirect_unsupported_scheme" | "redirect_forbidden_target";
  detail: string;
  /** A browser may follow the target; this monitor refuses to. */
  isUnsafe?: true;
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Who waits longer means the page to be read. */
const LONGEST_DELAY_S = 10;

/** A fragment is never sent, so it makes no difference between two requests. */
export function withoutFragment(url: URL): URL {
  const bare = new URL(url);
  bare.hash = "";
  return bare;
}

/** Where a redirect points, or null when the response is to be judged itself. */
export function locationOf(status: number, headers: Headers): string | null {
  const location = headers.get("location")?.trim();
  if (!REDIRECTS.has(status) || !location) return null;
  return opensApp(location) ? null : fromWire(location);
}

/** An address for an app on the reader's device. For everyone else there is the response itself. */
const opensApp = (location: string) =>
  /^(?!(https?|ftps?|file|javascript|data|blob|mailto|about|wss?):)[a-z][a-z0-9+.-]*:(\/\/|[^\d/])/i.test(
    location,
  );

/** Header bytes arrive as Latin-1, but servers put UTF-8 into `Location`. */
function fromWire(text: string): string {
  const decoded = Buffer.from(text, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? text : decoded;
}

/** Where a page sends its reader on to, soon enough to count as a redirect. */
export function refreshOf(answer: {
  status: number;
  headers: Headers;
  page: Page | null;
}): Refresh | null {
  if (answer.status < 200 || answer.status > 299) return null;
  const refresh = parseRefresh(answer.headers.get("refresh") ?? "") ?? answer.page?.refresh ?? null;
  return refresh && refresh.delayS <= LONGEST_DELAY_S ? refresh : null;
}

/** The address that `location` means as seen from `from`, if it may be followed. */
export function nextHop(
  location: string,
  from: URL,
  policy: TargetPolicy,
): { ok: true; url: URL; fragment: string } | Refused {
  if (UNSAFE.test(location)) {
    const detail = "The redirect's target contains a backslash or a control character.";
    return { ok: false, reason: "redirect_bad_location", detail, isUnsafe: true };
  }
  const resolved = URL.parse(location, from);
  if (!resolved) {
    const detail = "The redirect's target cannot be read.";
    return { ok: false, reason: "redirect_bad_location", detail };
  }
  const target = vetTarget(resolved.href, policy);
  if (target.ok) return { ok: true, url: withoutFragment(target.url), fragment: target.url.hash };
  const detail = "The redirect's target cannot be followed.";
  const isUnsafe = target.reason === "url_invalid" && { isUnsafe: true as const };
  return { ok: false, reason: REDIRECT_REASON[target.reason], detail, ...isUnsafe };
}

/** URL parsing drops tabs and turns "\" into "/", so that the parsed target no longer shows them. */
const UNSAFE = /[\p{Cc}\\]/u;

const REDIRECT_REASON = {
  url_invalid: "redirect_bad_location",
  scheme_unsupported: "redirect_unsupported_scheme",
  target_forbidden: "redirect_forbidden_target",
} as const;

/** A refusal of a redirect's target, under the redirect's own name for it. */
export const asRedirect = <R extends string>(reason: R) =>
  reason in REDIRECT_REASON ? REDIRECT_REASON[reason as keyof typeof REDIRECT_REASON] : reason;

/** Cookies of one attempt: host, then name, then value. Nothing outlives the attempt. */
export type Jar = Map<string, Map<string, string>>;

const COOKIES_PER_HOST = 50;
const LONGEST_COOKIE = 4096;

/** Keeps what a response sets. A cookie goes back to the very host that set it, whatever it asks for. */
export function keepCookies(jar: Jar, url: URL, headers: Headers): void {
  const lines = headers.getSetCookie();
  if (lines.length === 0) return;
  const cookies = jar.get(url.hostname) ?? new Map<string, string>();
  for (const line of lines) {
    const [pair = ""] = line.split(";");
    const [name = "", ...value] = pair.trim().split("=");
    if (!name || pair.length > LONGEST_COOKIE) continue;
    if (isExpired(line)) {
      cookies.delete(name);
    } else if (cookies.has(name) || cookies.size < COOKIES_PER_HOST) {
      cookies.set(name, value.join("="));
    }
  }
  if (cookies.size > 0) jar.set(url.hostname, cookies);
}

/** Headers with what the jar has for a host, which goes before what they hold themselves. */
export function withCookies(
  headers: Record<string, string>,
  jar: Jar,
  url: URL,
): Record<string, string> {
  const kept = jar.get(url.hostname);
  if (!kept) return headers;
  const set = [...kept].map(([name, value]) => `${name}=${value}`);
  const own = headers.Cookie?.split("; ") ?? [];
  const names = new Set(set.map(nameOf));
  const cookies = [...own.filter((cookie) => !names.has(nameOf(cookie))), ...set];
  return cookies.length > 0 ? { ...headers, Cookie: cookies.join("; ") } : headers;
}

const nameOf = (cookie: string) => cookie.split("=", 1)[0];

/** Tells two states of the jar apart, in few characters however much is in it. */
export function stateOf(jar: Jar): string {
  if (jar.size === 0) return "";
  const all = JSON.stringify([...jar].map(([host, cookies]) => [host, [...cookies]]));
  return Bun.hash(all).toString(36);
}

function isExpired(line: string): boolean {
  const maxAge = /;\s*max-age=(-?\d+)/i.exec(line)?.[1];
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const expires = /;\s*expires=([^;]+)/i.exec(line)?.[1];
  return expires !== undefined && Date.parse(expires) < Date.now();
}
