import { CookieJar } from "tough-cookie";
import { type TargetPolicy, vetTarget } from "../../ground/net/policy.ts";
import { parseRefresh, type Refresh } from "../page/elements.ts";
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
  if (!url.href.includes("#")) return url;
  const bare = new URL(url);
  bare.hash = "";
  return bare;
}

/** The target of a redirect; null if the response itself must be judged. */
export function locationOf(status: number, headers: Headers): string | null {
  const location = encodeBytes(headers.get("location") ?? "").trim();
  if (!REDIRECTS.has(status) || !location) return null;
  return opensApp(location) ? null : location;
}

/** Whether the target opens an app on the visitor's device. */
const opensApp = (location: string) =>
  /^(?!(https?|ftps?|file|javascript|data|blob|mailto|about|wss?):)[a-z][a-z0-9+.-]*:(\/\/|[^\d/])/i.test(
    location,
  );

/**
 * Percent-encodes the bytes of a header from 0x80 on, which are read as Latin-1: they stay as they are, whatever their
 * encoding is. Before anything else, since half of a character may look like a blank.
 */
export const encodeBytes = (value: string) =>
  value.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** The refresh of a page, if it is short enough to count as a redirect. */
export function refreshOf(answer: {
  status: number;
  headers: Headers;
  page: Page | null;
}): Refresh | null {
  if (answer.status < 200 || answer.status > 299) return null;
  const refresh =
    parseRefresh(encodeBytes(answer.headers.get("refresh") ?? "")) ?? answer.page?.refresh ?? null;
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

const COOKIES_PER_HOST = 50;
const LONGEST_COOKIE = 4096;

/**
 * Keeps the cookies of a response as a browser would, in a new jar if there is none yet. Those without a name are cookies
 * too (RFC 6265bis §5.6).
 */
export function keepCookies(
  jar: CookieJar | null,
  { href }: URL,
  headers: Headers,
): CookieJar | null {
  const lines = headers.getSetCookie().filter((line) => line.length <= LONGEST_COOKIE);
  if (lines.length === 0) return jar;
  const kept = jar ?? new CookieJar(undefined, { looseMode: true });
  const names = new Set(kept.getCookiesSync(href).map(({ key }) => key));
  for (const line of lines) {
    const name = nameOf(line);
    if (names.size >= COOKIES_PER_HOST && !names.has(name)) continue;
    kept.setCookieSync(line, href, { ignoreError: true });
    names.add(name);
  }
  return kept;
}

/** Adds the jar's cookies for a URL, which override those in `headers`. */
export function withCookies(
  headers: Record<string, string>,
  jar: CookieJar | null,
  { href }: URL,
): Record<string, string> {
  const set = jar?.getCookieStringSync(href);
  if (!set) return headers;
  const names = new Set(set.split("; ").map(nameOf));
  const own = headers.Cookie?.split("; ").filter((cookie) => !names.has(nameOf(cookie))) ?? [];
  return { ...headers, Cookie: [...own, set].join("; ") };
}

/** Empty for a cookie without a name. */
const nameOf = (cookie: string) => /^([^=;]*)=/.exec(cookie)?.[1]?.trim() ?? "";

/** A short hash of all cookies in the jar. */
export function stateOf(jar: CookieJar | null): string {
  if (!jar) return "";
  const cookies = jar
    .serializeSync()!
    .cookies.map(({ domain, path, key, value }) => [domain, path, key, value]);
  return Bun.hash(JSON.stringify(cookies)).toString(36);
}
