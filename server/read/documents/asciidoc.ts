import { readInline, type Xref } from "./asciidoc-inline.ts";
import { type Cell, cellsOf, columnsOf } from "./asciidoc-tables.ts";
import { type Collector, createCollector } from "./collector.ts";
import { csvCells } from "./csv-cells.ts";
import type { ReadDocument } from "./document.ts";

import { type Piece, placeIn } from "./joined.ts";
import { splitLines } from "./rst-lines.ts";

export const readAsciidoc: ReadDocument = (text, { name }) => {
  const collector = createCollector(text);
  const document: Document = {
    text,
    collector,
    attributes: createAttributes(),
    xrefs: [],
    ids: new Set(),
    repeats: new Map(),
    titles: new Map(),
    isAntora: /(?:^|[\\/])modules[\\/][^\\/]+[\\/](?:(?:pages|partials)[\\/]|nav[^\\/]*$)/.test(
      name,
    ),
  };
  const lines = splitLines(text).map((line) => toPiece(text, line));
  walk(document, lines, 0);
  for (const { to, place, words } of document.xrefs) addXref(document, to, place, words);
  for (const id of document.ids) collector.anchor(id);
  return collector.end();
};

type Place = { from: number; to: number };

type Document = {
  text: string;
  collector: Collector;
  attributes: Attributes;
  /** Uses of places, which may come after them. */
  xrefs: { to: Xref; place: Place; words: string }[];
  ids: Set<string>;
  /** How often each id of a title was given. */
  repeats: Map<string, number>;
  /** The ids of sections by their titles. */
  titles: Map<string, string>;
  /** Whether Antora resolves references to files and images, by rules of its own. */
  isAntora: boolean;
};

const toPiece = (text: string, { from, to }: Place): Piece => {
  const shown = text.slice(from, to).trimEnd();
  return { text: shown, from, to: from + shown.length };
};

const part = ({ text, from }: Piece, start: number, end = text.length): Piece => ({
  text: text.slice(start, end),
  from: from + start,
  to: from + end,
});

/** Tables in tables. */
const DEEPEST = 3;

