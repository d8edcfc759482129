import {
  createUnusedNames,
  type Item,
  itemOf,
  itemOfRecord,
  type Reader,
  type Reading,
  refuseEndless,
  Unreadable,
  type UnusedNames,
} from "./reading.ts";

/** Fields that have the list in an object, such as a reply of the API. */
const LISTS = ["items", "links", "urls", "results", "data"];

/** Reads a list of strings or records, an object that has one, or one record per line. */
export function readJson({ items, notes }: Reading, head: string): Reader {
  const unused = createUnusedNames();
  let line = 0;
  const reader = openJson(head, (values) => {
    for (const value of values) items.push(itemOfValue(value, ++line, unused));
  });
  return {
    write: reader.write,
    end() {
      reader.end();
      notes.push(...unused.remarks("Field"));
    },
  };
}

function openJson(head: string, take: (values: unknown[]) => void): Reader {
  if (head.trimStart().startsWith("[")) return openElements(take);
  if (isRecordPerLine(head)) return openLines((value) => take([value]));
  return openWhole((value) => take(listIn(value)));
}

const isRecordPerLine = (head: string) => /^\s*\{.*\}[ \t]*\r?\n\s*\{/.test(head);

function itemOfValue(value: unknown, line: number, unused: UnusedNames): Item {
  if (typeof value === "string") return itemOf(value, line);
  if (typeof value !== "object" || value === null) return itemOf(JSON.stringify(value), line);
  return itemOfRecord(value as Record<string, unknown>, line, unused);
}

function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [value];
  const record = value as Record<string, unknown>;
  const name = LISTS.find((each) => typeof record[each] === "object" && record[each] !== null);
  return name ? listIn(record[name]) : [value];
}

/** Characters of a value that can only be parsed as a whole. */
const MOST_WHOLE = 256 * 1024 * 1024;

const ENDLESS = "A record of this JSON has no end. Is a quote opened and never closed?";

/** Reads the elements of a list, as many at a time as are complete. */
function openElements(take: (values: unknown[]) => void): Reader {
  /** Begins with a bracket: that of the list, or one in its place. */
  let waiting = "";
  const scan = createScan();
  return {
    write(text) {
      waiting += text;
      const comma = scan(text);
      if (comma === -1) return refuseEndless(waiting.length, ENDLESS);
      // Counted from the end, since the scan sees only the new text.
      const cut = waiting.length - text.length + comma;
      take(parse(`${waiting.slice(0, cut)}]`) as unknown[]);
      waiting = `[${waiting.slice(cut + 1)}`;
    },
    end: () => take(parse(waiting) as unknown[]),
  };
}

/** Reads one value per line, and skips empty lines. */
function openLines(take: (value: unknown) => void): Reader {
  let waiting = "";
  const read = (line: string) => line.trim() !== "" && take(parse(line));
  return {
    write(text) {
      const [rest = "", ...lines] = text.split("\n");
      waiting += rest;
      refuseEndless(waiting.length, ENDLESS);
      for (const line of lines) {
        read(waiting);
        waiting = line;
      }
    },
    end: () => void read(waiting),
  };
}

/** Reads a single value. */
export function openWhole(take: (value: unknown) => void): Reader {
  const pieces: string[] = [];
  let length = 0;
  return {
    write(text) {
      length += text.length;
      if (length > MOST_WHOLE) {
        throw new Unreadable("This JSON is too long to be read at once. Use one record per line.");
      }
      pieces.push(text);
    },
    end: () => take(parse(pieces.join(""))),
  };
}

/** Returns a function that finds the last comma in a text that separates two elements of the list; -1 for none. */
function createScan() {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (text: string): number => {
    let comma = -1;
    for (let i = 0; i < text.length; i++) {
      const character = text.charAt(i);
      if (isEscaped) isEscaped = false;
      else if (isText && character === "\\") isEscaped = true;
      else if (character === '"') isText = !isText;
      else if (isText) continue;
      else if (character === "[" || character === "{") depth++;
      else if (character === "]" || character === "}") depth--;
      else if (character === "," && depth === 1) comma = i;
    }
    return comma;
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unreadable(
      `This could not be read as JSON: ${(error as Error).message}. Choose another format, or fix the file.`,
    );
  }
}
