import type { Config } from "../ground/config/config.ts";
import { AppError, invalid, noSuchPath } from "../ground/lib/errors.ts";
import { newId } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import type { TroubleName } from "../ground/lib/troubles.ts";
import type { Deps } from "../work/deps.ts";
import {
  type Access,
  attachContext,
  BODY_LIMIT,
  type Caller,
  clientAddresses,
  type RequestContext,
  requirePermission,
} from "./caller.ts";
import { addMissing, corsHeaders, preflightHeaders, securityHeaders } from "./headers.ts";
import { settleClaim } from "./idempotency.ts";
import { tooLarge } from "./read-request.ts";
import { matches, toErrorResponse } from "./reply.ts";
import { pathOf, plainHosts, type Route, type RouteTable } from "./routing.ts";

const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;
const SLOW_MS = 1000;
const ASSETS = "/assets/";

/** Finds out who sends a request, and puts that into its context. @throws if they may not do this */
type Door = (request: Request, context: RequestContext, access: Access) => Promise<void>;

type FrontDeps = Deps & {
  byKey: Door;
  bySession: Door;
  /** Called with the id of an account when a request may have changed something of it. */
  onChange(accountId: string): void;
};

type Routed = {
  fetch(request: Request): Response | Promise<Response>;
  table: RouteTable;
  /** What a browser gets at an address that does not exist. */
  notFound?: ((request: Request) => Promise<Response>) | null;
};

type Peer = { requestIP(request: Request): { address: string } | null };

/** @param caller of a request that the server makes for one that it is answering, whose door the caller has passed */
export type Front = (request: Request, server?: Peer, caller?: Caller) => Promise<Response>;

/**
 * Handles a request before and after its route: checks its head, its caller and its conditions, turns errors into
 * replies, and adds the common headers.
 */
export function createFront(deps: FrontDeps, app: Routed): Front {
  const headersFor = securityHeaders(deps.config);
  const withPlainHost = plainHosts();
  const addressOf = clientAddresses(deps);
  return async (incoming, server, entered) => {
    const request = withPlainHost(incoming);
    const peer = () => server?.requestIP(incoming)?.address ?? "127.0.0.1";
    const found = app.table.find(request.method, pathOf(request.url));
    const address = () => addressOf(request, peer());
    const context = contextFor(deps, request, { found, address, headersFor });
    const answered = await answer(deps, app, { request, context, found, entered }).catch((error) =>
      toErrorResponse(error, context),
    );
    const response = context.claim
      ? await settleClaim(deps, context, context.claim, answered).catch(logged(context, answered))
      : answered;
    noteRequest(deps, request, context, response);
    const { caller } = context;
    const isSeen = response.ok && !isRead(request) && !UNSEEN.includes(found?.writes);
    if (caller && isSeen) deps.onChange(caller.accountId);
    if (!context.hasHeaders) addMissing(response.headers, context.headers);
    for (const [name, value] of corsHeaders(deps.config, request))
      setOrExtend(response.headers, name, value);
    return response;
  };
}

/** What a route writes that no open page shows. */
const UNSEEN: Route["writes"][] = ["nothing", "unseen"];

/** A reply may vary for more than one reason. */
function setOrExtend(headers: Headers, name: string, value: string) {
  if (name === "Vary") headers.append(name, value);
  else headers.set(name, value);
}

async function answer(
  deps: FrontDeps,
  app: Routed,
  {
    request,
    context,
    found,
    entered: caller,
  }: {
    request: Request;
    context: RequestContext;
    found: Route | null;
    entered: Caller | undefined;
  },
): Promise<Response> {
  const { path } = context;
  refuseOtherRoles(deps.config, app, path);
  const access = found?.access ?? usualAccess(request);
  const byKey = caller ? enterAs(caller) : deps.byKey;
  const [entered] = await Promise.allSettled([
    KEYS_OPEN.some((prefix) => isUnder(path, prefix)) && byKey(request, context, access),
  ]);
  refuseBadHead(request, context);
  if (request.method === "OPTIONS") return answerOptions(deps, app, request, context);
  if (entered.status === "rejected") throw entered.reason;
  if (isUnder(path, "/dashboard/api")) await deps.bySession(request, context, access);
  refuseStoppedWrites(deps, request, found);
  return isConditional(app, request, context)
    ? deps.store.engine.inTurn(path, () => routeUnlessStale(app, request, context))
    : route(app, request, context);
}

