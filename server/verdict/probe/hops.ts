import { type TargetPolicy, vetTarget } from "../../net/policy.ts";
import { parseRefresh, type Refresh } from "../page/finder.ts";
import type { Page } from "../page/page.ts";

/** A redirect, by `Location` or by a refresh. */
export type Hop = { url: string; status: number; via: "location" | "refresh" };

type Refused = {
  ok: false;
  reason: "redirect_bad_location" | "redirect_unsupported_scheme" | "redirect_forbidden_target";
  detail: string;
  /** A browser may follow the target, but this monitor refuses to. */
  isUnsafe?: true;
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** With a longer delay, the page is meant to be read. */
const LONGEST_DELAY_S = 10;

export function withoutFragment(url: URL): URL {
  const bare = new URL(url);
  bare.hash = "";
  return bare;
}

/** The target of a redirect; null if the response itself must be judged. */
export function locationOf(status: number, headers: Headers): string | null {
  const location = headers.get("location")?.trim();
  if (!REDIRECTS.has(status) || !location) return null;
  return opensApp(location) ? null : fromWire(location);
}

/** Whether the target opens an app on the visitor's device. */
const opensApp = (location: string) =>
  /^(?!(https?|ftps?|file|javascript|data|blob|mailto|about|wss?):)[a-z][a-z0-9+.-]*:(\/\/|[^\d/])/i.test(
    location,
  );

/** Header bytes are read as Latin-1, but servers send UTF-8 in `Location`. */
function fromWire(text: string): string {
  const decoded = Buffer.from(text, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? text : decoded;
}

/** The refresh of a page, if it is short enough to count as a redirect. */
export function refreshOf(answer: {
  status: number;
  headers: Headers;
  page: Page | null;
}): Refresh | null {
  if (answer.status < 200 || answer.status > 299) return null;
  const refresh = parseRefresh(answer.headers.get("refresh") ?? "") ?? answer.page?.refresh ?? null;
  return refresh && refresh.delayS <= LONGEST_DELAY_S ? refresh : null;
}

/** Resolves the target of a redirect, if it may be followed. */
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
    const detail = "The redirect's target is not a valid URL.";
    return { ok: false, reason: "redirect_bad_location", detail };
  }
  const target = vetTarget(resolved.href, policy);
  if (target.ok) return { ok: true, url: withoutFragment(target.url), fragment: target.url.hash };
  const detail = "The redirect's target cannot be followed.";
  const isUnsafe = target.reason === "url_invalid" && { isUnsafe: true as const };
  return { ok: false, reason: REDIRECT_REASON[target.reason], detail, ...isUnsafe };
}

/** URL parsing drops tabs and replaces "\", so the parsed target no longer shows them. */
const UNSAFE = /[\p{Cc}\\]/u;

const REDIRECT_REASON = {
  url_invalid: "redirect_bad_location",
  scheme_unsupported: "redirect_unsupported_scheme",
  target_forbidden: "redirect_forbidden_target",
} as const;

/** Translates the reason for which a target was refused. */
export const asRedirect = <R extends string>(reason: R) =>
  reason in REDIRECT_REASON ? REDIRECT_REASON[reason as keyof typeof REDIRECT_REASON] : reason;

/** The cookies of one attempt: host, then name, then value. */
export type Jar = Map<string, Map<string, string>>;

const COOKIES_PER_HOST = 50;
const LONGEST_COOKIE = 4096;

/** Keeps the cookies of a response, for the same host only, whatever their domain. */
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

/** Adds the jar's cookies for a host, which override those in `headers`. */
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

/** A short hash of the jar's content. */
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
