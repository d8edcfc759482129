import type { Meter } from "../accounts/meter.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { describeError, log } from "../lib/log.ts";
import { clientAddress } from "./client-address.ts";
import { corsHeaders, preflightHeaders } from "./cors.ts";
import { toErrorResponse } from "./errors.ts";
import { settleClaim } from "./idempotency.ts";
import { bodyLimitOf, tooLarge } from "./json-body.ts";
import { enterByKey } from "./key-door.ts";
import { type RateLimiter, rateLimitHeaders } from "./rate-limit.ts";
import { matches } from "./reply.ts";
import { allowedMethods, type RouteTable } from "./route-table.ts";
import { securityHeaders } from "./security-headers.ts";
import { enterBySession } from "./session-door.ts";
import { rememberVisit, type Visit } from "./visit.ts";

const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export type FrontDeps = Deps & { limiter: RateLimiter; meter: Meter };

export type Routed = { fetch(request: Request): Response | Promise<Response>; table: RouteTable };

type Peer = { requestIP(request: Request): { address: string } | null };

export type Front = (request: Request, server?: Peer) => Promise<Response>;

/**
 * Everything that happens to a request before and after its route: the head is checked, a door lets
 * it in or not, and every reply leaves with the same headers. Errors of any of it fit the envelope.
 */
export function createFront(deps: FrontDeps, app: Routed): Front {
  return async (incoming, server) => {
    const request = withHost(incoming);
    const visit = arrive(deps, request, server);
    const extra: [string, string][] = [];
    const response = await answer(deps, app, request, visit, extra).catch(toErrorResponse);
    if (visit.claim) await settleClaim(deps, visit.claim, response).catch(logFailure);
    return depart(deps, request, visit, response, extra);
  };
}

async function answer(
  deps: FrontDeps,
  app: Routed,
  request: Request,
  visit: Visit,
  extra: [string, string][],
): Promise<Response> {
  refuseBadHead(request, visit);
  if (request.method === "OPTIONS") return answerOptions(deps, app, request, visit);
  if (isUnder(visit.path, "/api/v1")) {
    const admission = await enterByKey(deps, request, visit);
    extra.push(...rateLimitHeaders(admission.allowance, deps.clock.now()));
    if (!admission.admitted) throw admission.refusal;
    visit.caller = admission.caller;
  } else if (isUnder(visit.path, "/dashboard/api")) {
    await enterBySession(deps, request, visit);
  }
  const stale = await refuseStale(app, request, visit);
  return stale ?? route(app, request, visit);
}

async function route(app: Routed, request: Request, visit: Visit): Promise<Response> {
  const response = await app.fetch(request);
  if (response.status !== 404) return response;
  const allowed = allowedMethods(app.table, visit.path);
  if (allowed.length === 0 || allowed.includes(request.method)) return response;
  throw new AppError(
    "METHOD_NOT_ALLOWED",
    `${request.method} is not possible here.`,
    { allowed },
    { allow: allowed.join(", ") },
  );
}

/** A request line of HTTP/1.0 without `Host` leaves a bare path as the URL. */
function withHost(request: Request): Request {
  return request.url.startsWith("/")
    ? new Request(`http://localhost${request.url}`, request)
    : request;
}

function arrive({ config }: Deps, request: Request, server?: Peer): Visit {
  const given = request.headers.get("x-request-id");
  const peer = server?.requestIP(request)?.address ?? "127.0.0.1";
  const visit: Visit = {
    requestId: given && REQUEST_ID.test(given) ? given : newId(),
    address: clientAddress(peer, request.headers.get("x-forwarded-for"), config.trustedProxies),
    path: pathOf(request.url),
  };
  rememberVisit(request, visit);
  return visit;
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return url.slice(start, end < 0 ? undefined : end);
}

function refuseBadHead(request: Request, { path }: Visit) {
  if (!METHODS.includes(request.method)) {
    const allow = METHODS.join(", ");
    throw new AppError("METHOD_NOT_ALLOWED", `${request.method} is never possible.`, undefined, {
      allow,
    });
  }
  if (request.headers.get("host")?.includes(",")) {
    throw invalid({ Host: ["must be given once"] }, "The request has two Host headers.");
  }
  const limit = bodyLimitOf(path);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
}

function answerOptions(deps: Deps, app: Routed, request: Request, { path }: Visit): Response {
  const allowed = allowedMethods(app.table, path);
  if (allowed.length === 0) throw new AppError("NOT_FOUND", "There is nothing at this path.");
  const allow = [...allowed, "OPTIONS"].join(", ");
  const headers = { allow, ...preflightHeaders(deps.config, request, allow) };
  return new Response(null, { status: 204, headers });
}

/** RFC 9110 §13.1.1: a change meant for another state of the record than its present one is refused. */
async function refuseStale(app: Routed, request: Request, visit: Visit): Promise<Response | null> {
  const expected = request.headers.get("if-match");
  if (expected === null || !["PATCH", "DELETE"].includes(request.method)) return null;
  const look = new Request(request.url, { method: "GET" });
  rememberVisit(look, visit);
  const present = await app.fetch(look);
  if (!present.ok) return present;
  if (matches(expected, present.headers.get("etag") ?? "")) return null;
  throw new AppError(
    "PRECONDITION_FAILED",
    "The record has changed since you read it. Read it again.",
  );
}

function depart(
  { config }: Deps,
  request: Request,
  visit: Visit,
  response: Response,
  extra: [string, string][],
): Response {
  const { headers } = response;
  headers.set("X-Request-Id", visit.requestId);
  for (const [name, value] of extra) headers.set(name, value);
  for (const [name, value] of securityHeaders(config, visit.path)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  for (const [name, value] of corsHeaders(config, request)) headers.set(name, value);
  log.debug("request", {
    id: visit.requestId,
    method: request.method,
    path: visit.path,
    status: response.status,
  });
  return response;
}

const isUnder = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);

const logFailure = (error: unknown) =>
  log.error("an idempotency key was not settled", describeError(error));
