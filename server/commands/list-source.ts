import { createReadStream, type Stats, statSync } from "node:fs";
import { PassThrough, pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { formatOfName } from "../documents/formats.ts";
import { FORMATS, type Format, recognise } from "../imports/formats.ts";
import {
  encodingOf,
  HEAD,
  isGzip,
  newReading,
  type Reading,
  Unreadable,
} from "../imports/reading.ts";
import { failure } from "../lib/errors.ts";
import type { Io } from "./io.ts";

/** What was found since the previous part, and how much of the file is read, from 0 to 1; null when unknown. */
export type ListPart = Omit<Reading, "base" | "addressOf"> & { done: number | null };

/** The text of a file in pieces, of which the first is long enough to recognize the format. */
export type TextSource = {
  head: string;
  rest: AsyncIterable<string>;
  /** How much of the file is read. */
  done(): number | null;
};

/**
 * Opens a text, which may be compressed: a file, or standard input for `-`.
 * @throws Unreadable, or an error that names the file
 */
export async function openText(io: Io, path: string): Promise<TextSource> {
  const { bytes, done } = openSource(io, path);
  const rest = headFirst(textOf(path, bytes));
  const { value: head = "" } = await rest.next();
  return { head, rest, done };
}

/**
 * Reads a list in parts. Yields what it found before an error, then throws.
 * @throws as `openText` does
 */
export async function* readParts(io: Io, path: string, given?: Format): AsyncGenerator<ListPart> {
  const source = await openText(io, path);
  const isNamed = formatOfName(path) === "markdown";
  yield* partsOf(source, given ?? (isNamed ? "markdown" : recognise(source.head)));
}

export async function* partsOf(source: TextSource, format: Format): AsyncGenerator<ListPart> {
  const reading = newReading();
  const reader = await FORMATS[format].open(reading, source.head);
  const part = (): ListPart => ({
    items: reading.items.splice(0),
    notes: reading.notes.splice(0),
    sitemaps: reading.sitemaps.splice(0),
    done: source.done(),
  });
  try {
    reader.write(source.head);
    yield part();
    for await (const text of source.rest) {
      reader.write(text);
      yield part();
    }
    reader.end();
  } catch (error) {
    yield part();
    throw error;
  }
  yield part();
}

/** The name in a message. */
const nameOf = (path: string) => (path === "-" ? "Standard input" : `“${path}”`);

type Bytes = AsyncIterable<Uint8Array>;

function openSource({ stdin }: Io, path: string): { bytes: Bytes; done: () => number | null } {
  if (path === "-") return { bytes: stdin as AsyncIterable<Uint8Array>, done: () => null };
  const { size } = statOf(path);
  let read = 0;
  async function* counted() {
    try {
      for await (const bytes of createReadStream(path)) {
        read += bytes.length;
        yield bytes;
      }
    } catch (error) {
      throw failure("The list cannot be read", error);
    }
  }
  return { bytes: counted(), done: () => (size === 0 ? null : Math.min(1, read / size)) };
}

function statOf(path: string): Stats {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new Error("it is a folder");
    return stats;
  } catch (error) {
    throw failure("The list cannot be read", error);
  }
}

/** @throws Unreadable for anything but text */
async function* textOf(path: string, source: Bytes): AsyncGenerator<string> {
  const packed = await peek(source);
  const plain = isGzip(packed.first) ? await peek(unpacked(path, packed.all)) : packed;
  const encoding = encodingOf(nameOf(path), plain.first);
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const bytes of plain.all) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Unreadable(
      `${nameOf(path)} is not in UTF-8. Convert it first, as in: iconv -f WINDOWS-1252 -t UTF-8.`,
    );
  }
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

async function* unpacked(path: string, packed: Bytes): AsyncGenerator<Uint8Array> {
  const out = new PassThrough();
  pipeline(Readable.from(packed), createGunzip(), out, () => {});
  try {
    yield* out as AsyncIterable<Uint8Array>;
  } catch {
    throw new Unreadable(`${nameOf(path)} is a damaged gzip file. Unpack it first.`);
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
