import { getServers } from "node:dns";
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import type { Clock } from "../lib/clock.ts";
import {
  type DnsAnswer,
  type HostNames,
  type NameServer,
  type NoAnswer,
  queryAddresses,
  queryHostNames,
} from "./dns-query.ts";
import { isNowhere } from "./policy.ts";

const DNS_REASONS = [
  "dns_nxdomain",
  "dns_nodata",
  "dns_servfail",
  "dns_refused",
  "dns_timeout",
  "dns_malformed",
  "internal_error",
] as const;
export type DnsReason = (typeof DNS_REASONS)[number];

export type Resolution = { ok: true; addresses: string[] } | { ok: false; reason: DnsReason };

export type Resolver = {
  /** Returns the addresses of a name from the system or the configured servers; at once if they are known. */
  resolve(name: string): Resolution | Promise<Resolution>;
  /** Returns the results of up to two name servers, without the cache. */
  askEach(name: string): Promise<Resolution[]>;
  /** The operator configured the servers, which may know private names. */
  isChosen: boolean;
  /** Returns the name servers of a host, without the cache; null if unknown. */
  namesOf(host: string): Promise<HostNames | null>;
  /** Whether each of the name servers currently finds addresses for at least one of the names. */
  answersFor(names: string[]): Promise<boolean>;
};

type ResolverOptions = {
  clock: Clock;
  /** `ip[:port]`, such as `9.9.9.9` or `[2620:fe::fe]:53`. Empty: the system's resolver. */
  servers?: string[];
  /** Limit of one lookup. */
  timeoutMs?: number;
};

const SHORTEST_TTL_S = 30;
const LONGEST_TTL_S = 600;
const SERVERS_ASKED = 2;

type Found = Resolution & { ttlSeconds?: number };

/** Caches addresses for their TTL, within bounds. */
export function createResolver({
  clock,
  servers: given = [],
  timeoutMs = 5000,
}: ResolverOptions): Resolver {
  const cache = new LRUCache<string, string[]>({
    max: 10_000,
    ttlResolution: 0,
    perf: { now: clock.elapsed },
  });
  const own = given.map(parseServer);
  const servers = () => (own.length > 0 ? own : systemServers()).slice(0, SERVERS_ASKED);
  const askEach = (name: string) => askServers(servers(), name, timeoutMs);
  const findInFile = createHosts(clock);

  function resolve(name: string): Resolution | Promise<Resolution> {
    const known = cache.get(name);
    return known ? { ok: true, addresses: known } : resolveNew(name);
  }

  async function resolveNew(name: string): Promise<Resolution> {
    const found =
      own.length > 0
        ? await viaServers(name, findInFile, askEach)
        : await viaSystem(name, askEach, timeoutMs);
    if (!found.ok) return found;
    const ttlSeconds = Math.min(Math.max(found.ttlSeconds ?? 0, SHORTEST_TTL_S), LONGEST_TTL_S);
    cache.set(name, found.addresses, { ttl: ttlSeconds * 1000 });
    return { ok: true, addresses: found.addresses };
  }

  async function answersFor(names: string[]): Promise<boolean> {
    const areFound = await Promise.all(
      servers().map((server) => knowsOneOf(server, names, timeoutMs)),
    );
    return areFound.length > 0 && areFound.every(Boolean);
  }

  const namesOf = (host: string) => queryHostNames(servers(), host, timeoutMs);
  return { resolve, askEach, isChosen: own.length > 0, namesOf, answersFor };
}

/** Reads `ip` or `ip:port`; IPv6 with a port takes brackets. @throws Error with the text */
export function parseServer(text: string): NameServer {
  const [, bracketed, plain, port = "53"] =
    /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? (isIP(text) ? ["", text] : []);
  const address = bracketed ?? plain;
  if (!address || !isIP(address) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`"${text}" is not an address of a name server such as 9.9.9.9 or 9.9.9.9:53.`);
  }
  return { address, port: Number(port) };
}

/** Asks the system first, so that search domains, the hosts file and split-horizon servers apply. */
async function viaSystem(
  name: string,
  askEach: Resolver["askEach"],
  timeoutMs: number,
): Promise<Found> {
  if (isReserved(name)) return { ok: false, reason: "dns_nxdomain" };
  const found = await lookUp(name, timeoutMs);
  if (found === null) return { ok: false, reason: "dns_timeout" };
  return found.length > 0 ? { ok: true, addresses: found } : bestOf(await askEach(name));
}

