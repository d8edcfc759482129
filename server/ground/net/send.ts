import { connect, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from "node:tls";
import { codeOf } from "../lib/errors.ts";
import { type Incoming, readBody } from "./body.ts";
import { watchForRequest } from "./client-certificate.ts";
import type { NameServer } from "./dns-query.ts";
import {
  BEFORE_SENDING,
  type Exchange,
  type FailureReason,
  failed,
  leftOf,
  type Plan,
  reasonOfError,
  type Trip,
} from "./exchange.ts";
import { bareHost, isOutside, parseAddress } from "./policy.ts";
import { getRaw } from "./raw-get.ts";
import { joinEqualLines, Malformed, separateTargets } from "./raw-head.ts";

const CONNECT_MS = 10_000;
const HEADERS_MS = 20_000;
const HEADER_BYTES = 64 * 1024;

/** Least size of a useful truncated body. */
const USEFUL_BYTES = 1024;

/** Sends the request to one vetted address, and again where `fetch` does not show what a browser would. */
export async function sendTo(plan: Plan, address: string | null): Promise<Exchange> {
  const exchange = await sendBy(fetchPinned, plan, address);
  const isUnclear = exchange.kind === "response" && joinEqualLines(exchange.headers);
  if (!isUnclear && !mayBeMisread(plan, exchange)) return exchange;
  const again = mayRepeat(plan) ? await sendBy(sendRaw, plan, address) : null;
  if (again?.kind === "response") return withFirstTime(again, exchange);
  if (exchange.kind === "response") {
    return isUnclear ? { ...exchange, ...separateTargets(exchange.headers) } : exchange;
  }
  if (again?.reason === "client_certificate") return again;
  const isAnswered = again ? again.isAnswered : exchange.reason === "http_malformed";
  return isAnswered ? { ...exchange, isAnswered } : exchange;
}

/** The response time is that of the first response. */
const withFirstTime = (again: Answered, first: Exchange): Exchange =>
  first.kind === "response" ? { ...again, headersMs: first.headersMs } : again;

/** Requests that may change something, or use a proxy, are not repeated. */
const mayRepeat = (plan: Plan) =>
  (plan.input.method ?? "GET") === "GET" && plan.options.proxy === undefined && leftOf(plan) > 0;

const mayBeMisread = (plan: Plan, exchange: Exchange): boolean =>
  exchange.kind === "response"
    ? mayHaveLostBytes(exchange)
    : STRICT.has(exchange.reason) ||
      (plan.url.protocol === "https:" && WITHOUT_CERTIFICATE.has(exchange.reason));

/** Failures for responses that browsers and curl may accept. */
const STRICT = new Set<FailureReason>(["http_malformed", "header_overflow"]);

/** Failures with a server that wants a client certificate. */
const WITHOUT_CERTIFICATE = new Set<FailureReason>([
  "tls_protocol",
  "tls_handshake_reset",
  "conn_reset",
]);

/**
 * Whether `fetch` of Bun 1.4.5 may have dropped bytes: it loses those that arrive together with the end of the
 * connection, and those of chunks with a padded size.
 */
const mayHaveLostBytes = ({ bodyProblem, status, bodyBytes }: Answered): boolean =>
  bodyProblem === "body_incomplete" && status < 300 && bodyBytes < USEFUL_BYTES;

type Answered = Exchange & { kind: "response" };

type Received = Incoming & { hasConflict?: boolean };
type Send = (trip: Trip, signal: AbortSignal) => Promise<Received>;

async function sendBy(send: Send, plan: Plan, address: string | null): Promise<Exchange> {
  if (plan.input.signal?.aborted) return failed(plan, "aborted", "The caller has given up.");
  const handshake: Trip["handshake"] = {
    isDone: plan.url.protocol === "http:",
    expiresAt: null,
  };
  const trip: Trip = { ...plan, address, handshake };
  const stop = new AbortController();
  const deadlines = startDeadlines(limitsOf(trip));
  try {
    const response = await Promise.race([send(trip, stop.signal), deadlines.headersLate]);
    deadlines.headersCame();
    return await receive(trip, response, deadlines.bodyLate);
  } catch (error) {
    return explain(trip, error);
  } finally {
    deadlines.end();
    // The default error is expensive to create.
    stop.abort("over");
  }
}

function limitsOf(trip: Trip): Limits {
  const { url, input, options, address, handshake } = trip;
  const isSecure = url.protocol === "https:";
  const isReachable = async (withinMs: number) =>
    address === null ||
    options.proxy !== undefined ||
    (isSecure && handshake.isDone) ||
    canConnect(address, portOf(url), withinMs);
  return {
    leftMs: Math.max(0, leftOf(trip)),
    connectMs: input.connectMs ?? CONNECT_MS,
    headersMs: input.headersMs ?? HEADERS_MS,
    signal: input.signal,
    isReachable,
  };
}

/** Replaces the name with the validated address, so that it is not resolved again. */
function pinnedOf({ url, address }: Trip): URL {
  const pinned = new URL(url);
  pinned.hash = "";
  if (address) pinned.hostname = isIPv6(address) ? `[${address}]` : address;
  return pinned;
}

function fetchPinned(trip: Trip, signal: AbortSignal): Promise<Response> {
  const { url, input, options } = trip;
  return fetch(pinnedOf(trip).href, {
    method: input.method ?? "GET",
    headers: { ...input.headers, Host: url.host },
    ...(input.body !== undefined && { body: input.body }),
    redirect: "manual",
    keepalive: false,
    // Done here instead, since `fetch` decompresses without limit.
    decompress: false,
    signal,
    ...(options.proxy !== undefined && { proxy: options.proxy }),
    // The connection to a proxy may use TLS, too.
    ...((url.protocol === "https:" || options.proxy !== undefined) && { tls: tlsOf(trip) }),
  });
}

/** @throws ClientCertificateWanted instead of an error with that cause */
async function sendRaw(trip: Trip, signal: AbortSignal): Promise<Received> {
  const { url, address, input, handshake } = trip;
  const watch = watchForRequest();
  try {
    return await getRaw({
      address: address ?? bareHost(url),
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, ...input.headers },
      signal,
      tls: url.protocol === "https:" ? rawTlsOf(trip) : null,
      onTlsBytes: watch.take,
    });
  } catch (error) {
    if (error instanceof Malformed || !watch.explains(error, handshake.isDone)) throw error;
    throw new ClientCertificateWanted();
  }
}

