/** What a link does in its document. A `definition` is where Markdown keeps the address of links by reference. */
export type Element =
  | "link"
  | "area"
  | "image"
  | "media"
  | "frame"
  | "script"
  | "style"
  | "metadata"
  | "definition";

/**
 * A link at its place. Lines and columns count from 1, and columns are UTF-16 code units, as in editors and SARIF. A
 * byte order mark has no column.
 */
export type FoundLink = {
  /** As written, with escapes and entities decoded, and not resolved. */
  href: string;
  line: number;
  column: number;
  /** After the last character; at most the end of the line. */
  endColumn: number;
  /** Offsets of the address in the text; of a link by reference, those of its label. */
  from: number;
  to: number;
  /** The anchor text or the alternative text, up to `LONGEST_TEXT` characters; empty for neither. */
  text: string;
  element: Element;
  /** Whether the link asks search engines not to follow it: `nofollow`, `ugc` or `sponsored`. */
  isNofollow: boolean;
  /** The number of its cell in a notebook, from 1. */
  cell?: number;
};

export type Read = {
  /** In the order of the text, without those that a directive leaves out. */
  links: FoundLink[];
  /** Each `id` and `name` that a link can lead to. Headings have anchors too: `anchorsOf` makes them. */
  anchors: string[];
  /**
   * The text of each heading in order, with the blanks around what has no text, such as an image, and with the id that
   * the author wrote behind it.
   */
  headings: string[];
  /** Ids in a form that only some programs read, such as `{#id}`. */
  ids?: string[];
  /** What the document says of its page at its top, if it says anything. */
  front?: { /** Where the page is: its slug, URL, permalink or aliases. */ addresses: string[] };
  title: string | null;
  /** What addresses are relative to, if the document says so. */
  base: string | null;
  canonical: string | null;
  /** The value of `<meta http-equiv="refresh">`, as a header has it. */
  refresh?: string;
  /** Whether the document asks search engines to follow none of its links. */
  isNofollow: boolean;
  /** How many links directives leave out. */
  disabled: number;
  /** Remarks for the user, in sentences. */
  notes: string[];
  /** Why it is not a document of its format, in a sentence. It has no links then. */
  unreadable?: string;
};

/** @param about.name the name of the file, for messages */
export type ReadDocument = (text: string, about: { name: string }) => Read;

const LONGEST_TEXT = 200;

/** Returns words in one line, cut to what a link keeps of them. */
export const shortText = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_TEXT)
    .toWellFormed()
    .replace(/\uFFFD$/, "");

/** Where the lines of a text begin, for a text that arrives in pieces. */
export type Lines = {
  /** Adds the next piece of the text. */
  add(piece: string): void;
  /** Returns where a range begins, and where it ends in the same line. */
  placeOf(from: number, to: number): Pick<FoundLink, "line" | "column" | "endColumn">;
};

const LINE_END = /\r\n?|\n/g;

/** Counts lines as editors do: each CRLF, LF and CR ends one. */
export function createLines(): Lines {
  const starts = [0];
  const ends: number[] = [];
  let [length, hasMark, endsInCr] = [0, false, false];
  return {
    add(piece) {
      if (piece === "") return;
      if (length === 0) hasMark = piece.startsWith("\uFEFF");
      for (const { 0: end, index } of piece.matchAll(LINE_END)) {
        // A CRLF may be cut in two.
        const isRest = endsInCr && index === 0 && end === "\n";
        if (isRest) starts.pop();
        else ends.push(length + index);
        starts.push(length + index + end.length);
      }
      endsInCr = piece.endsWith("\r");
      length += piece.length;
    },
    placeOf(from, to) {
      const line = lineAt(starts, from);
      const start = starts[line - 1]! + (line === 1 && hasMark ? 1 : 0);
      const end = Math.min(to, ends[line - 1] ?? to);
      return { line, column: from - start + 1, endColumn: end - start + 1 };
    },
  };
}

/** The number of the line at an offset, by halving. */
function lineAt(starts: number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** The lines of a whole text. */
export function linesOf(text: string): Lines {
  const lines = createLines();
  lines.add(text);
  return lines;
}

export const byPlace = (a: FoundLink, b: FoundLink) => a.from - b.from || a.to - b.to;
