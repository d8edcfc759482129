import type { Transform } from "node:stream";
import { finished } from "node:stream/promises";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { type BodyProblem, codeOf } from "./exchange.ts";

/** What could be read of a body: at most the cap, decompressed. */
export type Body = {
  bytes: Uint8Array;
  /** Bytes that were read, kept or not. */
  length: number;
  truncated: boolean;
  problem: BodyProblem | null;
};

/** What is read of a response. */
export type Incoming = Pick<Response, "status" | "headers" | "body">;

type OnBody = (piece: Uint8Array) => void;
type End = "whole" | Stopped["why"];

/** By how much a body may be longer than what is packed in it. */
const PACKING_BYTES = 256 * 1024;
const PIECE_BYTES = 16 * 1024;

/**
 * Reads up to `cap` bytes and drops the rest unread. The cap counts decompressed bytes, so a small
 * answer that unpacks to gigabytes stays small. `late` ends the reading when it resolves.
 */
export async function readBody(
  response: Incoming,
  cap: number,
  late: Promise<"late">,
  onBody?: OnBody,
): Promise<Body> {
  const sink = createSink(cap, onBody);
  const reader = response.body?.getReader();
  if (!reader) return sink.bodyAt("whole");
  if (cap === 0) {
    reader.cancel().catch(() => {});
    return sink.bodyAt("whole");
  }
  const stage = unpackInto(sink.stage, response.headers.get("content-encoding"));
  let isLate = false;
  const stop = () => {
    stage.stop();
    // Ends the connection too; without it an endless body would go on arriving.
    reader.cancel().catch(() => {});
  };
  // Not raced against each piece, since such a race retains its piece until it ends.
  void late.then(() => {
    isLate = true;
    stop();
  });
  const end = await transfer(reader, stage, cap + PACKING_BYTES).finally(stop);
  return sink.bodyAt(isLate ? "read_timeout" : end);
}

/** Where the body ends up: with `onBody` when there is one, else in memory. */
function createSink(cap: number, onBody?: OnBody) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const take = onBody ? inSmallPieces(onBody) : (piece: Uint8Array) => void pieces.push(piece);
  const stage: Stage = {
    write(piece) {
      const wanted = piece.subarray(0, cap - length);
      if (wanted.length > 0) take(wanted);
      length += wanted.length;
      if (wanted.length < piece.length) throw new Stopped("enough");
    },
    end() {},
    stop() {},
  };
  const bodyAt = (end: End): Body => ({
    bytes: Buffer.concat(pieces),
    length,
    truncated: end !== "whole",
    problem: end === "whole" || end === "enough" ? null : end,
  });
  return { stage, bodyAt };
}

/** Readers decode and copy a piece, so large ones would cost several times as much. */
const inSmallPieces = (onBody: OnBody) => (piece: Uint8Array) => {
  for (let at = 0; at < piece.length; at += PIECE_BYTES) {
    onBody(piece.subarray(at, at + PIECE_BYTES));
  }
};

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function transfer(reader: Reader, stage: Stage, mostBytes: number): Promise<End> {
  try {
    for (let taken = 0; taken <= mostBytes; ) {
      const piece = await nextOf(reader);
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

/** The next piece, or null after the last. */
async function nextOf(reader: Reader): Promise<Uint8Array | null> {
  const next = await reader.read().catch(() => {
    throw new Stopped("body_incomplete");
  });
  return next.done ? null : next.value;
}

/** Where a body goes, piece by piece. Whatever keeps it from going on is thrown as `Stopped`. */
type Stage = {
  /** A promise resolves when the stage is ready for more; without one it always is. */
  write(piece: Uint8Array): void | Promise<void>;
  /** To be called once, after the last piece. */
  end(): void | Promise<void>;
  /** Drops whatever is under way. */
  stop(): void;
};

/** Nothing more is to come: `enough` of it was seen, or there is a problem. */
class Stopped extends Error {
  constructor(readonly why: "enough" | BodyProblem) {
    super(why);
  }
}

type Decoder = Transform & { bytesWritten: number };

/** A running decoder. `over` resolves after the last of its output, and rejects when no more will come. */
type Unpacking = { decoder: Decoder; over: Promise<void>; giving: Promise<void> };

/** Large, because each piece of output costs a trip to another thread. */
const USUAL = { chunkSize: 128 * 1024 };
const MOST_CODINGS = 3;
/** No page is packed as well as this, unless it is short. */
const HIGHEST_RATIO = 200;
const SHORT_BYTES = 256 * 1024;
/** RFC 9659 §3: windows of at most 8 MiB, so that no sender can make a receiver remember more. */
const FOR_ZSTD = { ...USUAL, params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** The codings of RFC 9110 §8.4.1, RFC 7932 and RFC 8878, each by the first byte of the body. */
const DECODERS = new Map<string, (first: number) => Decoder>([
  ["gzip", () => createGunzip(USUAL)],
  ["x-gzip", () => createGunzip(USUAL)],
  ["deflate", (first) => (isWrapped(first) ? createInflate : createInflateRaw)(USUAL)],
  ["br", () => createBrotliDecompress(USUAL)],
  ["zstd", () => createZstdDecompress(FOR_ZSTD)],
]);

/** RFC 9110 §8.4.1.2: some servers send "deflate" without the wrapping of RFC 1950. */
const isWrapped = (first: number) => (first & 0x0f) === 8;

/**
 * A stage that hands to `next` what was packed, and never runs far ahead of it. It has seen `enough` of
 * what grows as only bombs do.
 * @param contentEncoding the header: codings in the order in which they were applied
 */
export function unpackInto(next: Stage, contentEncoding: string | null): Stage {
  const codings = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  return codings.length > MOST_CODINGS ? refuse(next) : codings.reduce(unpackOne, next);
}

function unpackOne(next: Stage, coding: string): Stage {
  const createDecoder = DECODERS.get(coding);
  if (!createDecoder) return refuse(next);
  // Waits for the first byte, since a body without one is empty and not broken.
  let unpacking: Unpacking | null = null;
  return {
    async write(piece) {
      if (piece.length === 0) return;
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
  // Writers get the error, but there may be none left.
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

/** What comes from further on has no code and stays as it is. */
function reasonOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "unknown") return error;
  return new Stopped(code === "Z_BUF_ERROR" ? "body_incomplete" : "body_undecodable");
}

/** Resolves when all that the piece holds was handed on. */
async function feed(unpacking: Unpacking, piece: Uint8Array): Promise<void> {
  const { decoder, over } = unpacking;
  await Promise.race([over, new Promise<unknown>((taken) => decoder.write(piece, taken))]);
  while (decoder.readableLength > 0 && !decoder.destroyed) {
    await Promise.race([over, unpacking.giving]);
    // A decoder that goes on does so in the next round.
    await new Promise(setImmediate);
  }
  // It says that it took the piece also when it was stopped over it.
  if (decoder.destroyed) await over;
}

async function endDecoder({ decoder, over }: Unpacking): Promise<void> {
  decoder.end();
  await over;
}

/**
 * Bun 1.4.5 takes a zstd body that was cut for a whole one. But only after a whole one does it refuse a
 * byte that begins nothing.
 */
async function endZstd({ decoder }: Unpacking): Promise<void> {
  decoder.end(Uint8Array.of(0));
  const code = await finished(decoder).then(() => null, codeOf);
  if (code !== "ZSTD_error_prefix_unknown") throw new Stopped("body_incomplete");
}

/** For an unknown coding. Without a body it does not matter. */
const refuse = (next: Stage): Stage => ({
  ...next,
  write() {
    throw new Stopped("body_undecodable");
  },
});
