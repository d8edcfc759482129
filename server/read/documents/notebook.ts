import { type JSONVisitor, type ParseError, visit } from "jsonc-parser";
import { linesOf, type Read, type ReadDocument } from "./document.ts";
import { readMarkdown } from "./markdown.ts";

/** As for other documents. */
const LONGEST_MARKDOWN = 2 * 1024 * 1024;

/** Reads the Markdown cells of a Jupyter notebook. Places are those of the file, which is JSON. */
export const readNotebook: ReadDocument = (text, about) => {
  const errors: ParseError[] = [];
  const cells = cellsOf(text, errors);
  const lines = linesOf(text);
  const read: Read = {
    links: [],
    anchors: [],
    headings: [],
    title: null,
    base: null,
    canonical: null,
    isNofollow: false,
    disabled: 0,
    notes: [],
    ids: [],
  };
  if (!cells) return { ...read, unreadable: "The file is not a notebook: it has no cells." };
  if (lengthOf(cells) > LONGEST_MARKDOWN) throw new Error("its Markdown is longer than 2 MiB");
  for (const { source, no } of cells) {
    const cell = decode(text, source);
    const { links, anchors, headings, ids = [], disabled, notes } = readMarkdown(cell.text, about);
    for (const link of links) {
      // An attachment is in the notebook itself.
      if (/^attachment:/i.test(link.href) || link.to <= link.from) continue;
      const [from, to] = [
        cell.starts[link.from]!,
        cell.starts[link.to - 1]! + cell.lengths[link.to - 1]!,
      ];
      read.links.push({ ...link, from, to, ...lines.placeOf(from, to), cell: no });
    }
    read.anchors.push(...anchors);
    read.headings.push(...headings);
    read.ids!.push(...ids);
    read.disabled += disabled;
    read.notes.push(...notes);
  }
  read.title = read.headings[0] ?? null;
  const [first] = errors;
  if (first) {
    const { line } = lines.placeOf(first.offset, first.offset);
    read.notes.push(`Line ${line} is not valid JSON; cells after it may be missing.`);
  }
  return read;
};

const lengthOf = (cells: { source: Quoted[] }[]): number =>
  cells.flatMap(({ source }) => source).reduce((sum, { length }) => sum + length, 0);

/** A string of the file, with its quotes. */
type Quoted = { offset: number; length: number };
type Cell = { kind: unknown; source: Quoted[] };

/** The sources of the Markdown cells and their numbers; null for a text without cells. */
function cellsOf(text: string, errors: ParseError[]): { source: Quoted[]; no: number }[] | null {
  const cells = readCells(text.replace(/^\uFEFF/, " "), errors);
  if (!cells) return null;
  return cells.flatMap(({ kind, source }, i) =>
    kind === "markdown" ? [{ source, no: i + 1 }] : [],
  );
}

/** Below the file, its cells, a cell, and the lines of its source. */
const [OF_FILE, OF_CELLS, OF_CELL, OF_SOURCE] = [1, 2, 3, 4];

/** Keeps nothing of outputs, which may be far longer than all else. */
function readCells(text: string, errors: ParseError[]): Cell[] | null {
  let cells: Cell[] | null = null;
  let depth = 0;
  const keys: string[] = [];
  const isIn = (key: string, level: number) => depth >= level && keys[level] === key;
  /** @returns whether what is in it is visited */
  const begin = (isArray: boolean) => {
    if (isArray && depth === OF_FILE && isIn("cells", OF_FILE)) cells = [];
    if (cells && depth === OF_CELLS && isIn("cells", OF_FILE)) {
      cells.push({ kind: undefined, source: [] });
    }
    depth++;
    keys[depth] = "";
    return depth <= OF_SOURCE;
  };
  const end = () => void depth--;
  const visitor: JSONVisitor = {
    onObjectBegin: () => begin(false),
    onArrayBegin: () => begin(true),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty: (name) => {
      keys[depth] = name;
    },
    onLiteralValue(value, offset, length) {
      const cell = isIn("cells", OF_FILE) ? cells?.at(-1) : undefined;
      if (!cell || depth < OF_CELL) return;
      if (depth === OF_CELL && isIn("cell_type", OF_CELL)) cell.kind = value;
      if (typeof value === "string" && isIn("source", OF_CELL))
        cell.source.push({ offset, length });
    },
    onError: (error, offset, length) => void errors.push({ error, offset, length }),
  };
  try {
    visit(text, visitor);
    return cells;
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Decoded = {
  text: string;
  /** Where each character begins in the file, and how many characters it takes there. */
  starts: number[];
  lengths: number[];
};

const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Decodes the strings of a cell, which are its lines or all of it. */
function decode(text: string, strings: Quoted[]): Decoded {
  const decoded: Decoded = { text: "", starts: [], lengths: [] };
  const parts: string[] = [];
  for (const { offset, length } of strings) {
    const isClosed = length > 1 && text[offset + length - 1] === '"';
    const end = offset + length - (isClosed ? 1 : 0);
    for (let at = offset + 1; at < end; ) {
      const [sign, size] = characterAt(text, at);
      parts.push(sign);
      decoded.starts.push(at);
      decoded.lengths.push(size);
      at += size;
    }
  }
  decoded.text = parts.join("");
  return decoded;
}

/** A character of a JSON string, and how it is written. */
function characterAt(text: string, at: number): [sign: string, size: number] {
  const sign = text[at]!;
  if (sign !== "\\") return [sign, 1];
  const [, code] = /^\\u([\da-f]{4})/i.exec(text.slice(at, at + 6)) ?? [];
  if (code) return [String.fromCharCode(Number.parseInt(code, 16)), 6];
  const escaped = text[at + 1] ?? "";
  return [ESCAPES[escaped] ?? (escaped || sign), 2];
}
