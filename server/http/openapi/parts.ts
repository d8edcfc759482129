import { type ErrorCode, STATUS } from "../../ground/lib/errors.ts";
import {
  type Document,
  type Example,
  type Header,
  type Parameter,
  type Reference,
  type Reply,
  SCHEMA_REFERENCE,
} from "./schemas.ts";

const wholeOrText = (example: string | number) =>
  typeof example === "number" ? { type: "integer", minimum: 0 } : { type: "string" };

const header = (description: string, example: string | number): Header => ({
  description,
  schema: wholeOrText(example),
  example,
});
const required = (description: string, example: string | number): Header => ({
  description,
  required: true,
  schema: wholeOrText(example),
  example,
});

/** The headers of replies that a client may want to read. */
const HEADERS: Record<string, Header> = {
  "X-Request-Id": required(
    "Identifies this request in the server's log. Yours, if you sent one.",
    "0197a1b2-8888-7e1d-9c2b-3a4f5e6d7c8b",
  ),
  "X-RateLimit-Limit": header("Requests allowed in any 60 seconds.", 120),
  "X-RateLimit-Remaining": header("Requests left in the current minute.", 117),
  "X-RateLimit-Reset": header(
    "Unix time in seconds at which `X-RateLimit-Remaining` next increases.",
    1767225652,
  ),
  "X-RateLimit-Limit-Hour": header("Requests allowed in any hour.", 3600),
  "X-RateLimit-Remaining-Hour": header("Requests left in the current hour.", 3310),
  "X-RateLimit-Reset-Hour": header(
    "Unix time in seconds at which `X-RateLimit-Remaining-Hour` next increases.",
    1767228180,
  ),
  "RateLimit-Policy": header(
    "The same limits as structured fields. Provisional: the draft may still change.",
    '"minute";q=120;w=60, "hour";q=3600;w=3600',
  ),
  RateLimit: header(
    "The state of the limits as structured fields. Provisional.",
    '"minute";r=117;t=52, "hour";r=3310;t=2580',
  ),
  ETag: required(
    "Identifies this state of the record, for `If-None-Match` and `If-Match`.",
    'W/"1a2b3c4d5e6f7"',
  ),
  "Content-Disposition": required(
    "The name under which to save the file.",
    'attachment; filename="links-2026-01-01.csv"',
  ),
  Link: required(
    "The list's `first`, `prev`, `next` and `last` page (RFC 8288), with all filters.",
    '</api/v1/links?page=2>; rel="next"',
  ),
  Location: required(
    "Path of the new record.",
    "/api/v1/links/0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b",
  ),
  "Idempotent-Replayed": {
    description: "`true` if this is the stored reply of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "Retry-After": required("Seconds to wait.", 14),
  "WWW-Authenticate": required(
    "How to authenticate (RFC 6750).",
    'Bearer realm="api", error="invalid_token"',
  ),
};

const EVERYWHERE = Object.keys(HEADERS).filter((name) => /^(X-|RateLimit)/.test(name));

/** References to the headers of every reply under /api/v1, and to the named ones. */
export const headersOf = (...names: string[]): Record<string, Reference> =>
  Object.fromEntries(
    [...EVERYWHERE, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Headers that a client may send. */
const PARAMETERS = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Printable ASCII of your choice. Within 24 hours, the same key and body give the same reply " +
      "without repeating the change.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]{1,255}$" },
    example: "4f9f2c1a-nightly-import",
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "Change the record only if its ETag is still this one; otherwise 412.",
    schema: { type: "string" },
    example: 'W/"1a2b3c4d5e6f7"',
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "Return 304 without a body if the ETag is still this one.",
    schema: { type: "string" },
    example: 'W/"1a2b3c4d5e6f7"',
  },
} satisfies Record<string, Parameter>;

export const parameterReference = (name: keyof typeof PARAMETERS) => ({
  $ref: `#/components/parameters/${name}`,
});

const signed = (name: string, description: string, example: string, schema = {}): Parameter => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", ...schema },
  example,
});

