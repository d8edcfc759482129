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
