import type { Header, Parameter, Reference } from "./types.ts";

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
export const HEADERS: Record<string, Header> = {
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
  Allow: required("The methods that the path allows.", "GET, HEAD"),
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
export const PARAMETERS = {
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
  { name: "History", description: "All checks, and statistics about them." },
  { name: "Overview", description: "What needs attention now, and the state of the monitoring." },
  {
    name: "Webhooks",
    description: "Where events are sent, and the result of each delivery.",
  },
  { name: "Events", description: "The messages that your webhooks get." },
];
