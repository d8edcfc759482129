import { decodeHTMLStrict } from "entities";
import { type Joined, join, type Piece, placeIn } from "./joined.ts";
import { ENDS_URL } from "./text.ts";

/** What the text of one block holds, with places in the joined text. */
export type Inline = {
  joined: Joined;
  links: InlineLink[];
  xrefs: { to: Xref; start: number; end: number; text: string }[];
  anchors: string[];
  /** Attributes in addresses that the file does not define. */
  unknown: string[];
  /** The text without its formatting. */
  plain: string;
};

export type InlineLink = {
  href: string;
  start: number;
  end: number;
  text: string;
  isImage?: true;
  isNofollow?: true;
};

/** A file, with or without a place in it, or a name in this file, which may be the title of a section. */
export type Xref = { path: string; fragment: string } | { name: string };

/** Gives the value of an attribute, if it has one. */
export type Attributes = (name: string) => string | undefined;

/**
 * Formatting and passthroughs are replaced by signs of the same length, so that places stay. A tag ends an address
 * that stands alone; what is passed through is part of one, without its marks.
 */
const TAG = "\uE000";
const PASSED = "\uE001";
const DROPPED = "\uE002";

const WORD = /[\p{L}\p{M}\p{N}\p{Pc}]/u;
const ATTRIBUTE = /\\?\{([\p{L}\p{N}_][\p{L}\p{N}_-]{0,200})\\?\}/gu;

export function readInline(
  lines: Piece[],
  attributes: Attributes,
  { isFormatted = true }: { isFormatted?: boolean } = {},
): Inline {
  const raw = join(lines, "\n");
  const passed = maskPassed(raw.text);
  const masked = isFormatted ? maskFormatting(passed) : passed;
  return readMacros(...expand(raw, masked, attributes));
}

/** Puts the values of attributes in their places. */
function expand(raw: Joined, masked: string, attributes: Attributes): [Joined, masked: string] {
  const pieces: Piece[] = [];
  const parts: string[] = [];
  let done = 0;
  function keep(to: number) {
    for (const { 0: text, index } of masked.slice(done, to).matchAll(/\n|[^\n]+/g)) {
      const start = done + index;
      const place = placeIn(raw, start, start + text.length);
      pieces.push({ text: raw.text.slice(start, start + text.length), ...place });
    }
    parts.push(masked.slice(done, to));
  }
  for (const { 0: found, 1: name = "", index } of masked.matchAll(ATTRIBUTE)) {
    const value = found.includes("\\") ? undefined : attributes(name.toLowerCase());
    if (value === undefined) continue;
    keep(index);
    done = index + found.length;
    pieces.push({ text: value, ...placeIn(raw, index, done), isReplaced: true });
    parts.push(value);
  }
  keep(masked.length);
  return [join(pieces), parts.join("")];
}

// --- what is masked ---

type Range = { from: number; to: number; sign: string };

function mask(text: string, ranges: Range[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, sign } of ranges) {
    parts.push(text.slice(done, from), sign.repeat(to - from));
    done = to;
  }
  return parts.join("") + text.slice(done);
}

/** Finds a text from an offset on, and knows when there is none any more, so that nothing is searched twice. */
function createFinder(text: string, wanted: string) {
  let none = false;
  return (from: number): number => {
    if (none) return -1;
    const found = text.indexOf(wanted, from);
    none = found < 0;
    return found;
  };
}

/** Finds the bracket that closes what was opened before `from`, which is the first without a backslash. */
function createCloser(text: string) {
  let [known, next] = [Number.POSITIVE_INFINITY, -1];
  return (from: number): number => {
    if (text[from] === "]") return from;
    if (from >= known && (from <= next || next < 0)) return next;
    known = from;
    next = text.indexOf("]", from);
    while (next > from && text[next - 1] === "\\") next = text.indexOf("]", next + 1);
    return next;
  };
}

