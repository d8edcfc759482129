import { PassThrough, pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { FORMATS, type Format } from "./formats.ts";
import { encodingOf, HEAD, isGzip, newReading, type Reading, Unreadable } from "./reading.ts";

export type Bytes = AsyncIterable<Uint8Array>;

/** The text of a list in pieces. The head is long enough to recognize the format. */
export type ListText = { head: string; rest: AsyncIterable<string> };

/** What was found in a list since the previous part. */
export type ListPart = Omit<Reading, "base" | "addressOf" | "readDocument" | "mostWhole">;

export type BytesOptions = {
  /** As messages name the list. */
  name: string;
  /** Reads what is in no Unicode encoding as Windows-1252, and is given remarks about the encoding. Refused without it. */
  onRemark?: (remark: string) => void;
  /** Called with each piece of what a compressed list unpacks to. May throw. */
  onUnpacked?: (piece: Uint8Array) => void;
};

/**
 * Opens the bytes of a list, which may be compressed.
 * @throws Unreadable for anything but text
 */
export async function openList(bytes: Bytes, options: BytesOptions): Promise<ListText> {
  const rest = headFirst(textOf(bytes, options));
  const { value: head = "" } = await rest.next();
  return { head, rest };
}

/** Reads a list in parts. Yields what it found before an error, then throws. @throws Unreadable */
export async function* partsOf(
  { head, rest }: ListText,
  format: Format,
  given: Pick<Reading, "readDocument" | "mostWhole"> = {},
): AsyncGenerator<ListPart> {
  const reading = { ...newReading(), ...given };
  const reader = await FORMATS[format].open(reading, head);
  const part = (): ListPart => ({
    items: reading.items.splice(0),
    notes: reading.notes.splice(0),
    sitemaps: reading.sitemaps.splice(0),
  });
  try {
    reader.write(head);
    yield part();
    for await (const text of rest) {
      reader.write(text);
      yield part();
    }
    await reader.end();
  } catch (error) {
    yield part();
    if (!(error instanceof RangeError)) throw error;
    throw new Unreadable("This is nested too deeply to be read. Choose another format.");
  }
  yield part();
}

async function* textOf(source: Bytes, options: BytesOptions): AsyncGenerator<string> {
  const packed = await peek(source);
  const isPacked = isGzip(packed.first);
  const plain = isPacked ? await peek(unpacked(options, packed.all)) : packed;
  const encoding = encodingOf(options.name, plain.first);
  if (encoding === "utf-8") return yield* utf8Of(plain.all, options);
  options.onRemark?.("The file is in UTF-16. It was read as such.");
  const decoder = new TextDecoder(encoding);
  for await (const bytes of plain.all) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

/** Each piece ends between two characters, so that another encoding can take over at any of them. */
async function* utf8Of(source: Bytes, { name, onRemark }: BytesOptions): AsyncGenerator<string> {
  let decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let left: Uint8Array = new Uint8Array();
  let isFirst = true;
  const decode = (bytes: Uint8Array) => {
    try {
      return decoder.decode(bytes);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      if (!onRemark) {
        throw new Unreadable(
          `${name} is not in UTF-8. Convert it first, as in: iconv -f WINDOWS-1252 -t UTF-8.`,
        );
      }
      onRemark("The file is not in UTF-8. It was read as Windows-1252.");
      decoder = new TextDecoder("windows-1252", { fatal: true });
      return decoder.decode(bytes);
    }
  };
  for await (const bytes of source) {
    const all = left.length > 0 ? Buffer.concat([left, bytes]) : bytes;
    const end = lastBoundary(all);
    left = all.subarray(end);
    const text = decode(all.subarray(0, end));
    yield isFirst ? text.replace(/^\ufeff/, "") : text;
    isFirst &&= text === "";
  }
  if (left.length > 0) yield decode(left);
}

/** After the last byte that ends a character of UTF-8 for sure. */
function lastBoundary(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    if (bytes[at]! < 0x80) return at + 1;
    if (bytes[at]! >= 0xc0) return at;
  }
  return bytes.length;
}

/** Returns the first chunk, and all chunks. */
async function peek(source: Bytes): Promise<{ first: Uint8Array; all: Bytes }> {
  const rest = source[Symbol.asyncIterator]();
  const { value: first = new Uint8Array() } = await rest.next();
  async function* all() {
    yield first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { first, all: all() };
}

async function* unpacked(
  { name, onUnpacked }: BytesOptions,
  packed: Bytes,
): AsyncGenerator<Uint8Array> {
  const out = new PassThrough();
  pipeline(Readable.from(packed), createGunzip(), out, () => {});
  const pieces = (out as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await pieces.next().catch(() => {
        throw new Unreadable(`${name} is a damaged gzip file. Unpack it first.`);
      });
      if (done) return;
      onUnpacked?.(value);
      yield value;
    }
  } finally {
    out.destroy();
  }
}

/** Yields a first piece that is long enough to recognize the format. */
async function* headFirst(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let head = "";
  let isOpen = true;
  for await (const text of texts) {
    if (!isOpen) {
      yield text;
      continue;
    }
    head += text;
    if (head.length < HEAD) continue;
    isOpen = false;
    yield head;
  }
  if (isOpen) yield head;
}