/** What API keys are for. */
const KEYS_OPEN = ["/api/v1", "/mcp"];

const enterAs =
  (caller: Caller): Door =>
  async (_, context, access) => {
    requirePermission(caller, access === "read" ? "read" : "write");
    context.caller = caller;
  };

/** A node without the role `api` has a few routes only. */
function refuseOtherRoles({ role }: Config, app: Routed, path: string) {
  if (role.includes("api") || app.table.methodsOf(path).length > 0) return;
  const roles = role.join(" and ");
  throw new AppError(
    "NOT_FOUND",
    `This node only has the ${role.length > 1 ? "roles" : "role"} ${roles}. Use a node with the role api.`,
  );
}

/** What a request needs before it gets 404 or 405 for its path or method. */
const usualAccess = (request: Request) => (isRead(request) ? "read" : "write");

async function route(app: Routed, request: Request, { path }: RequestContext): Promise<Response> {
  const response = await app.fetch(request);
  // 400 too: a path such as `/links/batch` also matches a record's route, which validates the body first.
  if (response.status !== 404 && response.status !== 400) return response;
  const allowed = app.table.methodsOf(path);
  if (allowed.length === 0 && app.notFound && wantsPage(request, path))
    return app.notFound(request);
  if (allowed.length === 0 || allowed.includes(request.method)) return response;
  throw new AppError(
    "METHOD_NOT_ALLOWED",
    `Method ${request.method} is not allowed here.`,
    { allowed },
    { allow: allowed.join(", ") },
  );
}

/** Of programs and of what pages load: these want the error itself. */
const NO_PAGES = ["/api", "/mcp", "/dashboard", "/assets", "/docs"];

/** Whether someone has opened the address in a browser. */
const wantsPage = ({ method, headers }: Request, path: string) =>
  method === "GET" &&
  headers.get("accept")?.includes("text/html") === true &&
  !NO_PAGES.some((prefix) => isUnder(path, prefix));

function contextFor(
  { clock }: Deps,
  request: Request,
  {
    found,
    address,
    headersFor,
  }: { found: Route | null; address: () => string; headersFor: (path: string) => Headers },
): RequestContext {
  const given = request.headers.get("x-request-id");
  const requestId = given && REQUEST_ID.test(given) ? given : newId();
  const path = pathOf(request.url);
  const headers = headersFor(path);
  headers.set("X-Request-Id", requestId);
  const receivedAt = clock.elapsed();
  const bodyLimit = found?.bodyLimit ?? BODY_LIMIT;
  const context = {
    requestId,
    address,
    path,
    receivedAt,
    bodyLimit,
    isUpload: found?.upload !== undefined,
    route: null,
    headers,
    hasHeaders: false,
  };
  attachContext(request, context);
  return context;
}

function refuseBadHead(request: Request, { bodyLimit }: RequestContext) {
  if (request.headers.get("host")?.includes(",")) {
    throw invalid({ Host: ["must be given once"] }, "The request has two Host headers.");
  }
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > bodyLimit) throw tooLarge(bodyLimit);
}

function answerOptions(
  deps: Deps,
  app: Routed,
  request: Request,
  { path }: RequestContext,
): Response {
  const allowed = app.table.methodsOf(path);
  if (allowed.length === 0) throw noSuchPath();
  const allow = [...allowed, "OPTIONS"].join(", ");
  const headers = { allow, ...preflightHeaders(deps.config, request, allow) };
  return new Response(null, { status: 204, headers });
}

