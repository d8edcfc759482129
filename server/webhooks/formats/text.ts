import type { Notice } from "./notice.ts";

/** How a chat service marks up text. */
export type Markup = {
  /** Escapes words of ours, so that they show as they are. */
  escape(text: string): string;
  /** Makes an address clickable. It contains only characters of RFC 3986. */
  link(address: string): string;
  /** Returns as much of a text as fits, so that nothing in it is clickable or starts markup. */
  inert(text: string, room: number): string;
  sizeOf(text: string): number;
};

/**
 * Room for the address next to the title, and for a whole line. One of the former and ten of the latter, with our own
 * words, fit into the smallest message: the 3,000 characters of a section in Slack, which has a section of its own for
 * the title, and the 4,096 of the others.
 */
export const ADDRESS_ROOM = 2100;
export const LINE_ROOM = 270;

/** What RFC 3986, section 2, does not allow. Markup needs such characters, or depends on what surrounds an address. */
const BEYOND_RFC_3986 = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/g;
/** What chat apps look for when they make links and mentions from plain text. */
const TRIGGERS = /[@:/.#]/g;
const ZERO_WIDTH_SPACE = "\u200b";

/** Returns the lines below the title. */
export const renderLines = ({ lines }: Notice, markup: Markup): string[] =>
  lines.map(({ text, url, rest }) => {
    const after = rest === null ? "" : markup.escape(` – ${rest}`);
    if (url === null) return markup.escape(text) + after;
    const before = markup.escape(`${text}: `);
    const room = LINE_ROOM - markup.sizeOf(before) - markup.sizeOf(after);
    return before + renderAddress(url, markup, room) + after;
  });

/** Returns the address as a link. Without room it is cut and no link, since that would lead elsewhere. */
export function renderAddress(url: string, markup: Markup, room = ADDRESS_ROOM): string {
  const address = webAddress(url);
  if (address === null) return markup.inert(singleLine(url), room);
  const link = markup.link(address);
  return markup.sizeOf(link) <= room ? link : markup.inert(address, room);
}

/** Returns an http or https address in the characters of RFC 3986; null for anything else. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replace(BEYOND_RFC_3986, encodeURIComponent);
}

/** Replaces what would break the line or reverse its direction. */
export const singleLine = (text: string) => text.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, " ");

type Cutting = { write?: (character: string) => string; sizeOf?: (text: string) => number };

/** Returns as much of the text as fits, without splitting a character or an escape. "…" marks that it was cut. */
export function cut(text: string, room: number, options: Cutting = {}): string {
  const { write = (character: string) => character, sizeOf = lengthOf } = options;
  const written = (text.match(/%[0-9a-f]{2}|./gisu) ?? []).map(write);
  if (sizeOf(written.join("")) <= room) return written.join("");
  let left = room - sizeOf("…");
  const end = written.findIndex((character) => {
    left -= sizeOf(character);
    return left < 0;
  });
  return `${written.slice(0, end).join("")}…`;
}

/** Plain text. Invisible spaces keep apps from making links and mentions from text that is not a link. */
export const plainText = (sizeOf: Markup["sizeOf"]): Markup => ({
  escape: (text) => text,
  link: (address) => address,
  inert: (text, room) =>
    cut(text, room, {
      write: (character) => character.replace(TRIGGERS, `$&${ZERO_WIDTH_SPACE}`),
      sizeOf,
    }),
  sizeOf,
});

/** Returns the text as code, where only a backtick is markup. */
export const asCode = (text: string, room: number, escaped = (text: string) => text) =>
  `\`${cut(text, room - 2, { write: (character) => escaped(character.replaceAll("`", "'")) })}\``;

export const lengthOf = (text: string) => text.length;

export const bytesOf = (text: string) => Buffer.byteLength(text);
