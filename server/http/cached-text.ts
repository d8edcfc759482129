import { etagOf, matches } from "../api/reply.ts";

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
