/** The beginning of a response, up to the empty line. */
export type Head = {
  status: number;
  headers: Headers;
  /** Lines of `Location` or `Refresh` differ from each other. */
  hasConflict: boolean;
  framing: Framing;
};

/** How long the body is: in chunks, so many bytes, or until the connection ends. */
type Framing = "chunked" | "close" | number;

/** The response cannot be read. Has the code that `fetch` uses for it. */
export class Malformed extends Error {
  readonly code: "Malformed_HTTP_Response" | "ResponseHeadersTooLarge";

  /** @param status of its first line; null if there is none */
  constructor(
    readonly status: number | null,
    code: Malformed["code"] = "Malformed_HTTP_Response",
  ) {
    super(code);
    this.code = code;
  }
}

/** Shoutcast servers write ICY instead of a version. Browsers and curl ignore case and the number of blanks. */
const STATUS_LINE = /^(?:HTTP\/\d(?:\.\d)?|ICY)[ \t]+(\d{3})(?!\d)/i;

/** The status of the first line; null if it is not a status line. */
export const statusIn = (text: string): number | null => {
  const [, status] = STATUS_LINE.exec(text) ?? [];
  return status === undefined ? null : Number(status);
};

/**
 * Reads a response's head as browsers and curl do, which is more lenient than RFC 9112.
 * @param text without the empty line at its end; bytes as Latin-1
 * @throws Malformed
 */
export function readHead(text: string): Head {
  const status = statusIn(text);
  if (status === null) throw new Malformed(null);
  const fields = fieldsIn(text.split(/\r?\n/).slice(1));
  const hasConflict = [...REDIRECTING].some((name) => isDifferent(fields.get(name)));
  const framing = framingOf(status, fields);
  if (framing === null) throw new Malformed(status);
  return { status, headers: headersFrom(fields), hasConflict, framing };
}

type Fields = Map<string, string[]>;

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Ignores lines that are not fields. A line that begins with a blank continues the one before (RFC 9112 §5.2). */
function fieldsIn(lines: string[]): Fields {
  const fields: Fields = new Map();
  let values: string[] | null = null;
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      if (values) values.push(`${values.pop()} ${trimmed(line)}`.trimStart());
      continue;
    }
    const [name = "", value] = splitAt(line);
    values = null;
    if (value === undefined || !TOKEN.test(name)) continue;
    values = fields.get(name) ?? [];
    values.push(value);
    fields.set(name, values);
  }
  return fields;
}

/** The name in lower case, and the value; only the line if it has no colon. */
function splitAt(line: string): [string, string?] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line];
  return [line.slice(0, colon).trimEnd().toLowerCase(), trimmed(line.slice(colon + 1))];
}

/** Only blanks: bytes such as A0 may be half of a character. */
const trimmed = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, "");

const REDIRECTING = new Set(["location", "refresh"]);
/** Fields of which a response has one (RFC 9110 §5.3), so equal lines are one value. */
const SINGLE = new Set([...REDIRECTING, "content-type", "retry-after", "etag"]);

const isDifferent = (values: string[] = []) => new Set(values).size > 1;

function headersFrom(fields: Fields): Headers {
  const headers = new Headers();
  for (const [name, values] of fields) {
    const distinct = SINGLE.has(name) ? new Set(values) : values;
    for (const value of distinct) {
      // A NUL is not allowed; a browser would show the page without the field.
      if (!value.includes("\0")) headers.append(name, value);
    }
  }
  return headers;
}

/** Null if the lengths contradict each other, which browsers and curl refuse as well. */
function framingOf(status: number, fields: Fields): Framing | null {
  if (status === 204 || status === 304) return 0;
  const codings = fields.get("transfer-encoding") ?? [];
  if (codings.some((coding) => /\bchunked\b/i.test(coding))) return "chunked";
  const lengths = new Set(
    (fields.get("content-length") ?? [])
      .flatMap((line) => line.split(",").map(trimmed))
      .filter((length) => /^\d+$/.test(length)),
  );
  if (lengths.size > 1) return null;
  const [length] = lengths;
  return length === undefined ? "close" : Number(length);
}

/**
 * Joins equal lines that `fetch` has joined to a list.
 * @returns whether `Location` or `Refresh` may have been lines that differ, or one with a comma
 */
export function joinEqualLines(headers: Headers): boolean {
  let isUnclear = false;
  for (const name of SINGLE) {
    const value = headers.get(name);
    if (!value?.includes(", ")) continue;
    if (REDIRECTING.has(name)) isUnclear = true;
    else headers.set(name, oneOf(value));
  }
  return isUnclear;
}

/** Returns `a` for `a, a`, also for longer rows of it. */
function oneOf(value: string): string {
  for (let end = value.indexOf(", "); end !== -1; end = value.indexOf(", ", end + 2)) {
    const part = value.slice(0, end);
    const times = (value.length + 2) / (end + 2);
    if (Number.isInteger(times) && Array(times).fill(part).join(", ") === value) return part;
  }
  return value;
}

/** Whether a value that `fetch` joined is equal addresses, which gives the address, or begins a second one. */
export function separateTargets(headers: Headers): { hasConflict: boolean } {
  let hasConflict = false;
  for (const name of REDIRECTING) {
    const value = headers.get(name);
    if (value === null) continue;
    const one = oneOf(value);
    if (one !== value) headers.set(name, one);
    hasConflict ||= /, (https?:|\/|\d+\s*;)/i.test(one);
  }
  return { hasConflict };
}
