import { getServers } from "node:dns";
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import type { Clock } from "../lib/clock.ts";
import {
  askForNames,
  type DnsAnswer,
  type HostNames,
  type NameServer,
  type NoAnswer,
  queryServer,
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
  /** Addresses of a name, as the system (or the configured servers) sees it. */
  resolve(name: string): Promise<Resolution>;
  /** The answers of up to two name servers, one entry each; nothing is cached. */
  askEach(name: string): Promise<Resolution[]>;
  /** The operator configured the servers, which may know names that no others do. */
  isChosen: boolean;
  /** The name servers of a host; null when unknown. Nothing is cached. */
  namesOf(host: string): Promise<HostNames | null>;
  /** Whether each of those name servers finds addresses for at least one of the names just now. */
  answersFor(names: string[]): Promise<boolean>;
};

type ResolverOptions = {
  clock: Clock;
  /** `ip[:port]` each, such as `9.9.9.9` or `[2620:fe::fe]:53`; empty means the system's resolver. */
  servers?: string[];
  /** How long one lookup may take, in milliseconds. */
  timeoutMs?: number;
};

const SHORTEST_MEMORY_S = 30;
const LONGEST_MEMORY_S = 600;
const SERVERS_ASKED = 2;

type Found = Resolution & { ttlSeconds?: number };

/** Answers are remembered for as long as they say, within bounds. */
export function createResolver({
  clock,
  servers: given = [],
  timeoutMs = 5000,
}: ResolverOptions): Resolver {
  const memory = new LRUCache<string, string[]>({
    max: 10_000,
    ttlResolution: 0,
    perf: { now: clock.elapsed },
  });
  const own = given.map(parseServer);
  const servers = () => (own.length > 0 ? own : systemServers()).slice(0, SERVERS_ASKED);
  const askEach = (name: string) => askServers(servers(), name, timeoutMs);

  async function resolve(name: string): Promise<Resolution> {
    const known = memory.get(name);
    if (known) return { ok: true, addresses: known };
    const found =
      own.length > 0 ? await viaServers(name, askEach) : await viaSystem(name, askEach, timeoutMs);
    if (!found.ok) return found;
    const ttlSeconds = Math.min(
      Math.max(found.ttlSeconds ?? 0, SHORTEST_MEMORY_S),
      LONGEST_MEMORY_S,
    );
    memory.set(name, found.addresses, { ttl: ttlSeconds * 1000 });
    return { ok: true, addresses: found.addresses };
  }

  async function answersFor(names: string[]): Promise<boolean> {
    const isWell = await Promise.all(
      servers().map((server) => knowsOneOf(server, names, timeoutMs)),
    );
    return isWell.length > 0 && isWell.every(Boolean);
  }

  const namesOf = (host: string) => askForNames(servers(), host, timeoutMs);
  return { resolve, askEach, isChosen: own.length > 0, namesOf, answersFor };
}

/** Reads `ip` or `ip:port`; IPv6 with a port takes brackets. Throws an Error that names the text. */
export function parseServer(text: string): NameServer {
  const [, bracketed, plain, port = "53"] =
    /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? (isIP(text) ? ["", text] : []);
  const address = bracketed ?? plain;
  if (!address || !isIP(address) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`"${text}" is not an address of a name server such as 9.9.9.9 or 9.9.9.9:53.`);
  }
  return { address, port: Number(port) };
}

/** Search domains, the hosts file and split-horizon servers count, because the system is asked first. */
async function viaSystem(
  name: string,
  askEach: Resolver["askEach"],
  timeoutMs: number,
): Promise<Found> {
  if (isReserved(name)) return { ok: false, reason: "dns_nxdomain" };
  const found = await lookUp(name, timeoutMs);
  if (found === null) return { ok: false, reason: "dns_timeout" };
  return found.length > 0 ? { ok: true, addresses: found } : mostTelling(await askEach(name));
}

/** The system's addresses, none when it failed, null when it took too long: it cannot be aborted. */
async function lookUp(name: string, timeoutMs: number): Promise<string[] | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, timeoutMs, null);
  const found = await Promise.race([lookup(name, { all: true }).catch(() => []), late.promise]);
  clearTimeout(timer);
  return found && unique(found.map(({ address }) => address));
}

async function viaServers(name: string, askEach: Resolver["askEach"]): Promise<Found> {
  const written = await readHosts(name);
  if (written.length > 0) return { ok: true, addresses: written };
  return mostTelling(await askEach(name));
}

/** Some systems list link-local servers with a zone, which cannot be asked this way. */
const systemServers = () =>
  getServers()
    .filter((text) => !text.includes("%"))
    .map(parseServer);

/** The second server is there for when the first fails, but asking both at once is quicker to judge. */
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

/**
 * RFC 6761 §6.4: names under "invalid" never exist, and software should say so itself. This also holds
 * where no name server can be reached.
 */
export const isReserved = (name: string) => /(^|\.)invalid\.?$/i.test(name);

async function askServer(server: NameServer, name: string, timeoutMs: number): Promise<Found> {
  const families = await Promise.all([
    queryServer(server, name, "A", timeoutMs),
    queryServer(server, name, "AAAA", timeoutMs),
  ]);
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

/** A name is only missing when both families say so; otherwise the unclear one is what is known. */
function reasonOfFamilies(reasons: DnsReason[]): DnsReason {
  if (reasons.every((reason) => reason === "dns_nxdomain")) return "dns_nxdomain";
  return reasons.find((reason) => !isAnswer(reason)) ?? "dns_nodata";
}

/**
 * Addresses before a clear no, a clear no before trouble with a server. Addresses that lead nowhere come
 * from a server that filters, which the other need not do.
 */
function mostTelling(found: Found[]): Found {
  const told =
    found.find((one) => one.ok && !one.addresses.every(isNowhere)) ??
    found.find(({ ok }) => ok) ??
    found.find((one) => !one.ok && isAnswer(one.reason));
  return told ?? found[0] ?? { ok: false, reason: "dns_timeout" };
}

const isAnswer = (reason: DnsReason) => reason === "dns_nxdomain" || reason === "dns_nodata";

const unique = (texts: string[]) => [...new Set(texts)];

const HOSTS_FILE = "/etc/hosts";

/** The addresses that the system's hosts file gives a name, hosts(5); none when there is no file. */
async function readHosts(name: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "");
  return findInHosts(text, name);
}

/** The addresses that the text of a hosts file gives a name, in its order. */
export function findInHosts(text: string, name: string): string[] {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  return text.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return address && names.includes(wanted) ? [address] : [];
  });
}