function maskPassed(text: string): string {
  if (!/\+|\$\$|pass:|stem:|math:/.test(text)) return text;
  return maskBrackets(maskPlus(maskUnconstrained(text)));
}

/** `+++…+++`, `++…++`, `$$…$$` and `pass:[…]`. */
function maskUnconstrained(text: string): string {
  const ranges: Range[] = [];
  const close = createCloser(text);
  const find = {
    "+++": createFinder(text, "+++"),
    "++": createFinder(text, "++"),
    $$: createFinder(text, "$$"),
  };
  const opening = /(\\{0,2})(?:(\+\+\+?|\$\$)|pass:([a-z,-]*)\[)/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const [whole, escapes, boundary, subs = ""] = match;
    let from = match.index + whole.length;
    let mark = boundary as keyof typeof find | undefined;
    let to = mark ? find[mark](from) : close(from);
    if (to < 0 && mark === "+++") {
      mark = "++";
      from--;
      to = find[mark](from);
    }
    if (to < 0) continue;
    const end = to + (mark?.length ?? 1);
    opening.lastIndex = end;
    if (escapes) continue;
    const isRead = /(?:^|,)(?:m|macros|n|normal)(?:,|$)/.test(subs);
    const sign = isRead ? TAG : DROPPED;
    ranges.push({ from: match.index, to: from, sign });
    if (!isRead) ranges.push({ from, to, sign: PASSED });
    ranges.push({ from: to, to: end, sign });
  }
  return mask(text, ranges);
}

function maskPlus(text: string): string {
  const found = constrained(text, { mark: "+", notBefore: ";:" });
  return mask(
    text,
    found.flatMap(({ from, to }) => [
      { from, to: from + 1, sign: DROPPED },
      { from: from + 1, to, sign: PASSED },
      { from: to, to: to + 1, sign: DROPPED },
    ]),
  );
}

/** Formulas. */
function maskBrackets(text: string): string {
  const ranges: Range[] = [];
  const close = createCloser(text);
  const opening = /(?:stem|latexmath|asciimath):[a-z,-]{0,100}\[/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const to = close(opening.lastIndex);
    if (to < 0) break;
    ranges.push({ from: match.index, to: to + 1, sign: PASSED });
    opening.lastIndex = to + 1;
  }
  return mask(text, ranges);
}

type Mark = {
  mark: string;
  /** What closes it, if that is something else. */
  closing?: string;
  /** Signs that must not stand before it, apart from letters and digits. */
  notBefore?: string;
  /** Signs that must not stand after its end, apart from letters and digits. */
  notAfter?: string;
};

/** Angle brackets and ampersands are entities by then, which end with a semicolon. */
const NOT_BEFORE = "<>&;:}";

/** In the order in which Asciidoctor replaces them; those without signs around them stand anywhere. */
const MARKS: (Mark | string)[] = [
  "**",
  { mark: "*", notBefore: NOT_BEFORE },
  { mark: '"`', closing: '`"', notBefore: NOT_BEFORE },
  { mark: "'`", closing: "`'", notBefore: `\`${NOT_BEFORE}` },
  "``",
  { mark: "`", notBefore: `"'\`${NOT_BEFORE}`, notAfter: "\"'`" },
  "__",
  { mark: "_", notBefore: NOT_BEFORE },
  "##",
  { mark: "#", notBefore: NOT_BEFORE },
];

function maskFormatting(given: string): string {
  let text = given;
  for (const each of MARKS) {
    const mark = typeof each === "string" ? each : each.mark;
    if (!text.includes(mark)) continue;
    const found = typeof each === "string" ? unconstrained(text, each) : constrained(text, each);
    const ranges = found.flatMap(({ from, to }) => [
      { from, to: from + mark.length, sign: TAG },
      { from: to, to: to + mark.length, sign: TAG },
    ]);
    text = mask(text, ranges);
  }
  return maskRaised(maskRaised(text, /\\?\^[^\s^]+\^/g), /\\?~[^\s~]+~/g);
}

