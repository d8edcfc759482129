import { Elysia } from "elysia";
import { AppError, invalid } from "../lib/errors.ts";
import { visitOf } from "./visit.ts";

const KIB = 1024;
const BODY_LIMIT = 64 * KIB;
const BATCH_BODY_LIMIT = 4096 * KIB;
const DEEPEST = 32;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The most bytes that a request to this path may carry. */
export const bodyLimitOf = (path: string) =>
  /\/links\/(batch(-delete|-change)?|preview)$/.test(path) ? BATCH_BODY_LIMIT : BODY_LIMIT;

export const tooLarge = (limit: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${limit / KIB} KiB.`);

/** Reads the body of every route that has one: JSON in UTF-8, no larger and no deeper than allowed. */
export const jsonBody = new Elysia({ name: "json-body" }).onParse(
  { as: "global" },
  async ({ request, path }) => {
    const body = await readJson(request, bodyLimitOf(path));
    visitOf(request).sentBody = body;
    return body;
  },
);

/** `undefined` when there is no body. */
async function readJson(request: Request, limit: number): Promise<unknown> {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return undefined;
  refuseOtherTypes(request);
  const value = parse(bytes);
  if (isDeeperThan(value, DEEPEST)) throw badJson(`is nested deeper than ${DEEPEST} levels`);
  return value;
}

/** A chunked body tells its size only as it comes, so it is counted while it is read. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

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

const badJson = (problem: string) => invalid({ body: [problem] }, `The body ${problem}.`);

/** Counts by level instead of by recursion: depth is what the sender chose. */
function isDeeperThan(value: unknown, most: number): boolean {
  let level = [value].filter(isNest);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((nest) => Object.values(nest)).filter(isNest);
  }
  return false;
}

const isNest = (value: unknown): value is object => typeof value === "object" && value !== null;
