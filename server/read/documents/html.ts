import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import { Parser } from "htmlparser2";
import { type Directive, directiveIn, withoutDisabled } from "./directives.ts";
import {
  byPlace,
  createLines,
  type Element,
  type FoundLink,
  type Read,
  type ReadDocument,
  shortText,
} from "./document.ts";

/** Reads a page while it arrives, in pieces that may be cut anywhere. */
export type HtmlReader = { take(piece: string): void; end(): Read };

export const readHtml: ReadDocument = (text) => {
  const reader = openHtml();
  reader.take(text);
  return reader.end();
};

export function openHtml(): HtmlReader {
  const walk = openMarkup();
  return {
    take: walk.take,
    end() {
      const { directives, headings, ...read } = walk.end();
      // Browsers give headings no anchors.
      return { ...read, ...withoutDisabled(read.links, directives), headings: [] };
    },
  };
}

export type Heading = { text: string; from: number };

/** What markup has, before directives are applied. */
export type Markup = Omit<Read, "headings" | "disabled"> & {
  directives: Directive[];
  headings: Heading[];
};

/** Where each element has addresses. */
const ADDRESSES: Record<string, Record<string, Element>> = {
  a: { href: "link", "xlink:href": "link" },
  area: { href: "area" },
  img: { src: "image", srcset: "image" },
  image: { href: "image", "xlink:href": "image" },
  source: { src: "media", srcset: "image" },
  video: { src: "media", poster: "media" },
  audio: { src: "media" },
  track: { src: "media" },
  iframe: { src: "frame" },
  frame: { src: "frame" },
  embed: { src: "frame" },
  object: { data: "frame" },
  script: { src: "script" },
  blockquote: { cite: "metadata" },
  q: { cite: "metadata" },
  del: { cite: "metadata" },
  ins: { cite: "metadata" },
};

const NONE: Record<string, Element> = {};
const STYLE = /^stylesheet$/i;
const METADATA = /^(?:canonical|alternate|(?:apple-touch-|mask-)?icon|next|prev)$/i;
const SOCIAL =
  /^(?:og:(?:url|(?:image|video|audio)(?::(?:secure_)?url)?)|twitter:(?:image(?::src)?|url|player))$/i;
const NOFOLLOW = /^(?:nofollow|ugc|sponsored)$/i;

const MOST_LINKS = 100_000;
/** More than a link keeps, as white space and entities become shorter. */
const LONGEST_RAW = 4000;

/** An attribute as it was written, and where its value begins. */
type Attribute = { raw: string; from: number };
type Attributes = Map<string, Attribute>;

/** Words of an element that is still open. */
type Capture = { name: string; raw: string; end(text: string): void };

/** As deep as browsers nest elements. The parser searches all that are open for some tags. */
const DEEPEST = 512;

/** Takes deeper elements for empty ones. */
class ShallowParser extends Parser {
  #isDeep = false;
  override onopentagname(start: number, end: number): void {
    // biome-ignore lint/complexity/useLiteralKeys: it is private.
    this.#isDeep = this["stack"].length >= DEEPEST;
    super.onopentagname(start, end);
  }
  override onclosetag(start: number, end: number): void {
    this.#isDeep = false;
    super.onclosetag(start, end);
  }
  protected override isVoidElement(name: string): boolean {
    return this.#isDeep || super.isVoidElement(name);
  }
}

