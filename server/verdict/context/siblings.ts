import { isIP } from "node:net";
import { getDomain } from "tldts";

/** Scripts and views that show what their query names. */
const SHOWS_BY_QUERY =
  /\.(php\d?|aspx?|jsp|do|cgi|pl|cfm|dll)$|^(index|view|watch|show|item|page|article|details?|product|file|download|read|story|node|open|get|play|v|d|f)$/i;

/**
 * An address beside the link's own at which nothing can be: the last part of the path becomes `name`,
 * with the ending and the last slash as they were. Where the query says what is shown, its longest value
 * becomes `name` instead. Null where the path names nothing that could be replaced.
 */
export function siblingOf(url: URL, name: string): URL | null {
  const parts = /^(.*\/)([^/]+)(\/?)$/.exec(url.pathname);
  if (!parts) return null;
  const [, folder = "", last = "", slash = ""] = parts;
  const sibling = bare(url);
  if (SHOWS_BY_QUERY.test(last) && url.searchParams.size > 0) return withRandomValue(sibling, name);
  sibling.search = "";
  sibling.pathname = `${folder}${name}${endingOf(last)}${slash}`;
  return sibling;
}

/** `.html`, `.pdf` and the like; nothing of a version such as `2.0`. */
const endingOf = (last: string) => /\.[a-z][a-z0-9]{0,4}$/i.exec(last)?.[0] ?? "";

function withRandomValue(url: URL, name: string): URL {
  const [longest] = [...url.searchParams].sort(([, a], [, b]) => b.length - a.length);
  url.searchParams.set(longest![0], name);
  return url;
}

/** An address at the root of the same host at which nothing can be. */
export function rootOf(url: URL, name: string): URL {
  return new URL(`/${name}`, bare(url));
}

export const homeOf = (url: URL) => new URL("/", bare(url));

/** The root of a name below the registrable domain that cannot exist; null for a bare address. */
export function subdomainOf(url: URL, name: string): URL | null {
  const domain = isIP(url.hostname.replace(/^\[|\]$/g, "")) ? null : getDomain(url.hostname);
  if (!domain) return null;
  const other = homeOf(url);
  other.hostname = `${name}.${domain}`;
  return other;
}

function bare(url: URL): URL {
  const copy = new URL(url);
  copy.hash = "";
  return copy;
}
