import { decodeHTML } from "entities";
import { lazily } from "../../ground/lib/concurrency.ts";
import { type Found, folded, inlineScript, KINDS, type Kind } from "./elements.ts";
import { ITEM_ATTRIBUTES, isMainItem, setsSchema } from "./entities.ts";
import type { AnchorFinder } from "./fragments.ts";
import { attributesIn, createOpenElements, type Listener, type Name, nameOf } from "./markup.ts";
import { type InlineScript, missingRouteIn, NEXT_DATA, STATE_CHARS } from "./state.ts";

type FinderOptions = { mostChars?: number; inlineTag?: string; anchors?: AnchorFinder | null };

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
 * between lines are replaced by a space; and what else looks at all elements
 */
export function createFinder(
  found: Found,
  { mostChars = KEPT_CHARS, inlineTag = " ", anchors }: FinderOptions = {},
): Listener & { visibleText(): string; isTextFull(): boolean } {
  const elements = createOpenElements(KINDS);
  const named = (name: string) => elements.named(nameOf(name));
  const [title, svg, math] = [named("title"), named("svg"), named("math")];
  const [h1, h2, h3] = [named("h1"), named("h2"), named("h3")];
  const foreignObject = named("foreignobject");
  const [header, nav, template] = [named("header"), named("nav"), named("template")];
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
  let isScript = false;
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
    if (anchors && isScript) anchors.script(markup.slice(from, to));
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
      link = lazily(() => HOME.test(attributesIn(written, ADDRESS).get("href") ?? "-"));
      isLinkHome = ownHeading !== null && link();
    }
    kind?.note?.(found, values, header.open + nav.open > 0);
    if (to - from >= SHORTEST_ITEM) noteItem(markup.slice(from, to));
    if (anchors && to > from && template.open === 0) anchors.start(name, markup.slice(from, to));
    isScript = name === SCRIPT;
    script = isScript ? inlineScript(values) : null;
    isJsonLd = isScript && JSON_LD.test(values.get("type") ?? "");
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
    isScript = false;
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

  return {
    text,
    start,
    end,
    other,
    isForeign,
    visibleText: visible.end,
    isTextFull: visible.isFull,
  };
}

/** More than "Loading, please wait". */
const LEAST_SHOWN = 30;

/** Enough to compare longer pages. */
export const KEPT_CHARS = 16_384;

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