const COMMENT = /^\/\/(?!\/)/;
const CONDITION = /^(ifn?def|ifeval|endif)::([^\s[]*)\[/;
const INCLUDE = /^include::[^[]/;
const ATTRIBUTE_ENTRY = /^:(!?)([\p{L}\p{N}_][^:!]*)(!?):(?:[ \t]+(.*))?$/u;
const ATTRIBUTES_LINE = /^\[(?:$|[\p{L}\p{N}_.#%{,"'\]]|\[[\p{L}_:\]])/u;
const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|```(?:[^`].*)?)$/;
const COMPOUND = /^(?:={4,}|\*{4,}|_{4,}|--)$/;
const TABLE = /^[|,:!]={3,}$/;
const ITEM = /^[ \t]*(?:-|\*+|\.+|\u2022|\d+\.|[a-zA-Z]\.|[IVXivx]+\)|<(?:\d+|\.)>)[ \t]+/;
const TERM = /(?::{2,4}|;;)(?=$|[ \t])/;
const MEDIA = /^(image|video|audio)::(\S|\S.*?\S)\[/;
/** Styles of blocks that hold no text. */
const LITERAL = new Set("source listing literal pass stem latexmath asciimath comment".split(" "));
/** Macros of blocks are read as those in the text. */
const MACRO = "image:";
/** A header with more lines is none. */
const LONGEST_HEADER = 100;

/** What a line in brackets says of the block that follows. */
type BlockAttributes = { style: string; id: string | null; all: string };
const NONE: BlockAttributes = { style: "", id: null, all: "" };

function walk(document: Document, lines: Piece[], depth: number) {
  const { attributes } = document;
  let paragraph: Piece[] = [];
  let block = NONE;
  let isInList = false;
  /** Whether the description of a term may follow, also indented. */
  let isDescribed = false;
  let mayBeHeader = depth === 0;
  /** Whether the conditions hold that a line is in. */
  const conditions: boolean[] = [];

  for (let i = 0; i < lines.length; ) i = read(i, lines[i]!);
  endParagraph();

  function endParagraph() {
    if (paragraph.length > 0) readText(document, paragraph);
    paragraph = [];
  }
  /** @returns the attributes of the block that begins */
  function begin(): BlockAttributes {
    endParagraph();
    const begun = block;
    block = NONE;
    isDescribed = mayBeHeader = false;
    return begun;
  }

  /** @returns the line to go on with */
  function read(i: number, line: Piece): number {
    const { text } = line;
    if (COMMENT.test(text)) document.collector.comment(text.slice(2), line.from);
    if (COMMENT.test(text) || INCLUDE.test(text)) return i + 1;
    const condition = text.endsWith("]") && CONDITION.exec(text);
    if (condition) return readCondition(i, line, condition);
    if (text === "" || text === "+") {
      endParagraph();
      return i + 1;
    }
    if (paragraph.length === 0) {
      const next = readAtStart(i, line);
      if (next !== null) return next;
    }
    const next = readBlock(i, line);
    if (next !== null) return next;
    if ((paragraph.length === 0 || isInList) && readItem(line)) return i + 1;
    if (paragraph.length > 0) paragraph.push(line);
    else return beginParagraph(i, line);
    return i + 1;
  }

  /** All is read as if its conditions held, but a value only counts there if there is no other. */
  function readCondition(
    i: number,
    line: Piece,
    [start, kind, name = ""]: RegExpExecArray,
  ): number {
    const content = part(line, start.length, line.text.length - 1);
    const names = name.split(/[,+]/);
    const isDefined = name.includes("+") ? names.every(attributes.has) : names.some(attributes.has);
    const holds = kind === "ifdef" ? isDefined : kind === "ifndef" ? !isDefined : true;
    if (kind === "endif") conditions.pop();
    else if (kind === "ifeval" || content.text === "") conditions.push(holds);
    else {
      const entry = ATTRIBUTE_ENTRY.exec(content.text);
      if (!entry) {
        lines[i] = content;
        return i;
      }
      setEntry(entry, entry[4] ?? "", holds);
    }
    return i + 1;
  }

  /** What only begins where no paragraph is open. */
  function readAtStart(i: number, line: Piece): number | null {
    const { text } = line;
    const entry = ATTRIBUTE_ENTRY.exec(text);
    if (entry) return readEntry(i, entry);
    if (/^\.\.?[^ \t.]/.test(text)) {
      readText(document, [part(line, 1)]);
      return i + 1;
    }
    const title = titleIn(line) ?? underlinedTitle(line, lines[i + 1]);
    if (!title) return readMedia(line) ? i + 1 : null;
    const next = i + (title === line ? 2 : 1);
    const isHeader = mayBeHeader && /^[=#][ \t]|=$/.test(lines[next - 1]!.text);
    const { id } = begin();
    isInList = false;
    addTitle(document, title, id);
    return isHeader ? afterHeader(next) : next;
  }

  /** After the title of a document come its author and its version, which hold no links. */
  function afterHeader(first: number): number {
    let next = first;
    while (next < lines.length && next < first + LONGEST_HEADER) {
      const line = lines[next]!;
      if (line.text === "") break;
      next = isUnread(line.text) || ATTRIBUTE_ENTRY.test(line.text) ? read(next, line) : next + 1;
    }
    return next;
  }

  function readEntry(i: number, entry: RegExpExecArray): number {
    let value = entry[4] ?? "";
    let next = i + 1;
    while (/ [\\+]$/.test(value) && lines[next])
      value = `${value.slice(0, -2)} ${lines[next++]!.text.trim()}`;
    setEntry(entry, value, !conditions.includes(false));
    return next;
  }

  function setEntry([, before, name = "", after]: RegExpExecArray, value: string, holds: boolean) {
    if (holds || !attributes.has(name)) attributes.set(name, before || after ? null : value);
  }

  /** Blocks with delimiters, and the attributes before one. */
  function readBlock(i: number, line: Piece): number | null {
    const { text } = line;
    if (isAttributes(text)) {
      endParagraph();
      block = mergedAttributes(document, block, line);
      return i + 1;
    }
    if (VERBATIM.test(text)) {
      const { all } = begin();
      const end = lineOf(i + 1, text.startsWith("```") ? "```" : text);
      if (hasMacros(all))
        for (const each of lines.slice(i + 1, end))
          readText(document, [each], { isFormatted: false });
      return end + 1;
    }
    if (COMPOUND.test(text)) {
      const { style } = begin();
      return text === "--" && LITERAL.has(style) ? lineOf(i + 1, text) + 1 : i + 1;
    }
    if (!TABLE.test(text)) return null;
    const { all } = begin();
    const end = lineOf(i + 1, text);
    readTable(
      text,
      all,
      lines.slice(i + 1, end).filter((row) => !isUnread(row.text)),
    );
    return end + 1;
  }

  /** The next line with this text, or the end. */
  function lineOf(first: number, text: string): number {
    let at = first;
    while (at < lines.length && lines[at]!.text !== text) at++;
    return at;
  }

  function readTable(delimiter: string, all: string, rows: Piece[]) {
    const isCsv = delimiter[0] === "," || /\bformat="?csv\b/.test(all);
    if (isCsv) {
      for (const cell of csvCells(document.text, rows)) {
        readText(
          document,
          cell.map(({ from, to }) => ({ text: document.text.slice(from, to), from, to })),
        );
      }
      return;
    }
    const separator = /\bseparator="?([^",\]]+)/.exec(all)?.[1] ?? delimiter[0]!;
    const cols = /\bcols="?([^"\]]*)/.exec(all)?.[1] ?? "";
    for (const cell of cellsOf(rows, separator, cols ? columnsOf(cols) : [])) readCell(cell);
  }

  function readCell({ style, lines: parts }: Cell) {
    const [first, ...rest] = parts;
    if (style === "literal" || !first) return;
    const cell = [part(first, /^\s*/.exec(first.text)![0].length), ...rest];
    if (style === "blocks") {
      if (depth < DEEPEST) walk(document, cell, depth + 1);
      return;
    }
    let text: Piece[] = [];
    for (const line of [...cell, null]) {
      if (line?.text.trim()) text.push(line);
      else if (text.length > 0) {
        readText(document, text);
        text = [];
      }
    }
  }

  function readMedia(line: Piece): boolean {
    const kind = (line.text.endsWith("]") && MEDIA.exec(line.text)?.[1]) || null;
    if (!kind) return false;
    begin();
    const rest = part(line, kind.length + 2);
    const isForeign = /\[(?:youtube|vimeo|wistia)\b/.test(rest.text);
    if (kind !== "image" && isForeign) return true;
    const macro = { text: `${MACRO}${rest.text}`, from: rest.from - MACRO.length, to: rest.to };
    readText(document, [macro], {
      isFormatted: false,
      element: kind === "image" ? "image" : "media",
    });
    return true;
  }

  function readItem(line: Piece): boolean {
    const { text } = line;
    const [marker] = ITEM.exec(text) ?? [];
    const term = marker ? null : TERM.exec(text);
    if (!marker && !(term && text.slice(0, term.index).trim() !== "")) return false;
    begin();
    isInList = true;
    if (term) {
      readText(document, [part(line, 0, term.index)]);
      isDescribed = true;
    }
    const rest = part(line, marker ? marker.length : term!.index + term![0].length);
    if (rest.text.trim() === "") return true;
    paragraph = [rest];
    isDescribed = false;
    return true;
  }

  function beginParagraph(i: number, line: Piece): number {
    const isIndented = /^[ \t]/.test(line.text) && !isDescribed;
    if (!isIndented && !isDescribed) isInList &&= lines[i - 1]?.text !== "";
    const { style, all } = begin();
    const isLiteral = isIndented ? style !== "normal" : LITERAL.has(style);
    if (!isLiteral) {
      paragraph = [line];
      return i + 1;
    }
    let end = i + 1;
    while (end < lines.length && !endsLiteral(lines[end]!.text)) end++;
    if (hasMacros(all)) readText(document, lines.slice(i, end), { isFormatted: false });
    return end;
  }
}