/** The headers of a message to a webhook. */
export const SIGNATURE: Parameter[] = [
  signed(
    "webhook-id",
    "Identifies the message; the same on every attempt, so that you can drop repetitions.",
    "msg_01J9ZK3V5Q8M7N6P4R2S1T0W9X",
  ),
  signed("webhook-timestamp", "Unix time of this attempt, in seconds.", "1767225600", {
    pattern: "^[0-9]+$",
  }),
  signed(
    "webhook-signature",
    "Signatures per Standard Webhooks 1.0.0, separated by spaces. One valid signature is enough.",
    "v1,qLzgVKcy4YjFnEIkjpWa5a3i//CZCMHJDV0826rUZMA=",
  ),
];

/** The chapters of the reference, in order. */
export const TAGS = [
  { name: "Account", description: "Your account, its limits and its usage." },
  {
    name: "API keys",
    description:
      "Keys for this API. A key can manage other keys, but cannot give them a permission that it lacks or a later expiry than its own.",
  },
  {
    name: "Links",
    description:
      "The URLs that are monitored. Each has a status, the reason for it, and the time of its next check.",
  },
  { name: "Groups", description: "Labels for links. Deleting a group keeps its links." },
  {
    name: "Batches",
    description: "Checks of many links at once, and their results. Kept for 30 days.",
  },
  {
    name: "Imports",
    description: "Lists of links: what would become of each row, and what became of it.",
  },
  {
    name: "Sources",
    description:
      "What links are found in and kept in step with: sites, sitemaps, feeds, lists, repositories, bookmark managers, and what is pushed. Where each link stands.",
  },
  {
    name: "Repair",
    description:
      "What could stand in the place of dead links, and other URLs in the place of theirs, one by one or for many.",
  },
  {
    name: "Suggestions",
    description: "What could stand in the place of dead links, and how sites moved their pages.",
  },
  { name: "History", description: "All checks, and statistics about them." },
  { name: "Overview", description: "What needs attention now, and the state of the monitoring." },
  {
    name: "Webhooks",
    description: "Where events are sent, and the result of each delivery.",
  },
  {
    name: "Host settings",
    description: "What checks send to a host: headers, credentials and a user agent.",
  },
  { name: "Events", description: "The messages that your webhooks get." },
];

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
    when: "The key lacks the required permission, would give a key more permissions or a later expiry than it has, or would extend its own.",
    examples: [
      ["This needs the write permission."],
      ["A key cannot give a permission that it does not have.", { reason: "exceeds_caller" }],
      [
        "A key cannot extend its own permissions or expiry. Use another key, or the dashboard.",
        { reason: "own_key" },
      ],
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
      ["An attempt is running. Wait until it has finished.", { reason: "in_flight" }],
      [
        "This digest is still gathering events and is sent automatically.",
        { reason: "still_gathering" },
      ],
      [
        "This server's secret key was replaced. Enter the URL of this webhook again and give it a new signing secret.",
        { reason: "secret_key_replaced" },
      ],
      [
        "2 old secrets still sign. Rotate again after 2026-01-02T00:00:00.000Z, when the first of them expires, or with a grace_period_seconds of 0.",
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
    examples: [["The database is not available now. Try again later."]],
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
  409: ["Conflict", "The request conflicts with the current state."],
  412: ["PreconditionFailed", "The record has changed since you read it."],
  413: ["PayloadTooLarge", "The body is too large."],
  415: ["UnsupportedMediaType", "The body is not JSON."],
  429: ["TooManyRequests", "A rate limit is exceeded.", "Retry-After"],
  500: ["InternalError", "An unexpected error on the server."],
  503: ["ServiceUnavailable", "The server is temporarily unable to do this.", "Retry-After"],
};

/** A reference to the shared reply with this status; null if the replies of each operation differ. */
export function sharedReply(status: number): Reference | null {
  const name = status === 304 ? "NotModified" : STATUSES[status]?.[0];
  return name === undefined ? null : { $ref: `#/components/responses/${name}` };
}

const refusalReplies = (): Record<string, Reply> =>
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

/** All that operations refer to. */
export const componentsWith = (schemas: Document["components"]["schemas"]) => ({
  securitySchemes: {
    bearerAuth: { type: "http", scheme: "bearer", description: "An API key: `su_…`." },
  },
  schemas,
  responses: {
    ...refusalReplies(),
    NotModified: {
      description: "Not changed since the state that `If-None-Match` names.",
      headers: headersOf("ETag"),
    },
  },
  parameters: PARAMETERS,
  headers: HEADERS,
});
