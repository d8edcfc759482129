import { LRUCache } from "lru-cache";
import { enterByKey, enterBySession } from "../accounts/doors.ts";
import type { Meter } from "../accounts/meter.ts";
import { rememberVisit, type Visit } from "../api/caller.ts";
import { clientAddress, isPrivate, trustedProxies } from "../api/client-address.ts";
import { toErrorResponse } from "../api/errors.ts";
import { settleClaim } from "../api/idempotency.ts";
import { addRateLimitHeaders, HOUR, type RateLimiter } from "../api/rate-limit.ts";
import { matches } from "../api/reply.ts";
import type { RouteTable } from "../api/route-table.ts";
import { AppError, invalid, noSuchPath } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { describeError, log } from "../lib/log.ts";
import type { TroubleName } from "../lib/troubles.ts";
import type { Live } from "../views/live/live.ts";
import type { Deps } from "../work/deps.ts";
import { corsHeaders, preflightHeaders, securityHeaders } from "./headers.ts";
import { bodyLimitOf, tooLarge } from "./read-request.ts";

const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;
const ORIGIN = /^[a-z]+:\/\/[^/?#]*/;
/** The router looks for the path from here on, whatever the host is. */
const ROUTER_STARTS_AT = 11;
/** Peers whose `X-Forwarded-For` was reported as ignored. */
const MOST_REPORTED = 100;

type FrontDeps = Deps & {
  limiter: RateLimiter;
  sessionLimiter: RateLimiter;
  meter: Meter;
  live: Pick<Live, "changed">;
};

type Routed = { fetch(request: Request): Response | Promise<Response>; table: RouteTable };

type Peer = { requestIP(request: Request): { address: string } | null };

export type Front = (request: Request, server?: Peer) => Promise<Response>;

/**
 * Everything that happens to a request before and after its route: the head is checked, a door lets
 * it in or not, and every reply leaves with the same headers. Errors of any of it fit the envelope.
 */
export function createFront(deps: FrontDeps, app: Routed): Front {
  const headersFor = securityHeaders(deps.config);
  const withPlainHost = plainHosts();
  const addressOf = clientAddresses(deps);
  return async (incoming, server) => {
    const request = withPlainHost(incoming);
    const peer = () => server?.requestIP(incoming)?.address ?? "127.0.0.1";
    const visit = arrive(deps, request, () => addressOf(request, peer()), headersFor);
    const answered = await answer(deps, app, request, visit).catch((error) =>
      toErrorResponse(error, visit),
    );
    const response = visit.claim
      ? await settleClaim(deps, visit, visit.claim, answered).catch(logFailure(visit, answered))
      : answered;
    noteRequest(deps, request, visit, response);
    if (visit.caller && response.ok && isUnsafe(request)) deps.live.changed(visit.caller.accountId);
    return depart(deps, request, visit, response);
  };
}

async function answer(
  deps: FrontDeps,
  app: Routed,
  request: Request,
  visit: Visit,
): Promise<Response> {
  const found = app.table.find(request.method, visit.path);
  const access = found?.access ?? usualAccess(request);
  const admission = isUnder(visit.path, "/api/v1")
    ? await enterByKey(deps, request, visit, access)
    : null;
  if (admission) addRateLimitHeaders(visit.headers, admission.allowance, deps.clock.now());
  refuseBadHead(request, visit);
  if (request.method === "OPTIONS") return answerOptions(deps, app, request, visit);
  if (admission && !admission.admitted) throw admission.refusal;
  if (admission) visit.caller = admission.caller;
  if (isUnder(visit.path, "/dashboard/api")) {
    await enterBySession(deps, request, visit, access);
  }
  refuseStoppedWrites(deps, request, visit);
  return isConditional(app, request, visit)
    ? deps.store.engine.inTurn(visit.path, () => routeUnlessStale(app, request, visit))
    : route(app, request, visit);
}

/** What a request to a path or with a method that does not exist needs before the response says so. */
const usualAccess = (request: Request) => (isUnsafe(request) ? "write" : "read");

async function route(app: Routed, request: Request, visit: Visit): Promise<Response> {
  const response = await app.fetch(request);
  // 400 too: a path such as `/links/batch` also fits a record's route, which reads the body first.
  if (response.status !== 404 && response.status !== 400) return response;
  const allowed = app.table.methodsOf(visit.path);
  if (allowed.length === 0 || allowed.includes(request.method)) return response;
  throw new AppError(
    "METHOD_NOT_ALLOWED",
    `${request.method} is not possible here.`,
    { allowed },
    { allow: allowed.join(", ") },
  );
}

/**
 * The `Host` is the sender's word: with none, or one that no URL can have, the request's URL is a bare
 * path; and behind a very short one the router would see another path than the doors do.
 */
function plainHosts(): (request: Request) => Request {
  // Parsing a URL costs more than all else here, and nearly all requests name the same host.
  let known = "";
  return (request) => {
    const origin = ORIGIN.exec(request.url)?.[0] ?? "";
    if (origin === known && known) return request;
    if (origin.length < ROUTER_STARTS_AT || !URL.canParse(request.url)) {
      return new Request(`http://localhost${request.url.slice(origin.length)}`, request);
    }
    known = origin;
    return request;
  };
}

/** The client's address of a request; reports proxies that look like ours but are not trusted. */
function clientAddresses({ config, clock }: Deps) {
  const isTrusted = trustedProxies(config.trustedProxies);
  const reported = new LRUCache<string, number>({ max: MOST_REPORTED });
  return (request: Request, peer: string): string => {
    const forwarded = request.headers.get("x-forwarded-for");
    if (forwarded && isPrivate(peer) && !isTrusted(peer)) report(peer);
    return clientAddress(peer, forwarded, isTrusted);
  };

  function report(peer: string) {
    const at = reported.get(peer);
    if (at !== undefined && clock.elapsed() - at < HOUR) return;
    reported.set(peer, clock.elapsed());
    log.warn("X-Forwarded-For ignored: the peer is not in STILLUP_TRUSTED_PROXIES", { peer });
  }
}

function arrive(
  { clock }: Deps,
  request: Request,
  address: () => string,
  headersFor: (path: string) => Headers,
): Visit {
  const given = request.headers.get("x-request-id");
  const requestId = given && REQUEST_ID.test(given) ? given : newId();
  const path = pathOf(request.url);
  const headers = headersFor(path);
  headers.set("X-Request-Id", requestId);
  const visit: Visit = {
    requestId,
    address,
    path,
    arrivedAt: clock.elapsed(),
    route: null,
    headers,
    isDressed: false,
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
  if (request.headers.get("host")?.includes(",")) {
    throw invalid({ Host: ["must be given once"] }, "The request has two Host headers.");
  }
  const limit = bodyLimitOf(path);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
}

function answerOptions(deps: Deps, app: Routed, request: Request, { path }: Visit): Response {
  const allowed = app.table.methodsOf(path);
  if (allowed.length === 0) throw noSuchPath();
  const allow = [...allowed, "OPTIONS"].join(", ");
  const headers = { allow, ...preflightHeaders(deps.config, request, allow) };
  return new Response(null, { status: 204, headers });
}

/** Only a record that can be read has a state that the change could be meant for. */
function isConditional(app: Routed, { method, headers }: Request, { path }: Visit): boolean {
  if (!headers.has("if-match") || !["PATCH", "DELETE"].includes(method)) return false;
  const allowed = app.table.methodsOf(path);
  return allowed.includes("GET") && allowed.includes(method);
}

/** RFC 9110 §13.1.1: a change meant for another state of the record than its present one is refused. */
async function routeUnlessStale(app: Routed, request: Request, visit: Visit): Promise<Response> {
  const cookie = request.headers.get("cookie");
  const look = new Request(request.url, { method: "GET", ...(cookie && { headers: { cookie } }) });
  rememberVisit(look, { ...visit, headers: new Headers(visit.headers) });
  const present = await app.fetch(look);
  // The route refuses a bad body before it finds that the record is missing or belongs to another account.
  if (present.status === 404 || present.status === 403) return route(app, request, visit);
  if (!present.ok) return present;
  const isFresh = matches(request.headers.get("if-match"), present.headers.get("etag") ?? "");
  if (isFresh) return route(app, request, visit);
  throw new AppError(
    "PRECONDITION_FAILED",
    "The record has changed since you read it. Read it again.",
  );
}

/** Gives the reply the headers that all have, unless its maker did. */
function depart({ config }: Deps, request: Request, visit: Visit, response: Response): Response {
  if (!visit.isDressed) dress(response, visit.headers);
  for (const [name, value] of corsHeaders(config, request)) response.headers.set(name, value);
  return response;
}

function dress({ headers }: Response, usual: Headers) {
  usual.forEach((value, name) => {
    if (!headers.has(name)) headers.set(name, value);
  });
}

/** RFC 9110 §9.2.1: such a request may have changed something. */
const isUnsafe = ({ method }: Request) => !["GET", "HEAD", "OPTIONS"].includes(method);

const isUnder = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);

const logFailure =
  ({ requestId: request }: Visit, response: Response) =>
  (error: unknown) => {
    log.error("failed to store the reply of an idempotency key", {
      request,
      ...describeError(error),
    });
    return response;
  };

const SLOW_MS = 1000;
const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const ASSETS = "/assets/";

/**
 * Counts an answered request and logs it. A read that went well and was quick is a line of level `debug`, as
 * it would cost more than answering some of them; every other request is one of level `info`.
 */
function noteRequest(
  { clock, metrics }: Pick<Deps, "clock" | "metrics">,
  { method }: Request,
  visit: Visit,
  { status }: Response,
): void {
  const ms = clock.elapsed() - visit.arrivedAt;
  metrics.requestEnded({ method, route: routeOf(visit), status }, ms);
  const isNews = !READS.has(method) || status >= 400 || ms >= SLOW_MS;
  if (isNews) log.info("request", factsOf(method, visit, status, ms));
  else log.debug("request", () => factsOf(method, visit, status, ms));
}

/** Files have hashes in their names, which change with every version. */
function routeOf({ route, path }: Visit): string {
  if (path.startsWith(ASSETS)) return `${ASSETS}:file`;
  return route || "none";
}

/** Neither queries nor bodies, in which anything may stand. */
function factsOf(method: string, visit: Visit, status: number, ms: number) {
  const { requestId: request, path, caller } = visit;
  return {
    ...{ request, method, path, status, ms: Math.round(ms * 10) / 10 },
    ...(caller && { account: caller.accountId, ...whoOf(caller.by) }),
    address: visit.address(),
  };
}

/** A key by the part of it that is shown, and a person by their id. */
const whoOf = ({ kind, id, name }: NonNullable<Visit["caller"]>["by"]) =>
  kind === "key" ? { key: name } : { user: id };

const READING = new Set(["GET", "HEAD", "OPTIONS"]);
/** Whoever is to make room must get in. */
const SIGN_IN = "/dashboard/api/session";

/**
 * Refuses what would write while a trouble of the installation forbids it. What went wrong is told to its
 * administrators elsewhere; others hear only what it means for them.
 * @throws SERVICE_UNAVAILABLE
 */
function refuseStoppedWrites({ troubles }: Deps, request: Request, { path }: Visit) {
  const trouble = troubles.stoppingDeletions() ?? troubles.stoppingWrites();
  if (!trouble || isReading(request, path)) return;
  if (!troubles.stoppingDeletions() && isAllowedBeside(request, path)) return;
  throw stopped(trouble.name);
}

/** What writes nothing may be asked by a POST, where it is too long for a query. */
const isReading = ({ method }: Request, path: string) =>
  READING.has(method) || path.endsWith("/links/preview");

const isAllowedBeside = ({ method }: Request, path: string) =>
  method === "DELETE" || path.endsWith("/links/batch-delete") || path === SIGN_IN;

const SENTENCES: Partial<Record<TroubleName, string>> = {
  disk_full:
    "The disk of this installation is full. You can read and delete; nothing else can be changed " +
    "until its operator has made room.",
  database_damaged:
    "The database of this installation is damaged. Nothing can be changed until its operator has " +
    "restored a backup.",
  data_folder_gone:
    "The data folder of this installation is missing. Nothing can be changed until its operator " +
    "has moved it back.",
};

const stopped = (name: TroubleName) =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    SENTENCES[name] ?? "Nothing can be changed now. Try again later.",
    { reason: name },
    { "retry-after": "10" },
  );
