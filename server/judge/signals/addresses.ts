import { getDomain } from "tldts";
import { decoded } from "../page/fragments.ts";
import type { Answer } from "../probe/probe.ts";
import { SHORTENERS } from "./known/shorteners.ts";

export { decoded } from "../page/fragments.ts";

/** A home page, also of one language, under any usual name. */
export const isHome = (url: URL) => HOME_PATH.test(url.pathname) && hasNoContentInQuery(url);

const hasNoContentInQuery = (url: URL) =>
  [...url.searchParams.keys()].every((key) => INCIDENTAL.test(key));

/** A home page, or a host with only a query. */
export const isSiteAddress = (url: URL) => url.pathname === "/" || isHome(url);

const LOCALE = "[a-z]{2}(?:[-_][a-z]{2,4})?";
const HOME_PATH = new RegExp(
  `^/(?:${LOCALE}(?:/|$)){0,2}(?:(?:index|home(?:page)?|default|main|start(?:seite)?|welcome|accueil|inicio)(?:\\.[a-z]{2,5})?/?)?$`,
  "i",
);

/** Names that other pages than home pages also have only count with an ending. */
const NAMED_HOME =
  /^(?:\/[^/]+){0,4}\/(?:(?:index|home[-_]?page|home|accueil|inicio|startse?ite|startsida|hauptseite|forside|etusivu)(?:\.[a-z]{2,5})?|(?:default|start|main|welcome)\.[a-z]{2,5})\/?$/i;

/** Whether the last part of an address, at most four folders deep, is a name of home pages. */
const isNamedHome = (url: URL) => NAMED_HOME.test(url.pathname) && hasNoContentInQuery(url);

/** Whether a link that names a home page leads to that of the site, or of a folder above it. */
export function leadsToItsHome(link: URL, target: URL): boolean {
  if (!isNamedHome(link)) return false;
  if (isHome(target)) return true;
  const folder = isNamedHome(target)
    ? target.pathname.replace(/[^/]+\/?$/, "")
    : target.pathname.replace(/\/?$/, "/");
  return (
    bareHost(target) === bareHost(link) &&
    link.pathname.toLowerCase().startsWith(folder.toLowerCase()) &&
    hasNoContentInQuery(target)
  );
}

/** Parameters that never decide what a page shows. */
const INCIDENTAL =
  /^(utm_\w+|[a-z]{1,3}clid|msclkid|gbraid|wbraid|mc_[ce]id|igsh(id)?|_g[al]|spm|cmpid|ref|referr?er|from|src|source|return\w*|redirect(ed)?(_?from)?|e|err(or)?|msg|message|status|404|not_?found|aspxerrorpath|lang(uage)?|locale|hl)$/i;

/**
 * Whether a path names an error page: `sure`, or only by a number or words that may also name a thing, as in
 * `/issues/404` and `/albums/not-found`.
 */
export function errorPageAt(url: URL): "sure" | "number" | "words" | null {
  const [, before, named] = ERROR_PATH.exec(url.pathname) ?? [];
  if (before === undefined || named === undefined) return null;
  if (ERROR_PARENT.test(before)) return "sure";
  return /^404(\.|$)/.test(named) ? "number" : "words";
}

const NOT_FOUND = "not(?:[-_+]|%20)?found";
const ERROR_NAME = `404|${NOT_FOUND}|page(?:[-_+]|%20)?${NOT_FOUND}|error[-_]?404|404[-_]?(?:error|page)|404[-_]${NOT_FOUND}`;
const ERROR_PATH = new RegExp(`^(.*?/)((?:${ERROR_NAME})(?:\\.\\w{1,6})?)(?:/|$)`, "i");
const ERROR_PARENT = new RegExp(
  `^/(?:(?:${LOCALE}|errors?|errorpages?|error[-_]pages?|err|http|status|system|static|public|common)/){0,3}$`,
  "i",
);

/** Whether an address itself names an error, so that a page about it is expected. */
export const speaksOfErrors = (url: URL) =>
  /(?<!\d)404(?!\d)|not(?:[-_+]|%20)?found/i.test(url.pathname + url.search);

