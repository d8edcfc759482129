import { type Collector, createCollector } from "./collector.ts";
import { csvCells } from "./csv-cells.ts";
import type { ReadDocument } from "./document.ts";
import { type Joined, join, type Place, placeIn } from "./joined.ts";
import { addressOf, nameOf, readInline, type Target } from "./rst-inline.ts";
import { indentOf, type Line, lineFrom, splitLines } from "./rst-lines.ts";
import { readTable } from "./rst-tables.ts";

/** Directives whose content is code, or text of another language. */
const LITERAL = new Set(
  `code code-block sourcecode literalinclude include math raw highlight doctest testcode testsetup testcleanup
  testoutput graphviz graph digraph inheritance-diagram uml plantuml mermaid prompt ipython productionlist plot
  jupyter-execute meta role default-role highlight program-output command-output runblock`.split(
    /\s+/,
  ),
);

/** Options that hold an address in directives of Sphinx extensions. */
const ADDRESS_OPTIONS = ["target", "link", "url"];

/** Tables in tables in tables. */
const DEEPEST = 8;
/** Longer than any real name of a target, field or directive. */
const LONGEST_HEAD = 1000;
const MOST_HOPS = 20;

const BULLET = /^[-+*•‣⁃](?=\s|$)/;
const ENUMERATOR =
  /^(?:\((?:\d+|[a-zA-Z]|[ivxlcdm]+|[IVXLCDM]+|#)\)|(?:\d+|[a-zA-Z]|[ivxlcdm]+|[IVXLCDM]+|#)[.)])(?=\s|$)/;
const FIELD = /^:(?![: ])(?:[^:\\]|\\.|:(?!$|[ `]))*(?<! ):(?=\s|$)/;
const ARGUMENT = String.raw`(?:[a-zA-Z][\w-]*|<[^<>]+>)`;
const OPTION = String.raw`(?:[-+][a-zA-Z\d](?: ?${ARGUMENT})?|(?:--|\/)[a-zA-Z\d][\w-]*(?:[ =]${ARGUMENT})?)`;
const OPTIONS = new RegExp(`^${OPTION}(?:, ${OPTION})*(?= {2,}| ?$)`);
const DIRECTIVE = /^((?:[^\W_]|[-._+:](?=[^\W_]))+) ?::(?=\s|$)/;
const ADORNMENT = /[!-/:-@[-`{-~]/;
const LINE_BLOCK = /^\|(?=\s|$)/;
/** Escapes are `\0` here. */
const TARGET = /^_(?:_|(?!_)(`?)(?![ `])([\s\S]+?)(?<![\s\0])\1)(?<!(?<!\0):) ?:(?:\s+|$)/;
const ALIAS = /^(?:([\p{L}\p{N}]+(?:[-._+:][\p{L}\p{N}]+)*)_|`(?! )([^`]+)`_)$/u;

export const readRst: ReadDocument = (text) => {
  const collector = createCollector(text);
  const targets = createTargets();
  walk({ text, collector, targets }, splitLines(text), 0);
  targets.resolve(collector);
  return collector.end();
};

type Document = { text: string; collector: Collector; targets: Targets };

/** Reads blocks line by line, of which only paragraphs, and those without text, matter. */
function walk(document: Document, given: Line[], depth: number) {
  const { text, collector, targets } = document;
  const lines = given.map((line) => indentOf(text, line));
  let paragraph: Line[] = [];
  /** Deeper lines are left out. */
  let literal: number | null = null;
  /** The column of the paragraph before, which ended with "::". */
  let announced: number | null = null;
  /** The column of a directive whose options may follow. */
  let options: number | null = null;

  for (let i = 0; i < lines.length; ) i = read(i, lines[i]!);
  endParagraph();

  /** @returns the line to go on with, which is the same one if only its beginning was read */
  function read(i: number, line: Line): number {
    if (isBlank(line)) {
      endParagraph();
      options = null;
      return i + 1;
    }
    if (literal !== null && line.column > literal) return i + 1;
    literal = null;
    if (announced !== null) {
      const column = announced;
      announced = null;
      if (line.column > column) {
        literal = column;
        return i + 1;
      }
      if (line.column === column && ADORNMENT.test(text[line.from]!)) return i + 1 + quotedAfter(i);
    }
    if (options !== null && line.column > options && FIELD.test(headOf(text, line))) {
      return readOption(i, line);
    }
    if (paragraph[0]?.column === line.column) {
      if (paragraph.length === 1 && isUnderline(text, line, paragraph[0])) endTitle();
      else paragraph.push(line);
      return i + 1;
    }
    endParagraph();
    // Only a literal block after a blank line is one.
    announced = null;
    return readBlock(i, line);
  }

  function endParagraph() {
    const last = paragraph.at(-1);
    if (!last) return;
    if (
      /(?<!\\)(?:\\\\)*::\s*$/.test(
        text.slice(Math.max(last.from, last.to - LONGEST_HEAD), last.to),
      )
    ) {
      announced = last.column;
    }
    readText(document, paragraph);
    paragraph = [];
  }

  function endTitle() {
    addTitle(document, paragraph[0]!);
    paragraph = [];
  }

  /** The number of lines after line `i` that are deeper than a column, up to a blank one. */
  function deeperAfter(i: number, column: number): number {
    let next = i + 1;
    while (next < lines.length && !isBlank(lines[next]!) && lines[next]!.column > column) next++;
    return next - i - 1;
  }

  /** The number of lines of a literal block that is quoted instead of indented. */
  function quotedAfter(i: number): number {
    return deeperAfter(i, lines[i]!.column - 1);
  }

  function readOption(i: number, line: Line): number {
    const [start = "", name = ""] = /^:([\w-]+):\s+(?=https?:)/.exec(headOf(text, line)) ?? [];
    const count = deeperAfter(i, line.column);
    if (ADDRESS_OPTIONS.includes(name)) {
      const value = lineFrom(text, line, line.from + start.length);
      addAddress(document, joinedLines(text, [value, ...lines.slice(i + 1, i + 1 + count)]));
    }
    return i + 1 + count;
  }

  /** Goes on with the rest of a line. The lines that follow belong to it if they are deeper than `column`. */
  function goOn(i: number, rest: Line, column: number): number {
    if (isBlank(rest)) return i + 1;
    const isFollowed = deeperAfter1(i, column);
    lines[i] = isFollowed ? { ...rest, column: lines[i + 1]!.column } : rest;
    return i;
  }

  function deeperAfter1(i: number, column: number): boolean {
    const next = lines[i + 1];
    return next !== undefined && !isBlank(next) && next.column > column;
  }

  function readBlock(i: number, line: Line): number {
    const head = headOf(text, line);
    const [marker] =
      BULLET.exec(head) ?? enumeratorAt(i, line, head) ?? LINE_BLOCK.exec(head) ?? [];
    if (marker) {
      lines[i] = lineFrom(text, line, line.from + marker.length);
      return isBlank(lines[i]!) ? i + 1 : i;
    }
    const [field] = FIELD.exec(head) ?? [];
    if (field)
      readText(document, [{ ...line, from: line.from + 1, to: line.from + field.length - 1 }]);
    const named = field ?? OPTIONS.exec(head)?.[0];
    if (named) return goOn(i, lineFrom(text, line, line.from + named.length), line.column);
    if (/^>>>(?: |$)/.test(head)) return i + 1 + deeperAfter(i, -1);
    const table = readTable(text, lines, i);
    if (table) {
      if (depth < DEEPEST) for (const cell of table.cells) walk(document, cell, depth + 1);
      return i + table.length;
    }
    if (/^(?:\.\.|__)(?:\s|$)/.test(head)) return readExplicit(i, line);
    targets.endChain();
    const overlined = titleUnder(i, line);
    if (overlined) {
      addTitle(document, overlined);
      return i + 3;
    }
    if (!isAdornment(text, line, 4)) paragraph = [line];
    return i + 1;
  }

  /** A line that only looks like an item goes on in the next line. */
  function enumeratorAt(i: number, line: Line, head: string): RegExpExecArray | null {
    const match = ENUMERATOR.exec(head);
    const next = lines[i + 1];
    if (!match || !next || isBlank(next) || next.column !== line.column) return match;
    return ENUMERATOR.test(headOf(text, next)) ? match : null;
  }

  function titleUnder(i: number, line: Line): Line | null {
    const [title, under] = lines.slice(i + 1, i + 3);
    if (!title || !under || isBlank(title) || !isAdornment(text, line, 1)) return null;
    const isSame =
      text.slice(line.from, line.to).trim() === text.slice(under.from, under.to).trim();
    return isSame && under.column === line.column ? title : null;
  }

  /** Targets, footnotes, substitutions, directives, and comments. */
  function readExplicit(i: number, line: Line): number {
    const rest = lineFrom(text, line, line.from + 2);
    const head = headOf(text, rest);
    const isTarget = text[line.from] === "_" || /^_/.test(head);
    if (isTarget) return readTarget(i, line, rest);
    targets.endChain();
    if (head === "") {
      if (deeperAfter1(i, line.column)) literal = line.column;
      return i + 1;
    }
    const [label] = /^\[(?:[#*]|[^\]\s]+)\](?=\s|$)/.exec(head) ?? [];
    if (label) return goOn(i, lineFrom(text, rest, rest.from + label.length), line.column);
    const [substitution = ""] = /^\|(?! )[^|]+\|\s+/.exec(head) ?? [];
    const directive = DIRECTIVE.exec(head.slice(substitution.length));
    if (directive) {
      const start = rest.from + substitution.length + directive[0].length;
      return readDirective(
        i,
        line.column,
        directive[1]!.toLowerCase(),
        lineFrom(text, rest, start),
      );
    }
    collector.comment(text.slice(rest.from, rest.to), rest.from);
    literal = line.column;
    return i + 1;
  }

  function readTarget(i: number, line: Line, rest: Line): number {
    const count = deeperAfter(i, line.column);
    const joined = joinedLines(text, [rest, ...lines.slice(i + 1, i + 1 + count)]);
    const whole = escaped(joined.text);
    const isAnonymous = text[line.from] === "_";
    const match = isAnonymous ? [""] : TARGET.exec(whole.slice(0, LONGEST_HEAD));
    if (!match) {
      literal = line.column;
      return i + 1;
    }
    const start = match[0]!.length;
    const name = match[2] === undefined ? null : nameOf(match[2]);
    const data = whole.slice(start);
    if (data.trim() === "") {
      if (name !== null) {
        collector.anchor(idOf(name));
        collector.anchor(match[2]!.replaceAll("\0", ""));
      }
      targets.chain(name);
    } else {
      targets.define(name, targetIn(data), placeIn(joined, start, joined.text.length));
    }
    return i + 1 + count;
  }

  function readDirective(i: number, column: number, name: string, rest: Line): number {
    if (LITERAL.has(name)) {
      literal = column;
      return i + 1;
    }
    if (name === "image" || name === "figure") return readImage(i, column, rest);
    if (name === "csv-table") return readCsvTable(i, column, rest);
    options = column;
    return goOn(i, rest, column);
  }

  function readImage(i: number, column: number, rest: Line): number {
    const end = i + 1 + deeperAfter(i, column);
    let next = i + 1;
    while (next < end && !FIELD.test(headOf(text, lines[next]!))) next++;
    const address = joinedLines(
      text,
      [rest, ...lines.slice(i + 1, next)].filter((each) => !isBlank(each)),
    );
    const found = new Map<string, Joined>();
    while (next < end) {
      const line = lines[next]!;
      const [start = "", option = ""] = /^:([\w-]+):/.exec(headOf(text, line)) ?? [];
      const count = deeperAfter(next, line.column);
      const value = [
        lineFrom(text, line, line.from + start.length),
        ...lines.slice(next + 1, next + 1 + count),
      ];
      found.set(
        option,
        joinedLines(
          text,
          value.filter((each) => !isBlank(each)),
        ),
      );
      next += 1 + count;
    }
    const words = found.get("alt")?.text ?? "";
    // Sphinx looks for the best file of that name.
    const isPattern = address.text.endsWith(".*");
    if (!isPattern) addAddress(document, address, { text: words, element: "image" });
    const target = found.get("target");
    if (target) addAddress(document, target, { text: words });
    return next;
  }

  function readCsvTable(i: number, column: number, rest: Line): number {
    if (!isBlank(rest)) readText(document, [rest]);
    let next = i + 1 + deeperAfter(i, column);
    const first = next;
    while (next < lines.length && (isBlank(lines[next]!) || lines[next]!.column > column)) next++;
    for (const cell of csvCells(text, lines.slice(first, next))) {
      const parts = cell.map((part) => ({ ...part, column: 0 }));
      if (depth < DEEPEST) walk(document, parts, depth + 1);
    }
    return next;
  }
}

const isBlank = ({ from, to }: Line) => from >= to;

/** The beginning of a line, which says what it is. */
const headOf = (text: string, { from, to }: Line) =>
  text.slice(from, Math.min(to, from + LONGEST_HEAD));

function isAdornment(text: string, line: Line, shortest: number): boolean {
  const shown = text.slice(line.from, line.to).trimEnd();
  return (
    shown.length >= shortest &&
    shown === shown[0]!.repeat(shown.length) &&
    /[!-/:-@[-`{-~]/.test(shown[0]!)
  );
}

const isUnderline = (text: string, line: Line, title: Line) =>
  isAdornment(text, line, Math.min(4, title.to - title.from));

const escaped = (text: string) => text.replace(/\\([\s\S])/g, "\0$1");

function joinedLines(text: string, lines: Line[]): Joined {
  return join(
    lines.map(({ from, to }) => {
      const shown = text.slice(from, to).trimEnd();
      return { text: shown, from, to: from + shown.length };
    }),
    "\n",
  );
}

/** @returns the text without its markup */
function readText({ text, collector, targets }: Document, lines: Line[]): string {
  const joined = joinedLines(text, lines);
  const { links, uses, targets: named, anchors } = readInline(joined);
  for (const { start, end, ...link } of links)
    collector.add({ ...link, ...placeIn(joined, start, end) });
  for (const use of uses) targets.use(use.name, use.text, placeIn(joined, use.start, use.end));
  for (const { name, to } of named) targets.define(name, to, null);
  for (const anchor of anchors) collector.anchor(idOf(anchor));
  return joined.text
    .replace(/\s*<[^<>]*>(?=`_)|``|[`*|]|_\b/g, "")
    .replace(/(?<=\w)__?(?!\w)/g, "");
}

function addTitle(document: Document, line: Line) {
  const title = readText(document, [line]);
  document.collector.heading(title);
  document.collector.anchor(idOf(title));
}

/** Adds an address that stands alone, or the use of a target. */
function addAddress(
  { collector, targets }: Document,
  joined: Joined,
  more: { text?: string; element?: "link" | "image" } = {},
) {
  if (joined.text === "") return;
  const place = placeIn(joined, 0, joined.text.length);
  const target = targetIn(escaped(joined.text));
  if ("href" in target) collector.add({ href: target.href, ...more, ...place });
  else targets.use(target.alias, more.text ?? "", place);
}

/** @param data with escapes as `\0` */
function targetIn(data: string): Target {
  const [, simple, phrase] = ALIAS.exec(data.trim().slice(0, LONGEST_HEAD)) ?? [];
  const alias = simple ?? phrase;
  return alias ? { alias: nameOf(alias) } : { href: addressOf(data) };
}

/** The id that docutils makes of a title or a name. */
function idOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[^\x20-\x7f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[-\d]+|-+$/g, "");
}

type Targets = {
  /** @param name null for an anonymous one */
  define(name: string | null, to: Target, place: Place | null): void;
  use(name: string | null, text: string, place: Place): void;
  /** A target without an address stands for the one that follows. */
  chain(name: string | null): void;
  endChain(): void;
  /** Adds the uses and the definitions. */
  resolve(collector: Collector): void;
};

type Definition = { to: Target; place: Place | null };

function createTargets(): Targets {
  /** Null where a name has two addresses, which docutils refuses to link to. */
  const named = new Map<string, Definition | null>();
  const anonymous: Definition[] = [];
  const all: Definition[] = [];
  const uses: { name: string | null; text: string; place: Place }[] = [];
  let chained: { name: string | null; definition: Definition }[] = [];

  function name(given: string, definition: Definition) {
    const other = named.get(given);
    const isOther = other !== undefined && !isSameTarget(other?.to, definition.to);
    named.set(given, isOther ? null : definition);
  }
  function definitionOf(name: string): Definition | null {
    let found = named.get(name) ?? null;
    for (let hops = 0; found && "alias" in found.to && hops < MOST_HOPS; hops++) {
      found = named.get(found.to.alias) ?? null;
    }
    return found;
  }

  return {
    define(given, to, place) {
      const definition = { to, place };
      all.push(definition);
      if (given === null) anonymous.push(definition);
      else name(given, definition);
      if (place === null) return;
      for (const each of chained) {
        each.definition.to = to;
        if (each.name !== null) name(each.name, each.definition);
      }
      chained = [];
    },
    use: (name, text, place) => void uses.push({ name, text, place }),
    chain(name) {
      const definition = { to: { alias: "" }, place: null };
      if (name === null) anonymous.push(definition);
      chained.push({ name, definition });
    },
    endChain() {
      chained = [];
    },
    resolve(collector) {
      const next = anonymous.values();
      for (const { name, text, place } of uses) {
        let found = name === null ? (next.next().value ?? null) : definitionOf(name);
        if (found && "alias" in found.to) found = definitionOf(found.to.alias);
        if (!found || "alias" in found.to) continue;
        collector.add({ href: found.to.href, text, ...place });
      }
      for (const { to, place } of all) {
        if (place && "href" in to)
          collector.add({ href: to.href, element: "definition", ...place });
      }
    },
  };
}

const isSameTarget = (one: Target | undefined, other: Target) =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);
