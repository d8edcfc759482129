import { isIPv6 } from "node:net";
import { rootCertificates } from "node:tls";
import { bareHost, mayConnect, type TargetPolicy, vetTarget } from "./address.ts";
import {
  BEFORE_SENDING,
  type Exchange,
  failed,
  leftOf,
  type OutboundOptions,
  type Plan,
  type RequestInput,
} from "./exchange.ts";
import type { FailureReason } from "./failures.ts";
import { parseAddress } from "./host-list.ts";
import { isNowhere } from "./policy.ts";
import type { Resolver } from "./resolve.ts";
import { sendTo } from "./send.ts";

export type { Exchange, OutboundOptions, RequestInput } from "./exchange.ts";

export type Outbound = {
  /** Sends one request and follows no redirect. Whatever the network does comes back as a value. */
  request(target: string | URL, input: RequestInput): Promise<Exchange>;
  policy: TargetPolicy;
  resolver: Resolver;
};

const ADDRESSES_TRIED = 3;

/** The only way out of the program: every request passes the same three gates. */
export function createOutbound(options: OutboundOptions): Outbound {
  const ca = options.extraCa ? [...rootCertificates, options.extraCa] : null;
  const request = async (target: string | URL, input: RequestInput) => {
    const startedAt = options.clock.elapsed();
    const vetted = vetTarget(String(target), options.policy);
    if (vetted.ok) return send({ url: vetted.url, input, startedAt, options, ca });
    return failed({ startedAt, options }, vetted.reason, describeRefusal(options, vetted.reason));
  };
  return { request, policy: options.policy, resolver: options.resolver };
}

async function send(plan: Plan): Promise<Exchange> {
  const host = bareHost(plan.url);
  if (plan.options.proxy && plan.options.proxyResolves) return sendTo(plan, null);
  const found = parseAddress(host)
    ? ({ ok: true, addresses: [host] } as const)
    : await plan.options.resolver.resolve(host);
  if (!found.ok) return failed(plan, found.reason, `Looking up ${host} failed.`);
  const open = found.addresses.filter((address) => mayConnect(plan.options.policy, host, address));
  if (open.length > 0) return sendToFirst(plan, chooseAddresses(open));
  if (found.addresses.every(isNowhere)) {
    return failed(plan, "network_filter", `${host} was answered with no address at all.`);
  }
  return failed(plan, "target_forbidden", describeRefusal(plan.options, "target_forbidden"));
}

const describeRefusal = (options: OutboundOptions, reason: FailureReason) =>
  reason === "target_forbidden"
    ? `The target is not allowed; see ${options.allowedHostsSetting}.`
    : "The URL cannot be requested.";

/** Up to three addresses, the two families in turn, so that a broken family hides nothing. */
function chooseAddresses(addresses: readonly string[]): string[] {
  const [first, second] = [addresses.filter((a) => !isIPv6(a)), addresses.filter(isIPv6)];
  const inTurn = addresses.flatMap((_, index) => [first[index], second[index]]);
  return inTurn.filter((address) => address !== undefined).slice(0, ADDRESSES_TRIED);
}

async function sendToFirst(plan: Plan, addresses: string[]): Promise<Exchange> {
  let telling: (Exchange & { kind: "failed" }) | null = null;
  for (const address of addresses) {
    const exchange = await sendTo(plan, address);
    if (exchange.kind === "response" || !BEFORE_SENDING.has(exchange.reason)) return exchange;
    // "No route" is often only a missing IPv6; another address's failure says more.
    if (telling === null || telling.reason === "conn_unreachable") telling = exchange;
    if (leftOf(plan) <= 0) break;
  }
  return telling ?? failed(plan, "internal_error", "There was no address to try.");
}