/** Whether the ending of an address promises a file other than a page. */
export const isFileAddress = ({ pathname }: URL) =>
  FILE_ENDING.test(pathname) || DATA_ENDING.test(pathname) || SCRIPT_ADDRESS.test(pathname);

const DATA_ENDING = /\.(?:csv|tsv|json|geojson|ndjson|xml|kml|gpx|ics|vcf|parquet|sqlite3?|log)$/i;
/** Names such as `node.js` and `animate.css` are also those of pages about them. */
export const mayBeScript = ({ pathname }: URL) => /\.(?:js|css)$/i.test(pathname);

const SCRIPT_ADDRESS =
  /\.(?:mjs|cjs|wasm|(?:js|css)\.map|min\.(?:js|css))$|\/(?:js|scripts?|static|assets|dist|build|libs?|vendor|css|styles?|_next|_nuxt|_app)\/(?:.*\/)?[^/]+\.(?:m?js|css|map|wasm)$/i;

const FILE_ENDING =
  /\.(pdf|zip|rar|7z|gz|tgz|bz2|xz|tar|mp4|m4v|mkv|avi|mov|wmv|webm|mp3|m4a|wav|flac|ogg|jpe?g|png|gif|webp|avif|bmp|tiff?|ico|exe|msi|dmg|pkg|deb|rpm|apk|ipa|iso|img|bin|jar|docx?|xlsx?|pptx?|od[tsp]|epub|mobi|djvu|psd|ttf|woff2?|swf|torrent)$/i;

/**
 * Whether a part before the last one looks like a number or a key, as in `/questions/123/any-title`. Then a
 * random last part may show the same page.
 */
export const hasEarlierKey = (url: URL) =>
  url.pathname
    .split("/")
    .slice(1, -1)
    .some((part) => /^\d{2,}$|^(?=\D*\d)[\w-]{6,}$/.test(part));

/** Whether a random address next to this one is directly below the root. */
export const isBelowRoot = (url: URL) => /^\/[^/.]+\/?$/.test(url.pathname) && url.search === "";

/** URL shorteners, whose addresses may redirect anywhere. */
export const isShortener = ({ hostname }: URL) => SHORTENERS.has(hostname.replace(/^www\./, ""));

/** The registrable domain, or the whole name where there is none. */
export const domainOf = (hostname: string) => getDomain(hostname) ?? hostname;

/** The host without `www.`. */
export const bareHost = ({ host }: URL) => host.replace(/^www\./, "");

/** Whether two addresses are the same, apart from incidental parameters and the scheme. */
export function isSamePlace(one: URL, other: URL): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(url: URL): string {
  const query = [...url.searchParams].filter(([key]) => !INCIDENTAL.test(key)).sort();
  const path = url.pathname.replace(/\/(?:index\.\w+)?$/i, "").toLowerCase();
  return `${bareHost(url)}${path}?${new URLSearchParams(query)}`;
}

/** Whether an address names the host that it redirects to, so that its home page is the expected target. */
export function namesHost(link: URL, host: URL): boolean {
  if (bareHost(link) === bareHost(host)) return false;
  const path = decoded(link.pathname).toLowerCase();
  if ((path + decoded(link.search).toLowerCase()).includes(bareHost(host))) return true;
  const last = lastPartOf(path);
  const words = new Set(last.split(/[^\p{L}\p{N}-]+/u));
  const known = new Set(link.hostname.split("."));
  return namesOf(host).some((name) => name.length > 2 && words.has(name) && !known.has(name));
}

/** The labels of a host before its public suffix. */
function namesOf({ hostname }: URL): string[] {
  const labels = hostname.split(".");
  const suffix = (getDomain(hostname)?.split(".").length ?? 2) - 1;
  return labels.slice(0, Math.max(1, labels.length - suffix));
}

export const lastPartOf = (path: string) => path.split("/").findLast((part) => part !== "") ?? "";

