import { isIPv6 } from "node:net";
import { rootCertificates } from "node:tls";
import {
  BEFORE_SENDING,
  type Exchange,
  type FailedExchange,
  type FailureReason,
  failed,
  leftOf,
  type OutboundOptions,
  type Plan,
  type RequestInput,
  worstOf,
} from "./exchange.ts";
import {
  bareHost,
  isNowhere,
  mayConnect,
  parseAddress,
  type TargetPolicy,
  vetTarget,
} from "./policy.ts";
import type { Resolution, Resolver } from "./resolve.ts";
import { hasIpv6, sendTo } from "./send.ts";

export type Outbound = {
  /** Sends one request without following redirects. Never throws for network reasons. */
  request(target: string | URL, input: RequestInput): Promise<Exchange>;
  policy: TargetPolicy;
  resolver: Resolver;
  hasIpv6(): boolean;
  /** Whether requests go through a proxy of this monitor, which may answer in place of a server. */
  usesProxy: boolean;
};

const ADDRESSES_TRIED = 3;

/** Every request of the program goes through here: its URL and its addresses are validated. */
export function createOutbound(options: OutboundOptions): Outbound {
  const ca = options.extraCa ? certificatesWith(options.extraCa) : null;
  const request = async (target: string | URL, input: RequestInput) => {
    const startedAt = options.clock.elapsed();
    const vetted = vetTarget(target, options.policy);
    if (vetted.ok) return send({ url: vetted.url, input, startedAt, options, ca });
    return failed({ startedAt, options }, vetted.reason, describeRefusal(options, vetted.reason));
  };
  const { policy, resolver, proxy } = options;
  return { request, policy, resolver, hasIpv6, usesProxy: proxy !== undefined };
}

/** As bytes, since `fetch` copies them for each request, and texts take twice as long. */
const certificatesWith = (extraCa: string) =>
  Buffer.from([...rootCertificates, extraCa].join("\n"));

async function send(asked: Plan): Promise<Exchange> {
  const host = bareHost(asked.url);
  const { clock, proxy, proxyResolves, resolver } = asked.options;
  if (proxy && proxyResolves) return sendTo(asked, null);
  const resolving: Resolution | Promise<Resolution> = parseAddress(host)
    ? { ok: true, addresses: [host] }
    : resolver.resolve(host);
  const found = await inTime(leftOf(asked), resolving);
  const isAsked = resolving instanceof Promise;
  const plan = isAsked ? { ...asked, dnsMs: clock.elapsed() - asked.startedAt } : asked;
  if (!found.ok) return failed(plan, found.reason, `Looking up ${host} failed.`);
  const open = found.addresses.filter((address) => mayConnect(plan.options.policy, host, address));
  if (open.length > 0) return sendToFirst(plan, chooseAddresses(open));
  const refusal = describeRefusal(plan.options, "target_forbidden");
  if (!found.addresses.every(isNowhere)) return failed(plan, "target_forbidden", refusal);
  const detail = `The name server returned an unspecified address for ${host}, as filters do.`;
  return failed(plan, "network_filter", `${detail} ${refusal}`);
}

/** Name servers may take longer than the limit of the request. */
async function inTime(
  leftMs: number,
  resolving: Resolution | Promise<Resolution>,
): Promise<Resolution> {
  if (!(resolving instanceof Promise)) return resolving;
  const late = Promise.withResolvers<Resolution>();
  const timer = setTimeout(late.resolve, leftMs, { ok: false, reason: "dns_timeout" });
  return Promise.race([resolving, late.promise]).finally(() => clearTimeout(timer));
}

const describeRefusal = (options: OutboundOptions, reason: FailureReason) =>
  reason === "target_forbidden"
    ? `The target is not allowed; see ${options.allowedHostsSetting}.`
    : "The URL cannot be requested.";

/** Returns up to three addresses, alternating the families in case one does not work. */
function chooseAddresses(addresses: readonly string[]): readonly string[] {
  if (addresses.length === 1) return addresses;
  const [first, second] = [addresses.filter((a) => !isIPv6(a)), addresses.filter(isIPv6)];
  const inTurn = addresses.flatMap((_, index) => [first[index], second[index]]);
  return inTurn.filter((address) => address !== undefined).slice(0, ADDRESSES_TRIED);
}

async function sendToFirst(plan: Plan, addresses: readonly string[]): Promise<Exchange> {
  const failures: FailedExchange[] = [];
  for (const address of addresses) {
    const exchange = await sendTo(plan, address);
    if (exchange.kind === "response") return exchange;
    failures.push(exchange);
    if (!BEFORE_SENDING.has(exchange.reason) || leftOf(plan) <= 0) break;
  }
  return worstOf(failures);
}

const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/**
 * Removes the usual proxy variables from an environment and returns their names. `fetch` always obeys them, and a proxy
 * would resolve validated names again.
 */
export function dropProxyVariables(env: Record<string, string | undefined>): string[] {
  const found = [...NAMES, ...NAMES.map((name) => name.toLowerCase())].filter(
    (name) => name in env,
  );
  for (const name of found) delete env[name];
  return found;
}
