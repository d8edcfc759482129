import { isIPv6 } from "node:net";
import { checkServerIdentity } from "node:tls";
import { bareHost } from "./address.ts";
import { readBody } from "./body.ts";
import { Late, type Limits, startDeadlines } from "./deadlines.ts";
import { BEFORE_SENDING, type Exchange, failed, leftOf, type Plan, type Trip } from "./exchange.ts";
import { codeOf, type FailureReason, reasonOfError } from "./failures.ts";
import { parseAddress } from "./host-list.ts";
import { canConnect } from "./reach.ts";

const CONNECT_MS = 10_000;
const HEADERS_MS = 20_000;
const HEADER_BYTES = 64 * 1024;

/** Sends the request to one vetted address. */
export async function sendTo(plan: Plan, address: string | null): Promise<Exchange> {
  const handshake = { isDone: plan.url.protocol === "http:", expiresAt: null };
  const trip: Trip = { ...plan, address, handshake };
  const stop = new AbortController();
  const deadlines = startDeadlines(limitsOf(trip));
  try {
    const response = await Promise.race([fetchPinned(trip, stop.signal), deadlines.headersLate]);
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
function fetchPinned(trip: Trip, signal: AbortSignal): Promise<Response> {
  const { url, input, options, address } = trip;
  const pinned = new URL(url);
  pinned.hash = "";
  if (address) pinned.hostname = isIPv6(address) ? `[${address}]` : address;
  return fetch(pinned.href, {
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

async function receive(trip: Trip, response: Response, late: Promise<"late">): Promise<Exchange> {
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
