import { decoderFor } from "./charset.ts";

/** Keeps a text as it was sent. */
export type TextKeeper = { take(chunk: Uint8Array): void; end(): string };

/** @param contentType the response's header, for its charset */
export function createTextKeeper(contentType: string | null): TextKeeper {
  const chunks: Uint8Array[] = [];
  return {
    take(chunk) {
      // A copy, since whoever reads the body may use its memory again.
      chunks.push(chunk.slice());
    },
    end() {
      const bytes = Buffer.concat(chunks);
      return decoderFor(contentType, bytes).decode(bytes);
    },
  };
}
