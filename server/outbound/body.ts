import { type BodyProblem, bodyProblemOf } from "./failures.ts";

/** What could be read of a body: at most the cap, decompressed. */
export type Body = { bytes: Uint8Array; truncated: boolean; problem: BodyProblem | null };

const NOTHING: Body = { bytes: new Uint8Array(), truncated: false, problem: null };
const KNOWN_ENCODINGS = new Set(["", "identity", "gzip", "x-gzip", "deflate", "br", "zstd"]);

/**
 * Reads up to `cap` bytes and drops the rest unread. The cap counts decompressed bytes, so a small
 * answer that unpacks to gigabytes stays small. `late` ends the reading when it resolves.
 */
export async function readBody(
  response: Response,
  cap: number,
  late: Promise<"late">,
): Promise<Body> {
  const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  const reader = response.body?.getReader();
  if (!reader) return NOTHING;
  if (cap === 0) {
    reader.cancel().catch(() => {});
    return NOTHING;
  }
  const body = await readChunks(reader, cap, late);
  // Ends the connection too; without it an endless body would go on arriving.
  reader.cancel().catch(() => {});
  return KNOWN_ENCODINGS.has(encoding) ? body : { ...body, problem: "body_undecodable" };
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  cap: number,
  late: Promise<"late">,
): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const end = (problem: BodyProblem | null): Body => ({
    bytes: new Uint8Array(Buffer.concat(chunks).subarray(0, cap)),
    truncated: length > cap || problem !== null,
    problem,
  });
  while (length <= cap) {
    const next = await Promise.race([reader.read().catch((error: unknown) => ({ error })), late]);
    if (next === "late") return end("read_timeout");
    if ("error" in next) return end(bodyProblemOf(next.error));
    if (next.done) return end(null);
    chunks.push(next.value);
    length += next.value.byteLength;
  }
  return end(null);
}
