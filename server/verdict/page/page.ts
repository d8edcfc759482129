import { decoderFor, SNIFFED_BYTES } from "./charset.ts";
import { createFinder } from "./finder.ts";
import { MARKUP_CHARS, nothingYet, type Page, pageOf } from "./found.ts";
import { createMarkupReader } from "./markup.ts";

export type { Page } from "./found.ts";

/** Reads a page while it arrives, so that no more of it is kept than is looked at. */
export type PageReader = {
  take(chunk: Uint8Array): void;
  /** To be called once, after the last chunk. Broken markup is read as far as it makes sense. */
  end(): Page;
};

/** Bytes are collected up to so many, since a page may come in pieces of one. Enough for its charset. */
const PIECE_BYTES = 16 * SNIFFED_BYTES;

/** @param contentType the response's header, for its charset */
export function createPageReader(contentType: string | null): PageReader {
  const found = nothingYet();
  const finder = createFinder(found);
  const markup = createMarkupReader(finder);
  const piece = new Uint8Array(PIECE_BYTES);
  let length = 0;
  let decoder: TextDecoder | null = null;

  function read(): void {
    const bytes = piece.subarray(0, length);
    decoder ??= decoderFor(contentType, bytes);
    const text = decoder.decode(bytes, { stream: true });
    if (found.markup.length < MARKUP_CHARS) found.markup += text;
    markup.take(text);
    length = 0;
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + PIECE_BYTES - length);
        piece.set(part, length);
        length += part.length;
        at += part.length;
        if (length === PIECE_BYTES) read();
      }
    },
    end() {
      read();
      markup.end();
      return pageOf(found, finder.visibleText());
    },
  };
}
