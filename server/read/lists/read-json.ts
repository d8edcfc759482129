import {
  COLUMNS,
  createPassedOver,
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

/** Fields that have the list in an object, such as a reply of the API, or the collections of Linkwarden. */
const LISTS = ["items", "links", "urls", "results", "data", "bookmarks", "collections"];

/** An element of a list, the line in which it begins, and the name of the collection around it. */
type Element = { value: unknown; line: number; group?: string };

/** Reads a list of strings or records, an object that has one, or one record per line. */
export function readJson({ items, notes, mostWhole }: Reading, head: string): Reader {
  const unused = createUnusedNames();
  const passed = createPassedOver();
  const reader = openJson(head, mostWhole, ({ value, line, group }) => {
    const record = recordOf(value);
    if (typeof record === "string") passed.add(record);
    else items.push(itemOfValue(group ? { group, ...record } : (record ?? value), line, unused));
  });
  return {
    write: reader.write,
    end() {
      reader.end();
      notes.push(...unused.remarks("Field"), ...passed.remarks("entry", "entries"));
    },
  };
}

function openJson(
  head: string,
  mostWhole: number | undefined,
  take: (element: Element) => void,
): Reader {
  if (head.trimStart().startsWith("[")) return openElements(take);
  if (isRecordPerLine(head)) return openLines((value, line) => take({ value, line }));
  return openWhole((value, text) => {
    const lineOf = linesOfObjects(value, text);
    const elements = elementsIn(value, listNamesIn(value));
    for (const [i, each] of elements.entries())
      take({ ...each, line: lineOf(each.value) ?? i + 1 });
  }, mostWhole);
}

type JsonRecord = Record<string, unknown>;

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns a record with our names for what other programs call otherwise; null for what is none, and a reason for a
 * record without an address, such as a note in Karakeep.
 */
function recordOf(value: unknown): JsonRecord | string | null {
  if (!isRecord(value)) return null;
  const { content, href, description, extended, tags } = value;
  if (!hasAddress(value) && (content === null || value.url === null)) return "without an address";
  if (isRecord(content) && typeof content.type === "string") {
    if (typeof content.url !== "string") return `of the type ${content.type}, without an address`;
    const { content: _, ...rest } = value;
    return { ...rest, url: content.url, title: value.title || content.title };
  }
  // Pinboard calls a title a description, and separates tags by blanks.
  if (typeof href === "string" && extended !== undefined) {
    const { description: _, ...rest } = value;
    return { ...rest, title: description, tags: String(tags ?? "").split(/\s+/) };
  }
  return value;
}

/** The names of the lists of Karakeep by their ids. */
function listNamesIn(value: unknown): Map<unknown, string> {
  const lists = isRecord(value) && Array.isArray(value.lists) ? value.lists.filter(isRecord) : [];
  const byId = new Map(lists.map((list) => [list.id, list]));
  return new Map(lists.map((list) => [list.id, pathOf(list, byId)]));
}

/** The names of a list and of those around it, such as "Work / Docs". */
function pathOf(list: JsonRecord, byId: Map<unknown, JsonRecord>): string {
  const names: string[] = [];
  const met = new Set<JsonRecord>();
  for (let at: JsonRecord | undefined = list; at && !met.has(at); at = byId.get(at.parentId)) {
    met.add(at);
    if (typeof at.name === "string") names.unshift(at.name);
  }
  return names.join(" / ");
}

/** The links in an object. What it says of itself says nothing of them, but for the name of a collection. */
function elementsIn(
  value: unknown,
  names: Map<unknown, string>,
  group = "",
): Omit<Element, "line">[] {
  if (Array.isArray(value)) return value.flatMap((each) => elementsIn(each, names, group));
  const found = isRecord(value) && !hasAddress(value) ? value : null;
  const name = LISTS.find((each) => typeof found?.[each] === "object" && found[each] !== null);
  if (!found || !name) {
    const own = isRecord(value) && Array.isArray(value.lists) ? names.get(value.lists[0]) : null;
    return [{ value, group: own ?? group }];
  }
  if (name !== "collections") return elementsIn(found[name], names, group);
  const collections = [found[name]].flat();
  const byId = new Map(collections.filter(isRecord).map((each) => [each.id, each]));
  return collections.flatMap((each) =>
    elementsIn(each, names, isRecord(each) ? pathOf(each, byId) : ""),
  );
}

const hasAddress = (record: JsonRecord) =>
  isRecord(record.content) || COLUMNS.url.some((name) => typeof record[name] === "string");

/** Finds the line in which each object of a JSON text begins: objects begin in the order in which they are met. */
function linesOfObjects(value: unknown, text: string): (value: unknown) => number | undefined {
  const starts: number[] = [];
  let line = 1;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|\{|\r\n?|\n/g)) {
    if (token === "{") starts.push(line);
    else if (!token.startsWith('"')) line++;
  }
  const lines = new Map<unknown, number>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) lines.set(next, starts[lines.size] ?? 1);
    for (const each of Object.values(next).reverse()) waiting.push(each);
  }
  // Otherwise a name stood twice, and nothing can be said.
  return lines.size === starts.length ? (each) => lines.get(each) : () => undefined;
}

