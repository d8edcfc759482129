import { registryOutbound } from "../../ground/config/outbound.ts";
import { RDAP_SERVERS } from "../../ground/config/settings.ts";
import type { Outbound } from "../../ground/net/request.ts";
import { type NoAnswer, type RegistryAnswer, readAnswer } from "../../judge/identity/rdap.ts";
import { readRetryAfter } from "../../judge/politeness/site-load.ts";
import type { Deps } from "../../work/deps.ts";

const TIMEOUT_MS = 10_000;
const MOST_REDIRECTS = 3;
const ANSWER_BYTES = 256 * 1024;

/** How a request ended, as it is counted. `aborted`: this process stops. */
export type Result =
  | RegistryAnswer["kind"]
  | NoAnswer
  | "unreachable"
  | "too_long"
  | "forbidden"
  | "aborted";

/** A response, or why there is none. */
type Got =
  | { kind: "response"; status: number; headers: Headers; body: Uint8Array; isFromServer: boolean }
  | { kind: "failed"; result: "unreachable" | "too_long" | "forbidden" | "aborted" };

export type Get = (url: string, want: Want) => Promise<Got>;
type Want = {
  headers: Record<string, string>;
  mostBytes: number;
  /** Hosts, with their ports, that the operator's own list names. */
  own: ReadonlySet<string>;
  signal: AbortSignal;
};

/** Returns what makes a request by https and follows its redirects, at most three, each where it may lead. */
export function createGet({ config, clock }: Pick<Deps, "config" | "clock">): Get {
  const outside = registryOutbound(config, clock, "external");
  const anywhere = registryOutbound(config, clock, "external,private,loopback");
  const outboundTo = ({ protocol, host, port }: URL, own: Want["own"]): Outbound | null => {
    if (protocol !== "https:") return null;
    if (own.has(host)) return anywhere;
    return port === "" ? outside : null;
  };

  return async (first, { headers, mostBytes, own, signal }) => {
    const endAt = clock.elapsed() + TIMEOUT_MS;
    let url = new URL(first);
    const { host } = url;
    for (let redirects = 0; ; redirects++) {
      const outbound = outboundTo(url, own);
      if (!outbound || redirects > MOST_REDIRECTS) return { kind: "failed", result: "forbidden" };
      const exchange = await outbound.request(url, {
        headers: { "user-agent": config.checkUserAgent, ...headers },
        timeoutMs: Math.max(1, endAt - clock.elapsed()),
        bodyCap: mostBytes,
        signal,
      });
      if (signal.aborted) return { kind: "failed", result: "aborted" };
      if (exchange.kind === "failed") {
        const isRefused = exchange.reason === "target_forbidden";
        return { kind: "failed", result: isRefused ? "forbidden" : "unreachable" };
      }
      const next = targetOf(exchange.status, exchange.headers, url);
      if (next) {
        url = next;
        continue;
      }
      if (exchange.truncated) return { kind: "failed", result: "too_long" };
      if (exchange.bodyProblem !== null) return { kind: "failed", result: "unreachable" };
      return { ...exchange, isFromServer: url.host === host };
    }
  };
}

const targetOf = (status: number, headers: Headers, from: URL): URL | null =>
  [301, 302, 303, 307, 308].includes(status)
    ? URL.parse(headers.get("location") ?? "", from.href)
    : null;

/** The hosts of a list that are not those of the internet, but of the operator: where the list is theirs. */
export const ownHosts = (
  { rdapBootstrapUrl }: Deps["config"],
  bases: readonly string[],
): ReadonlySet<string> =>
  new Set(
    rdapBootstrapUrl === RDAP_SERVERS
      ? []
      : [rdapBootstrapUrl, ...bases].map((url) => new URL(url).host),
  );

/** What a request for a domain came to, and for how long its server wants no other. */
export type Asked = { result: Result; answer: RegistryAnswer | null; holdMs: number };

const HOUR_MS = 3_600_000;
const DOWN_MS = 10 * 60_000;

/** Asks a server about a domain (RFC 9082 §3.1.3). */
export async function askAbout(
  get: Get,
  {
    base,
    domain,
    now,
    ...want
  }: Pick<Want, "own" | "signal"> & {
    base: string;
    domain: string;
    now: number;
  },
): Promise<Asked> {
  const headers = { accept: "application/rdap+json" };
  const got = await get(`${base}domain/${domain}`, { ...want, headers, mostBytes: ANSWER_BYTES });
  if (got.kind === "failed") {
    return { result: got.result, answer: null, holdMs: got.result === "unreachable" ? DOWN_MS : 0 };
  }
  const answer = readAnswer(got, domain, now);
  if (typeof answer !== "string") return { result: answer.kind, answer, holdMs: 0 };
  const wishedMs = readRetryAfter(got.headers.get("retry-after"), now);
  const isBusy = answer === "rate_limited" || wishedMs !== null;
  const downMs = got.status >= 500 ? DOWN_MS : 0;
  return {
    result: answer,
    answer: null,
    holdMs: isBusy ? Math.max(HOUR_MS, wishedMs ?? 0) : downMs,
  };
}
