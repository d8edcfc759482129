import { archiveOutbound } from "../../ground/config/outbound.ts";
import { preparedOnce, type Store } from "../../ground/db/store.ts";
import type { Exchange, RequestInput } from "../../ground/net/exchange.ts";
import type { Outbound } from "../../ground/net/request.ts";
import { readRetryAfter } from "../../judge/politeness/site-load.ts";
import { locationOf } from "../../judge/probe/hops.ts";
import type { Deps } from "../../work/deps.ts";
import { inTurn, type Kind, type Said, type Taken } from "./pace.ts";

const TIMEOUT_MS = 60_000;

/** A body is read whole up to this. */
const MOST_BYTES = 512 * 1024;

type Input = Partial<Pick<RequestInput, "method" | "headers" | "body" | "bodyCap" | "onBody">>;

export type Request = Input & {
  kind: Kind;
  /** How the request is counted. */
  counted: "index" | "timemap" | "capture" | "save" | "status";
  /** What an answer says of the archive; missing, `works`. */
  saidBy?: (answer: Answered) => Said["archive"];
  /** What it says of the archive that there is no answer. */
  saidBySilence?: "missing";
  signal?: AbortSignal | undefined;
};

export type Answered = Exchange & { kind: "response" };

/** An answer, or that there is none. `forbidden`: it may not be asked for. */
export type Got = { state: "answered"; answer: Answered } | { state: "none" | "forbidden" };

/** The addresses of the archives of the settings: nothing else is ever requested here. */
export const originsOf = ({
  archiveUrl,
  archiveTimemaps,
}: Pick<Deps["config"], "archiveUrl" | "archiveTimemaps">): ReadonlySet<string> =>
  new Set([archiveUrl, ...archiveTimemaps].map((url) => new URL(url).origin));

const outbounds = preparedOnce((_: Store): { outbound: Outbound | null } => ({ outbound: null }));

function outboundOf({ store, config, clock }: Deps): Outbound {
  const known = outbounds(store);
  known.outbound ??= archiveOutbound(config, clock);
  return known.outbound;
}

/** Makes one request to an archive in its turn, without following redirects. */
export async function ask(deps: Deps, url: URL, request: Request): Promise<Taken<Got>> {
  if (!originsOf(deps.config).has(url.origin)) {
    return { state: "done", value: { state: "forbidden" }, heldUntil: null };
  }
  const { kind, counted, saidBy, saidBySilence, signal, ...input } = request;
  return inTurn(deps, { host: url.host, kind, signal }, async () => {
    const exchange = await outboundOf(deps).request(url, {
      bodyCap: MOST_BYTES,
      ...input,
      headers: { "user-agent": deps.config.checkUserAgent, ...input.headers },
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const said = saidIn(exchange, request, deps.clock.now());
    deps.metrics.archiveAsked(counted, resultOf(exchange));
    return { value: toGot(exchange), said };
  });
}

function resultOf(exchange: Exchange): string {
  if (exchange.kind === "failed") return exchange.reason;
  return exchange.status === 429 ? "429" : `${Math.floor(exchange.status / 100)}xx`;
}

const toGot = (exchange: Exchange): Got =>
  exchange.kind === "response" ? { state: "answered", answer: exchange } : { state: "none" };

function saidIn(exchange: Exchange, { saidBy, saidBySilence }: Request, now: number): Said {
  if (exchange.kind === "failed")
    return { archive: FAILURES[exchange.reason] ?? saidBySilence ?? "down" };
  const archive = saidBy?.(exchange) ?? "works";
  return { archive, wishedMs: readRetryAfter(exchange.headers.get("retry-after"), now) };
}

const FAILURES: Partial<Record<(Exchange & { kind: "failed" })["reason"], Said["archive"]>> = {
  conn_refused: "refused",
  aborted: "nothing",
};

/** What an answer of the archive itself says of it, and not one that it captured. */
export function byStatus({ status, bodyProblem }: Answered): Said["archive"] {
  if (status === 429) return "refused";
  return status >= 500 || bodyProblem !== null ? "down" : "works";
}

/** Where an answer redirects to; null if it does not. */
export function redirectOf({ status, headers }: Answered, from: URL): URL | null {
  const location = locationOf(status, headers);
  return location === null ? null : URL.parse(location, from.href);
}