/** Where the opening and the closing mark of each pair stand. */
type Pair = { from: number; to: number };

function unconstrained(text: string, mark: string): Pair[] {
  const pairs: Pair[] = [];
  for (let from = text.indexOf(mark); from >= 0; ) {
    const to = text.indexOf(mark, from + mark.length + 1);
    if (to < 0) break;
    if (text[from - 1] !== "\\") pairs.push({ from, to });
    from = text.indexOf(mark, to + mark.length);
  }
  return pairs;
}

function constrained(
  text: string,
  { mark, closing = mark, notBefore = "", notAfter = "" }: Mark,
): Pair[] {
  const pairs: Pair[] = [];
  const isFree = (sign: string, signs: string) =>
    sign === "" || !(WORD.test(sign) || signs.includes(sign));
  const isSpace = (sign: string | undefined) => sign === undefined || /\s/.test(sign);
  /** The next mark that may close, from the last one on. */
  let close = -1;
  function closeFrom(at: number): number {
    if (close < at) close = text.indexOf(closing, at);
    while (close >= 0) {
      if (!isSpace(text[close - 1]) && isFree(characterAt(text, close + closing.length), notAfter))
        break;
      close = text.indexOf(closing, close + 1);
    }
    return close;
  }
  for (let from = text.indexOf(mark); from >= 0; ) {
    let next = from + 1;
    const before = from === 0 || text[from - 1] === "\n" ? "" : characterBefore(text, from);
    if (isFree(before, notBefore) && !isSpace(text[from + mark.length])) {
      const to = closeFrom(from + mark.length + 1);
      if (to < 0) break;
      if (before !== "\\") pairs.push({ from, to });
      next = to + closing.length;
    }
    from = text.indexOf(mark, next);
  }
  return pairs;
}

/** `^up^` and `~down~`, without spaces. */
function maskRaised(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) =>
    found.startsWith("\\") ? found : `${TAG}${found.slice(1, -1)}${TAG}`,
  );
}

function characterBefore(text: string, at: number): string {
  const last = text[at - 1]!;
  return /[\uDC00-\uDFFF]/.test(last) && at > 1 ? text.slice(at - 2, at) : last;
}

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

// --- macros ---

