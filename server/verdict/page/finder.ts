import { decodeHTML } from "entities";
import { lazily } from "../../lib/concurrency.ts";
import { hasMainThing, ITEM_ATTRIBUTES, isMainItem, setsSchema } from "./entities.ts";
import { attributesIn, createOpenElements, type Listener, type Name, nameOf } from "./markup.ts";
import {
  type InlineScript,
  isMissingDigest,
  missingRouteIn,
  NEXT,
  NEXT_DATA,
  STATE_CHARS,
} from "./state.ts";

/** Enough for a title that is mostly spaces. */
const RAW_TITLE_CHARS = 8192;
const JSON_LD_CHARS = 65_536;

const SLASH = 0x2f;
const SCRIPT = nameOf("script");
const JSON_LD = /^\s*application\/ld\+json\b/i;
/** ` typeof=a`, the shortest attribute of an item. */
const SHORTEST_ITEM = 9;
const ITEM = /\b(?:itemtype|typeof|vocab)\s*=/i;
const LINK = nameOf("a");
const ADDRESS = new Set(["href"]);
/** The home page, as sites link to it in their headings. */
const HOME =
  /^\s*(?:\.?\/?|(?:https?:)?\/\/[^/?#]{1,255}\/?|\/?(?:index|home|default)\.\w{2,5})\s*$/i;
/** With more of them, headings of the first rank are those of a list. */
export const MOST_HEADINGS = 3;
const NO_VALUES: ReadonlyMap<string, string> = new Map();

/**
 * Collects into `found` what a page says about itself.
 *
 * @param options how much of the visible text to keep, and what replaces tags inside a line, such as `<b>`; those
 * between lines are replaced by a space
 */
export function createFinder(
  found: Found,
  { mostChars = KEPT_CHARS, inlineTag = " " } = {},
): Listener & { visibleText(): string } {
  const elements = createOpenElements(KINDS);
  const named = (name: string) => elements.named(nameOf(name));
  const [title, svg, math] = [named("title"), named("svg"), named("math")];
  const [h1, h2, h3] = [named("h1"), named("h2"), named("h3")];
  const foreignObject = named("foreignobject");
  const [header, nav] = [named("header"), named("nav")];
  const [main, article, section] = [named("main"), named("article"), named("section")];
  const visible = createVisibleText(mostChars);
  /** The depth of the outermost element that is not visible; null if all are. */
  let unseenIn: number | null = null;
  /** What separates the next text from the one before, if there were tags in between. */
  let gap = "";
  let titles = 0;
  const isFound = { heading: false, subheading: false };
  let isJsonLd = false;
  let jsonLdChars = 0;
  /** RDFa names types of schema.org. */
  let usesSchema = false;
  let hasTagsAsText = false;
  let script: InlineScript | null = null;
  /** The text of the open `h1`, if it counts, with and without links home. */
  let ownHeading: { all: string; own: string } | null = null;
  /** Whether the open link leads home, which only matters around and in an `h1`. */
  let link: (() => boolean) | null = null;
  let isLinkHome = false;

  const isForeign = () => svg.open + math.open > 0 && foreignObject.open === 0;

  function separate(by: string): void {
    if (unseenIn === null && gap !== " ") gap = by;
  }

  const other = () => separate(inlineTag);
  const separateBy = (kind: Kind | undefined) => separate(kind?.isInline ? inlineTag : " ");

  function text(markup: string, from: number, to: number): void {
    const isTitle = titles === 1 && title.open > 0;
    const isHeading = !isFound.heading && h1.open > 0;
    const isSubheading = !isFound.subheading && h2.open + h3.open > 0;
    const isSeen = unseenIn === null && !visible.isFull();
    if (!isTitle && !isHeading && !isSubheading && !isJsonLd && !isSeen && !ownHeading && !script)
      return;
    const words = markup.slice(from, to);
    if (isTitle && found.title.length < RAW_TITLE_CHARS) found.title += words;
    if (isHeading && found.heading.length < RAW_TITLE_CHARS) found.heading += words;
    if (isSubheading && found.subheading.length < RAW_TITLE_CHARS) found.subheading += words;
    if (script && script.text.length < STATE_CHARS) script.text += words;
    if (ownHeading && ownHeading.all.length < RAW_TITLE_CHARS) {
      ownHeading.all += words;
      if (!isLinkHome) ownHeading.own += words;
    }
    if (isJsonLd) addJsonLd(words);
    if (!isSeen) return;
    const seen = hasTagsAsText ? withoutTags(words) : words;
    visible.add(gap + seen);
    gap = "";
  }

  function start(name: Name, markup: string, from: number, to: number): RegExp | null {
    const element = elements.named(name);
    const { kind } = element;
    const attributes = kind?.attributes;
    const values =
      attributes && to > from ? attributesIn(markup.slice(from, to), attributes) : NO_VALUES;
    if (element === title) titles += 1;
    else if (element === h1) startFirstHeading();
    else if (element === h2 || element === h3) startHeading("subheading");
    else if (name === LINK) {
      const written = markup.slice(from, to);
      link = lazily(() => leadsHome(written));
      isLinkHome = ownHeading !== null && link();
    }
    kind?.note?.(found, values, header.open + nav.open > 0);
    if (to - from >= SHORTEST_ITEM) noteItem(markup.slice(from, to));
    script = name === SCRIPT ? inlineScript(values) : null;
    isJsonLd = name === SCRIPT && JSON_LD.test(values.get("type") ?? "");
    if (isJsonLd) found.jsonLd.push("");
    hasTagsAsText = kind?.hasTagsAsText === true;
    if (!kind?.isUnseen) separateBy(kind);
    else if (unseenIn === null) unseenIn = elements.depth();
    const isHtml = !isForeign();
    const isClosed =
      (!isHtml || element === svg || element === math) && markup.charCodeAt(to - 1) === SLASH;
    if (!kind?.isVoid && !isClosed) elements.open(element);
    else if (elements.depth() === unseenIn) unseenIn = null;
    return isHtml ? (kind?.signs ?? null) : null;
  }

  function addJsonLd(words: string): void {
    jsonLdChars += words.length;
    if (jsonLdChars <= JSON_LD_CHARS) found.jsonLd[found.jsonLd.length - 1] += words;
  }

  /** Notes an item of microdata or RDFa. */
  function noteItem(attributes: string): void {
    if (found.hasItem || !ITEM.test(attributes)) return;
    const values = attributesIn(attributes, ITEM_ATTRIBUTES);
    usesSchema ||= setsSchema(values);
    found.hasItem = isMainItem(values, usesSchema);
  }

  function startHeading(which: keyof typeof isFound): void {
    isFound[which] ||= folded(found[which]) !== "";
    if (!isFound[which]) found[which] = "";
  }

  function startFirstHeading(): void {
    startHeading("heading");
    keepOwnHeading();
    const isInContent = main.open + article.open + section.open > 0;
    const isOfSite = nav.open > 0 || (header.open > 0 && !isInContent);
    if (isOfSite) return;
    ownHeading = { all: "", own: "" };
    isLinkHome = link?.() ?? false;
  }

  function keepOwnHeading(): void {
    if (ownHeading && found.headings.length <= MOST_HEADINGS && folded(ownHeading.own) !== "") {
      found.headings.push(ownHeading.all);
    }
    ownHeading = null;
  }

  function end(name: Name): void {
    const element = elements.named(name);
    if (name === LINK) {
      link = null;
      isLinkHome = false;
    } else if (element === h1) keepOwnHeading();
    if (script) noteState(script);
    script = null;
    isJsonLd = false;
    hasTagsAsText = false;
    const isOwn = element.open > 0 && element.kind?.isUnseen;
    separateBy(element.kind);
    elements.close(element);
    if (unseenIn === null || elements.depth() > unseenIn) return;
    unseenIn = null;
    if (!isOwn) separateBy(element.kind);
  }

  /** Next's data ends its page. One that shows nothing before may be a fallback for routes that only scripts know. */
  function noteState(read: InlineScript): void {
    if (read.id === NEXT_DATA && visible.length() < LEAST_SHOWN) return;
    found.missingRoute ??= missingRouteIn(read);
  }

  return { text, start, end, other, isForeign, visibleText: visible.end };
}

const leadsHome = (link: string) => HOME.test(attributesIn(link, ADDRESS).get("href") ?? "-");

/** More than "Loading, please wait". */
const LEAST_SHOWN = 30;

/** Enough to compare longer pages. */
const KEPT_CHARS = 16_384;

function createVisibleText(mostChars: number) {
  let text = "";
  let added = "";
  return {
    length: () => text.length + added.length,
    isFull: () => text.length >= mostChars,
    add(piece: string): void {
      added += piece;
      if (added.length < KEPT_CHARS) return;
      text += foldSpaces(added);
      added = "";
    },
    end(): string {
      const all = text + added;
      const decoded = all.includes("&") ? decodeHTML(all) : all;
      return foldSpaces(decoded).trim().slice(0, mostChars);
    },
  };
}

/** Replaces each run of white space by one space. */
export const foldSpaces = (text: string) => text.replace(/ \s+|[^\S ]\s*/g, " ");

const TAG = /<[a-z/!?][^>]*>/gi;

/** Removes tags that are written as text. */
function withoutTags(text: string): string {
  const closed = text.lastIndexOf(">") + 1;
  return text.slice(0, closed).replace(TAG, " ") + text.slice(closed);
}

type Kind = {
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
const unseenText = (name: string): Kind => ({ isUnseen: true, signs: endOf(name) });
const seenText = (name: string): Kind => ({ hasTagsAsText: true, signs: endOf(name) });

const KINDS: ReadonlyMap<Name, Kind> = new Map(
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
      ["style", "noscript", "iframe", "title"].map((name) => [name, unseenText(name)]),
    ),
    ...Object.fromEntries(
      ["textarea", "xmp", "noembed", "noframes"].map((name) => [name, seenText(name)]),
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
function inlineScript(values: ReadonlyMap<string, string>): InlineScript | null {
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
};

export const MARKUP_CHARS = 65_536;
const TITLE_CHARS = 300;
const LINKS_CHARS = 65_536;

type Found = Omit<Page, "text" | "hasMainEntity"> & {
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

const folded = (text: string) =>
  (text.includes("&") ? decodeHTML(text) : text).replace(/\s+/g, " ").trim();

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
