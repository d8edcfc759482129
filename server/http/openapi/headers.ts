import type { Header, Parameter, Reference } from "./types.ts";

const whole = { type: "integer", minimum: 0 };
const text = { type: "string" };

/** Every header that a reply may carry and a client may want to read. */
export const HEADERS: Record<string, Header> = {
  "X-Request-Id": {
    description: "Names this request in the server's log. Yours, if you sent one.",
    required: true,
    schema: text,
    example: "0197a1b2-8888-7e1d-9c2b-3a4f5e6d7c8b",
  },
  "X-RateLimit-Limit": {
    description: "Requests allowed in any 60 seconds.",
    schema: whole,
    example: 120,
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in the present minute.",
    schema: whole,
    example: 117,
  },
  "X-RateLimit-Reset": {
    description: "Unix second at which `X-RateLimit-Remaining` next grows.",
    schema: whole,
    example: 1767225652,
  },
  "X-RateLimit-Limit-Hour": {
    description: "Requests allowed in any hour.",
    schema: whole,
    example: 3600,
  },
  "X-RateLimit-Remaining-Hour": {
    description: "Requests left in the present hour.",
    schema: whole,
    example: 3310,
  },
  "X-RateLimit-Reset-Hour": {
    description: "Unix second at which `X-RateLimit-Remaining-Hour` next grows.",
    schema: whole,
    example: 1767228180,
  },
  "RateLimit-Policy": {
    description: "The same limits as structured fields. Provisional: the draft may still change.",
    schema: text,
    example: '"minute";q=120;w=60, "hour";q=3600;w=3600',
  },
  RateLimit: {
    description: "How the limits stand, as structured fields. Provisional.",
    schema: text,
    example: '"minute";r=117;t=52, "hour";r=3310;t=2580',
  },
  ETag: {
    description: "Names this state of the record, for `If-None-Match` and `If-Match`.",
    required: true,
    schema: text,
    example: 'W/"1a2b3c4d5e6f7"',
  },
  "Content-Disposition": {
    description: "That it is to be saved, and under which name.",
    required: true,
    schema: text,
    example: 'attachment; filename="links-2026-01-01.csv"',
  },
  Link: {
    description: "The list's `first`, `prev`, `next` and `last` page (RFC 8288), filters kept.",
    required: true,
    schema: text,
    example: '</api/v1/links?page=2>; rel="next"',
  },
  Location: {
    description: "Path of the new record.",
    required: true,
    schema: text,
    example: "/api/v1/links/0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b",
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the stored reply of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "Retry-After": { description: "Seconds to wait.", required: true, schema: whole, example: 14 },
  Allow: {
    description: "The methods that the path takes.",
    required: true,
    schema: text,
    example: "GET, HEAD",
  },
  "WWW-Authenticate": {
    description: "How to authenticate (RFC 6750).",
    required: true,
    schema: text,
    example: 'Bearer realm="api", error="invalid_token"',
  },
};

const EVERYWHERE = Object.keys(HEADERS).filter((name) => /^(X-|RateLimit)/.test(name));

/** References to what every reply under /api/v1 has, and to the named headers. */
export const headersOf = (...names: string[]): Record<string, Reference> =>
  Object.fromEntries(
    [...EVERYWHERE, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Headers that a client may send. */
export const PARAMETERS: Record<string, Parameter> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Printable ASCII of your choice. The same key and body within 24 hours give the same reply " +
      "and do nothing twice.",
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
    description: "Answer 304 without a body if the ETag is still this one.",
    schema: { type: "string" },
    example: 'W/"1a2b3c4d5e6f7"',
  },
};

export const parameterReference = (name: keyof typeof PARAMETERS) => ({
  $ref: `#/components/parameters/${name}`,
});