/** As `openHtml`, for markup inside other documents. */
export function openMarkup(): { take(piece: string): void; end(): Markup } {
  const lines = createLines();
  const found: Markup = {
    links: [],
    anchors: [],
    headings: [],
    directives: [],
    notes: [],
    title: null,
    base: null,
    canonical: null,
    isNofollow: false,
  };
  let attributes: Attributes = new Map();
  let captures: Capture[] = [];
  let templates = 0;
  let noscripts = 0;

  function add(element: Element, { raw, from }: Attribute, rest: Partial<FoundLink>) {
    const href = decodeHTMLAttribute(raw).trim();
    if (href === "" || /^data:/i.test(href)) return;
    if (found.links.length === MOST_LINKS) {
      found.notes[0] = `Only the first ${MOST_LINKS.toLocaleString("en")} links were read.`;
      return;
    }
    const start = from + raw.length - raw.trimStart().length;
    const range = { from: start, to: start + raw.trim().length };
    const place = lines.placeOf(range.from, range.to);
    const link = { href, ...place, ...range, text: "", element, isNofollow: false, ...rest };
    found.links.push(link);
    return link;
  }
  function capture(name: string, end: Capture["end"]) {
    // A link in a link, or a heading in a heading, ends the one around it.
    finish(name);
    captures.push({ name, raw: "", end });
  }
  function finish(name: string) {
    for (const each of captures) if (each.name === name) each.end(decodeHTML(each.raw));
    captures = captures.filter((each) => each.name !== name);
  }
  const words = (name: string) => shortText(decodeHTMLAttribute(attributes.get(name)?.raw ?? ""));
  const wordsIn = (name: string) => words(name).split(" ");

  function addElement(name: string) {
    const rest = { text: words("alt") || words("title") || words("aria-label") };
    for (const [attribute, element] of Object.entries(elementsOf(name))) {
      const value = attributes.get(attribute);
      if (!value) continue;
      if (attribute === "srcset") {
        for (const each of addressesIn(value)) add(element, each, rest);
        continue;
      }
      const isNofollow = wordsIn("rel").some((word) => NOFOLLOW.test(word));
      const link = add(element, value, { ...rest, isNofollow });
      if (link && name === "a") {
        capture("a", (text) => {
          link.text = shortText(text) || link.text;
        });
      }
    }
  }
  function elementsOf(name: string): Record<string, Element> {
    if (name === "link") {
      const kinds = wordsIn("rel");
      if (kinds.some((kind) => STYLE.test(kind))) return { href: "style" };
      if (kinds.includes("modulepreload")) return { href: "script" };
      return kinds.some((kind) => METADATA.test(kind)) ? { href: "metadata" } : NONE;
    }
    if (name === "meta") {
      return SOCIAL.test(words("property") || words("name")) ? { content: "metadata" } : NONE;
    }
    if (name === "input") return /^image$/i.test(words("type")) ? { src: "image" } : NONE;
    return Object.hasOwn(ADDRESSES, name) ? ADDRESSES[name]! : NONE;
  }
  const addressOf = ({ raw }: Attribute) => decodeHTMLAttribute(raw).trim();

  function readHead(name: string) {
    const href = attributes.get("href");
    if (name === "base" && href) found.base ??= addressOf(href);
    if (name === "link" && href && wordsIn("rel").some((kind) => /^canonical$/i.test(kind))) {
      found.canonical ??= addressOf(href);
    }
    if (name === "meta" && /^robots$/i.test(words("name"))) {
      found.isNofollow ||= /\b(?:nofollow|none)\b/i.test(words("content"));
    }
    const content = attributes.get("content");
    if (name === "meta" && content && noscripts === 0 && /^refresh$/i.test(words("http-equiv"))) {
      found.refresh ??= addressOf(content);
    }
    if (name === "title" && found.title === null) {
      capture("title", (text) => {
        found.title ??= shortText(text);
      });
    }
  }
  const parser = new ShallowParser(
    {
      onopentagname() {
        attributes = new Map();
      },
      onattribute(name, raw, quote) {
        if (quote === undefined || attributes.has(name)) return;
        const end = parser.endIndex - (quote === null ? 0 : 1);
        attributes.set(name, { raw, from: end - raw.length });
      },
      onopentag(name) {
        if (name === "template") templates++;
        if (name === "noscript") noscripts++;
        if (templates > 0) return;
        const { startIndex: from } = parser;
        for (const id of name === "a" ? ["id", "name"] : ["id"]) {
          const anchor = attributes.get(id);
          if (anchor) found.anchors.push(decodeHTMLAttribute(anchor.raw));
        }
        readHead(name);
        addElement(name);
        if (name === "img" && words("alt") !== "") addText(` ${attributes.get("alt")!.raw} `, true);
        if (/^h[1-6]$/.test(name)) {
          capture(name, (text) => void found.headings.push({ text: text.trim(), from }));
        }
      },
      ontext: (raw) => addText(raw),
      oncomment(text) {
        const { line } = lines.placeOf(parser.startIndex, parser.startIndex);
        const directive = templates > 0 ? null : directiveIn(text, line);
        if (directive) found.directives.push(directive);
      },
      onclosetag(name) {
        if (name === "template") templates--;
        else if (name === "noscript") noscripts--;
        else finish(name);
      },
    },
    // With entities decoded, nothing would say where a value begins.
    { decodeEntities: false },
  );
  /** @param isAlternative whether it is the text of an image, which names a link but not a heading */
  function addText(raw: string, isAlternative = false) {
    for (const each of captures) {
      if (each.raw.length < LONGEST_RAW && (!isAlternative || each.name === "a")) each.raw += raw;
    }
  }
  return {
    take(piece) {
      lines.add(piece);
      parser.write(piece);
    },
    end() {
      parser.end();
      found.links.sort(byPlace);
      found.headings.sort((a, b) => a.from - b.from);
      return found;
    },
  };
}

/** Browsers leave out an address with anything else behind it (HTML, "parse a srcset attribute"). */
const DESCRIPTORS = /^\s*(?:[-+.\dEe]+[wxh]\s*)*,?$/;

/** The addresses of a `srcset`, each before its width or density. */
function* addressesIn({ raw, from }: Attribute): Generator<Attribute> {
  const candidate = /[^\s,]\S*/y;
  for (let at = 0; at < raw.length; ) {
    candidate.lastIndex = at;
    const found = candidate.exec(raw)?.[0];
    if (!found) {
      at++;
      continue;
    }
    const address = found.replace(/,+$/, "");
    const place = { raw: address, from: from + at };
    at += found.length;
    if (address !== found) {
      yield place;
      continue;
    }
    // Without a comma of its own, its width follows, up to the next comma.
    const end = raw.indexOf(",", at) + 1 || raw.length;
    if (DESCRIPTORS.test(raw.slice(at, end))) yield place;
    at = end;
  }
}
