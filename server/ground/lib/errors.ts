import { existsSync, readFileSync } from "node:fs";
import { describeError } from "./log.ts";

/** The error codes of the API with their HTTP status. */
export const STATUS = {
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  EXPIRED_API_KEY: 401,
  REVOKED_API_KEY: 401,
  FORBIDDEN: 403,
  BUSINESS_PLAN_REQUIRED: 403,
  INSUFFICIENT_PERMISSIONS: 403,
  VALIDATION_ERROR: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** Field path → what is wrong with it: "url" → ["is required"]. */
export type FieldProblems = Record<string, string[]>;

/** An error that the caller may read. Any other error is a bug and becomes a 500 without details. */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: Record<string, unknown>,
    /** Response headers that belong to this refusal, such as `Allow`. */
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The `error` object of the envelope, also used per item in batch results. */
export const toErrorBody = (error: AppError) => ({
  code: error.code,
  message: error.message,
  status: STATUS[error.code],
  ...(error.details && { details: error.details }),
});

export const notFound = (what: string) => new AppError("NOT_FOUND", `No such ${what}.`);

export const noSuchPath = () => new AppError("NOT_FOUND", "There is nothing at this path.");

export const foreign = (what: string) =>
  new AppError("FORBIDDEN", `This ${what} belongs to another account.`);

export const invalid = (fields: FieldProblems, message = "The request is not valid.") =>
  new AppError("VALIDATION_ERROR", message, { fields });

export const conflict = (message: string, details: Record<string, unknown>) =>
  new AppError("CONFLICT", message, details);

/** @param advice a sentence: what to do instead */
export function limitReached(what: string, limit: number, used: number, advice?: string) {
  const fact = `Your account can have ${limit} ${what}; ${used} are used.`;
  return conflict(advice ? `${fact} ${advice}` : fact, { reason: "limit_reached", limit, used });
}

/**
 * A record that a body is about. A bad body is refused even where the record is missing or belongs to another
 * account, and otherwise by the change itself, which reports every problem at once.
 */
export async function findForChange<T>(finding: Promise<T>, readBody: () => unknown): Promise<T> {
  try {
    return await finding;
  } catch (error) {
    readBody();
    throw error;
  }
}

/** What is wrong with a setting, where that takes a sentence of its own. */
export class SettingProblem extends Error {}

/** The command line is wrong. */
export class UsageError extends Error {}

/** An error for the operator: what failed, why, and where to look. */
export function failure(what: string, error: unknown, hint?: string): Error {
  const why = asSentence(inWords(describeError(error).error));
  return new Error(`${what}: ${why}${hint ? ` ${hint}` : ""}`, { cause: error });
}

/** Turns "ENOENT: no such file or directory, open 'x'" into "no such file or directory (x)". */
export function inWords(text: string): string {
  const [, reason, path] = /^E[A-Z]+: ([^,]+), \w+(?: '(.+)')?$/.exec(text) ?? [];
  if (!reason) return text;
  return path ? `${reason} (${path})` : reason;
}

const asSentence = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`);

/**
 * As `failure`, for a file: also names the user of the process, who may be another one than the operator expects.
 */
export const fileFailure = (what: string, error: unknown, hint: string): Error =>
  failure(what, error, hint + whoRuns());

/** Not `userInfo()` of `node:os`, which believes `USER`. Empty where users have no numbers. */
function whoRuns(): string {
  const id = process.geteuid?.();
  return id === undefined ? "" : ` This runs as the user ${nameOf(id)}.`;
}

function nameOf(id: number): string {
  const users = existsSync(USERS) ? readFileSync(USERS, "utf8") : "";
  return new RegExp(`^([^:\n]+):[^:\n]*:${id}:`, "m").exec(users)?.[1] ?? String(id);
}

const USERS = "/etc/passwd";

/** This machine ran out of a resource, which proves nothing about the server. */
const EXHAUSTED = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EADDRNOTAVAIL"]);

/** Whether a request failed for lack of descriptors, memory or ports. */
export const isExhausted = (error: unknown) => EXHAUSTED.has(codeOf(error));

/** Returns the code of an error for evidence, without addresses or other foreign text. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown";