/**
 * How surely a redirect carries the address that it came from: `sure` by a URL or a path, `maybe` by a path
 * without its first slash, which may also name a view, as in `?page=pricing`.
 */
type ReturnAddress = "sure" | "maybe";

/** Whether any hop carries the URL or path of an earlier one in its parameters (docs/verdicts.md). */
export function returnAddressIn({ hops, finalUrl, fragment }: Answer): ReturnAddress | null {
  if (hops.length === 0) return null;
  const path = [...hops.map(({ url }) => url), finalUrl + fragment].flatMap(
    (url) => URL.parse(url) ?? [],
  );
  const found = path.flatMap((url, at) => {
    const notes = at > 0 ? parametersIn(url) : [];
    return notes.length > 0 ? path.slice(0, at).map((from) => carried(notes, from)) : [];
  });
  return found.find((one) => one === "sure") ?? found.find((one) => one === "maybe") ?? null;
}

const LONGEST = 4096;
const LONGEST_SOURCE = 2048;
const MOST_TOKENS = 200;

/** The parameters of an address, in every encoding that a return address may have. */
function parametersIn({ pathname, search, hash }: URL): string[] {
  const parameters = /;.*/.exec(pathname)?.[0] ?? "";
  const written = `${parameters}&${search.slice(1)}&${hash.slice(1)}`.slice(0, LONGEST);
  if (written === "&&") return [];
  const plain = decodingsOf(written);
  const tokens = new Set(plain.flatMap((text) => text.match(BASE64) ?? []));
  const hidden = [...tokens]
    .slice(0, MOST_TOKENS)
    .flatMap((token) => decodingsOf(Buffer.from(token, "base64").toString("utf8")));
  return [...plain, ...hidden].map(folded);
}

/** Decodes up to three times: the address's own encoding and two of the parameter's. */
function decodingsOf(text: string): string[] {
  const once = unescaped(text);
  const twice = unescaped(once);
  return [...new Set([text, once, twice, unescaped(twice)])];
}

/** Without dots, which separate the parts of a JWT. */
const BASE64 = /(?<![\w+/-])[\w+/-]{3,}/g;

/** Undoes percent-encoding; leaves invalid escapes as they are. */
const unescaped = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });

/** JSON may write a slash as `\/`. */
const folded = (text: string) => text.replaceAll("\\/", "/").toLowerCase();

/** A hostile address may repeat another many times. */
const MOST_PLACES = 20;
/** A short path of one part occurs in many others, so it must stand alone or after its host. */
const LONG_PATH = 8;

function carried(notes: string[], from: URL): ReturnAddress | null {
  if (from.href.length > LONGEST_SOURCE) return null;
  const path = folded(unescaped(from.pathname)).replace(/\/+$/, "");
  const isNamed = (wanted: string, isAlone: boolean) =>
    notes.some((note) => stands(note, wanted, isAlone));
  const query = folded(unescaped(from.search));
  if (path === "") return query !== "" && isNamed(`/${query}`, false) ? "sure" : null;
  if (isHome(from)) return null;
  if (isNamed(from.host.toLowerCase() + path, false)) return "sure";
  if (isNamed(path, path.length < LONG_PATH && path.lastIndexOf("/") === 0)) return "sure";
  return path.length >= LONG_PATH && isNamed(path.slice(1), true) ? "maybe" : null;
}

/** Whether a text contains `wanted` as a whole path; if it must stand alone, not as the end of another one. */
function stands(text: string, wanted: string, isAlone: boolean): boolean {
  let at = text.indexOf(wanted);
  for (let tried = 0; at >= 0 && tried < MOST_PLACES; tried += 1) {
    const ends = !GOES_ON.test(text.slice(at + wanted.length, at + wanted.length + 2));
    if (ends && (!isAlone || at === 0 || !LEADS_UP.test(text[at - 1]!))) return true;
    at = text.indexOf(wanted, at + 1);
  }
  return false;
}

const GOES_ON = /^(?:[\p{L}\p{N}_%-]|[./][\p{L}\p{N}])/u;
const LEADS_UP = /[\p{L}\p{N}_%./-]/u;