/** Comments, and what a preprocessor reads. */
const isUnread = (text: string) => COMMENT.test(text) || INCLUDE.test(text) || CONDITION.test(text);

const endsLiteral = (text: string) =>
  text === "" ||
  text === "+" ||
  VERBATIM.test(text) ||
  COMPOUND.test(text) ||
  TABLE.test(text) ||
  isAttributes(text);

/** `[source,ruby]` before a block, also if the line below it is as long. */
const isAttributes = (text: string) => ATTRIBUTES_LINE.test(text) && text.endsWith("]");

/** Whether the attributes of a block have links read in code. */
const hasMacros = (all: string) => /\bsubs="?[^"\]]*(?<!-)\b(?:macros|normal)\b/.test(all);

/** `[style#id.role,name=value]` and `[[id]]` */
function mergedAttributes(
  { ids }: Document,
  before: BlockAttributes,
  { text }: Piece,
): BlockAttributes {
  const content = text.slice(1, -1);
  const [, anchor] = /^\[([^\],]+)/.exec(content) ?? [];
  const [, style = ""] = /^\s*([\p{L}\p{N}_-]*)/u.exec(content) ?? [];
  const [, id = anchor ?? before.id] =
    /^[\p{L}\p{N}_-]*(?:[.%][\p{L}\p{N}_-]+)*#([^\s.,%#\]]+)/u.exec(content) ??
    /(?:^|,)\s*id="?([^",\]]+)/.exec(content) ??
    [];
  if (id) ids.add(id);
  const isStyled = !anchor && style !== "" && !content.slice(style.length).startsWith("=");
  return {
    style: isStyled ? style : before.style,
    id: id ?? null,
    all: `${before.all},${content}`,
  };
}

