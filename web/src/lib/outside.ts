/**
 * The address if following it is harmless. Monitored URLs and redirect targets are a stranger's
 * text: `javascript:` and the like must never become a link.
 */
export function followable(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.href : null;
}

/** Where to go after signing in. Only a path of our own: anything else would lead to strangers. */
export function ownPath(wanted: string | undefined): string {
  const url = wanted?.startsWith("/") ? URL.parse(wanted, location.origin) : null;
  const path = url?.origin === location.origin ? url.pathname + url.search : "/";
  // Of `/.//example.com` two slashes are left in front, and those lead elsewhere.
  return path.startsWith("//") ? "/" : path;
}
