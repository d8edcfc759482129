import type { Config } from "../config.ts";

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

/** `Set-Cookie` that starts a session; the browser forgets it when it ends, the server at its time. */
export const sessionCookie = (config: Config, token: string) =>
  `${nameOf(config)}=${token}; ${attributesOf(config)}`;

/** `Set-Cookie` that takes the session away. */
export const endedCookie = (config: Config) => `${sessionCookie(config, "")}; Max-Age=0`;

/** The prefix makes browsers refuse a cookie of this name from anyone but this very host, encrypted. */
const nameOf = (config: Config) => (isSecure(config) ? "__Host-session" : "session");

const attributesOf = (config: Config) =>
  isSecure(config) ? "Secure; HttpOnly; SameSite=Lax; Path=/" : "HttpOnly; SameSite=Lax; Path=/";