class ClientCertificateWanted extends Error {
  readonly code = "CLIENT_CERTIFICATE";
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === "https:" ? 443 : 80);

function tlsOf(trip: Trip): BunFetchRequestInitTLS {
  const { serverName, ...identity } = identityOf(trip);
  return { ...identity, ...(serverName && { serverName }), ...(trip.ca && { ca: trip.ca }) };
}

function rawTlsOf(trip: Trip): ConnectionOptions {
  const { serverName: servername, ...identity } = identityOf(trip);
  return {
    ...identity,
    ...(servername && { servername }),
    ...(trip.ca && { ca: trip.ca }),
    ALPNProtocols: ["http/1.1"],
  };
}

/** The certificate must be for the name in the URL, not for the address. */
function identityOf({ url, input, handshake }: Trip) {
  const host = bareHost(url).replace(/\.$/, "");
  return {
    serverName: parseAddress(host) === null ? host : null,
    rejectUnauthorized: input.trust !== "any",
    checkServerIdentity(_: string, certificate: PeerCertificate) {
      handshake.isDone = true;
      handshake.expiresAt = Date.parse(certificate.valid_to) || null;
      const lifetimeMs = Date.parse(certificate.valid_to) - Date.parse(certificate.valid_from);
      if (lifetimeMs > 0) handshake.lifetimeMs = lifetimeMs;
      return checkIdentity(host, certificate);
    },
  };
}