/** `== Title`, `== Title ==` and `## Title` */
function titleIn(line: Piece): Piece | null {
  const [start = "", mark = ""] = /^(={1,6}|#{1,6})[ \t]+(?=\S)/.exec(line.text) ?? [];
  if (!start) return null;
  const title = part(line, start.length);
  const isClosed = title.text.endsWith(mark) && /[ \t]$/.test(title.text.slice(0, -mark.length));
  return isClosed ? part(title, 0, title.text.slice(0, -mark.length).trimEnd().length) : title;
}

/** A title over a line that is as long, give or take one. */
function underlinedTitle(line: Piece, next: Piece | undefined): Piece | null {
  if (isAttributes(line.text) || !next || !/^(?:=+|-+|~+|\^+|\++)$/.test(next.text)) return null;
  const length = [...line.text].length;
  const isTitle =
    Math.abs(length - next.text.length) < 2 && /^(?!\.).*[\p{L}\p{N}]/u.test(line.text);
  return isTitle ? line : null;
}

function addTitle(document: Document, title: Piece, given: string | null) {
  const plain = readText(document, [title]);
  const [, inline] = /\[\[([^\],]+)(?:,[^\]]*)?\]\]$/.exec(title.text) ?? [];
  const words = plain
    .replace(/ ?\[\[[^\]]*\]\]/g, "")
    .replace(/(?:link:|xref:|https?:\/\/)[^\s[]*\[([^\]]*)\]/g, "$1")
    .replace(/<<(?:[^<>,]*,)?([^<>]*)>>/g, "$1")
    .trim();
  document.collector.heading(words);
  const id = given ?? inline ?? newId(document, words);
  document.ids.add(id);
  // GitHub shows documents with other ids than Asciidoctor makes.
  document.collector.anchor(idOf(words, "", "-"));
  if (!document.titles.has(words)) document.titles.set(words, id);
}

/** The id that Asciidoctor makes of a title that no other has. */
function newId({ attributes, ids, repeats }: Document, title: string): string {
  const separator = (attributes.get("idseparator") ?? "_").slice(0, 1);
  const base = idOf(title, attributes.get("idprefix") ?? "_", separator);
  let id = base;
  for (let n = (repeats.get(base) ?? 1) + 1; ids.has(id); n++) {
    id = `${base}${separator || "_"}${n}`;
    repeats.set(base, n);
  }
  return id;
}

