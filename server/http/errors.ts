import { Elysia, ValidationError } from "elysia";
import { AppError, type FieldProblems, invalid, STATUS, toErrorBody } from "../lib/errors.ts";
import { fieldName } from "../lib/fields.ts";
import { describeError, log } from "../lib/log.ts";

/** The only place where an error becomes a response. */
export const errors = new Elysia({ name: "errors" }).onError({ as: "global" }, ({ error }) =>
  toErrorResponse(error),
);

/** A reply that is complete already, thrown past a route whose own replies have another type. */
export class ReadyReply extends Error {
  constructor(readonly response: Response) {
    super("ready reply");
  }
}

export function toErrorResponse(error: unknown): Response {
  if (error instanceof ReadyReply) return error.response;
  const known = toAppError(error);
  return Response.json(
    { error: toErrorBody(known) },
    { status: STATUS[known.code], headers: { "content-type": JSON_TYPE, ...known.headers } },
  );
}

export const JSON_TYPE = "application/json; charset=utf-8";

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ValidationError) return toRefusal(error);
  if (codeOf(error) === "NOT_FOUND")
    return new AppError("NOT_FOUND", "There is nothing at this path.");
  if (isFull(error)) return unavailable("The database cannot be written now.");
  log.error("unexpected error", describeError(error));
  return new AppError("INTERNAL_ERROR", "Something went wrong on our side. It has been logged.");
}

export const unavailable = (message: string) =>
  new AppError("SERVICE_UNAVAILABLE", message, undefined, { "retry-after": "10" });

/** A full disk or a database gone read-only heals when somebody makes room: the caller may come back. */
function isFull(error: unknown): boolean {
  const code = codeOf(error instanceof Error && error.cause ? error.cause : error);
  return /^SQLITE_(FULL|READONLY|IOERR|BUSY)/.test(code ?? "");
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** What our schemas report: zod's issues, each with the way to the value. */
type Issue = { path?: PropertyKey[]; message: string; input?: unknown };

function toRefusal(error: ValidationError): AppError {
  if (error.type === "response") {
    log.error("a reply does not fit its schema", { issues: error.all });
    return new AppError("INTERNAL_ERROR", "Something went wrong on our side. It has been logged.");
  }
  const fields: FieldProblems = {};
  const repeated = repeatedNames(error);
  for (const issue of issuesOf(error)) {
    const name = fieldName(issue.path ?? []);
    const message = repeated.has(name) ? "must be given once" : issue.message;
    fields[name] = [...new Set([...(fields[name] ?? []), message])];
  }
  return invalid(fields);
}

/** A name given twice in a query arrives as a list. */
function repeatedNames({ type, value }: ValidationError): Set<string> {
  if (type !== "query") return new Set();
  const query = Object.entries((value ?? {}) as object);
  return new Set(query.filter(([, given]) => Array.isArray(given)).map(([name]) => name));
}

const issuesOf = (error: ValidationError) => error.all as unknown as Issue[];
