import { MARKUP_CHARS, nothingYet, type Page, pageOf } from "./elements.ts";
import { createFinder, foldSpaces, KEPT_CHARS } from "./finder.ts";
import { createAnchorFinder } from "./fragments.ts";
import { createMarkupReader } from "./markup.ts";
import { encodeQuery } from "./query-encoding.ts";

export type { Page } from "./elements.ts";
export { foldSpaces } from "./finder.ts";

/** Reads a page while it arrives, and keeps only what is needed of it. */
export type PageReader = {
  take(chunk: Uint8Array): void;
  /** Must be called once, after the last chunk. */
  end(): Page;
};

/** How far browsers look for a declaration (HTML §13.2.3.2). */
const SNIFFED_BYTES = 1024;

/** Collects bytes up to this number, because a page may arrive byte by byte. Enough for its charset. */
const PIECE_BYTES = 16 * SNIFFED_BYTES;

const NOTHING = new Uint8Array();

/**
 * @param contentType the response's header, for its charset
 * @param wanted the anchors to look for; null for none, nor for texts
 */
export function createPageReader(
  contentType: string | null,
  wanted: readonly string[] | null = null,
): PageReader {
  const found = nothingYet();
  const anchors = wanted && createAnchorFinder(wanted);
  const finder = createFinder(found, { anchors: wanted?.length ? anchors : null });
  const markup = createMarkupReader(finder);
  let piece: Uint8Array | null = null;
  let length = 0;
  let decoder: TextDecoder | null = null;

  function read(bytes: Uint8Array): void {
    decoder ??= decoderFor(contentType, bytes);
    const text = decoder.decode(bytes, { stream: true });
    if (found.markup.length < MARKUP_CHARS) found.markup += text;
    markup.take(text);
  }

  function readCollected(): void {
    read(piece?.subarray(0, length) ?? NOTHING);
    length = 0;
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + PIECE_BYTES - length);
        at += part.length;
        if (part.length === PIECE_BYTES) {
          read(part);
          continue;
        }
        piece ??= new Uint8Array(PIECE_BYTES);
        piece.set(part, length);
        length += part.length;
        if (length === PIECE_BYTES) readCollected();
      }
    },
    end() {
      readCollected();
      markup.end();
      const text = finder.visibleText();
      const isTextCut = finder.isTextFull() || text.length === KEPT_CHARS;
      const page = withEncodedQueries(pageOf(found, text), decoder?.encoding ?? "utf-8");
      return anchors ? { ...page, anchors: anchors.end(isTextCut) } : page;
    },
  };
}

/** The page's addresses, with their queries in its own encoding. */
function withEncodedQueries(page: Page, encoding: string): Page {
  const encode = (address: string | null) => address && encodeQuery(address, encoding);
  const { refresh, canonical, ogUrl } = page;
  return {
    ...page,
    canonical: encode(canonical),
    ogUrl: encode(ogUrl),
    refresh: refresh && { ...refresh, url: encodeQuery(refresh.url, encoding) },
  };
}

/** In place of a tag inside a line; a noncharacter, so it is not in texts. */
const INLINE_TAG = "\uFFFF";

/**
 * Returns all of a page's visible text in two forms, since only its style sheets say which one a browser shows: with
 * every tag as a space, and without those inside a line, such as `<b>`.
 */
export function visibleTexts(markup: string): [spaced: string, joined: string] {
  const finder = createFinder(nothingYet(), { mostChars: Infinity, inlineTag: INLINE_TAG });
  const reader = createMarkupReader(finder);
  reader.take(markup);
  reader.end();
  const text = finder.visibleText();
  return [
    foldSpaces(text.replaceAll(INLINE_TAG, " ")),
    foldSpaces(text.replaceAll(INLINE_TAG, "")),
  ];
}

/** Without a type it may be a page. */
export const isText = (contentType: string | null) =>
  contentType === null || /^\s*$|text\/|\b(xml|json|xhtml|javascript)\b/i.test(contentType);

export const isPage = (contentType: string | null) =>
  contentType === null || /^\s*$|html/i.test(contentType);

const BYTE_ORDER_MARKS: [charset: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Chooses the charset by byte order mark, header, or the page's declaration (HTML §13.2.3.2), or UTF-8.
 *
 * @param start the first `SNIFFED_BYTES` of the page
 */
export function decoderFor(contentType: string | null, start: Uint8Array): TextDecoder {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, i) => start[i] === byte));
  const charset = marked?.[0] ?? charsetIn(contentType ?? "") ?? declaredIn(start) ?? "utf-8";
  try {
    return new TextDecoder(charset as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}

const charsetIn = (text: string) => /charset\s*=\s*(?:["']\s*)?([\w:.-]+)/i.exec(text)?.[1];

/** A declaration that is readable as bytes is not in UTF-16, whatever it says. */
function declaredIn(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.subarray(0, SNIFFED_BYTES)).toString("latin1");
  const [tag = ""] = /<meta[^>]*charset[^>]*>/i.exec(text) ?? /^<\?xml[^>]*>/i.exec(text) ?? [];
  const charset = charsetIn(tag) ?? /encoding\s*=\s*["']([\w:.-]+)/i.exec(tag)?.[1];
  return charset && /^utf-?16/i.test(charset) ? "utf-8" : charset;
}

export type TextKeeper = { take(chunk: Uint8Array): void; end(): string };

/** @param contentType the response's header, for its charset */
export function createTextKeeper(contentType: string | null): TextKeeper {
  const chunks: Uint8Array[] = [];
  return {
    take(chunk) {
      // A copy, since the reader of the body may reuse its memory.
      chunks.push(chunk.slice());
    },
    end() {
      const bytes = Buffer.concat(chunks);
      return decoderFor(contentType, bytes).decode(bytes);
    },
  };
}
