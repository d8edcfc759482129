import {
  createPageReader,
  createTextKeeper,
  isPage,
  isText,
  type Page,
  type PageReader,
  type TextKeeper,
} from "./page.ts";
import { createSniffer, mayBePage } from "./sniff.ts";

type Content = { page: Page | null; text: string | null; shortText?: string };

/** Reads a body as what it is, which its type need not say. */
export type ContentReader = {
  /** Whether more than one byte is needed. */
  readsOn: boolean;
  take(chunk: Uint8Array): "enough" | undefined;
  /** Must be called once, after the last chunk. */
  end(): Content;
};

/** More is data, not a message about it. */
const SHORT_BYTES = 4096;

type ContentOptions = {
  /** The status is a success: only then the body may be something else than its type says. */
  isFine: boolean;
  keepsText: boolean;
  /** What to look for in a page, as `createPageReader` takes it. */
  anchors?: readonly string[] | null | undefined;
};

export function createContentReader(
  headers: Headers,
  { isFine, keepsText, anchors }: ContentOptions,
): ContentReader {
  const contentType = headers.get("content-type");
  const isOffered = /^\s*attachment/i.test(headers.get("content-disposition") ?? "");
  const isTextual = isText(contentType);
  let reader: PageReader | null = isPage(contentType)
    ? createPageReader(contentType, anchors)
    : null;
  let keeper: TextKeeper | null = keepsText && isTextual ? createTextKeeper(contentType) : null;
  const mayBeShort = isFine && isTextual && reader === null;
  let short: TextKeeper | null = mayBeShort ? createTextKeeper(contentType) : null;
  let isHtml =
    isFine && reader === null && mayBePage(contentType, isOffered) ? createSniffer() : null;
  const held: Uint8Array[] = [];
  let length = 0;

  function sniff(chunk: Uint8Array): void {
    held.push(chunk.slice());
    const found = isHtml?.(chunk) ?? null;
    if (found === null) return;
    isHtml = null;
    if (found) reader = createPageReader(contentType, anchors);
    for (const piece of held.splice(0)) reader?.take(piece);
  }

  function takeShort(chunk: Uint8Array): void {
    length += chunk.length;
    if (length > SHORT_BYTES || reader) short = null;
    short?.take(chunk);
  }

  return {
    readsOn: isTextual || isHtml !== null,
    take(chunk) {
      keeper?.take(chunk);
      if (isHtml) sniff(chunk);
      else reader?.take(chunk);
      takeShort(chunk);
      return isTextual || isHtml || reader ? undefined : "enough";
    },
    end() {
      const content: Content = { page: reader?.end() ?? null, text: keeper?.end() ?? null };
      if (short && length > 0) content.shortText = short.end();
      [reader, keeper, short] = [null, null, null];
      return content;
    },
  };
}
