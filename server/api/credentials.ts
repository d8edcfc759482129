import { timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.ts";
import { hashToken } from "../lib/token.ts";

const YEAR_S = 365 * 86_400;

/** Whether browsers use HTTPS. Only the setting counts, since anyone can send a forwarded header. */
export const isSecure = ({ publicUrl }: Config) => publicUrl?.startsWith("https:") === true;

/** The token in the request's cookie. */
export function readSessionCookie(config: Config, request: Request): string | null {
  const cookies = request.headers.get("cookie");
  return cookies && new Bun.CookieMap(cookies).get(nameOf(config));
}

/** The browser's device cookie for the person with this e-mail. */
export function readDeviceCookie(config: Config, request: Request, email: string): string | null {
  const cookies = request.headers.get("cookie");
  return cookies && new Bun.CookieMap(cookies).get(deviceNameOf(config, email));
}

/** `Set-Cookie` that marks the browser as one in which the person has signed in. */
export const deviceCookie = (config: Config, email: string, value: string) =>
  `${deviceNameOf(config, email)}=${value}; Max-Age=${YEAR_S}; ${attributesOf(config)}`;

/** `Set-Cookie` for a new session; the browser keeps the cookie until it is closed. */
export const sessionCookie = (config: Config, token: string) =>
  `${nameOf(config)}=${token}; ${attributesOf(config)}`;

/** `Set-Cookie` that removes the session. */
export const endedCookie = (config: Config) => `${sessionCookie(config, "")}; Max-Age=0`;

/** The prefix makes browsers accept a cookie of this name only from this exact host over HTTPS. */
const nameOf = (config: Config) => (isSecure(config) ? "__Host-session" : "session");

/** One for each person, since several may use a browser; the name does not reveal whose it is. */
const deviceNameOf = (config: Config, email: string) =>
  `${isSecure(config) ? "__Host-" : ""}device-${hashToken(email).slice(0, 8)}`;

const attributesOf = (config: Config) =>
  isSecure(config) ? "Secure; HttpOnly; SameSite=Lax; Path=/" : "HttpOnly; SameSite=Lax; Path=/";

/** Whether the request has the token of STILLUP_METRICS_TOKEN; false if none is set. */
export function hasMetricsToken({ metricsToken }: Config, { headers }: Request): boolean {
  const given = /^bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return metricsToken !== null && given !== undefined && isSame(given, metricsToken);
}

/** Compares hashes, which always have the same length. */
const isSame = (a: string, b: string) =>
  timingSafeEqual(Buffer.from(hashToken(a)), Buffer.from(hashToken(b)));
