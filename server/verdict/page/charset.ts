/** As far as browsers look for a declaration (HTML §13.2.3.2). */
export const SNIFFED_BYTES = 1024;

const BYTE_ORDER_MARKS: [charset: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * How a page's bytes become text: by its byte order mark, the header, or what it declares itself, in the
 * order of HTML §13.2.3.2. UTF-8 when nothing is said or what is said is unknown.
 *
 * @param start the first bytes of the page, `SNIFFED_BYTES` if there are as many
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

/** A declaration that could be read as bytes is not in UTF-16, whatever it says. */
function declaredIn(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.subarray(0, SNIFFED_BYTES)).toString("latin1");
  const [tag = ""] = /<meta[^>]*charset[^>]*>/i.exec(text) ?? /^<\?xml[^>]*>/i.exec(text) ?? [];
  const charset = charsetIn(tag) ?? /encoding\s*=\s*["']([\w:.-]+)/i.exec(tag)?.[1];
  return charset && /^utf-?16/i.test(charset) ? "utf-8" : charset;
}
