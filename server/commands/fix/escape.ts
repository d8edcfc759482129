import type { DocumentFormat } from "../../read/documents/formats.ts";
import { bareUrlsIn } from "../../read/documents/text.ts";

/** The text around an address that is replaced: all between `from` and `to`. */
export type Around = { text: string; from: number; to: number };

/** Writes an address, as `URL` has it, in place of another one. The text is read again to see whether that is right. */
type Escape = (address: string, around: Around) => string;

/** How each format writes addresses. */
export const ESCAPES: Record<DocumentFormat, Escape> = {
  markdown: (address, around) => inMarkdown(address, around, (bare) => `<${bare}>`),
  // What is in angle brackets is a component here.
  mdx: (address, around) => inMarkdown(address, around, (bare) => bare),
  html: inAttribute,
  rst: inRst,
  asciidoc: inAsciidoc,
  notebook: inNotebook,
  text: (address) => address,
};

/** More than a tag has before an address. */
const LONGEST_TAG = 4000;

function inMarkdown(
  address: string,
  { text, from, to }: Around,
  bracketed: (bare: string) => string,
): string {
  const before = text.slice(Math.max(0, from - LONGEST_TAG), from);
  if (/<[a-z][^<>]*$/i.test(before)) return inAttribute(address, { text, from, to });
  if (before.endsWith("<") && text[to] === ">") return inCell(address);
  if (!/\](?:\(|:)\s*$/.test(before)) return isBare(address) ? address : bracketed(inCell(address));
  // CommonMark §6.3: a destination without brackets around it has only pairs of parentheses.
  const escaped = inCell(address).replace(/&(?=#?\w+;)/g, "&amp;");
  return hasPairs(address) ? escaped : `<${escaped}>`;
}

/** A cell of a table ends at `|`. */
const inCell = (address: string) => address.replaceAll("|", "\\|");

function isBare(address: string): boolean {
  const [found] = bareUrlsIn(address, "_~");
  return found?.href === address && found.to === address.length && !address.includes("|");
}

function hasPairs(address: string): boolean {
  let open = 0;
  for (const [sign] of address.matchAll(/[()]/g)) {
    open += sign === "(" ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}

function inAttribute(address: string, { text, from }: Around): string {
  const before = text.slice(Math.max(0, from - LONGEST_TAG), from);
  const [, quote] = /=\s*(["'])[^"']*$/.exec(before) ?? [];
  const escaped = address.replaceAll("&", "&amp;");
  return quote === "'" ? escaped.replaceAll("'", "&#39;") : escaped;
}

/** A backslash takes its meaning from markup, and from an underscore at the end, which would make a name of an address. */
function inRst(address: string): string {
  return address.replace(/[\\`*|]|_$/g, "\\$&");
}

/** What is between `++` has no formatting. Only macros have brackets after the address, which end it. */
function inAsciidoc(address: string, { text, to }: Around): string {
  const isPlain = !/__|\*\*|##|``|[\^~`[\]]|'/.test(address);
  return isPlain || text[to] !== "[" ? address : `++${address}++`;
}

function inNotebook(address: string, { text, from, to }: Around): string {
  const line = text.slice(text.lastIndexOf("\n", from) + 1, from);
  // A quote in a line of a notebook is written as `\"`.
  const before = line.replace(/^.*(?<!\\)"/, "").replaceAll('\\"', '"');
  const around = {
    text: before + text.slice(from),
    from: before.length,
    to: to - from + before.length,
  };
  return JSON.stringify(ESCAPES.markdown(address, around)).slice(1, -1);
}
