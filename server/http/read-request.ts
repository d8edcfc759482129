import { Elysia } from "elysia";
import { AppError, invalid, noSuchPath } from "../ground/lib/errors.ts";
import { contextOf } from "./caller.ts";

/** Enough to sign in and to set up, the only requests with a body that need no key or session. */
const STRANGER_BODY_LIMIT = 16 * 1024;
/** Bodies without a known caller that may arrive at the same time: 16 MiB in total. */
const MOST_STRANGERS = 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const tooLarge = (limit: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${limit / 1024} KiB.`);

/** What mail programs send there is a form that says nothing new (RFC 8058 §3.2). */
const FORMS = "/mail/";

/** Reads the body of every route that has one and does not read it itself: JSON in UTF-8, within limits of size and shape. */
export function createJsonBody() {
  const strangers = createCrowd(MOST_STRANGERS);
  return new Elysia({ name: "json-body" }).onParse({ as: "global" }, async ({ request }) => {
    const context = contextOf(request);
    if (context.path.startsWith(FORMS)) return undefined;
    // Anything but undefined, which the framework would read itself.
    if (context.isUpload) return null;
    const body = context.caller
      ? await readJson(request, context.bodyLimit)
      : await strangers.enter((cut) => readJson(request, STRANGER_BODY_LIMIT, cut));
    context.sentBody = body;
    return body;
  });
}

/** Limits how many run at the same time by aborting the oldest: an honest client sends its body immediately. */
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

/** Checks limits while reading, since a chunked body does not announce its size, and no body its shape. */
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

const DEEPEST = 32;
/** Far more than 1,000 links need, the most that a request may have. */
const MOST_VALUES = 50_000;

const badJson = (problem: string) => invalid({ body: [problem] }, `The body ${problem}.`);

/**
 * Checks the bytes of a body chunk by chunk, and rejects it if it has too many values or nests them too deeply, since
 * parsing and validating it would take long. An empty object or list counts as two values.
 */
function createShapeGuard(): (chunk: Uint8Array) => void {
  let isInText = false;
  let isEscaped = false;
  let depth = 0;
  let values = 1;
  return (chunk) => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OBJECT || byte === LIST) {
        depth += 1;
        values += 1;
      } else if (byte === OBJECT_END || byte === LIST_END) depth -= 1;
      else if (byte === COMMA) values += 1;
      if (depth > DEEPEST) throw badJson(`is nested deeper than ${DEEPEST} levels`);
      if (values > MOST_VALUES) {
        throw badJson(`has more than ${MOST_VALUES.toLocaleString("en")} values`);
      }
    }
  };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Reads the parameters of every route. The framework decodes those of the path, and gives null for what is not
 * percent-encoded UTF-8. A name given once in the query is a string, one given more often a list of strings: the
 * framework's own parser splits values at commas and reads brackets as JSON.
 */
export const parameters = new Elysia({ name: "parameters" }).onTransform(
  { as: "global" },
  (context) => {
    refuseBadPath(context.params);
    context.query = readQuery(context.request.url) as Record<string, string>;
  },
);

/** PostgreSQL stores no NUL, so no record has one in its name. @throws NOT_FOUND */
function refuseBadPath(params: Record<string, string | null | undefined> | undefined) {
  for (const value of Object.values(params ?? {})) {
    if (value == null || value.includes("\0")) throw noSuchPath();
  }
}

function readQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf("?");
  if (start < 0) return {};
  const params = new URLSearchParams(url.slice(start));
  const names = [...new Set(params.keys())];
  return Object.fromEntries(names.map((name) => [name, onlyOrAll(params.getAll(name))]));
}

const onlyOrAll = (values: string[]) => (values.length === 1 ? values[0]! : values);
