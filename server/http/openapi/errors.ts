import { type ErrorCode, STATUS } from "../../lib/errors.ts";
import { SCHEMA_REFERENCE } from "./schemas.ts";
import type { Example, Reply } from "./types.ts";

/** One way to be refused: what a client reads, and the details that come with it. */
type Refusal = { message: string; details?: Record<string, unknown> };

type Described = { when: string; refusals: Refusal[] };

const OTHER_ID = "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b";

/** When each code is given, and how it reads. */
const ERRORS: Record<ErrorCode, Described> = {
  VALIDATION_ERROR: {
    when: "The body or the query fails validation. `details.fields` tells every problem at once.",
    refusals: [
      {
        message: "The request is not valid.",
        details: {
          fields: {
            url: ["is required"],
            check_frequency: ["must be one of: hourly, daily, weekly, monthly"],
            group_id: ["no such group"],
          },
        },
      },
    ],
  },
  UNAUTHORIZED: {
    when: "The Authorization header is missing or not of the form `Bearer <key>`.",
    refusals: [{ message: "Send your API key as: Authorization: Bearer <key>" }],
  },
  INVALID_API_KEY: {
    when: "There is no such key, or it was rotated.",
    refusals: [{ message: "This API key does not exist." }],
  },
  EXPIRED_API_KEY: {
    when: "The key's `expires_at` has passed.",
    refusals: [{ message: "This API key has expired." }],
  },
  REVOKED_API_KEY: {
    when: "The key was deleted.",
    refusals: [{ message: "This API key was revoked." }],
  },
  BUSINESS_PLAN_REQUIRED: {
    when: "The account's tier has no API access.",
    refusals: [{ message: "The pro plan has no API access." }],
  },
  INSUFFICIENT_PERMISSIONS: {
    when: "The key lacks the permission that the method needs, would give a key more permissions or a later expiry than it has, or would change itself.",
    refusals: [
      { message: "This needs the write permission." },
      {
        message: "A key cannot give a permission that it does not have.",
        details: { reason: "exceeds_caller" },
      },
      {
        message: "A key cannot change itself. Use another key, or the dashboard.",
        details: { reason: "own_key" },
      },
    ],
  },
  FORBIDDEN: {
    when: "The record belongs to another account.",
    refusals: [{ message: "This link belongs to another account." }],
  },
  NOT_FOUND: {
    when: "There is no such record or path, or the record was deleted.",
    refusals: [{ message: "No such link." }],
  },
  METHOD_NOT_ALLOWED: {
    when: "The path exists, but not with this method. `Allow` names the methods it takes.",
    refusals: [{ message: "PUT is not possible here.", details: { allowed: ["GET", "HEAD"] } }],
  },
  CONFLICT: {
    when: "The request contradicts what is there; `details.reason` says how.",
    refusals: [
      {
        message: "This URL is already monitored.",
        details: { reason: "duplicate_url", existingId: OTHER_ID },
      },
      {
        message: "Your account can have 50000 links; 50000 are used.",
        details: { reason: "limit_reached", limit: 50_000, used: 50_000 },
      },
      {
        message: "This idempotency key was used with another body.",
        details: { reason: "idempotency_key_reused" },
      },
      {
        message: "A request with this idempotency key is still running.",
        details: { reason: "in_progress" },
      },
      {
        message: "Something that this refers to was deleted meanwhile.",
        details: { reason: "changed_meanwhile" },
      },
      {
        message: "This was done before. Its reply held a secret and was not kept.",
        details: { reason: "secret_not_replayable", id: OTHER_ID },
      },
      {
        message: "10 batches by group or status are running. Wait until one of them is complete.",
        details: { reason: "too_many_batches", limit: 10, used: 10 },
      },
      {
        message: "This webhook is switched off. Switch it on first.",
        details: { reason: "webhook_off" },
      },
      {
        message: "An attempt is under way. Wait until it is over.",
        details: { reason: "in_flight" },
      },
      {
        message: "This digest is still gathering events and is sent automatically.",
        details: { reason: "still_gathering" },
      },
      {
        message:
          "This server's secret key was replaced. Enter the URL of this webhook again and give it a new signing secret.",
        details: { reason: "secret_key_replaced" },
      },
      {
        message:
          "2 old secrets still sign. Rotate again after 2026-01-02T00:00:00.000Z, when the first " +
          "of them ends, or with a grace_period_seconds of 0.",
        details: { reason: "too_many_secrets", firstExpiresAt: "2026-01-02T00:00:00.000Z" },
      },
    ],
  },
  PRECONDITION_FAILED: {
    when: "`If-Match` was given and the record has changed since.",
    refusals: [{ message: "The record has changed since you read it. Read it again." }],
  },
  PAYLOAD_TOO_LARGE: {
    when: "The body is over 64 KiB, or over 4 MiB on the paths that take many links.",
    refusals: [{ message: "The body must be at most 64 KiB." }],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "There is a body, and it is not `application/json`.",
    refusals: [{ message: 'The body must be application/json, not "text/plain".' }],
  },
  RATE_LIMITED: {
    when: "Too many requests. `Retry-After` and `details.retryAfter` say how many seconds to wait.",
    refusals: [
      {
        message: "Too many requests. Try again in 14 seconds.",
        details: { retryAfter: 14, limit: 120, remaining: 0 },
      },
    ],
  },
  INTERNAL_ERROR: {
    when: "Something unexpected on the server. It has been logged under the request's id.",
    refusals: [{ message: "Something went wrong on our side. It has been logged." }],
  },
  SERVICE_UNAVAILABLE: {
    when: "The server is stopping, or its database cannot be written. `Retry-After` says when to come back.",
    refusals: [{ message: "The database cannot be written now." }],
  },
};

