import { Elysia } from "elysia";
import { visitOf } from "../api/visit.ts";
import { AppError } from "../lib/errors.ts";
import { badJson, createShapeGuard } from "./json-shape.ts";

const KIB = 1024;
const BODY_LIMIT = 64 * KIB;
const BATCH_BODY_LIMIT = 4096 * KIB;
/** Enough to sign in and to set up, which is all that is open without a key or a session. */
const STRANGER_BODY_LIMIT = 16 * KIB;
/** So many of their bodies may be on their way at once: 16 MiB. */
const MOST_STRANGERS = 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The most bytes that a request to this path may carry. */
export const bodyLimitOf = (path: string) =>
  /\/links\/(batch(-delete|-change)?|preview)$/.test(path) ? BATCH_BODY_LIMIT : BODY_LIMIT;

export const tooLarge = (limit: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${limit / KIB} KiB.`);

/** Reads the body of every route that has one: JSON in UTF-8, with no more in it than allowed. */
export function createJsonBody() {
  const strangers = createCrowd(MOST_STRANGERS);
  return new Elysia({ name: "json-body" }).onParse({ as: "global" }, async ({ request, path }) => {
    const visit = visitOf(request);
    const body = visit.caller
      ? await readJson(request, bodyLimitOf(path))
      : await strangers.enter((cut) => readJson(request, STRANGER_BODY_LIMIT, cut));
    visit.sentBody = body;
    return body;
  });
}

/**
 * Keeps to so many at once by cutting off the one that came first, since a body that was sent honestly is there
 * at once.
 */
export function createCrowd(most: number) {
  const present = new Set<AbortController>();
  return {
    async enter<T>(work: (cut: AbortSignal) => Promise<T>): Promise<T> {
      const [oldest] = present;
      if (oldest && present.size >= most) {
        present.delete(oldest);
        oldest.abort();
      }
      const own = new AbortController();
      present.add(own);
      try {
        return await work(own.signal);
      } finally {
        present.delete(own);
      }
    },
  };
}

/** `undefined` when there is no body. */
async function readJson(request: Request, limit: number, cut?: AbortSignal): Promise<unknown> {
  const bytes = await readBytes(request, limit, cut);
  if (bytes.length === 0) return undefined;
  refuseOtherTypes(request);
  return parse(bytes);
}

/** Counted while it is read: a chunked body shows its size only as it comes, and no body says what is in it. */
async function readBytes(
  { body }: Request,
  limit: number,
  cut: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  cut?.addEventListener("abort", stop);
  const guard = createShapeGuard();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (cut?.aborted) throw tooMany();
      if (done) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      size += value.length;
      if (size > limit) throw tooLarge(limit);
      guard(value);
      chunks.push(value);
    }
  } finally {
    stop();
  }
}

const tooMany = () =>
  new AppError("SERVICE_UNAVAILABLE", "Too many requests are arriving. Try again.", undefined, {
    "retry-after": "1",
  });

function refuseOtherTypes(request: Request) {
  const given = request.headers.get("content-type") ?? "";
  const type = given.split(";")[0]!.trim().toLowerCase();
  if (type === "application/json") return;
  if (type === "application/merge-patch+json" && request.method === "PATCH") return;
  throw new AppError(
    "UNSUPPORTED_MEDIA_TYPE",
    `The body must be application/json, not ${type ? JSON.stringify(type) : "without a Content-Type"}.`,
  );
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const isText = error instanceof SyntaxError;
    throw badJson(isText ? "is not valid JSON" : "is not valid UTF-8");
  }
}