function idOf(title: string, prefix: string, separator: string): string {
  const kept = title
    .toLowerCase()
    .replace(/ -- |(?<=[\p{L}\p{N}_])--(?=[\p{L}\p{N}_])|\.\.\./gu, "")
    .replace(/&(?:[a-z][a-z]+\d{0,2}|#\d{2,6}|#x[\da-f]{2,5});/g, "")
    .replace(/[^ \p{L}\p{M}\p{N}\p{Pc}\-.]/gu, "");
  const joined = separator ? kept.replace(/[ _.-]+/g, separator) : kept.replaceAll(" ", "");
  const trimmed = separator && joined.endsWith(separator) ? joined.slice(0, -1) : joined;
  return `${prefix}${!prefix && separator && trimmed.startsWith(separator) ? trimmed.slice(1) : trimmed}`;
}

/** Pieces may follow each other in a line. */
function placeOf(...given: Parameters<typeof placeIn>): Place {
  const { from, to } = placeIn(...given);
  return { from, to };
}

/** @returns the text without its formatting */
function readText(
  document: Document,
  lines: Piece[],
  {
    isFormatted = true,
    element = "image",
  }: { isFormatted?: boolean; element?: "image" | "media" } = {},
): string {
  const { collector, attributes, ids, xrefs } = document;
  const inline = readInline(lines, attributes.get, { isFormatted });
  for (const { start, end, href, text, isImage, isNofollow } of inline.links) {
    const place = placeOf(inline.joined, start, end);
    if (isImage) addImage(document, href, { ...place, text, element });
    else collector.add({ href, ...place, text, isNofollow });
  }
  for (const { to, start, end, text } of inline.xrefs) {
    xrefs.push({ to, place: placeOf(inline.joined, start, end), words: text });
  }
  for (const anchor of inline.anchors) ids.add(anchor);
  for (const name of inline.unknown) {
    collector.note(`Links with {${name}} were left out: the file does not define this attribute.`);
  }
  return inline.plain;
}

const BY_ANTORA = "References between pages and to images were left out: Antora resolves them.";

function addImage(
  { collector, attributes, isAntora }: Document,
  target: string,
  more: Place & { text: string; element: "image" | "media" },
) {
  const isWhole = /^(?:[a-z][a-z\d.+-]+:|\/)/i.test(target);
  if (!isWhole && isAntora) return collector.note(BY_ANTORA);
  const folder = isWhole ? "" : (attributes.get("imagesdir") ?? "");
  collector.add({ href: folder ? `${folder.replace(/\/$/, "")}/${target}` : target, ...more });
}

function addXref(
  { collector, ids, titles, isAntora }: Document,
  to: Xref,
  place: Place,
  text: string,
) {
  if ("name" in to) {
    const id = ids.has(to.name) ? to.name : (titles.get(to.name) ?? to.name);
    return collector.add({ href: `#${id}`, ...place, text });
  }
  const { path, fragment } = to;
  if (path !== "" && (isAntora || /[:$@]/.test(path))) return collector.note(BY_ANTORA);
  collector.add({ href: fragment ? `${path}#${fragment}` : path, ...place, text });
}

type Attributes = {
  get(name: string): string | undefined;
  has(name: string): boolean;
  set(name: string, value: string | null): void;
};

/** Attributes that every document has. */
const GIVEN: Record<string, string> = {
  empty: "",
  blank: "",
  sp: " ",
  nbsp: "\u00a0",
  zwsp: "\u200b",
  wj: "\u2060",
  apos: "'",
  quot: '"',
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  deg: "°",
  plus: "+",
  brvbar: "¦",
  vbar: "|",
  amp: "&",
  lt: "<",
  gt: ">",
  asterisk: "*",
  tilde: "~",
  caret: "^",
  startsb: "[",
  endsb: "]",
  backslash: "\\",
  backtick: "`",
  "two-colons": "::",
  "two-semicolons": ";;",
  cpp: "C++",
  cxx: "C++",
  pp: "++",
};

/** Longer than an address may be. */
const LONGEST_VALUE = 4000;
/** Values that refer to values grow without end. */
const MOST_EXPANDED = 4 * 1024 * 1024;

function createAttributes(): Attributes {
  const values = new Map<string, string>(Object.entries(GIVEN));
  let left = MOST_EXPANDED;
  function get(name: string): string | undefined {
    const value = values.get(name);
    if (value === undefined || value.length > left) return undefined;
    left -= value.length;
    return value;
  }
  return {
    get,
    has: (name) => values.has(name.toLowerCase()),
    set(given, value) {
      const name = given.toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, "");
      if (value === null || value.length > LONGEST_VALUE) return void values.delete(name);
      const [, passed] = /^pass:[a-z,]*\[(.*)\]$/.exec(value) ?? [];
      const whole = (passed ?? value).replace(
        /(?<!\\)\{([\p{L}\p{N}_][\p{L}\p{N}_-]{0,200})\}/gu,
        (found, other: string) => get(other.toLowerCase()) ?? found,
      );
      if (whole.length <= LONGEST_VALUE) values.set(name, whole);
      else values.delete(name);
    },
  };
}
