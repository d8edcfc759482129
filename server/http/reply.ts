import { Elysia, ElysiaCustomStatusResponse, ParseError, ValidationError } from "elysia";
import * as z from "zod";
import { isAnswered, isGone, isUnavailable } from "../ground/db/store.ts";
import {
  AppError,
  conflict,
  type FieldProblems,
  invalid,
  noSuchPath,
  STATUS,
  toErrorBody,
} from "../ground/lib/errors.ts";
import { problemsOf } from "../ground/lib/fields.ts";
import { newId } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import type { CursorPage, Page, PageQuery } from "../ground/lib/paging.ts";
import { contextOf, type RequestContext } from "./caller.ts";

/** The success envelope: one top-level key. @param description what this reply means, where its status does not say */
export const data = <T extends z.ZodType>(schema: T, description?: string) =>
  declared(z.object({ data: schema }).meta(description ? { description } : {}));

/**
 * A reply's schema is for types and documents only: the compiler and all tests check that replies match it, and
 * validating each reply would cost as much as reading the record.
 */
const declared = <T extends z.ZodType>(schema: T): T =>
  Object.create(schema, {
    "~standard": { value: { ...schema["~standard"], validate: (value: unknown) => ({ value }) } },
  });

export const Pagination = z
  .object({
    page: z.int(),
    per_page: z.int(),
    total: z.int(),
    total_pages: z.int(),
  })
  .meta({ id: "Pagination", example: { page: 1, per_page: 20, total: 57, total_pages: 3 } });

export const pageOf = <T extends z.ZodType>(schema: T) =>
  data(z.object({ items: z.array(schema), pagination: Pagination }));

/** For lists that have no page numbers. */
export const cursorPageOf = <T extends z.ZodType>(schema: T) =>
  data(z.object({ items: z.array(schema), next_cursor: z.string().nullable() }));

export const ErrorReply = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(STATUS) as [keyof typeof STATUS]),
      message: z.string(),
      status: z.int(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: "Error" });

/** Serialises every reply once and adds a weak ETag to those of GET, so that clients with the current state get 304. */
export const replies = new Elysia({ name: "replies" }).mapResponse(
  { as: "global" },
  ({ responseValue, set, request, route }) => {
    const context = contextOf(request);
    context.route = route;
    const custom = responseValue instanceof ElysiaCustomStatusResponse;
    const value: unknown = custom ? responseValue.response : responseValue;
    const status = custom ? responseValue.code : Number(set.status ?? 200);
    if (value instanceof Response) return;
    const { headers } = context;
    for (const name in set.headers) setHeader(headers, name, set.headers[name]);
    context.hasHeaders = true;
    // Otherwise the framework copies the response with its stream and cookies.
    set.headers = {};
    set.status = 200;
    if (value === undefined) return new Response(null, { status, headers });
    return jsonResponse(value, status, headers, request);
  },
);

/** A list becomes one header per value, as several cookies require. */
function setHeader(headers: Headers, name: string, value: unknown) {
  headers.delete(name);
  for (const each of [value].flat()) headers.append(name, String(each));
}

