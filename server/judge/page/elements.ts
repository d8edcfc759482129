import { decodeHTML } from "entities";
import { hasMainThing } from "./entities.ts";
import type { Anchors } from "./fragments.ts";
import { type Name, nameOf } from "./markup.ts";
import { type InlineScript, isMissingDigest, NEXT } from "./state.ts";

/** What is read from an HTML page. Texts have their entities decoded and their spaces folded. */
export type Page = {
  title: string;
  /** The first `h1` that has text. */
  heading: string;
  /** The first `h1` elements that have text, without those of the site's header and those that only link home. */
  headings: string[];
  /** The first `h2` or `h3` that has text. */
  subheading: string;
  /** The visible text without scripts: at most the first 16,384 characters. */
  text: string;
  /** The page as it was sent: at most the first 65,536 characters. */
  markup: string;
  /** `<link rel="canonical">`, as written. */
  canonical: string | null;
  /** `og:url` and `og:type`, as written. */
  ogUrl: string | null;
  ogType: string | null;
  /** A robots `meta`, for all or for one search engine, says `noindex` or `none`. */
  isNoindex: boolean;
  /** `<meta http-equiv="refresh">` that names an address. */
  refresh: Refresh | null;
  /** The framework whose state says that there is no such page. */
  missingRoute: string | null;
  hasArticle: boolean;
  /** JSON-LD, microdata or RDFa describe the one thing that the page is about: an article, a product, a house. */
  hasMainEntity: boolean;
  forms: number;
  /** Without those in a `header` or `nav`, where sites let their members sign in. */
  passwordFields: number;
  /** Where its links lead, as written, without those marked `nofollow`: at most 65,536 characters of them. */
  links: string[];
  /** `<base href>`, as written. */
  base: string | null;
  /** `<html lang>`, as written. */
  language: string | null;
  /** Set if anchors or texts are wanted. */
  anchors?: Anchors;
};

export const MARKUP_CHARS = 65_536;
const TITLE_CHARS = 300;
const LINKS_CHARS = 65_536;

/** What was read of a page so far. */
export type Found = Omit<Page, "text" | "hasMainEntity"> & {
  /** Of each script. */
  jsonLd: string[];
  hasItem: boolean;
  linkChars: number;
};

export function nothingYet(): Found {
  return {
    title: "",
    heading: "",
    headings: [],
    subheading: "",
    markup: "",
    canonical: null,
    ogUrl: null,
    ogType: null,
    isNoindex: false,
    refresh: null,
    missingRoute: null,
    hasArticle: false,
    jsonLd: [],
    hasItem: false,
    forms: 0,
    passwordFields: 0,
    links: [],
    linkChars: 0,
    base: null,
    language: null,
  };
}

/** @param directives of a robots `meta` or an `X-Robots-Tag` header */
export const isNoindex = (directives: string) => /\b(noindex|none)\b/i.test(directives);

export function pageOf({ jsonLd, hasItem, linkChars: _, ...found }: Found, text: string): Page {
  return {
    ...found,
    title: folded(found.title).slice(0, TITLE_CHARS),
    heading: folded(found.heading).slice(0, TITLE_CHARS),
    headings: found.headings.map((heading) => folded(heading).slice(0, TITLE_CHARS)),
    subheading: folded(found.subheading).slice(0, TITLE_CHARS),
    text,
    markup: found.markup.slice(0, MARKUP_CHARS),
    hasMainEntity: hasItem || hasMainThing(jsonLd),
  };
}

/** Decodes the entities of a text and folds its spaces. */
export const folded = (text: string) =>
  (text.includes("&") ? decodeHTML(text) : text).replace(/\s+/g, " ").trim();

/** A kind of element. */
export type Kind = {
  /** Has no end tag. */
  isVoid?: true;
  isUnseen?: true;
  /** Does not separate the words around it. */
  isInline?: true;
  /** What to look for in the text that is its only content (HTML §13.2.6.2, with scripting). */
  signs?: RegExp;
  /** Its text is visible, and tags in it are text. */
  hasTagsAsText?: true;
  attributes?: ReadonlySet<string>;
  /** `isInHeader` also in a navigation. */
  note?(found: Found, values: ReadonlyMap<string, string>, isInHeader: boolean): void;
};

const VOID: Kind = { isVoid: true };
const INLINE: Kind = { isInline: true };
const UNSEEN: Kind = { isUnseen: true };
const endOf = (name: string) => new RegExp(`</${name}(?=[\\s/>])`, "gi");

