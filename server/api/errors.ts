import { Elysia, ParseError, ValidationError } from "elysia";
import type * as z from "zod";
import { isAnswered, isGone, isUnavailable } from "../db/store.ts";
import {
  AppError,
  conflict,
  type FieldProblems,
  invalid,
  noSuchPath,
  STATUS,
  toErrorBody,
} from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { newId } from "../lib/ids.ts";
import { describeError, log } from "../lib/log.ts";
import { contextOf, type RequestContext } from "./caller.ts";

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

/** For errors outside the handling of requests, where there is no context. */
export function toLastResort(error: unknown): Response {
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

function toAppError(error: unknown, request: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ValidationError) return toRefusal(error, request);
  if (error instanceof ParseError) return toUnreadable(error);
  if (codeOf(error) === "NOT_FOUND") return noSuchPath();
  if (isGone(error)) return GONE;
  if (isAnswered(error)) return ANSWERED;
  if (isUnavailable(error)) return toOutOfOrder(error);
  log.error("unexpected error", { request, ...describeError(error) });
  return internal();
}

/** The framework wraps what reading the body throws. Apart from our own errors it fails if the sender stops. */
const toUnreadable = ({ cause }: ParseError): AppError =>
  cause instanceof AppError ? cause : invalid({ body: ["is incomplete"] });

const GONE = conflict("A record that this request refers to was deleted in the meantime.", {
  reason: "changed_meanwhile",
});

/** Not sent: the stored reply replaces it. */
const ANSWERED = conflict("An equal request was completed in the meantime.", {
  reason: "changed_meanwhile",
});

const internal = () =>
  new AppError("INTERNAL_ERROR", "Something went wrong on our side. It has been logged.");

/** Temporary until the operator frees disk space or restarts the database, so the caller may retry. */
function toOutOfOrder(error: unknown): AppError {
  log.error("database unavailable", describeError(error));
  return unavailable("The database cannot be written now.");
}

const unavailable = (message: string) =>
  new AppError("SERVICE_UNAVAILABLE", message, undefined, { "retry-after": "10" });

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

function toRefusal(error: ValidationError, request: string): AppError {
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
