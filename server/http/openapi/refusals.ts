import { type ErrorCode, STATUS } from "../../lib/errors.ts";
import { headersOf } from "./parts.ts";
import { SCHEMA_REFERENCE } from "./schemas.ts";
import type { Example, Reply } from "./types.ts";

const OTHER_ID = "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b";

type Refusal = [message: string, details?: Record<string, unknown>];

/** When each code is returned, and examples of its message and details. */
const ERRORS: Record<ErrorCode, { when: string; examples: Refusal[] }> = {
  VALIDATION_ERROR: {
    when: "The body or the query is not valid. `details.fields` lists all problems.",
    examples: [
      [
        "The request is not valid.",
        { fields: { url: ["is required"], group_id: ["no such group"] } },
      ],
    ],
  },
  UNAUTHORIZED: {
    when: "The Authorization header is missing or does not have the form `Bearer <key>`.",
    examples: [["Send your API key as: Authorization: Bearer <key>"]],
  },
  INVALID_API_KEY: {
    when: "The key does not exist, or was rotated.",
    examples: [["This API key does not exist."]],
  },
  EXPIRED_API_KEY: {
    when: "The key's `expires_at` has passed.",
    examples: [["This API key has expired."]],
  },
  REVOKED_API_KEY: { when: "The key was revoked.", examples: [["This API key was revoked."]] },
  BUSINESS_PLAN_REQUIRED: {
    when: "The account's tier has no API access.",
    examples: [["The pro plan has no API access."]],
  },
  INSUFFICIENT_PERMISSIONS: {
    when: "The key lacks the required permission, would give a key more permissions or a later expiry than it has, or would change itself.",
    examples: [
      ["This needs the write permission."],
      ["A key cannot give a permission that it does not have.", { reason: "exceeds_caller" }],
      ["A key cannot change itself. Use another key, or the dashboard.", { reason: "own_key" }],
    ],
  },
  FORBIDDEN: {
    when: "The record belongs to another account.",
    examples: [["This link belongs to another account."]],
  },
  NOT_FOUND: {
    when: "The record or path does not exist, or the record was deleted.",
    examples: [["No such link."]],
  },
  METHOD_NOT_ALLOWED: {
    when: "The path exists, but does not allow this method. `Allow` lists the methods that it allows.",
    examples: [["Method PUT is not allowed here.", { allowed: ["GET", "HEAD"] }]],
  },
  CONFLICT: {
    when: "The request conflicts with the current state; `details.reason` says how.",
    examples: [
      ["This URL is already monitored.", { reason: "duplicate_url", existingId: OTHER_ID }],
      [
        "Your account can have 50000 links; 50000 are used.",
        { reason: "limit_reached", limit: 50_000, used: 50_000 },
      ],
      ["This idempotency key was used with another body.", { reason: "idempotency_key_reused" }],
      ["A request with this idempotency key is still running.", { reason: "in_progress" }],
      [
        "A record that this request refers to was deleted in the meantime.",
        { reason: "changed_meanwhile" },
      ],
      [
        "This was done before. Its reply held a secret and was not kept.",
        { reason: "secret_not_replayable", id: OTHER_ID },
      ],
      [
        "10 batches by group or status are running. Wait until one of them is complete.",
        { reason: "too_many_batches", limit: 10, used: 10 },
      ],
      ["This webhook is switched off. Switch it on first.", { reason: "webhook_off" }],
      ["An attempt is under way. Wait until it is over.", { reason: "in_flight" }],
      [
        "This digest is still gathering events and is sent automatically.",
        { reason: "still_gathering" },
      ],
      [
        "This server's secret key was replaced. Enter the URL of this webhook again and give it a new signing secret.",
        { reason: "secret_key_replaced" },
      ],
      [
        "2 old secrets still sign. Rotate again after 2026-01-02T00:00:00.000Z, when the first of them ends, or with a grace_period_seconds of 0.",
        { reason: "too_many_secrets", firstExpiresAt: "2026-01-02T00:00:00.000Z" },
      ],
    ],
  },
  PRECONDITION_FAILED: {
    when: "`If-Match` was sent and the record has changed since.",
    examples: [["The record has changed since you read it. Read it again."]],
  },
  PAYLOAD_TOO_LARGE: {
    when: "The body is larger than 64 KiB, or 4 MiB on paths that take many links.",
    examples: [["The body must be at most 64 KiB."]],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "The body is not `application/json`.",
    examples: [['The body must be application/json, not "text/plain".']],
  },
  RATE_LIMITED: {
    when: "Too many requests. Wait for `Retry-After` or `details.retryAfter` seconds.",
    examples: [
      ["Too many requests. Try again in 14 seconds.", { retryAfter: 14, limit: 120, remaining: 0 }],
    ],
  },
  INTERNAL_ERROR: {
    when: "An unexpected error on the server, logged with the request's id.",
    examples: [["Something went wrong on our side. It has been logged."]],
  },
  SERVICE_UNAVAILABLE: {
    when: "The server is stopping, or its database cannot be written. Retry after `Retry-After` seconds.",
    examples: [["The database cannot be written now."]],
  },
};

const CODES = Object.keys(STATUS) as ErrorCode[];

/** Every code with its status and when it is returned, as a table in Markdown. */
export const errorTable = () =>
  [
    "| Code | Status | When |",
    "|---|---|---|",
    ...CODES.map((code) => `| \`${code}\` | ${STATUS[code]} | ${ERRORS[code].when} |`),
  ].join("\n");

/** The shared replies by status: their name among the components, their meaning, and a header of their own. */
const STATUSES: Record<number, [name: string, description: string, header?: string]> = {
  400: ["BadRequest", "The body or the query is not valid."],
  401: ["Unauthorized", "The API key is missing or not valid.", "WWW-Authenticate"],
  403: ["Forbidden", "The key, the plan or the account does not allow this."],
  404: ["NotFound", "The record does not exist."],
  405: ["MethodNotAllowed", "The path does not allow this method.", "Allow"],
  409: ["Conflict", "The request conflicts with the current state."],
  412: ["PreconditionFailed", "The record has changed since you read it."],
  413: ["PayloadTooLarge", "The body is too large."],
  415: ["UnsupportedMediaType", "The body is not JSON."],
  429: ["TooManyRequests", "A rate limit is exceeded.", "Retry-After"],
  500: ["InternalError", "An unexpected error on the server."],
  503: ["ServiceUnavailable", "The server is temporarily unable to do this.", "Retry-After"],
};

/** Whether replies with this status have the shared shape of errors. */
export const isRefusal = (status: number) => status in STATUSES;

export const refusalReference = (status: number) => ({
  $ref: `#/components/responses/${STATUSES[status]![0]}`,
});

/** All of them, for `components.responses`. */
export const refusalReplies = (): Record<string, Reply> =>
  Object.fromEntries(
    Object.entries(STATUSES).map(([status, [name, description, header]]) => [
      name,
      {
        description,
        headers: headersOf(...(header ? [header] : [])),
        content: {
          "application/json": {
            schema: { $ref: `${SCHEMA_REFERENCE}Error` },
            examples: Object.fromEntries(examplesOf(Number(status))),
          },
        },
      },
    ]),
  );

const examplesOf = (status: number): [string, Example][] =>
  CODES.filter((code) => STATUS[code] === status).flatMap((code) =>
    ERRORS[code].examples.map(([message, details]) => [
      details?.reason ? `${code}.${details.reason}` : code,
      {
        summary: message,
        value: { error: { code, message, status, ...(details && { details }) } },
      },
    ]),
  );