/** Returns the system's addresses; none if it fails, null after the timeout, since it cannot be aborted. */
async function lookUp(name: string, timeoutMs: number): Promise<string[] | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, timeoutMs, null);
  const found = await Promise.race([lookup(name, { all: true }).catch(() => []), late.promise]);
  clearTimeout(timer);
  return found && unique(found.map(({ address }) => address));
}

async function viaServers(
  name: string,
  findInFile: (name: string) => Promise<string[]>,
  askEach: Resolver["askEach"],
): Promise<Found> {
  const listed = await findInFile(name);
  if (listed.length > 0) return { ok: true, addresses: listed };
  return bestOf(await askEach(name));
}

/** Skips link-local servers with a zone, which are not supported. */
const systemServers = () =>
  getServers()
    .filter((text) => !text.includes("%"))
    .map(parseServer);

/** Asks all at once, which is faster than waiting for the first to fail. */
async function askServers(
  servers: NameServer[],
  name: string,
  timeoutMs: number,
): Promise<Found[]> {
  if (isReserved(name)) return [{ ok: false, reason: "dns_nxdomain" }];
  return Promise.all(servers.map((server) => askServer(server, name, timeoutMs)));
}

async function knowsOneOf(server: NameServer, names: string[], timeoutMs: number) {
  const found = await Promise.all(names.map((name) => askServer(server, name, timeoutMs)));
  return found.some(({ ok }) => ok);
}

/** RFC 6761 §6.4: names under "invalid" never exist, whether or not a name server can be reached. */
export const isReserved = (name: string) => /(^|\.)invalid\.?$/i.test(name);

async function askServer(server: NameServer, name: string, timeoutMs: number): Promise<Found> {
  const families = await queryAddresses(server, name, timeoutMs);
  const answers = families.filter((family) => typeof family === "object");
  const addresses = unique(answers.flatMap((answer) => answer.values));
  if (addresses.length > 0) {
    const ttlSeconds = Math.min(
      ...answers.filter(({ values }) => values.length > 0).map((a) => a.ttlSeconds),
    );
    return { ok: true, addresses, ttlSeconds };
  }
  return { ok: false, reason: reasonOfFamilies(families.map(reasonOfAnswer)) };
}

const reasonOfAnswer = (answer: DnsAnswer | NoAnswer): DnsReason =>
  typeof answer === "string"
    ? REASON_WITHOUT_ANSWER[answer]
    : (REASON_BY_RCODE[answer.rcode] ?? "dns_malformed");

const REASON_WITHOUT_ANSWER: Record<NoAnswer, DnsReason> = {
  timeout: "dns_timeout",
  malformed: "dns_malformed",
  internal_error: "internal_error",
};

const REASON_BY_RCODE: Record<string, DnsReason> = {
  NOERROR: "dns_nodata",
  NXDOMAIN: "dns_nxdomain",
  SERVFAIL: "dns_servfail",
  REFUSED: "dns_refused",
  NOTIMP: "dns_refused",
};

/** A name is only missing if both families say so; otherwise the unclear result counts. */
function reasonOfFamilies(reasons: DnsReason[]): DnsReason {
  if (reasons.every((reason) => reason === "dns_nxdomain")) return "dns_nxdomain";
  return reasons.find((reason) => !isAnswer(reason)) ?? "dns_nodata";
}

/** Prefers addresses to a definite no, and that to a failure. Unspecified addresses are from a filtering server. */
function bestOf(found: Found[]): Found {
  const best =
    found.find((one) => one.ok && !one.addresses.every(isNowhere)) ??
    found.find(({ ok }) => ok) ??
    found.find((one) => !one.ok && isAnswer(one.reason));
  return best ?? found[0] ?? { ok: false, reason: "dns_timeout" };
}

const isAnswer = (reason: DnsReason) => reason === "dns_nxdomain" || reason === "dns_nodata";

const unique = (texts: string[]) => [...new Set(texts)];

const HOSTS_FILE = "/etc/hosts";

const HOSTS_KEPT_MS = 1000;

/**
 * Returns a function that returns the addresses of a name in the system's hosts file, hosts(5); none if there is no
 * file. Reads it at most once a second, since many new names may be resolved at once.
 */
function createHosts({ elapsed }: Clock): (name: string) => Promise<string[]> {
  let text = Promise.resolve("");
  let readAt = Number.NEGATIVE_INFINITY;
  return async (name) => {
    if (elapsed() - readAt >= HOSTS_KEPT_MS) {
      readAt = elapsed();
      text = readFile(HOSTS_FILE, "utf8").catch(() => "");
    }
    return findInHosts(await text, name);
  };
}

/** Returns the addresses of a name in the text of a hosts file. */
export function findInHosts(text: string, name: string): string[] {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  return text.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return address && names.includes(wanted) ? [address] : [];
  });
}
