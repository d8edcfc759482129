import { siteOfUrl } from "../../ground/lib/site.ts";
import { normalize } from "../../judge/robots-rules.ts";
import { compileUrlPatterns, isWhole, type Patterns } from "./patterns.ts";

/** How much of the web around its URL belongs to a site. */
export type ScopeKind = "path" | "host" | "domain";

/** Whether a URL is inside. Scheme and a leading `www.` never matter. */
export type Scope = (url: URL) => boolean;

/**
 * Returns the scope of a site, or `moved_away` if its URL redirects to another registrable domain. After a redirect
 * within the domain both hosts belong to the site.
 * @param end where the URL leads, after redirects
 */
export function scopeOf(kind: ScopeKind, start: URL, end: URL = start): Scope | "moved_away" {
  if (siteOfUrl(start) !== siteOfUrl(end)) return "moved_away";
  if (kind === "domain") {
    const domain = siteOfUrl(start);
    return (url) => siteOfUrl(url) === domain;
  }
  const hosts = new Set([hostKey(start), hostKey(end)]);
  if (kind === "host") return (url) => hosts.has(hostKey(url));
  const folders = new Map([
    [hostKey(end), folderOf(end)],
    [hostKey(start), folderOf(addsSlash(start, end) ? end : start)],
  ]);
  return (url) => {
    const folder = folders.get(hostKey(url));
    return folder !== undefined && isIn(pathOf(url), folder);
  };
}

/** What a crawl does with an address: it reads the page, the address is checked as a link, or neither. */
export type Treatment = "read" | "watch" | "ignore";

/** The settings that decide it. */
type Rules = Patterns & { scope: ScopeKind; watch: "external" | "all" | "internal" };

/**
 * Returns what a crawl does with each address. Patterns of paths are about the hosts of the site, on which what is left
 * out, or not included, is neither read nor watched. Those with a host are about all addresses.
 * @param end where the start page leads, after redirects; it must be in the domain of the start page
 */
export function createTreatment(
  { scope, include, exclude, watch }: Rules,
  start: URL,
  end: URL,
): (url: URL) => Treatment {
  const isInside = scopeOf(scope, start, end) as Scope;
  const isOwnHost = scopeOf(scope === "domain" ? "domain" : "host", start, end) as Scope;
  const isLeftOut = compileUrlPatterns(exclude);
  const isLeftOutAnywhere = compileUrlPatterns(exclude.filter(isWhole));
  const isIncluded = include.length === 0 ? () => true : compileUrlPatterns(include);
  return (url) => {
    if (isOwnHost(url) ? isLeftOut(url) : isLeftOutAnywhere(url)) return "ignore";
    if (isInside(url)) return isIncluded(url) ? "read" : "ignore";
    return watch === "internal" ? "ignore" : "watch";
  };
}

/** The folder counts without its final slash as well. */
const isIn = (path: string, folder: string) => path.startsWith(folder) || `${path}/` === folder;

/** `/docs` is meant as a folder if that is what the server makes of it. */
const addsSlash = (start: URL, end: URL) => end.pathname === `${start.pathname}/`;

const folderOf = (url: URL) => pathOf(url).slice(0, pathOf(url).lastIndexOf("/") + 1);

const pathOf = ({ pathname }: URL) => normalize(pathname);

/** The host with its port, without `www.`. */
export const hostKey = ({ host }: URL): string =>
  host.replace(/^www\.(?=[^.]+\.)/, "").replace(/\.(?=:\d+$|$)/, "");

/**
 * Whether a page may be replaced by the URL that it calls canonical: they must differ in nothing but query, final slash,
 * `index.*`, scheme or `www.`. Sites exist whose every page names the home page.
 */
export const foldsInto = (page: URL, canonical: URL): boolean =>
  hostKey(page) === hostKey(canonical) && bareOf(page) === bareOf(canonical);

const bareOf = (url: URL) =>
  pathOf(url)
    .replace(/\/index\.[a-z0-9]{2,5}$/i, "/")
    .replace(/\/$/, "");
