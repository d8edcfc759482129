import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import { linesOf, type Read, type ReadDocument } from "./document.ts";
import { readMarkdown } from "./markdown.ts";

/** Reads the Markdown cells of a Jupyter notebook. Places are those of the file, which is JSON. */
export const readNotebook: ReadDocument = (text, about) => {
  const errors: ParseError[] = [];
  const cells = cellsOf(text, errors);
  const lines = linesOf(text);
  const read: Read = {
    ...{ links: [], anchors: [], headings: [], title: null, base: null, canonical: null },
    ...{ isNofollow: false, disabled: 0, notes: [], ids: [] },
  };
  if (!cells) return { ...read, unreadable: "The file is not a notebook: it has no cells." };
  for (const { source, no } of cells) {
    const cell = decode(text, source.type === "array" ? (source.children ?? []) : [source]);
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

/** The sources of the Markdown cells and their numbers; null for a text without cells. */
function cellsOf(text: string, errors: ParseError[]): { source: Node; no: number }[] | null {
  const root = treeOf(text.replace(/^\uFEFF/, " "), errors);
  const cells = root && findNodeAtLocation(root, ["cells"]);
  if (cells?.type !== "array") return null;
  return (cells.children ?? []).flatMap((cell, i) => {
    const source = findNodeAtLocation(cell, ["source"]);
    const kind = findNodeAtLocation(cell, ["cell_type"])?.value;
    return kind === "markdown" && source ? [{ source, no: i + 1 }] : [];
  });
}

function treeOf(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors);
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (error instanceof RangeError) return undefined;
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
function decode(text: string, strings: Node[]): Decoded {
  const decoded: Decoded = { text: "", starts: [], lengths: [] };
  const parts: string[] = [];
  for (const { type, offset, length } of strings) {
    if (type !== "string") continue;
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
