import { errorTable } from "./errors.ts";

/** What holds for the whole API, in Markdown: each part becomes a chapter of the reference page. */
export const DESCRIPTION = `Stillup watches links. It checks URLs on a schedule, says whether each is alive, dead or unknown and why, and tells other systems by webhook.

## Authentication

Every request under \`/api/v1\` carries an API key:

\`\`\`
Authorization: Bearer su_…
\`\`\`

A key's value is shown once, when it is created or rotated; only its SHA-256 hash is stored. A key with the \`read\` permission may GET, one with \`write\` may POST, PATCH and DELETE. Authentication comes before everything else: without a valid key even an unknown path answers 401.

## Requests and replies

Bodies are JSON in UTF-8, at most 64 KiB (4 MiB on the paths that take many links), with at most 50,000 values, nested at most 32 levels deep. Unknown fields are ignored; known fields that cannot be changed are refused. Texts are trimmed, and control characters in them are refused; only a group's description may hold line feeds.

A success is an object with the single key \`data\`. Every documented field is always there, \`null\` where there is nothing to tell. Within v1 fields may be added, so ignore those you do not know. DELETE answers 204 without a body.

Stored records have names in \`snake_case\`; account, usage, statistics and events have theirs in \`camelCase\`.

PATCH is JSON Merge Patch (RFC 7396): what you leave out stays, and \`null\` empties a field that may be empty.

HEAD works wherever GET does. OPTIONS names a path's methods. Every reply has an \`X-Request-Id\`; send your own (1 to 64 of \`A-Z a-z 0-9 _ . -\`) to find a request again in the server's log.

## Errors

\`\`\`json
{"error":{"code":"NOT_FOUND","message":"No such link.","status":404}}
\`\`\`

Decide by \`code\`; \`message\` is for people and \`details\` holds what a program may need. \`VALIDATION_ERROR\` lists every problem at once in \`details.fields\`, by field: \`{"url":["is required"]}\`, with paths such as \`permissions.read\` or \`links[2].url\`; \`body\` is the body as a whole. A path that exists but does not take the method answers 405 with \`Allow\`.

A record of another account is 403, one that does not exist or was deleted is 404. A filter by an unknown id gives an empty list.

${errorTable()}

## Lists

\`page\` counts from 1 and \`per_page\` is at most 100. The answer holds \`items\` and \`pagination\` with \`page\`, \`per_page\`, \`total\` and \`total_pages\`; the \`Link\` header leads to the first, previous, next and last page with all filters kept. Newest come first. A page past the end is empty.

## Rate limits

120 requests in any 60 seconds and 3600 in any hour for each key, unless the operator set other limits. Both windows roll. A request that is refused is not counted. The \`X-RateLimit-\` headers are on every reply; a 429 has \`Retry-After\` in seconds. Requests without a valid key are limited by address. Back off exponentially.

## Idempotency

Send \`Idempotency-Key\` with a POST, and it happens once however often you repeat it within 24 hours: the repetition gets the stored reply with \`Idempotent-Replayed: true\`. The key is stored together with the change, so after a crash of the server you can repeat the request at once: it either gets the stored reply or is done now. The same key with another body is 409. A repetition while the first request still runs is 409 with the reason \`in_progress\`, or gets the reply of the first. Replies that hold a secret are not stored: their repetition is 409 with the record's id.

## Conditional requests

GET answers carry an \`ETag\`. Send it as \`If-None-Match\` to get 304 when nothing changed, or as \`If-Match\` with PATCH and DELETE to change the record only if nobody else has: otherwise 412.

## Ids and moments

Ids are UUIDs, in lower case; either case is accepted. Moments in replies are UTC with three decimals: \`2026-01-01T00:00:00.000Z\`. In requests any RFC 3339 moment with an offset will do, and a date alone (\`2026-01-01\`) where noted: as \`start_date\` it means the first, as \`end_date\` the last millisecond of the day in UTC. Both ends are inclusive.

## Versions

The path carries the version. Within \`/api/v1\` there are only additions: new paths, optional request fields, fields of replies, and values of open sets such as \`service\` and \`reason\`. Anything else becomes \`/api/v2\`, announced at least 12 months ahead by the \`Deprecation\`, \`Sunset\` and \`Link\` headers.

## Events

A webhook gets each event as a POST of JSON, signed after [Standard Webhooks](https://www.standardwebhooks.com/) with the webhook's \`signing_secret\`. Answer with any 2xx within 15 seconds. Redirects are not followed. Anything else is tried again for about three days; 410 switches the webhook off at once.

A message may arrive twice and in any order. \`webhook-id\` (a header) names the message and stays the same on every attempt; \`webhookId\` (in the body) is the id of your webhook.

Verify the signature over the raw body, before you parse it:

\`\`\`js
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET); // whsec_…

Bun.serve({
  port: 3000,
  async fetch(request) {
    const body = await request.text();
    try {
      const { event, data } = webhook.verify(body, Object.fromEntries(request.headers));
      console.log(event, data.linkId);
    } catch {
      return new Response("bad signature", { status: 400 });
    }
    return new Response(null, { status: 204 });
  },
});
\`\`\`
`;

/** The order of the reference. */
export const TAGS = [
  { name: "Account", description: "Who you are, what your tier allows and what you used of it." },
  {
    name: "API keys",
    description:
      "Keys for this API. A key can manage other keys, but never give them a permission that it lacks or a later expiry than its own.",
  },
  {
    name: "Links",
    description:
      "The URLs that are watched. Each shows its status, the reason for it, and when it is next checked.",
  },
  {
    name: "Groups",
    description: "Labels for links. Deleting a group keeps its links.",
  },
  {
    name: "Batches",
    description: "Checks of many links at once, and what they came to. Kept for 30 days.",
  },
  { name: "History", description: "Every check that was made, and what they add up to." },
  { name: "Overview", description: "What needs attention now, and how the work goes." },
  {
    name: "Webhooks",
    description: "Where events are sent, and what became of each delivery.",
  },
  { name: "Events", description: "What is sent to your webhooks." },
];

/** What a path's id names. */
export const PATH_IDS: Record<string, string> = {
  keys: "Id of the API key.",
  links: "Id of the link.",
  groups: "Id of the group.",
  batches: "Id of the batch.",
  webhooks: "Id of the webhook.",
  deliveries: "Id of the delivery.",
};

/** What the names of query parameters mean. */
export const QUERY_TEXTS: Record<string, string> = {
  page: "Which page, from 1.",
  per_page: "How many items a page has.",
  status: "Only those with this status.",
  service: "Only links of this hosting service, such as `generic` or `youtube`.",
  group_id: "Only links of this group, or their checks. Of links, `none`: those in no group.",
  link_id: "Only checks of this link.",
  check_frequency: "Only links that are checked so often.",
  sort: "Newest first unless told: by when they were made, by when their status changed last, or by URL. A minus turns the order round.",
  search: "Only links whose URL contains this text, letters of either case alike.",
  start_date: "From this moment or day on, inclusive.",
  end_date: "Up to this moment or day, inclusive.",
  event: "Only deliveries of this event.",
  changed: "Only checks that changed the status of their link, or only those that did not.",
  bucket: "How much time each point tells of.",
};