function jsonResponse(
  value: unknown,
  status: number,
  headers: Headers,
  request: Request,
): Response {
  const body = JSON.stringify(value);
  if (request.method === "GET" || request.method === "HEAD") {
    const etag = etagOf(body);
    headers.set("ETag", etag);
    headers.set("Cache-Control", "private, no-cache");
    if (matches(request.headers.get("if-none-match"), etag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  headers.set("Content-Type", JSON_TYPE);
  const isOfDashboard = contextOf(request).path.startsWith("/dashboard/api/");
  return isOfDashboard
    ? compressedReply(body, status, headers, request)
    : new Response(body, { status, headers });
}

/** Compressed where that is worth it and harmless. */
export function compressedReply(
  body: string,
  status: number,
  headers: Headers,
  request: Request,
): Response {
  if (!isWorthCompressing(body, request)) return new Response(body, { status, headers });
  headers.append("Vary", "Accept-Encoding");
  if (!takesEncoding(request, "gzip")) return new Response(body, { status, headers });
  headers.set("Content-Encoding", "gzip");
  return new Response(Bun.gzipSync(body, { level: COMPRESSION }), { status, headers });
}

/** Shorter replies fit into one packet anyway. */
const LEAST_COMPRESSED = 1024;

/** Of 1 to 9: higher ones take twice the time for 2 % less. */
const COMPRESSION = 4;

/**
 * What the dashboard reads. The length of a compressed reply can reveal a secret that stands next to what someone else
 * chose (BREACH). Here is none: the session is in an HttpOnly cookie, no token against forged requests is in any body,
 * and keys and signing secrets are shown in replies to POST only. Requests of other sites' pages get no compression.
 */
function isWorthCompressing(body: string, request: Request): boolean {
  if (request.method !== "GET" || body.length < LEAST_COMPRESSED) return false;
  return [null, "same-origin", "none"].includes(request.headers.get("sec-fetch-site"));
}

const CODINGS = {
  br: /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
};

/** Whether the client accepts the coding (RFC 9110 §12.5.3). */
export const takesEncoding = ({ headers }: Request, coding: keyof typeof CODINGS) =>
  CODINGS[coding].test(headers.get("accept-encoding") ?? "");

const etagOf = (body: string) => `W/"${Bun.hash(body).toString(36)}"`;

/** RFC 9110 §13.1.2: a list of tags, compared weakly, or `*`. */
export function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((tag) => weak(tag) === weak(etag));
}

const weak = (tag: string) => tag.trim().replace(/^W\//, "");

/** The errors that every route behind a door may return. */
export const refusals = {
  400: ErrorReply,
  401: ErrorReply,
  403: ErrorReply,
  429: ErrorReply,
  500: ErrorReply,
  503: ErrorReply,
};

/** Errors of a route for one record. */
export const recordRefusals = { ...refusals, 404: ErrorReply };

/** Errors of a route that creates something: a limit is reached, or an idempotency key is reused. */
export const createRefusals = { ...refusals, 409: ErrorReply, 413: ErrorReply, 415: ErrorReply };

/** The envelope of a list. Sets the `Link` header (RFC 8288) to its pages, with all filters. */
export function toPage<Row, Item>(
  { items, total }: Page<Row>,
  query: PageQuery,
  toItem: (row: Row) => Item,
  { request, set }: { request: Request; set: { headers: Record<string, unknown> } },
) {
  const totalPages = Math.ceil(total / query.per_page);
  set.headers.link = linkHeader(request.url, query.page, totalPages);
  const pagination = { page: query.page, per_page: query.per_page, total, total_pages: totalPages };
  return { data: { items: items.map(toItem), pagination } };
}

/** The same for a list without page numbers: the `Link` header has the next page, if there is one. */
export function toCursorPage<Row, Item>(
  { items, nextCursor }: CursorPage<Row>,
  toItem: (row: Row) => Item,
  { request, set }: { request: Request; set: { headers: Record<string, unknown> } },
) {
  if (nextCursor !== null) {
    set.headers.link = `<${urlWith(request.url, "cursor", nextCursor)}>; rel="next"`;
  }
  return { data: { items: items.map(toItem), next_cursor: nextCursor } };
}

function linkHeader(url: string, page: number, totalPages: number): string {
  const last = Math.max(totalPages, 1);
  const relations: [string, number][] = [["first", 1]];
  if (page > 1) relations.push(["prev", Math.min(page - 1, last)]);
  if (page < last) relations.push(["next", page + 1]);
  relations.push(["last", last]);
  return relations
    .map(([rel, n]) => `<${urlWith(url, "page", String(n))}>; rel="${rel}"`)
    .join(", ");
}

/** Relative to the host, so that it is correct behind any proxy. */
function urlWith(url: string, name: "page" | "cursor", value: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.set(name, value);
  return `${pathname}?${searchParams}`;
}

/** Replies with a text that never changes while the process runs. It is made for the first request. */
export function cachedReplies(type: string, make: () => string) {
  let made: { body: string; etag: string } | undefined;
  return ({ request }: { request: Request }) => {
    made ??= withTag(make());
    const { body, etag } = made;
    const headers = { etag, "cache-control": "no-cache", "content-type": type };
    const isKnown = matches(request.headers.get("if-none-match"), etag);
    return new Response(isKnown ? null : body, { status: isKnown ? 304 : 200, headers });
  };
}

const withTag = (body: string) => ({ body, etag: etagOf(body) });

/** The only place where an error becomes a response. */
export const errors = new Elysia({ name: "errors" }).onError(
  { as: "global" },
  ({ error, set, request, route }) => {
    const context = contextOf(request);
    context.route = route;
    const response = toErrorResponse(error, context);
    // A reply of 200 would leave with the status that the error had.
    set.status = response.status;
    return response;
  },
);

/** A complete reply, thrown past a route whose own replies have another type. */
export class ReadyReply extends Error {
  constructor(readonly response: Response) {
    super("ready reply");
  }
}

/** An error response with a request id of its own, where there is no context. */
export function toStandaloneErrorResponse(error: unknown): Response {
  const requestId = newId();
  const response = toErrorResponse(error, { requestId });
  response.headers.set("x-request-id", requestId);
  return response;
}

/** Also for errors outside routes. Unexpected ones are logged with the request id that the caller gets. */
export function toErrorResponse(
  error: unknown,
  { requestId }: Pick<RequestContext, "requestId">,
): Response {
  if (error instanceof ReadyReply) return error.response;
  const known = toAppError(error, requestId);
  return Response.json(
    { error: toErrorBody(known) },
    { status: STATUS[known.code], headers: { "content-type": JSON_TYPE, ...known.headers } },
  );
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** What the caller may read of an error. @param request its id, for the log */
export function toAppError(error: unknown, request: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ValidationError) return toValidationError(error, request);
  if (error instanceof ParseError) return toBodyError(error);
  if ((error as { code?: unknown } | null)?.code === "NOT_FOUND") return noSuchPath();
  if (isGone(error)) return REFERENCE_DELETED;
  if (isAnswered(error)) return ANSWERED_BEFORE;
  if (isUnavailable(error)) return toUnavailable(error);
  log.error("unexpected error", { request, ...describeError(error) });
  return internal();
}

/** The framework wraps what reading the body throws. Apart from our own errors it fails if the sender stops. */
const toBodyError = ({ cause }: ParseError): AppError =>
  cause instanceof AppError ? cause : invalid({ body: ["is incomplete"] });

const REFERENCE_DELETED = conflict(
  "A record that this request refers to was deleted in the meantime.",
  {
    reason: "changed_meanwhile",
  },
);

/** Not sent: the stored reply replaces it. */
const ANSWERED_BEFORE = conflict("An equal request was completed in the meantime.", {
  reason: "changed_meanwhile",
});

const internal = () =>
  new AppError("INTERNAL_ERROR", "Something went wrong on our side. It has been logged.");

/** Temporary until the operator frees disk space or restarts the database, so the caller may retry. */
function toUnavailable(error: unknown): AppError {
  log.error("database unavailable", describeError(error));
  const message = "The database is not available now. Try again later.";
  return new AppError("SERVICE_UNAVAILABLE", message, undefined, { "retry-after": "10" });
}

function toValidationError(error: ValidationError, request: string): AppError {
  const problems = problemsIn(error);
  if (error.type === "response") {
    log.error("reply does not match its schema", { request, problems });
    return internal();
  }
  for (const name of repeatedNames(error)) problems[name] = ["must be given once"];
  return invalid(problems);
}

/** The framework's own list of problems is truncated and has joined paths, so the value is validated again. */
function problemsIn({ validator, value }: ValidationError): FieldProblems {
  const { schema = validator } = validator as unknown as { schema?: z.ZodType };
  const read = (schema as z.ZodType).safeParse(value);
  return read.success ? {} : problemsOf(read.error);
}

/** The query parameters that were given more than once, which arrive as lists. */
function repeatedNames({ type, value }: ValidationError): string[] {
  if (type !== "query") return [];
  const query = Object.entries((value ?? {}) as object);
  return query.filter(([, given]) => Array.isArray(given)).map(([name]) => name);
}
