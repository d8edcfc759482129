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
  const isOpened = before.endsWith("<") && text[to] === ">";
  if (!/\](?:\(|:)\s*<?$/.test(before)) {
    return isOpened || isBare(address) ? address : bracketed(address);
  }
  // A cell of a table ends at `|`.
  const escaped = address.replaceAll("|", "\\|").replace(/&(?=#?\w+;)/g, "&amp;");
  // CommonMark §6.3: a destination without brackets around it has only pairs of parentheses.
  return isOpened || hasPairs(address) ? escaped : `<${escaped}>`;
}

function isBare(address: string): boolean {
  const [found] = bareUrlsIn(address, "_~");
  return found?.href === address && found.to === address.length;
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

/** A backslash takes its meaning from markup, but not in what a directive has after its name. */
function inRst(address: string, { text, from }: Around): string {
  const line = text.slice(text.lastIndexOf("\n", from) + 1, from);
  if (/(?:image|figure)::\s*$/.test(line)) return address;
  return address.replace(/[\\`*|]|_(?![a-z\d])/gi, "\\$&");
}

/** What is between `++` has no formatting, in a macro alone. */
function inAsciidoc(address: string, { text, from, to }: Around): string {
  const isPassed = text.startsWith("++", from);
  const isPlain = !/__|\*\*|##|``|[\^~`[\]']|[*_#()]$/.test(address);
  const before = text.slice(Math.max(0, from - 2), from);
  // What stands on a line of its own, after `::`, has no formatting either.
  if (before === "::" || (!isPassed && (isPlain || text[to] === ">"))) return address;
  const name = isPassed || before.endsWith(":") ? "" : "link:";
  return `${name}++${address}++${text[to] === "[" ? "" : "[]"}`;
}

function inNotebook(address: string, { text, from, to }: Around): string {
  // A quote in a line of a notebook is written as `\"`.
  const before = text
    .slice(Math.max(0, from - LONGEST_TAG), from)
    .replace(/^.*(?<!\\)"/s, "")
    .replaceAll('\\"', '"');
  const around = {
    text: before + text.slice(from, to + 1),
    from: before.length,
    to: to - from + before.length,
  };
  return JSON.stringify(ESCAPES.markdown(address, around)).slice(1, -1);
}
