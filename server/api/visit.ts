import { Elysia } from "elysia";
import type { Caller } from "./caller.ts";
import type { Claim } from "./idempotency.ts";

/** What is known of one request beside its own words. */
export type Visit = {
  requestId: string;
  /** The client's address; behind a trusted proxy the one it names. Asked for only where it counts. */
  address: () => string;
  /** The path as it was asked for, without the query. */
  path: string;
  /** When it came, by the clock's `elapsed()`. */
  arrivedAt: number;
  /** The template of the route that answered it, such as `/links/:id`; null when none did. */
  route: string | null;
  /** What the reply leaves with, beside its own. */
  headers: Headers;
  /** Whether the reply has those headers already. */
  isDressed: boolean;
  caller?: Caller;
  /** SHA-256 of the session's cookie, when the session door let it in. */
  sessionHash?: string;
  /** The body as it was parsed, before a route reads it; undefined without one. */
  sentBody?: unknown;
  /** The claim of an idempotency key, while the request runs. */
  claim?: Claim;
};

/** On the request itself: a weak map of all requests costs the garbage collector more than answering. */
const VISIT = Symbol("visit");
type Visited = Request & { [VISIT]: Visit };

export function rememberVisit(request: Request, visit: Visit) {
  (request as Visited)[VISIT] = visit;
}

/** Only requests that came through the front have one; a route cannot be reached otherwise. */
export const visitOf = (request: Request): Visit => (request as Visited)[VISIT];

/** Gives routes the `caller` that a door let in. */
export const callers = new Elysia({ name: "callers" }).derive({ as: "scoped" }, ({ request }) => ({
  // Every path under a door is refused without a caller before it gets here.
  caller: visitOf(request).caller!,
}));
