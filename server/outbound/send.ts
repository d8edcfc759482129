import { isIPv6 } from "node:net";
import { checkServerIdentity } from "node:tls";
import { bareHost } from "./address.ts";
import { readBody } from "./body.ts";
import { type Deadlines, Late, startDeadlines } from "./deadlines.ts";
import {
  BEFORE_SENDING,
  type Exchange,
  failed,
  type Handshake,
  leftOf,
  type Plan,
} from "./exchange.ts";
import { codeOf, type FailureReason, reasonOfError } from "./failures.ts";
import { parseAddress } from "./host-list.ts";
import { canConnect } from "./reach.ts";

const CONNECT_MS = 10_000;
const HEADERS_MS = 20_000;
const HEADER_BYTES = 64 * 1024;

/** Sends the request to one vetted address; to the proxy's choice when there is none. */
export async function sendTo(plan: Plan, address: string | null): Promise<Exchange> {
  const handshake: Handshake = { isDone: plan.url.protocol === "http:", expiresAt: null };
  const stop = new AbortController();
  const deadlines = startDeadlines(limitsOf(plan, address, handshake));
  try {
    const fetched = fetchPinned(plan, address, handshake, stop.signal);
    const response = await Promise.race([fetched, deadlines.headersLate]);
    deadlines.headersCame();
    return await receive(plan, response, address, handshake, deadlines);
  } catch (error) {
    return explain(plan, error, address, handshake);
  } finally {
    deadlines.end();
    stop.abort();
  }
}

function limitsOf(plan: Plan, address: string | null, handshake: Handshake) {
  const { connectMs = CONNECT_MS, headersMs = HEADERS_MS, signal } = plan.input;
  const isSecure = plan.url.protocol === "https:";
  const port = Number(plan.url.port) || (isSecure ? 443 : 80);
  const isReachable = async (withinMs: number) =>
    address === null ||
    plan.options.proxy !== undefined ||
    (isSecure && handshake.isDone) ||
    canConnect(address, port, withinMs);
  return { leftMs: Math.max(0, leftOf(plan)), connectMs, headersMs, signal, isReachable };
}

/** The vetted address takes the place of the name, so that nothing is looked up a second time. */
function fetchPinned(
  plan: Plan,
  address: string | null,
  handshake: Handshake,
  signal: AbortSignal,
): Promise<Response> {
  const { url, input, options } = plan;
  const pinned = new URL(url);
  pinned.hash = "";
  if (address) pinned.hostname = isIPv6(address) ? `[${address}]` : address;
  return fetch(pinned, {
    method: input.method ?? "GET",
    headers: { ...input.headers, Host: url.host },
    ...(input.body !== undefined && { body: input.body }),
    redirect: "manual",
    keepalive: false,
    signal,
    ...(options.proxy !== undefined && { proxy: options.proxy }),
    tls: tlsOf(plan, handshake),
  });
}

/** The certificate must be for the name in the URL, whatever address is dialled. */
function tlsOf({ url, input, ca }: Plan, handshake: Handshake): BunFetchRequestInitTLS {
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

async function receive(
  plan: Plan,
  response: Response,
  address: string | null,
  handshake: Handshake,
  deadlines: Deadlines,
): Promise<Exchange> {
  const { input, startedAt, options } = plan;
  const headersMs = options.clock.elapsed() - startedAt;
  const { status, headers } = response;
  if (sizeOf(headers) > HEADER_BYTES) {
    return failed(
      plan,
      "header_overflow",
      "The headers were larger than 64 KiB.",
      address,
      handshake,
    );
  }
  const cap = typeof input.bodyCap === "number" ? input.bodyCap : input.bodyCap(status, headers);
  const { bytes: body, truncated, problem } = await readBody(response, cap, deadlines.bodyLate);
  if (input.signal?.aborted) throw new Late("aborted");
  return {
    kind: "response",
    status,
    headers,
    body,
    truncated,
    bodyProblem: problem,
    address,
    tlsExpiresAt: handshake.expiresAt,
    headersMs,
    elapsedMs: options.clock.elapsed() - startedAt,
  };
}

/** As on the wire: a colon, a space and a line end for each field. */
const sizeOf = (headers: Headers) =>
  [...headers].reduce((size, [name, value]) => size + name.length + value.length + 4, 0);

function explain(
  plan: Plan,
  error: unknown,
  address: string | null,
  handshake: Handshake,
): Exchange {
  const reason = error instanceof Late ? error.reason : reasonOfError(error);
  const detail = error instanceof Late ? "Time ran out." : `The request failed (${codeOf(error)}).`;
  return failed(plan, sharpen(plan, reason, handshake), detail, address, handshake);
}

/** `fetch` has one word for a reset before and after the handshake, and for a dead server or proxy. */
function sharpen(plan: Plan, reason: FailureReason, handshake: Handshake): FailureReason {
  if (plan.options.proxy !== undefined && BEFORE_SENDING.has(reason)) return "monitor_proxy_error";
  return reason === "conn_reset" && !handshake.isDone ? "tls_handshake_reset" : reason;
}