/** Browsers ignore the common name, so a certificate needs alternative names (RFC 9110 §4.3.4). */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  if (certificate.subjectaltname) return checkServerIdentity(host, certificate);
  const error = new Error("The certificate has no alternative names.");
  return Object.assign(error, { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
}

async function receive(trip: Trip, response: Received, late: Promise<"late">): Promise<Exchange> {
  const { input, startedAt, options, address, handshake } = trip;
  const headersMs = options.clock.elapsed() - startedAt;
  const { status, headers } = response;
  if (sizeOf(headers) > HEADER_BYTES) {
    const exchange = failed(trip, "header_overflow", "The headers were larger than 64 KiB.");
    return isSuccess(status) ? { ...exchange, isAnswered: true } : exchange;
  }
  const tlsExpiresAt = handshake.expiresAt;
  const { bodyCap } = input;
  const wish = typeof bodyCap === "number" ? bodyCap : bodyCap(status, headers, tlsExpiresAt);
  const { bytes, length, truncated, problem } = await readBody(response, wish, late, input.onBody);
  if (input.signal?.aborted) throw new Late("aborted");
  const elapsedMs = options.clock.elapsed() - startedAt;
  return {
    kind: "response",
    status,
    headers,
    body: bytes,
    bodyBytes: length,
    truncated,
    bodyProblem: problem,
    hasConflict: response.hasConflict ?? false,
    address,
    tlsExpiresAt,
    tlsLifetimeMs: handshake.lifetimeMs,
    dnsMs: trip.dnsMs ?? null,
    headersMs,
    elapsedMs,
  };
}

/** As sent: with a colon, a space and a line end for each field. */
function sizeOf(headers: Headers): number {
  let size = 0;
  headers.forEach((value, name) => {
    size += name.length + value.length + 4;
  });
  return size;
}

function explain(trip: Trip, error: unknown): Exchange {
  if (error instanceof Late) return failed(trip, sharpen(trip, error.reason), "Time ran out.");
  const detail = `The request failed (${codeOf(error)}).`;
  const exchange = failed(trip, sharpen(trip, reasonOfError(error)), detail);
  const isAnswered = error instanceof Malformed && isSuccess(error.status);
  return isAnswered ? { ...exchange, isAnswered } : exchange;
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 400;

/** `fetch` does not distinguish resets before and after the handshake, nor failures of server and proxy. */
function sharpen({ options, handshake }: Trip, reason: FailureReason): FailureReason {
  if (options.proxy !== undefined && BEFORE_SENDING.has(reason)) return "monitor_proxy_error";
  return reason === "conn_reset" && !handshake.isDone ? "tls_handshake_reset" : reason;
}

/** Thrown when a response does not arrive in time. */
export class Late extends Error {
  constructor(readonly reason: "conn_timeout" | "read_timeout" | "aborted") {
    super(reason);
  }
}

type Limits = {
  leftMs: number;
  connectMs: number;
  headersMs: number;
  signal: AbortSignal | undefined;
  /** Called once for a silent server: whether a connection can be opened. */
  isReachable(withinMs: number): Promise<boolean>;
};

const REACH_MS = 2000;

/** Uses its own timers, since a request may ignore its signal. */
export function startDeadlines(limits: Limits) {
  /** Rejects with `Late` when the headers are late, or the caller aborts. */
  const headers = Promise.withResolvers<never>();
  /** Resolves when the body is late, or the caller aborts. */
  const body = Promise.withResolvers<"late">();
  headers.promise.catch(() => {});
  const giveUp = (reason: Late["reason"]) => {
    headers.reject(new Late(reason));
    body.resolve("late");
  };
  const awaited = watchHeaders(limits, giveUp);
  const whole = setTimeout(body.resolve, limits.leftMs, "late");
  const onAbort = () => giveUp("aborted");
  if (limits.signal?.aborted) onAbort();
  limits.signal?.addEventListener("abort", onAbort);
  const end = () => {
    awaited.stop();
    clearTimeout(whole);
    limits.signal?.removeEventListener("abort", onAbort);
  };
  return { headersLate: headers.promise, bodyLate: body.promise, headersCame: awaited.stop, end };
}

/** Distinguishes a server that cannot be reached from one that is silent. */
function watchHeaders(limits: Limits, giveUp: (reason: Late["reason"]) => void) {
  const limit = Math.min(limits.leftMs, limits.headersMs);
  const reachMs = Math.min(REACH_MS, limit / 2);
  const connectMs = Math.min(limits.connectMs, limit - reachMs);
  let isReached = false;
  const onHeadersLate = () => giveUp(isReached ? "read_timeout" : "conn_timeout");
  const onConnectLate = async () => {
    // Most requests have ended by then, and need no second timer.
    timer = setTimeout(onHeadersLate, limit - connectMs);
    isReached = await limits.isReachable(reachMs);
    if (!isReached) giveUp("conn_timeout");
  };
  let timer = setTimeout(onConnectLate, connectMs);
  return { stop: () => clearTimeout(timer) };
}

/** Whether a TCP connection can be opened within `timeoutMs`, which the single timeout of `fetch` does not show. */
export async function canConnect(
  address: string,
  port: number,
  timeoutMs: number,
): Promise<boolean> {
  // The sender of a refusal can be reached.
  return (await tryToConnect(address, port, timeoutMs)) !== "nothing";
}

/**
 * Whether the server accepts a TCP connection within `timeoutMs`. A refusal does not count, since a router or firewall
 * may have sent it. For addresses from settings, which are not validated.
 */
export async function answersTcp(server: NameServer, timeoutMs: number): Promise<boolean> {
  return (await tryToConnect(server.address, server.port, timeoutMs)) === "connected";
}

function tryToConnect(
  address: string,
  port: number,
  timeoutMs: number,
): Promise<"connected" | "refused" | "nothing"> {
  const socket = connect({ host: address, port });
  return new Promise<"connected" | "refused" | "nothing">((resolve) => {
    // Zero would mean no limit.
    socket.setTimeout(Math.max(1, timeoutMs), () => resolve("nothing"));
    socket.on("connect", () => resolve("connected"));
    socket.on("error", (error) =>
      resolve(codeOf(error) === "ECONNREFUSED" ? "refused" : "nothing"),
    );
  }).finally(() => socket.destroy());
}

/** Whether this machine has a public IPv6 address. */
export const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flat()
    .some((own) => own?.family === "IPv6" && isOutside(own.address));