/** The escapes of what Asciidoctor would replace by typographic signs. */
const ESCAPED = /\\(?=\.\.\.|--|->|=>|<-|<=|'|\((?:C|R|TM)\)|\{)/g;

/** Finds the first place of a pattern from an offset on, which does not decrease. */
function createStops(text: string, pattern: RegExp) {
  let next = -1;
  return (from: number): number => {
    if (next < from) {
      pattern.lastIndex = from;
      next = pattern.exec(text)?.index ?? text.length;
    }
    return next;
  };
}

function readMacros(joined: Joined, given: string): Inline {
  const plain = joined.text
    .split("")
    .filter((_, i) => given[i] !== TAG && given[i] !== DROPPED)
    .join("");
  const found: Inline = { joined, links: [], xrefs: [], anchors: [], unknown: [], plain };
  let text = given;

  /** The text as it is in an address; null if it has an attribute without a value. */
  function addressAt(start: number, end: number): string | null {
    const missing = [...text.slice(start, end).matchAll(ATTRIBUTE)]
      .filter(([whole]) => !whole.includes("\\"))
      .map(([, name]) => name!);
    found.unknown.push(...missing);
    if (missing.length > 0) return null;
    return decodeHTMLStrict(writtenAt(start, end).trim()).replace(ESCAPED, "");
  }
  function writtenAt(start: number, end: number): string {
    const written = joined.text.slice(start, end);
    if (!text.slice(start, end).includes(DROPPED)) return written;
    return [...written.split("").keys()]
      .filter((i) => text[start + i] !== DROPPED)
      .map((i) => written[i])
      .join("");
  }
  function add(
    start: number,
    end: number,
    more: { text?: string; isImage?: true; isNofollow?: true },
  ) {
    const href = addressAt(start, end);
    if (href) found.links.push({ href, start, end, text: "", ...more });
  }
  /** Adds a link with the words and attributes that stand in its brackets. */
  function addWithWords(start: number, end: number, words: [from: number, to: number]) {
    const all = writtenAt(...words).replaceAll("\\]", "]");
    const isNofollow = /\bopt(?:ion)?s?="?[^"]*\bnofollow\b/.test(all);
    add(start, end, { text: wordsOf(all), ...(isNofollow ? { isNofollow } : {}) });
  }

  function readImages() {
    const close = createCloser(text);
    const stop = createStops(text, /[\n[]/g);
    const ranges: Range[] = [];
    const opening = /\\?(?:image|icon):(?=[^:\s[])/g;
    for (let match = opening.exec(text); match; match = opening.exec(text)) {
      const start = opening.lastIndex;
      const end = stop(start);
      if (text[end] !== "[" || /\s/.test(text[end - 1]!)) continue;
      const to = close(end + 1);
      if (to < 0) break;
      opening.lastIndex = to + 1;
      if (match[0].startsWith("\\")) continue;
      if (match[0] === "image:") {
        add(start, end, { text: wordsOf(writtenAt(end + 1, to)), isImage: true });
      }
      addLinkOf(end + 1, to);
      ranges.push({ from: match.index, to: to + 1, sign: TAG });
    }
    text = mask(text, ranges);
  }
  /** `link=…` among the attributes of an image. */
  function addLinkOf(from: number, to: number) {
    const attribute = /(?:^|,)\s*link=(?:"([^"]*)"|'([^']*)'|([^,]*))/d.exec(text.slice(from, to));
    const [start, end] = attribute?.indices?.slice(1).find(Boolean) ?? [];
    if (start !== undefined && end! > start) add(from + start, from + end!, {});
  }

  /** `https://…[words]`, `<https://…>` and `https://…` */
  function readUrls() {
    const close = createCloser(text);
    const stop = createStops(text, /[\s[\]]/g);
    const stopBare = createStops(text, new RegExp(`[\\s[\\]\\uE000${ENDS_URL}]`, "g"));
    const ranges: Range[] = [];
    const scheme = /\\?(?:https?|file|ftp|irc):\/\//g;
    for (let match = scheme.exec(text); match; match = scheme.exec(text)) {
      const start = match.index;
      const isLink = text.slice(Math.max(0, start - 5), start) === "link:";
      if (!isLink && start > 0 && !/[\s<>()[\];"'&\uE000]/.test(text[start - 1]!)) continue;
      const after = scheme.lastIndex;
      const end = stop(after);
      const to = text[end] === "[" && end > after ? close(end + 1) : -1;
      const isEscaped = match[0].startsWith("\\");
      if (to >= 0) {
        if (!isEscaped) addWithWords(start, end, [end + 1, to]);
        ranges.push({ from: start, to: to + 1, sign: TAG });
        scheme.lastIndex = to + 1;
        continue;
      }
      const bare = endOfBare(text, start, stopBare(after));
      scheme.lastIndex = Math.max(after, bare);
      if (isEscaped || isLink || bare <= after || /["']/.test(text[start - 1] ?? "")) continue;
      add(start, bare, {});
    }
    text = mask(text, ranges);
  }

  function readLinks() {
    const close = createCloser(text);
    const stop = createStops(text, /[\s[]/g);
    const ranges: Range[] = [];
    const opening = /\\?(?:link|(mailto)):(?!:)/g;
    for (let match = opening.exec(text); match; match = opening.exec(text)) {
      const start = opening.lastIndex;
      const end = stop(start);
      if (text[end] !== "[") continue;
      const to = close(end + 1);
      if (to < 0) break;
      opening.lastIndex = to + 1;
      if (match[0].startsWith("\\") || match[1]) continue;
      addWithWords(start, end, [end + 1, to]);
      ranges.push({ from: match.index, to: to + 1, sign: TAG });
    }
    text = mask(text, ranges);
  }

  /** `[[id]]`, `[[[id]]]` and `anchor:id[]` */
  function readAnchors() {
    const pattern =
      /(?<!\\)(?:\[\[([\p{L}_:][\p{L}\p{N}_\-:.]*)(?:,[^\]\n]{0,500})?\]\]|\banchor:([\p{L}_:][\p{L}\p{N}_\-:.]*)\[)/gu;
    for (const [, id, other] of text.matchAll(pattern)) found.anchors.push((id ?? other)!);
  }

  /** `<<id,words>>` and `xref:file.adoc#id[words]` */
  function readXrefs() {
    const close = createCloser(text);
    const closeShort = createFinder(text, ">>");
    const stop = createStops(text, /\[/g);
    const opening = /\\?(?:<<|xref:)(?=[\p{L}\p{N}_#/.:{])/gu;
    for (let match = opening.exec(text); match; match = opening.exec(text)) {
      const isMacro = match[0].endsWith("xref:");
      const from = opening.lastIndex;
      const inner = isMacro ? stop(from) : from;
      const to = isMacro ? (inner < text.length ? close(inner + 1) : -1) : closeShort(from);
      if (to < 0) continue;
      opening.lastIndex = to + 1;
      if (match[0].startsWith("\\")) continue;
      const comma = isMacro ? -1 : text.slice(from, to).indexOf(",");
      const end = isMacro ? inner : comma < 0 ? to : from + comma;
      const target = addressAt(from, end);
      if (!target) continue;
      const words = isMacro
        ? wordsOf(writtenAt(inner + 1, to))
        : comma < 0
          ? ""
          : writtenAt(end + 1, to);
      found.xrefs.push({ to: xrefOf(target, isMacro), start: from, end, text: words });
    }
  }

  if (/image:|icon:/.test(text)) readImages();
  if (text.includes("://")) readUrls();
  if (/link:|mailto:/.test(text)) readLinks();
  if (/\[\[|anchor:/.test(text)) readAnchors();
  if (/<<|xref:/.test(text)) readXrefs();
  return found;
}

/** The end of an address that stands alone, without the punctuation of its sentence. */
function endOfBare(text: string, start: number, stop: number): number {
  let end = stop;
  while (end > start && ",.?!)".includes(text[end - 1]!)) end--;
  if (text[end - 1] === ">" && text[start - 1] === "<") return end - 1;
  if (text[end - 1] === ";" || text[end - 1] === ":") {
    end--;
    if (text[end - 1] === ")") end--;
  }
  return end;
}

/** The words of a link or an image in its brackets, which may hold attributes as well. */
function wordsOf(content: string): string {
  const [, quoted, plain = ""] = /^\s*(?:"([^"]*)"|([^,]*))/.exec(content) ?? [];
  const words = content.includes("=") ? (quoted ?? (plain.includes("=") ? "" : plain)) : content;
  return words.replace(/\^$/, "");
}

const SOURCE = /\.(?:adoc|asciidoc|asc|ad)$/;

/** Without a file, `xref:` and `<<>>` mean a place in this one; a file without an ending is AsciiDoc. */
function xrefOf(target: string, isMacro: boolean): Xref {
  const hash = target.indexOf("#");
  if (hash === 0) return { path: "", fragment: target.slice(1) };
  if (hash < 0 && !(isMacro && /\.[^./]+$/.test(target))) return { name: target };
  const [path, fragment] =
    hash < 0 ? [target, ""] : [target.slice(0, hash), target.slice(hash + 1)];
  const isFile = isMacro ? /\.[^./]+$/.test(path) : SOURCE.test(path);
  return { path: isFile ? path : `${path}.adoc`, fragment };
}
