import { type Stage, Stopped, unpackInto } from "./decompress.ts";
import type { BodyProblem } from "./failures.ts";

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
