import { type Finding, type Reader, type Signal, suspected } from "../probe/finding.ts";
import type { Answer } from "../probe/probe.ts";
import { judgeFailure } from "../probe/statuses.ts";
import type { UnknownReason } from "../reasons/reasons.ts";

/**
 * Detects error pages of this monitor's own proxy, which say nothing about the link but what the proxy met: it could not
 * resolve the name, or not connect. A site has proxies, too, whose errors are those of the site.
 */
export const readProxyError: Reader = ({ answer }) => {
  if (!answer.isProxied || answer.status < 400) return null;
  const error = squidErrorIn(answer) ?? proxyStatusIn(answer);
  if (!error) return null;
  const signal = {
    rule: "proxy_error",
    text: `This monitor's proxy reports the error ${error.name}.`,
  };
  return error.reason ? failureSeen(answer, error.reason, signal) : suspected(FAULT, [signal]);
};

const FAULT = "monitor_proxy_error";

type ProxyError = { name: string; reason: UnknownReason | undefined };

/** As if the request had failed in the same way without a proxy. */
const failureSeen = (answer: Answer, reason: UnknownReason, signal: Signal): Finding => ({
  ...judgeFailure({ ...answer, kind: "failed", reason, detail: signal.text }),
  signals: [signal],
});

/** Squid names the error and the number of the system's error: `ERR_CONNECT_FAIL 111`. */
function squidErrorIn({ headers }: Answer): ProxyError | null {
  const value = headers.get("x-squid-error") ?? "";
  const [, name, number = ""] = /^\s*(ERR_[A-Z_]{1,40})(?: (\d{1,4}))?/.exec(value) ?? [];
  if (name === undefined) return null;
  if (name === "ERR_DNS_FAIL") return { name, reason: "dns_servfail" };
  const isConnecting = name === "ERR_CONNECT_FAIL";
  return { name, reason: isConnecting ? (BY_NUMBER[number] ?? "conn_unreachable") : undefined };
}

/** Linux: ETIMEDOUT and ECONNREFUSED. */
const BY_NUMBER: Record<string, UnknownReason> = { 110: "conn_timeout", 111: "conn_refused" };

/**
 * RFC 9209 §2: each member of the list is a proxy that handled the response, and the last one is the nearest to this
 * monitor. Its parameter `error` says what it met (§2.1.1); the errors before it are those of the site's proxies.
 */
function proxyStatusIn({ headers }: Answer): ProxyError | null {
  const nearest = withoutStrings(headers.get("proxy-status") ?? "")
    .split(",")
    .at(-1)!;
  const name = /;\s{0,9}error=([a-z_]{1,40})/.exec(nearest)?.[1];
  return name === undefined || ON_BEHALF.test(name) ? null : { name, reason: BY_ERROR[name] };
}

/** Parameters may quote anything. */
const withoutStrings = (value: string) => value.replace(/"(?:[^"\\]|\\.)*"/g, '""');

/** RFC 9209 §2.3.10: a refusal in place of the site's own. */
const ON_BEHALF = /^http_request_error$/;

/** RFC 9209 §2.3: errors of names and connections. */
const BY_ERROR: Record<string, UnknownReason> = {
  dns_timeout: "dns_timeout",
  dns_error: "dns_servfail",
  destination_unavailable: "conn_unreachable",
  destination_ip_unroutable: "conn_unreachable",
  connection_refused: "conn_refused",
  connection_terminated: "conn_reset",
  connection_timeout: "conn_timeout",
};
