import { decoderFor, SNIFFED_BYTES } from "./charset.ts";
import { MARKUP_CHARS, nothingYet, type Page, pageOf, rewriterInto } from "./found.ts";
import { createVisibleText } from "./visible-text.ts";

/** Reads a page while it arrives, so that no more of it is kept than is looked at. */
export type PageReader = {
  take(chunk: Uint8Array): void;
  /** To be called once, after the last chunk. Broken markup is read as far as it makes sense. */
  end(): Promise<Page>;
};

/**
 * For pages that are not to be in memory as a whole.
 * @param contentType the response's header, for its charset
 */
export function createLongReader(contentType: string | null): PageReader {
  const found = nothingYet();
  const text = createVisibleText();
  let feed!: ReadableStreamDefaultController<Uint8Array>;
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      feed = controller;
    },
  });
  const decoder = new TextDecoder();
  const take = (bytes: Uint8Array) => text.take(decoder.decode(bytes, { stream: true }));
  // What cannot be parsed to its end is still worth its beginning.
  const parsing = drain(rewriterInto(() => found).transform(new Response(source)), take).catch(
    () => {},
  );
  const input = createInput(contentType, (bytes, decoded) => {
    feed.enqueue(bytes);
    if (found.markup.length < MARKUP_CHARS) found.markup += decoded();
  });
  return {
    take: input.take,
    async end() {
      input.end();
      feed.close();
      await parsing;
      return pageOf(found, text.end());
    },
  };
}

/** Hands the bytes on as UTF-8, and as text to whoever asks. Waits for enough to know the charset. */
function createInput(
  contentType: string | null,
  give: (bytes: Uint8Array, decoded: () => string) => void,
) {
  let start: Uint8Array = new Uint8Array();
  let decoder: TextDecoder | null = null;
  const encoder = new TextEncoder();

  function pass(chunk: Uint8Array): void {
    decoder ??= decoderFor(contentType, chunk);
    const decode = () => decoder!.decode(chunk, { stream: true });
    if (decoder.encoding === "utf-8") {
      give(chunk, decode);
      return;
    }
    const text = decode();
    give(encoder.encode(text), () => text);
  }

  return {
    take(chunk: Uint8Array) {
      if (decoder) return pass(chunk);
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      if (start.length >= SNIFFED_BYTES) pass(start);
    },
    end() {
      if (!decoder && start.length > 0) pass(start);
    },
  };
}

/** The rewriter works as its output is read. */
async function drain(response: Response, take: (chunk: Uint8Array) => void): Promise<void> {
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}
