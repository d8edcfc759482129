import Papa from "papaparse";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "1.2 GB"; decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const scaled = bytes / 1000 ** power;
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}

/** Control characters, ends of lines, and marks that change the direction of what follows. */
const UNSEEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

/**
 * Returns text from outside as one line of output that changes nothing else: it moves no cursor, turns no text around,
 * and gives no command to a CI system. GitHub reads commands after `::` at the beginning of a line, and like Azure
 * Pipelines and TeamCity after `##` with a bracket anywhere.
 */
export const plain = (line: string) =>
  line
    .replace(UNSEEN, " ")
    .replace(/##(?=\w*\[)/g, "# #")
    .replace(/^(\s*):(?=:)/, "$1: ");

/** The same for a value as JSON, which is not changed by it. */
export const plainJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space)
    .replace(UNSEEN, (sign) => (sign === "\n" ? sign : asEscape(sign)))
    .replace(/##(?=\w*\[)/g, `#${asEscape("#")}`);

const asEscape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

const LONGEST = 200;

/** In this order, since most browsers also name others. */
const BROWSERS: [name: string, sign: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Headless)?(Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+.* Safari\//],
];

const SYSTEMS: [name: string, sign: RegExp][] = [
  ["Windows", /\bWindows NT\b/],
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** Shortens a user agent to one line that can be stored. */
export function storedUserAgent(userAgent: string | null): string | null {
  const line = (userAgent ?? "").replace(/\p{Cc}+/gu, " ").trim();
  return [...line].slice(0, LONGEST).join("") || null;
}

/** "Firefox on Linux"; the user agent itself for other programs. */
export function browserOf(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (!browser) return userAgent;
  return system ? `${browser} on ${system}` : browser;
}

const nameIn = (names: [string, RegExp][], text: string) =>
  names.find(([, sign]) => sign.test(text))?.[0];

/** The value of a cell; null is empty. */
export type Cell = string | number | boolean | null;

/**
 * Spreadsheets run a cell that begins with one of these as a formula (OWASP, CSV Injection); Chinese and Japanese ones
 * also with the full-width signs. A text that has an apostrophe there already gets another, since imports remove one.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Lines per RFC 4180. Every cell is quoted, so that any separator that a spreadsheet assumes works. A cell that looks like
 * a formula gets an apostrophe in front.
 */
export function toCsv(rows: readonly Cell[][]): string {
  if (rows.length === 0) return "";
  // The library does not quote null.
  const cells = rows.map((row) => row.map((cell) => cell ?? ""));
  return `${Papa.unparse(cells, { quotes: true, newline: "\r\n", escapeFormulae: FORMULA })}\r\n`;
}

/** Splits a list that is written with spaces and line breaks. */
export function wordList(text: string): string[] {
  return text.split(/\s+/);
}
