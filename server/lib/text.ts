import Papa from "papaparse";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "1.2 GB"; decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const scaled = bytes / 1000 ** power;
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}

const LONGEST = 200;

/** In this order, since most browsers call themselves by the names of others too. */
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

/** What is kept of the name that a browser gives itself: one line of a stranger's text. */
export function storedUserAgent(userAgent: string | null): string | null {
  const line = (userAgent ?? "").replace(/\p{Cc}+/gu, " ").trim();
  return [...line].slice(0, LONGEST).join("") || null;
}

/** "Firefox on Linux"; of a program that is none of the commonest browsers the name it gave itself. */
export function browserOf(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (!browser) return userAgent;
  return system ? `${browser} on ${system}` : browser;
}

const nameIn = (names: [string, RegExp][], text: string) =>
  names.find(([, sign]) => sign.test(text))?.[0];

/** What a cell may hold; null is an empty one. */
export type Cell = string | number | boolean | null;

/**
 * A text that begins so would be run as a formula by whoever opens the file (OWASP, CSV Injection). The
 * signs of full width count as the others do where Chinese or Japanese is written.
 */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Lines as RFC 4180 has them, each with its end. Every cell is quoted, so that no separator that a spreadsheet
 * may choose splits one. What looks like a formula gets an apostrophe in front.
 */
export function toCsv(rows: readonly Cell[][]): string {
  if (rows.length === 0) return "";
  // The library leaves null without quotes.
  const cells = rows.map((row) => row.map((cell) => cell ?? ""));
  return `${Papa.unparse(cells, { quotes: true, newline: "\r\n", escapeFormulae: FORMULA })}\r\n`;
}
