import { decodeHTML } from "entities";
import { createOpenElements, type Name, nameOf } from "./elements.ts";
import { type Found, folded } from "./found.ts";
import { isWord, KINDS } from "./kinds.ts";
import { attributesIn, type Listener } from "./markup.ts";

/** So much of a title is looked at, since most of it may be spaces. */
const RAW_TITLE_CHARS = 8192;
const JSON_LD_CHARS = 65_536;

const SLASH = 0x2f;
const SCRIPT = nameOf("script");
const NO_VALUES: ReadonlyMap<string, string> = new Map();

/** Notes into `found` what a page says of itself. `visibleText` returns what is seen. */
export function createFinder(found: Found): Listener & { visibleText(): string } {
  const elements = createOpenElements(KINDS);
  const named = (name: string) => elements.named(nameOf(name));
  const [title, svg, math] = [named("title"), named("svg"), named("math")];
  const [h1, h2, h3] = [named("h1"), named("h2"), named("h3")];
  const foreignObject = named("foreignobject");
  const visible = createVisibleText();
  /** How many elements are around the outermost one that is not seen; null if all are seen. */
  let unseenIn: number | null = null;
  /** Words before and behind a tag are apart. */
  let isApart = false;
  let titles = 0;
  const isFound = { heading: false, subheading: false };
  let isJsonLd = false;
  let hasTagsAsText = false;

  const isForeign = () => svg.open + math.open > 0 && foreignObject.open === 0;

  function other(): void {
    if (unseenIn === null) isApart = true;
  }

  function text(markup: string, from: number, to: number): void {
    const isTitle = titles === 1 && title.open > 0;
    const isHeading = !isFound.heading && h1.open > 0;
    const isSubheading = !isFound.subheading && h2.open + h3.open > 0;
    const isSeen = unseenIn === null && !visible.isFull();
    if (!isTitle && !isHeading && !isSubheading && !isJsonLd && !isSeen) return;
    const words = markup.slice(from, to);
    if (isTitle && found.title.length < RAW_TITLE_CHARS) found.title += words;
    if (isHeading && found.heading.length < RAW_TITLE_CHARS) found.heading += words;
    if (isSubheading && found.subheading.length < RAW_TITLE_CHARS) found.subheading += words;
    if (isJsonLd && found.jsonLd.length < JSON_LD_CHARS) found.jsonLd += words;
    if (!isSeen) return;
    const seen = hasTagsAsText ? withoutTags(words) : words;
    visible.add(isApart ? ` ${seen}` : seen);
    isApart = false;
  }

  function start(name: Name, markup: string, from: number, to: number): RegExp | null {
    const element = elements.named(name);
    const { kind } = element;
    const attributes = kind?.attributes;
    const values = attributes ? attributesIn(markup.slice(from, to), attributes) : NO_VALUES;
    if (element === title) titles += 1;
    else if (element === h1) startHeading("heading");
    else if (element === h2 || element === h3) startHeading("subheading");
    kind?.note?.(found, values);
    isJsonLd = name === SCRIPT && isWord(values.get("type"), "application/ld+json");
    hasTagsAsText = kind?.hasTagsAsText === true;
    if (!kind?.isUnseen) other();
    else if (unseenIn === null) unseenIn = elements.depth();
    const isHtml = !isForeign();
    const isClosed =
      (!isHtml || element === svg || element === math) && markup.charCodeAt(to - 1) === SLASH;
    if (!kind?.isVoid && !isClosed) elements.open(element);
    else if (elements.depth() === unseenIn) unseenIn = null;
    return isHtml ? (kind?.signs ?? null) : null;
  }

  function startHeading(which: keyof typeof isFound): void {
    isFound[which] ||= folded(found[which]) !== "";
    if (!isFound[which]) found[which] = "";
  }

  function end(name: Name): void {
    const element = elements.named(name);
    isJsonLd = false;
    hasTagsAsText = false;
    const isOwn = element.open > 0 && element.kind?.isUnseen;
    other();
    elements.close(element);
    if (unseenIn === null || elements.depth() > unseenIn) return;
    unseenIn = null;
    if (!isOwn) other();
  }

  return { text, start, end, other, isForeign, visibleText: visible.end };
}

/** Characters that are kept; they are enough to compare longer pages. */
const KEPT_CHARS = 16_384;

/** Collects the text of a page that comes in pieces: at most the first 16,384 characters, spaces folded. */
function createVisibleText() {
  let text = "";
  let news = "";
  return {
    isFull: () => text.length >= KEPT_CHARS,
    add(piece: string): void {
      news += piece;
      if (news.length < KEPT_CHARS) return;
      text += foldSpaces(news);
      news = "";
    },
    end: (): string =>
      foldSpaces(decodeHTML(text + foldSpaces(news)))
        .trim()
        .slice(0, KEPT_CHARS),
  };
}

/** Leaves single spaces as they are, since most are. */
const foldSpaces = (text: string) => text.replace(/ \s+|[^\S ]\s*/g, " ");

const TAG = /<[a-z/!?][^>]*>/gi;

/** Text in which tags are written that are not the page's own. Behind the last `>` no tag ends. */
function withoutTags(text: string): string {
  const closed = text.lastIndexOf(">") + 1;
  return text.slice(0, closed).replace(TAG, " ") + text.slice(closed);
}
