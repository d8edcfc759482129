import type { Transform } from "node:stream";
import { finished } from "node:stream/promises";
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
} from "node:zlib";
import { codeOf } from "../lib/errors.ts";
import type { BodyProblem, BodyWish, IsKnown } from "./exchange.ts";

/** The decompressed body, up to the cap. */
export type Body = {
  bytes: Uint8Array;
  /** Bytes that were read, retained or not. */
  length: number;
  truncated: boolean;
  problem: BodyProblem | null;
};

export type Incoming = Pick<Response, "status" | "headers" | "body">;

/** Returns a promise if the next piece must wait, and `enough` if no more is wanted. */
type OnBody = (piece: Uint8Array) => void | "enough" | Promise<void>;
type End = "whole" | Stopped["why"];

/** By how much a compressed body may be longer than its content. */
const PACKING_BYTES = 256 * 1024;
const PIECE_BYTES = 16 * 1024;

/**
 * Reads up to so many decompressed bytes and discards the rest unread.
 * @param late ends the reading when it resolves
 */
export async function readBody(
  response: Incoming,
  wish: BodyWish,
  late: Promise<"late">,
  onBody?: OnBody,
): Promise<Body> {
  const { cap, isKnown } = typeof wish === "number" ? { cap: wish, isKnown: null } : wish;
  const sink = createSink(cap, onBody);
  const reader = response.body?.getReader();
  if (!reader) return sink.bodyAt("whole");
  if (cap === 0) {
    reader.cancel().catch(() => {});
    return sink.bodyAt("whole");
  }
  const contentEncoding = response.headers.get("content-encoding");
  const unpacking =
    contentEncoding === null ? sink.stage : unpackInto(sink.stage, contentEncoding, cap);
  const stage = isKnown ? unlessKnown(unpacking, isKnown) : unpacking;
  let isLate = false;
  const stop = () => {
    stage.stop();
    // Closes the connection; otherwise an endless body would continue to arrive.
    reader.cancel().catch(() => {});
  };
  // Not raced against each piece, since a race retains its piece until it ends.
  void late.then(() => {
    isLate = true;
    stop();
  });
  const end = await transfer(reader, stage, cap + PACKING_BYTES).finally(stop);
  return sink.bodyAt(isLate ? "read_timeout" : end);
}

/** Passes the body to `onBody` if there is one, otherwise retains it. */
function createSink(cap: number, onBody?: OnBody) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  /** What was passed on before no more was wanted. */
  let lengthWanted: number | null = null;
  let passedOn = 0;
  const passOn: OnBody = (piece) => {
    passedOn += piece.length;
    const taken = onBody?.(piece);
    if (taken === "enough") lengthWanted = passedOn;
    return taken;
  };
  const stopped = Promise.withResolvers<void>();
  const take = onBody
    ? inSmallPieces(passOn, stopped.promise)
    : (piece: Uint8Array) => void pieces.push(piece);
  const stage: Stage = {
    write(piece) {
      const wanted = piece.subarray(0, cap - length);
      length += wanted.length;
      const taken = wanted.length > 0 ? take(wanted) : undefined;
      if (wanted.length < piece.length) throw new Stopped("enough");
      return taken;
    },
    end() {},
    stop: stopped.resolve,
  };
  const bodyAt = (end: End): Body => ({
    bytes: Buffer.concat(pieces),
    length: lengthWanted ?? length,
    truncated: end !== "whole",
    problem: end === "whole" || end === "enough" ? null : end,
  });
  return { stage, bodyAt };
}

/** Readers decode and copy each piece, so large pieces would cost several times as much. */
function inSmallPieces(onBody: OnBody, stopped: Promise<void>) {
  const giveFrom = (piece: Uint8Array, from: number): void | Promise<void> => {
    for (let at = from; at < piece.length; at += PIECE_BYTES) {
      const taken = onBody(piece.subarray(at, at + PIECE_BYTES));
      const next = at + PIECE_BYTES;
      if (taken === "enough") throw new Stopped("enough");
      // A reader that waits must not keep a stopped request open.
      if (taken) return Promise.race([taken, stopped]).then(() => giveFrom(piece, next));
    }
  };
  return (piece: Uint8Array) => giveFrom(piece, 0);
}

/** Longer bodies are passed on as they arrive. */
const MOST_COMPARED_BYTES = 256 * 1024;
/** Of all bodies together: beyond it they are read without a comparison. */
const MOST_COMPARED_AT_ONCE = 16 * 1024 * 1024;

/** Bytes that are held back. */
let comparedBytes = 0;

