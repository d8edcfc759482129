import { etagOf, matches } from "../api/reply.ts";

export type Text = { type: string; body: string };

/** Answers with a text that never changes while the program runs, made when it is first asked for. */
export function cachedReplies(make: () => Text) {
  let made: (Text & { etag: string }) | undefined;
  return ({ request }: { request: Request }) => {
    made ??= withTag(make());
    const headers = { etag: made.etag, "cache-control": "no-cache", "content-type": made.type };
    const known = matches(request.headers.get("if-none-match"), made.etag);
    return new Response(known ? null : made.body, { status: known ? 304 : 200, headers });
  };
}

const withTag = (text: Text) => ({ ...text, etag: etagOf(text.body) });