/** `If-Match` applies only to records that can be read: others have no ETag. */
function isConditional(
  app: Routed,
  { method, headers }: Request,
  { path }: RequestContext,
): boolean {
  if (!headers.has("if-match") || !["PATCH", "DELETE"].includes(method)) return false;
  const allowed = app.table.methodsOf(path);
  return allowed.includes("GET") && allowed.includes(method);
}

/** Rejects a change whose `If-Match` does not match the record's current state (RFC 9110 §13.1.1). */
async function routeUnlessStale(
  app: Routed,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  const cookie = request.headers.get("cookie");
  const read = new Request(request.url, { method: "GET", ...(cookie && { headers: { cookie } }) });
  attachContext(read, { ...context, headers: new Headers(context.headers) });
  const current = await app.fetch(read);
  // The route rejects a bad body before it reports that the record is missing or belongs to another account.
  if (current.status === 404 || current.status === 403) return route(app, request, context);
  if (!current.ok) return current;
  const isFresh = matches(request.headers.get("if-match"), current.headers.get("etag") ?? "");
  if (isFresh) return route(app, request, context);
  throw new AppError(
    "PRECONDITION_FAILED",
    "The record has changed since you read it. Read it again.",
  );
}

/** RFC 9110 §9.2.1: any other request may have changed something. */
const isRead = ({ method }: Request) => ["GET", "HEAD", "OPTIONS"].includes(method);

const isUnder = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);

const logged =
  ({ requestId: request }: RequestContext, response: Response) =>
  (error: unknown) => {
    log.error("failed to store the reply of an idempotency key", {
      request,
      ...describeError(error),
    });
    return response;
  };

/**
 * Counts and logs a finished request. Successful quick reads are logged at level `debug`, since a log line costs more
 * than some of them; all other requests at level `info`.
 */
function noteRequest(
  { clock, metrics }: Deps,
  request: Request,
  context: RequestContext,
  { status }: Response,
): void {
  const { method } = request;
  const ms = clock.elapsed() - context.receivedAt;
  metrics.requestEnded({ method, route: metricsRouteOf(context), status }, ms);
  const isNotable = !isRead(request) || status >= 400 || ms >= SLOW_MS;
  if (isNotable) log.info("request", factsOf(method, context, status, ms));
  else log.debug("request", () => factsOf(method, context, status, ms));
}

/** File names contain hashes, which change with every version. */
function metricsRouteOf({ route, path }: RequestContext): string {
  if (path.startsWith(ASSETS)) return `${ASSETS}:file`;
  return route || "none";
}

/** The links in mails work for anyone who has them. */
const TOKEN_IN_PATH = /(\/mail\/[a-z]+\/).+/;

/** Neither queries nor bodies, which may contain anything. */
function factsOf(method: string, context: RequestContext, status: number, ms: number) {
  const { requestId: request, caller } = context;
  const path = context.path.replace(TOKEN_IN_PATH, "$1…");
  return {
    request,
    method,
    path,
    status,
    ms: Math.round(ms * 10) / 10,
    ...(caller && { account: caller.accountId, ...callerFacts(caller.by) }),
    address: context.address(),
  };
}

/** A key by the part of it that is shown, a person by their id. */
const callerFacts = ({ kind, id, name }: NonNullable<RequestContext["caller"]>["by"]) =>
  kind === "key" ? { key: name } : { user: id };

/**
 * Rejects requests that would write while a problem of the installation forbids it. Administrators see the problem
 * elsewhere; others only see what it means for them.
 * @throws SERVICE_UNAVAILABLE
 */
function refuseStoppedWrites({ troubles }: Deps, request: Request, route: Route | null) {
  const noDeletions = troubles.stoppingDeletions();
  const trouble = noDeletions ?? troubles.stoppingWrites();
  if (!trouble || isRead(request) || route?.writes === "nothing") return;
  const makesRoom = request.method === "DELETE" || route?.writes === "on-full-disk";
  if (makesRoom && !noDeletions) return;
  throw stopped(trouble.name);
}

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
