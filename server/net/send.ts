import { isIPv6 } from "node:net";
import { checkServerIdentity } from "node:tls";
import { bareHost } from "./address.ts";
import { type Incoming, readBody } from "./body.ts";
import { Late, type Limits, startDeadlines } from "./deadlines.ts";
import { BEFORE_SENDING, type Exchange, failed, leftOf, type Plan, type Trip } from "./exchange.ts";
import { codeOf, type FailureReason, reasonOfError } from "./failures.ts";
import { getByNode } from "./node-get.ts";
import { parseAddress } from "./policy.ts";
import { canConnect } from "./reach.ts";

const CONNECT_MS = 10_000;
const HEADERS_MS = 20_000;
const HEADER_BYTES = 64 * 1024;

/** A body that was cut is useful from here on. */
const USEFUL_BYTES = 1024;

/** Sends the request to one vetted address. */
export async function sendTo(plan: Plan, address: string | null): Promise<Exchange> {
  const exchange = await sendBy(fetchPinned, plan, address);
  if (!mayHaveLostBytes(plan, exchange)) return exchange;
  const again = await sendBy(fetchByNode, plan, address);
  return again.kind === "failed" ? exchange : { ...again, headersMs: exchange.headersMs };
}

/**
 * Whether bytes may have come that `fetch` of Bun 1.4.5 did not hand over: it drops those that arrive together
 * with the end of the connection. Nothing is sent twice that may change something, nor through a proxy.
 */
const mayHaveLostBytes = (plan: Plan, exchange: Exchange): exchange is Answered =>
  exchange.kind === "response" &&
  exchange.bodyProblem === "body_incomplete" &&
  exchange.status < 300 &&
  exchange.bodyBytes < USEFUL_BYTES &&
  (plan.input.method ?? "GET") === "GET" &&
  plan.options.proxy === undefined &&
  leftOf(plan) > 0;

type Answered = Exchange & { kind: "response" };

type Send = (trip: Trip, signal: AbortSignal) => Promise<Incoming>;

async function sendBy(send: Send, plan: Plan, address: string | null): Promise<Exchange> {
  const handshake = { isDone: plan.url.protocol === "http:", expiresAt: null };
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
    // Making the usual error would take longer than all the rest of this.
    stop.abort("over");
  }
}

function limitsOf(trip: Trip): Limits {
  const { url, input, options, address, handshake } = trip;
  const isSecure = url.protocol === "https:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const isReachable = async (withinMs: number) =>
    address === null ||
    options.proxy !== undefined ||
    (isSecure && handshake.isDone) ||
    canConnect(address, port, withinMs);
  return {
    leftMs: Math.max(0, leftOf(trip)),
    connectMs: input.connectMs ?? CONNECT_MS,
    headersMs: input.headersMs ?? HEADERS_MS,
    signal: input.signal,
    isReachable,
  };
}

/** The vetted address takes the place of the name, so that nothing is looked up a second time. */
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
    // Done here instead, since `fetch` unpacks as fast as it can and without end.
    decompress: false,
    signal,
    ...(options.proxy !== undefined && { proxy: options.proxy }),
    // A proxy may be spoken to over TLS as well.
    ...((url.protocol === "https:" || options.proxy !== undefined) && { tls: tlsOf(trip) }),
  });
}

function fetchByNode(trip: Trip, signal: AbortSignal): Promise<Incoming> {
  const { url, input } = trip;
  const { serverName, ...tls } = tlsOf(trip);
  return getByNode(pinnedOf(trip), {
    headers: { ...input.headers, Host: url.host },
    signal,
    ...(url.protocol === "https:" && { ...tls, ...(serverName && { servername: serverName }) }),
  });
}

/** The certificate must be for the name in the URL, whatever address is dialled. */
function tlsOf({ url, input, ca, handshake }: Trip): BunFetchRequestInitTLS {
  const host = bareHost(url).replace(/\.$/, "");
  return {
    ...(parseAddress(host) === null && { serverName: host }),
    ...(ca && { ca }),
    rejectUnauthorized: input.trust !== "any",
    checkServerIdentity: (_, certificate) => {
      handshake.isDone = true;
      handshake.expiresAt = Date.parse(certificate.valid_to) || null;
      return checkServerIdentity(host, certificate);
    },
  };
}

async function receive(trip: Trip, response: Incoming, late: Promise<"late">): Promise<Exchange> {
  const { input, startedAt, options, address, handshake } = trip;
  const headersMs = options.clock.elapsed() - startedAt;
  const { status, headers } = response;
  if (sizeOf(headers) > HEADER_BYTES) {
    return failed(trip, "header_overflow", "The headers were larger than 64 KiB.");
  }
  const cap = typeof input.bodyCap === "number" ? input.bodyCap : input.bodyCap(status, headers);
  const { bytes, length, truncated, problem } = await readBody(response, cap, late, input.onBody);
  if (input.signal?.aborted) throw new Late("aborted");
  const elapsedMs = options.clock.elapsed() - startedAt;
  const tlsExpiresAt = handshake.expiresAt;
  return {
    kind: "response",
    ...{ status, headers, body: bytes, bodyBytes: length, truncated, bodyProblem: problem },
    ...{ address, tlsExpiresAt, headersMs, elapsedMs },
  };
}

/** As on the wire: a colon, a space and a line end for each field. */
const sizeOf = (headers: Headers) =>
  [...headers].reduce((size, [name, value]) => size + name.length + value.length + 4, 0);

function explain(trip: Trip, error: unknown): Exchange {
  if (error instanceof Late) return failed(trip, sharpen(trip, error.reason), "Time ran out.");
  const detail = `The request failed (${codeOf(error)}).`;
  return failed(trip, sharpen(trip, reasonOfError(error)), detail);
}

/** `fetch` has one word for a reset before and after the handshake, and for a dead server or proxy. */
function sharpen({ options, handshake }: Trip, reason: FailureReason): FailureReason {
  if (options.proxy !== undefined && BEFORE_SENDING.has(reason)) return "monitor_proxy_error";
  return reason === "conn_reset" && !handshake.isDone ? "tls_handshake_reset" : reason;
}
