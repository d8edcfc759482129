import { createPageReader, type Page } from "../../server/judge/page/page.ts";

/** Reads a page that is there as a whole. */
export function readPage(body: Uint8Array | string, contentType: string | null): Page {
  const reader = createPageReader(contentType);
  reader.take(typeof body === "string" ? new TextEncoder().encode(body) : body);
  return reader.end();
}
