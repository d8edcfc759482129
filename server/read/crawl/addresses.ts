/** Parameters of campaigns and sessions. */
const NOISE = /^(utm_.*|gclid|fbclid|msclkid|mc_cid|mc_eid|phpsessid|jsessionid|sid|sessionid)$/i;
const MAY_CHANGE = /[?#]|;jsessionid/i;
const SESSION_IN_PATH = /;jsessionid=[^/;]*/gi;

/**
 * Returns the URL by which a crawl knows a page: without fragment, campaign and session. Only for that purpose: links keep
 * their own URLs, and other parameters may say which page is meant, as in `?p=17`.
 */
export function crawlKeyOf(url: URL): string {
  if (!MAY_CHANGE.test(url.href)) return url.href;
  const key = new URL(url);
  key.hash = "";
  if (/jsessionid/i.test(key.pathname)) {
    key.pathname = key.pathname.replace(SESSION_IN_PATH, "");
  }
  if (key.search !== "" || key.href.endsWith("?")) {
    const kept = partsOf(key).filter((part) => !NOISE.test(nameOf(part)));
    // As written, since parsing would write the others differently.
    key.search = kept.join("&");
  }
  return key.href;
}

const partsOf = ({ search }: URL) =>
  search
    .slice(1)
    .split("&")
    .filter((part) => part !== "");

function nameOf(part: string): string {
  const name = part.split("=", 1)[0]!;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Why a crawl does not request a URL. */
export type NotFollowed = "action" | "growing" | "too_long";

const MOST_SEGMENTS = 20;
const MOST_NAMES = 10;
const MOST_CHARS = 2048;

/**
 * Returns why a crawl must not follow a link inside its site: what the URL does when it is requested, or the growth that
 * relative links and broken rewriting cause. Null if it may.
 */
export function whyNotFollowed(url: URL): NotFollowed | null {
  if (url.href.length > MOST_CHARS) return "too_long";
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const parts = partsOf(url);
  if (
    segments.some((segment) => /^(logout|signout)(\.[a-z]{2,5})?$/i.test(segment)) ||
    parts.some(acts)
  ) {
    return "action";
  }
  const slashes = url.pathname.split("/").length - 1;
  if (slashes > MOST_SEGMENTS || new Set(parts.map(nameOf)).size > MOST_NAMES) return "too_long";
  return isGrowing(segments) ? "growing" : null;
}

function acts(part: string): boolean {
  const name = nameOf(part).toLowerCase();
  if (name === "replytocom" || name === "add-to-cart") return true;
  return name === "action" && part.slice("action=".length).toLowerCase() !== "view";
}

/** A segment that stands three times, or a pair that repeats. */
function isGrowing(segments: string[]): boolean {
  const seen = new Map<string, number>();
  for (const [at, segment] of segments.entries()) {
    const times = (seen.get(segment) ?? 0) + 1;
    if (times === 3) return true;
    seen.set(segment, times);
    if (at >= 3 && segments[at - 2] === segment && segments[at - 3] === segments[at - 1])
      return true;
  }
  return false;
}
