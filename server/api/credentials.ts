import { timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.ts";
import { hashToken } from "../lib/token.ts";

const YEAR_S = 365 * 86_400;

/**
 * Whether browsers reach us encrypted. Only the operator can say so: a forwarded header is anybody's
 * word.
 */
export const isSecure = ({ publicUrl }: Config) => publicUrl?.startsWith("https:") === true;

/** The token in the request's cookie. */
export function readSessionCookie(config: Config, request: Request): string | null {
  const cookies = request.headers.get("cookie");
  return cookies && new Bun.CookieMap(cookies).get(nameOf(config));
}

/** The device cookie that this browser has for the person with this e-mail. */
export function readDeviceCookie(config: Config, request: Request, email: string): string | null {
  const cookies = request.headers.get("cookie");
  return cookies && new Bun.CookieMap(cookies).get(deviceNameOf(config, email));
}

/** `Set-Cookie` that marks this browser as one in which the person has signed in. */
export const deviceCookie = (config: Config, email: string, value: string) =>
  `${deviceNameOf(config, email)}=${value}; Max-Age=${YEAR_S}; ${attributesOf(config)}`;

/** `Set-Cookie` that starts a session; the browser forgets it when it ends, the server at its time. */
export const sessionCookie = (config: Config, token: string) =>
  `${nameOf(config)}=${token}; ${attributesOf(config)}`;

/** `Set-Cookie` that takes the session away. */
export const endedCookie = (config: Config) => `${sessionCookie(config, "")}; Max-Age=0`;

/** The prefix makes browsers refuse a cookie of this name from anyone but this very host, encrypted. */
const nameOf = (config: Config) => (isSecure(config) ? "__Host-session" : "session");

/** One for each person, since several may use a browser; the name does not say who. */
const deviceNameOf = (config: Config, email: string) =>
  `${isSecure(config) ? "__Host-" : ""}device-${hashToken(email).slice(0, 8)}`;

const attributesOf = (config: Config) =>
  isSecure(config) ? "Secure; HttpOnly; SameSite=Lax; Path=/" : "HttpOnly; SameSite=Lax; Path=/";

/** Whether the request carries STILLUP_METRICS_TOKEN, where there is one. */
export function hasMetricsToken({ metricsToken }: Config, { headers }: Request): boolean {
  const given = /^bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return metricsToken !== null && given !== undefined && isSame(given, metricsToken);
}

/** Of hashes, which are as long as each other whatever was sent. */
const isSame = (a: string, b: string) =>
  timingSafeEqual(Buffer.from(hashToken(a)), Buffer.from(hashToken(b)));
