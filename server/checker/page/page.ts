import { lazily } from "../../lib/lazily.ts";
import { decoderFor } from "./charset.ts";
import { type Found, nothingYet, type Page, pageOf, rewriterInto } from "./found.ts";
import { createLongReader, type PageReader } from "./long-page.ts";
import { createVisibleText } from "./visible-text.ts";

export type { Page } from "./found.ts";
export type { PageReader } from "./long-page.ts";

/** Parsing so much takes a millisecond. At once it takes half of what it takes as a stream. */
const SHORT_BYTES = 65_536;

/** @param contentType the response's header, for its charset */
export function createPageReader(contentType: string | null): PageReader {
  const start: Uint8Array[] = [];
  let length = 0;
  let long: PageReader | null = null;
  return {
    take(chunk) {
      if (long) return long.take(chunk);
      start.push(chunk);
      length += chunk.length;
      if (length <= SHORT_BYTES) return;
      long = createLongReader(contentType);
      for (const earlier of start.splice(0)) long.take(earlier);
    },
    async end() {
      return long ? long.end() : readShort(contentType, Buffer.concat(start));
    },
  };
}

function readShort(contentType: string | null, bytes: Uint8Array): Page {
  const markup = decoderFor(contentType, bytes).decode(bytes, { stream: true });
  const { found, rest } = parser()(markup);
  const text = createVisibleText();
  text.take(rest);
  return pageOf(found, text.end());
}

/** What a page says of itself, and the markup without what nobody sees. */
type Parsed = { found: Found; rest: string };

/** One for all pages, since making it takes longer than parsing a short one. */
const parser = lazily(() => {
  let found = nothingYet();
  const rewriter = rewriterInto(() => found);
  return (markup: string): Parsed => {
    found = { ...nothingYet(), markup };
    return { found, rest: rewritten(rewriter, markup) };
  };
});

/** What cannot be parsed to its end is read as it was sent. */
function rewritten(rewriter: HTMLRewriter, markup: string): string {
  try {
    return rewriter.transform(markup);
  } catch {
    return markup;
  }
}