/** What each element tells, and how its content is read. */
export const KINDS: ReadonlyMap<Name, Kind> = new Map(
  Object.entries<Kind>({
    ...Object.fromEntries(
      "area basefont bgsound br col embed hr img keygen param source track"
        .split(" ")
        .map((name) => [name, VOID]),
    ),
    ...Object.fromEntries(
      "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span strike strong sub sup time tt u var"
        .split(" ")
        .map((name) => [name, INLINE]),
    ),
    wbr: { isVoid: true, isInline: true },
    html: {
      attributes: new Set(["lang"]),
      note(found, values) {
        found.language ??= values.get("lang") ?? null;
      },
    },
    a: {
      isInline: true,
      attributes: new Set(["href", "rel"]),
      note: noteLink,
    },
    base: {
      isVoid: true,
      attributes: new Set(["href"]),
      note(found, values) {
        found.base ??= values.get("href") ?? null;
      },
    },
    meta: {
      isVoid: true,
      attributes: new Set(["name", "property", "content", "http-equiv"]),
      note: noteMeta,
    },
    link: {
      isVoid: true,
      attributes: new Set(["rel", "href"]),
      note(found, values) {
        if (isWord(values.get("rel"), "canonical")) found.canonical ??= values.get("href") ?? null;
      },
    },
    input: {
      isVoid: true,
      attributes: new Set(["type"]),
      note(found, values, isInHeader) {
        if (!isInHeader && isWord(values.get("type"), "password")) found.passwordFields += 1;
      },
    },
    article: {
      note(found) {
        found.hasArticle = true;
      },
    },
    form: {
      note(found) {
        found.forms += 1;
      },
    },
    svg: UNSEEN,
    template: {
      isUnseen: true,
      attributes: new Set(["data-dgst"]),
      note(found, values) {
        if (isMissingDigest(values.get("data-dgst"))) found.missingRoute ??= NEXT;
      },
    },
    script: {
      isUnseen: true,
      signs: /<!--|-->|<\/?script(?=[\s/>])/gi,
      attributes: new Set(["type", "id", "src", "data-nuxt-data"]),
    },
    ...Object.fromEntries(
      ["style", "noscript", "iframe", "title"].map((name) => [
        name,
        { isUnseen: true, signs: endOf(name) },
      ]),
    ),
    ...Object.fromEntries(
      ["textarea", "xmp", "noembed", "noframes"].map((name) => [
        name,
        { hasTagsAsText: true, signs: endOf(name) },
      ]),
    ),
    plaintext: { hasTagsAsText: true, signs: /(?!)/g },
  }).map(([name, kind]) => [nameOf(name), kind]),
);

/** Keeps where a link leads, unless the page does not vouch for it (HTML §4.6.7.12). */
function noteLink(found: Found, values: ReadonlyMap<string, string>): void {
  const address = values.get("href")?.trim() ?? "";
  if (address === "" || address.startsWith("#") || /\bnofollow\b/i.test(values.get("rel") ?? "")) {
    return;
  }
  found.linkChars += address.length;
  if (found.linkChars <= LINKS_CHARS) found.links.push(address);
}

/** What ends the text that is an element's only content; null if it has other content. */
export const rawTextSigns = (name: Name): RegExp | null => KINDS.get(name)?.signs ?? null;

/** Null for scripts that are loaded, and for data of other types. */
export function inlineScript(values: ReadonlyMap<string, string>): InlineScript | null {
  const isRead = /^$|^module$|javascript|^application\/json$/i.test(values.get("type") ?? "");
  if (!isRead || values.has("src")) return null;
  const id = values.has("data-nuxt-data") ? "__NUXT_DATA__" : (values.get("id") ?? "");
  return { id, text: "" };
}

const isWord = (value: string | undefined, word: string) => value?.toLowerCase() === word;

function noteMeta(found: Found, values: ReadonlyMap<string, string>): void {
  const name = (values.get("name") ?? values.get("property"))?.toLowerCase();
  const content = values.get("content") ?? "";
  if (name === undefined) {
    if (isWord(values.get("http-equiv"), "refresh")) {
      found.refresh ??= parseRefresh(decodeHTML(content));
    }
  } else if (name === "robots" || name === "googlebot" || name === "bingbot") {
    found.isNoindex ||= isNoindex(content);
  } else if (name === "og:url") {
    found.ogUrl ??= content;
  } else if (name === "og:type") {
    found.ogType ??= content;
  }
}

/** `url` is as written. */
export type Refresh = { delayS: number; url: string };

/**
 * Reads the value of a `Refresh` header or of `<meta http-equiv="refresh">` (HTML §4.2.5.3). Null if it only
 * reloads the same page.
 */
export function parseRefresh(value: string): Refresh | null {
  const [, delay, rest = ""] = /^\s*(\d*)(?:\.[\d.]*)?\s*[;,\s]\s*(.*)$/s.exec(value) ?? [];
  if (delay === undefined) return null;
  const named = rest.replace(/^url\s*=\s*/i, "").trim();
  const [, quoted] = /^(["'])(.*?)(\1|$)/.exec(named)?.slice(1) ?? [];
  const url = (quoted ?? named).trim();
  return url === "" ? null : { delayS: Number(delay), url };
}