const isRecordPerLine = (head: string) => /^\s*\{.*\}[ \t]*\r?\n\s*\{/.test(head);

function itemOfValue(value: unknown, line: number, unused: UnusedNames): Item {
  if (typeof value === "string") return itemOf(value, line);
  if (typeof value !== "object" || value === null) return itemOf(JSON.stringify(value), line);
  return itemOfRecord(value as Record<string, unknown>, line, unused);
}

/** Characters of a value that can only be parsed as a whole. */
const MOST_WHOLE = 256 * 1024 * 1024;

const ENDLESS = "A record of this JSON has no end. Is a quote opened and never closed?";

/** Reads the elements of a list, as many at a time as are complete. */
function openElements(take: (element: Element) => void): Reader {
  /** Begins with a bracket: that of the list, or one in its place. */
  let waiting = "";
  const scan = createScan();
  const takeAll = (values: unknown[]) => {
    const lines = scan.lines.splice(0, values.length);
    for (const [i, value] of values.entries()) take({ value, line: lines[i] ?? 1 });
  };
  return {
    write(text) {
      waiting += text;
      const comma = scan.read(text);
      if (comma === -1) return refuseEndless(waiting.length, ENDLESS);
      // Counted from the end, since the scan sees only the new text.
      const cut = waiting.length - text.length + comma;
      takeAll(parse(`${waiting.slice(0, cut)}]`) as unknown[]);
      waiting = `[${waiting.slice(cut + 1)}`;
    },
    end: () => takeAll(parse(waiting) as unknown[]),
  };
}

/** Reads one value per line, and skips empty lines. */
function openLines(take: (value: unknown, line: number) => void): Reader {
  let waiting = "";
  let no = 0;
  const read = (line: string) => {
    no++;
    if (line.trim() !== "") take(parse(line), no);
  };
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
export function openWhole(take: (value: unknown, text: string) => void, most = MOST_WHOLE): Reader {
  const pieces: string[] = [];
  let length = 0;
  return {
    write(text) {
      length += text.length;
      if (length > most) {
        throw new Unreadable("This JSON is too long to be read at once. Use one record per line.");
      }
      pieces.push(text);
    },
    end() {
      const text = pieces.join("");
      take(parse(text), text);
    },
  };
}

/** Finds the last comma in a text that separates two elements of the list, -1 for none, and where elements begin. */
function createScan() {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isBefore = false;
  let line = 1;
  let last = "";
  /** The lines of elements, in order. */
  const lines: number[] = [];
  function read(text: string): number {
    let comma = -1;
    for (let i = 0; i < text.length; i++) {
      const character = text.charAt(i);
      if (character === "\n" ? last !== "\r" : character === "\r") line++;
      last = character;
      if (isBefore && !/[\s\]]/.test(character)) {
        lines.push(line);
        isBefore = false;
      }
      if (isEscaped) isEscaped = false;
      else if (isText && character === "\\") isEscaped = true;
      else if (character === '"') isText = !isText;
      else if (isText) continue;
      else if (character === "[" || character === "{") isBefore = ++depth === 1;
      else if (character === "]" || character === "}") depth--;
      else if (character === "," && depth === 1) [comma, isBefore] = [i, true];
    }
    return comma;
  }
  return { read, lines };
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