/** Every code with its status and when it is given, as a table in Markdown. */
export const errorTable = () =>
  [
    "| Code | Status | When |",
    "|---|---|---|",
    ...(Object.keys(STATUS) as ErrorCode[]).map(
      (code) => `| \`${code}\` | ${STATUS[code]} | ${ERRORS[code].when} |`,
    ),
  ].join("\n");

/** The shared refusals by HTTP status: their name among the components, and headers of their own. */
const STATUSES: Record<number, { name: string; description: string; headers?: string[] }> = {
  400: { name: "BadRequest", description: "The body or the query is not valid." },
  401: {
    name: "Unauthorized",
    description: "No valid API key.",
    headers: ["WWW-Authenticate"],
  },
  403: { name: "Forbidden", description: "The key, the plan or the account does not allow it." },
  404: { name: "NotFound", description: "There is no such record." },
  405: {
    name: "MethodNotAllowed",
    description: "The path does not take this method.",
    headers: ["Allow"],
  },
  409: { name: "Conflict", description: "The request contradicts what is there." },
  412: { name: "PreconditionFailed", description: "The record has changed since it was read." },
  413: { name: "PayloadTooLarge", description: "The body is too large." },
  415: { name: "UnsupportedMediaType", description: "The body is not JSON." },
  429: {
    name: "TooManyRequests",
    description: "A rate limit is exceeded.",
    headers: ["Retry-After"],
  },
  500: { name: "InternalError", description: "Something unexpected on the server." },
  503: {
    name: "ServiceUnavailable",
    description: "The server cannot do it now.",
    headers: ["Retry-After"],
  },
};

/** The statuses that are refusals of the shared shape. */
export const isRefusal = (status: number) => status in STATUSES;

export const refusalReference = (status: number) => ({
  $ref: `#/components/responses/${STATUSES[status]!.name}`,
});

/** Every refusal for `components.responses`. @param headersOf what every reply has, and the named ones */
export const refusalReplies = (
  headersOf: (...names: string[]) => Reply["headers"],
): Record<string, Reply> =>
  Object.fromEntries(
    Object.entries(STATUSES).map(([status, { name, description, headers = [] }]) => [
      name,
      {
        description,
        headers: headersOf(...headers)!,
        content: {
          "application/json": {
            schema: { $ref: `${SCHEMA_REFERENCE}Error` },
            examples: examplesOf(Number(status)),
          },
        },
      },
    ]),
  );

function examplesOf(status: number): Record<string, Example> {
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => STATUS[code] === status);
  return Object.fromEntries(
    codes.flatMap((code) => ERRORS[code].refusals.map((refusal) => exampleOf(code, refusal))),
  );
}

function exampleOf(code: ErrorCode, { message, details }: Refusal): [string, Example] {
  const name = typeof details?.reason === "string" ? `${code}.${details.reason}` : code;
  const error = { code, message, status: STATUS[code], ...(details && { details }) };
  return [name, { summary: message, value: { error } }];
}