/** Holds a body back until it is complete, and passes it on unless it is known. */
function unlessKnown(next: Stage, isKnown: IsKnown): Stage {
  let held: Uint8Array[] | null = [];
  let length = 0;
  function release() {
    const pieces = held ?? [];
    if (held) comparedBytes -= length;
    held = null;
    return pieces;
  }
  async function passOn() {
    const pieces = release();
    for (const piece of pieces) await next.write(piece);
  }
  return {
    write(piece) {
      if (!held) return next.write(piece);
      held.push(piece);
      length += piece.length;
      comparedBytes += piece.length;
      const isTooMuch = length > MOST_COMPARED_BYTES || comparedBytes > MOST_COMPARED_AT_ONCE;
      return isTooMuch ? passOn() : undefined;
    },
    async end() {
      if (held && isKnown(held.length === 1 ? held[0]! : Buffer.concat(held))) return;
      await passOn();
      await next.end();
    },
    async flush() {
      await passOn();
      await next.flush?.();
    },
    stop() {
      release();
      next.stop();
    },
  };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function transfer(reader: Reader, stage: Stage, mostBytes: number): Promise<End> {
  try {
    for (let taken = 0; taken <= mostBytes; ) {
      const piece = await nextOf(reader, stage);
      await (piece ? stage.write(piece) : stage.end());
      if (!piece) return "whole";
      taken += piece.length;
    }
    return "enough";
  } catch (error) {
    if (error instanceof Stopped) return error.why;
    throw error;
  }
}

/** Returns the next piece; null after the last. */
async function nextOf(reader: Reader, stage: Stage): Promise<Uint8Array | null> {
  const next = await reader.read().catch(() => null);
  if (next) return next.done ? null : next.value;
  await stage.flush?.();
  throw new Stopped("body_incomplete");
}

/** Receives a body piece by piece. Throws `Stopped` if it takes no more. */
type Stage = {
  /** Returns a promise if the caller must wait before the next piece. */
  write(piece: Uint8Array): void | Promise<void>;
  end(): void | Promise<void>;
  /** Passes on what it holds back, if the body ends too early. */
  flush?(): Promise<void>;
  stop(): void;
};

/** Ends the reading: `enough` was read, or there is a problem. */
class Stopped extends Error {
  constructor(readonly why: "enough" | BodyProblem) {
    super(why);
  }
}

type Decoder = Transform & { bytesWritten: number };

/** A running decoder. `over` resolves after its last output, and rejects if it fails. */
type Unpacking = { decoder: Decoder; over: Promise<void>; giving: Promise<void> };

/** Large, since each piece of output costs a switch to another thread. */
const USUAL = { chunkSize: 128 * 1024 };
const MOST_CODINGS = 3;
/** No page compresses better than this, unless it is short. */
const HIGHEST_RATIO = 200;
const SHORT_BYTES = 256 * 1024;
/** RFC 9659 §3: windows of at most 8 MiB, which limits the memory of the receiver. */
const FOR_ZSTD = { ...USUAL, params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** The codings of RFC 9110 §8.4.1, RFC 7932 and RFC 8878, given the first byte of the body. */
const DECODERS = new Map<string, (first: number) => Decoder>([
  ["gzip", () => createGunzip(USUAL)],
  ["deflate", (first) => (isWrapped(first) ? createInflate : createInflateRaw)(USUAL)],
  ["br", () => createBrotliDecompress(USUAL)],
  ["zstd", () => createZstdDecompress(FOR_ZSTD)],
]);

/** RFC 9110 §8.4.1.2: some servers send "deflate" without the zlib wrapper of RFC 1950. */
const isWrapped = (first: number) => (first & 0x0f) === 8;

/**
 * Returns a stage that decompresses into `next` without running far ahead of it. Stops with `enough` at the compression
 * ratio of a decompression bomb.
 * @param contentEncoding the header: codings in the order in which they were applied
 * @param cap of the decompressed body
 */
export function unpackInto(next: Stage, contentEncoding: string, cap: number): Stage {
  const codings = codingsIn(contentEncoding);
  if (codings.length > MOST_CODINGS) return refuse(next);
  const inPieces = codings.reduce(
    (stage, coding, at) =>
      unpackOne(stage, coding, { isRepeated: codings.includes(coding, at + 1) }),
    next,
  );
  const unpack = codings.length === 1 && cap >= SHORT_BYTES && AT_ONCE.get(codings[0]!);
  return unpack ? unpackAtOnce(next, unpack, inPieces) : inPieces;
}

/** Codings of IANA's registry that are not decoded here. Any other name, such as a charset, means no coding. */
const NOT_DECODED = new Set([
  "aes128gcm",
  "compress",
  "dcb",
  "dcz",
  "exi",
  "pack200-gzip",
  "x-compress",
]);

/** Only gzip shows by its first byte whether a body was packed as often as its header says. */
function codingsIn(contentEncoding: string): string[] {
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim().replace(/^x-gzip$/, "gzip"))
    .filter((coding) => DECODERS.has(coding) || NOT_DECODED.has(coding));
  return codings.filter((coding, at) => coding === "gzip" || codings.indexOf(coding) === at);
}

type UnpackWhole = (packed: Uint8Array, limits: { maxOutputLength: number }) => Uint8Array;

/** For other codings, Bun 1.4.5 does not report truncated bodies, or the first byte decides. */
const AT_ONCE = new Map<string, UnpackWhole>([
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
]);
const MOST_HELD_BYTES = 64 * 1024;

/**
 * Holds back a short body, and decompresses it when it is complete: a decoder in another thread costs several times as
 * much. Bodies that are longer, truncated or invalid are decompressed in pieces.
 */
function unpackAtOnce(next: Stage, unpack: UnpackWhole, inPieces: Stage): Stage {
  let held: Uint8Array[] | null = [];
  let length = 0;
  const flush = async () => {
    const pieces = held ?? [];
    held = null;
    for (const piece of pieces) await inPieces.write(piece);
  };
  return {
    write(piece) {
      if (!held) return inPieces.write(piece);
      held.push(piece);
      length += piece.length;
      return length > MOST_HELD_BYTES ? flush() : undefined;
    },
    async end() {
      const whole = held && length > 0 ? unpackShort(unpack, held) : null;
      if (whole === null) {
        await flush();
        return inPieces.end();
      }
      await next.write(whole);
      await next.end();
    },
    flush,
    stop: inPieces.stop,
  };
}

/** Returns null if the body is not short, or invalid. */
function unpackShort(unpack: UnpackWhole, pieces: Uint8Array[]): Uint8Array | null {
  const [first] = pieces;
  const packed = pieces.length === 1 && first ? first : Buffer.concat(pieces);
  try {
    return unpack(packed, { maxOutputLength: SHORT_BYTES });
  } catch {
    return null;
  }
}

/** The first byte of a gzip file (RFC 1952 §2.3.1), which no text begins with. */
const GZIP_MAGIC = 0x1f;

/** @param options whether the coding is named again for the packed body, which may be packed only once */
function unpackOne(next: Stage, coding: string, { isRepeated }: { isRepeated: boolean }): Stage {
  const createDecoder = DECODERS.get(coding);
  if (!createDecoder) return refuse(next);
  // Created with the first byte, since a body without one is empty, not corrupt.
  let unpacking: Unpacking | null = null;
  let isPlain: boolean | null = null;
  return {
    async write(piece) {
      if (piece.length === 0) return;
      isPlain ??= isRepeated && piece[0] !== GZIP_MAGIC;
      if (isPlain) return next.write(piece);
      unpacking ??= start(createDecoder(piece[0]!), next);
      await feed(unpacking, piece);
    },
    async end() {
      if (unpacking) await (coding === "zstd" ? endZstd(unpacking) : endDecoder(unpacking));
      await next.end();
    },
    stop() {
      unpacking?.decoder.destroy();
      next.stop();
    },
  };
}

function start(decoder: Decoder, next: Stage): Unpacking {
  const over = finished(decoder).catch((error: unknown) => {
    throw reasonOf(error);
  });
  // Writers get the error, but there may be no writer left.
  over.catch(() => {});
  const unpacking: Unpacking = { decoder, over, giving: Promise.resolve() };
  let length = 0;
  decoder.on("data", (piece: Uint8Array) => {
    length += piece.length;
    if (isBomb(length, decoder.bytesWritten)) decoder.destroy(new Stopped("enough"));
    else unpacking.giving = give(decoder, piece, next);
  });
  return unpacking;
}

const isBomb = (length: number, packedLength: number) =>
  length > SHORT_BYTES && length > packedLength * HIGHEST_RATIO;

async function give(decoder: Decoder, piece: Uint8Array, next: Stage): Promise<void> {
  try {
    const taken = next.write(piece);
    if (!taken) return;
    decoder.pause();
    await taken;
    decoder.resume();
  } catch (error) {
    decoder.destroy(error as Error);
  }
}

/** Errors of later stages have no code and are passed on. */
function reasonOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "unknown") return error;
  return new Stopped(code === "Z_BUF_ERROR" ? "body_incomplete" : "body_undecodable");
}

/** Resolves when all output of the piece was passed on. */
async function feed(unpacking: Unpacking, piece: Uint8Array): Promise<void> {
  const { decoder, over } = unpacking;
  await Promise.race([over, new Promise<unknown>((taken) => decoder.write(piece, taken))]);
  while (decoder.readableLength > 0 && !decoder.destroyed) {
    await Promise.race([over, unpacking.giving]);
    // The decoder continues in the next turn of the event loop.
    await new Promise(setImmediate);
  }
  // The write callback also runs when the decoder was destroyed.
  if (decoder.destroyed) await over;
}

async function endDecoder({ decoder, over }: Unpacking): Promise<void> {
  decoder.end();
  await over;
}

/** Bun 1.4.5 accepts a truncated zstd body. But only after a complete one does it reject an invalid next byte. */
async function endZstd({ decoder }: Unpacking): Promise<void> {
  decoder.end(Uint8Array.of(0));
  const code = await finished(decoder).then(() => null, codeOf);
  if (code !== "ZSTD_error_prefix_unknown") throw new Stopped("body_incomplete");
}

/** For an unknown coding, which only matters if there is a body. */
const refuse = (next: Stage): Stage => ({
  ...next,
  write() {
    throw new Stopped("body_undecodable");
  },
});
