import type { Store } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { lazily } from "../../lib/concurrency.ts";
import { type Asking, createAsking } from "./ask.ts";
import { type Canaries, createCanaries } from "./canaries.ts";
import { createCanaryStore } from "./canary-store.ts";
import type { Kind, Service, Values } from "./record.ts";
import type { Serving } from "./serving.ts";

/** All services, and how addresses are recognised as theirs. */
export type Catalogue = {
  services: readonly Service[];
  /** Made when the first address is looked up, so that no start waits for it. */
  index: () => Index;
  /** Of the kinds that were met so far. */
  patterns: Map<Kind, KindPatterns>;
};

type Index = {
  /** By host, or host and path: the owner of that and of everything below it. */
  owners: Map<string, Service>;
  /** For hosts of which a service owns only a part: its paths, the longest first. */
  paths: Map<string, string[]>;
  /** The last two labels of all the hosts: most addresses end in none of them. */
  ends: Set<string>;
  /** Some host is a single label, as in networks of one's own. */
  hasBareNames: boolean;
  /** Services that are recognized by a path, on any host. */
  byPath: { path: RegExp; service: Service }[];
};

type KindPatterns = {
  host: RegExp | null;
  path: RegExp | null;
  query: RegExp | null;
  fragment: RegExp | null;
};

/** What a service knows an address as. `values` are what the kind's patterns found in it. */
export type Target = { service: Service; kind: Kind; values: Values };

export const createCatalogue = (services: readonly Service[]): Catalogue => ({
  services,
  index: lazily(() => indexOf(services)),
  patterns: new Map(),
});

/** @throws one sentence for an id or a host that two records claim */
function indexOf(services: readonly Service[]): Index {
  const owners = ownersAmong(services);
  const paths = new Map<string, string[]>();
  const ends = new Set<string>();
  for (const place of owners.keys()) {
    const slash = place.indexOf("/");
    const host = slash < 0 ? place : place.slice(0, slash);
    ends.add(endOf(host));
    if (slash >= 0)
      paths.set(host, [...(paths.get(host) ?? []), place.slice(slash)].sort(byLength));
  }
  const byPath = services.flatMap((service) =>
    service.path ? [{ path: new RegExp(service.path), service }] : [],
  );
  const hasBareNames = [...ends].some((end) => !end.includes("."));
  return { owners, paths, ends, hasBareNames, byPath };
}

const byLength = (a: string, b: string) => b.length - a.length;

function ownersAmong(services: readonly Service[]): Map<string, Service> {
  const owners = new Map<string, Service>();
  const ids = new Set<string>();
  for (const service of services) {
    const { id, hosts } = service;
    if (ids.has(id)) throw new Error(`Service "${id}": there are two of that id.`);
    ids.add(id);
    for (const entry of hosts) {
      for (const place of placesOf(entry)) {
        const other = owners.get(place)?.id;
        if (other) throw new Error(`Service "${id}", hosts: "${place}" belongs to "${other}" too.`);
        owners.set(place, service);
      }
    }
  }
  return owners;
}

const patternsOf = (kind: Kind): KindPatterns => ({
  host: compiled(kind.host),
  path: compiled(kind.path),
  query: compiled(kind.query),
  fragment: compiled(kind.fragment),
});

const compiled = (pattern: string | undefined) =>
  pattern === undefined ? null : new RegExp(pattern);

/** Changes whenever an address may belong to another service than before. */
export const fingerprintOf = ({ services }: Catalogue): string =>
  Bun.hash(JSON.stringify(services.map(({ id, hosts, path }) => [id, hosts, path]))).toString(36);

/** The service that owns an address: by the longest name of which its host is, or is below. */
export function serviceOf(catalogue: Catalogue, url: URL): Service | null {
  const { hostname } = url;
  let host = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  const index = catalogue.index();
  if (!index.hasBareNames && !index.ends.has(endOf(host))) return byPath(index, url);
  for (;;) {
    const part = index.paths.get(host)?.find((path) => isBelow(url.pathname, path));
    const owner = index.owners.get(host + (part ?? ""));
    if (owner) return owner;
    const dot = host.indexOf(".");
    if (dot < 0) return byPath(index, url);
    host = host.slice(dot + 1);
  }
}

/** The last two labels of a name. */
function endOf(host: string): string {
  const last = host.lastIndexOf(".");
  return host.slice(host.lastIndexOf(".", last - 1) + 1);
}

const isBelow = (pathname: string, path: string) =>
  pathname.startsWith(path) && (pathname.length === path.length || pathname[path.length] === "/");

const byPath = (index: Index, { pathname }: URL) =>
  index.byPath.find(({ path }) => path.test(pathname))?.service ?? null;

/** The id under which an address is filed. */
export const serviceIdOf = (catalogue: Catalogue, url: URL): string =>
  serviceOf(catalogue, url)?.id ?? "generic";

/** What kind of thing of its service an address is; null where the service has no word for it. */
export function targetOf(catalogue: Catalogue, url: URL): Target | null {
  const service = serviceOf(catalogue, url);
  for (const kind of service?.kinds ?? []) {
    const values = valuesOf(patternsFor(catalogue, kind), url);
    if (values) return { service: service!, kind, values: { ...values, ...wholeOf(url) } };
  }
  return null;
}

function patternsFor({ patterns }: Catalogue, kind: Kind): KindPatterns {
  const known = patterns.get(kind);
  if (known) return known;
  const compiled = patternsOf(kind);
  patterns.set(kind, compiled);
  return compiled;
}

function valuesOf(patterns: KindPatterns, url: URL): Values | null {
  const { host, path, query, fragment } = patterns;
  const parts = [
    [host, url.hostname],
    [path, url.pathname],
    [query, url.search.slice(1)],
    [fragment, url.hash.slice(1)],
  ] as const;
  const values: Values = {};
  for (const [pattern, text] of parts) {
    if (!pattern) continue;
    const found = pattern.exec(text);
    if (!found) return null;
    for (const [name, value] of Object.entries(found.groups ?? {})) {
      if (value !== undefined) values[name] = value;
    }
  }
  return values;
}

/** The address without credentials and fragment; packed like a value in an address. */
function wholeOf(url: URL): Values {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  bare.hash = "";
  return { url: encodeURIComponent(bare.href), host: url.hostname };
}

/** The hosts that are to be asked less often than others, with the milliseconds between two requests. */
export function gapsOf({ services }: Catalogue): Map<string, number> {
  const gaps = new Map<string, number>();
  for (const { gapMs, hosts } of services) {
    if (gapMs === undefined) continue;
    for (const place of hosts.flatMap(placesOf)) gaps.set(place.replace(/\/.*/, ""), gapMs);
  }
  return gaps;
}

/** The places that an entry of a record stands for: `a.{com,net}/b` is `a.com/b` and `a.net/b`. */
export function placesOf(entry: string): string[] {
  const begin = entry.indexOf("{");
  if (begin < 0) return [entry];
  const end = entry.indexOf("}", begin);
  const [before, after] = [entry.slice(0, begin), entry.slice(end + 1)];
  return entry
    .slice(begin + 1, end)
    .split(",")
    .flatMap((choice) => placesOf(before + choice + after));
}

/**
 * What makes two links of an account the same: the URL as it goes to the server, which never sees the
 * fragment, unless a service tells its things apart by that alone. Nothing else is folded, since `www.`, a
 * slash or a query may lead elsewhere.
 */
export function urlKeyOf(catalogue: Catalogue, url: URL): string {
  const isIdentity = serviceOf(catalogue, url)?.kinds?.some(
    ({ fragment }) => fragment !== undefined,
  );
  if (isIdentity) return url.href;
  const bare = new URL(url);
  bare.hash = "";
  return bare.href;
}

/** The services, and what is remembered of asking them. */
export type Services = Asking & { catalogue: Catalogue; canaries: Canaries };

/** @param store keeps over a restart, and for other processes, whether services can be believed */
export const createServices = (clock: Clock, catalogue: Catalogue, store?: Store): Services => ({
  ...createAsking(clock),
  catalogue,
  canaries: createCanaries(clock, store && createCanaryStore(store)),
});

/** What is known of a link through its service before anything is asked; null where none owns it. */
export function servingOf(
  { catalogue }: Pick<Services, "catalogue">,
  link: { url: string; lastDecided: "active" | "dead" | null },
): Serving | null {
  const url = URL.parse(link.url);
  const service = url && serviceOf(catalogue, url);
  if (!service) return null;
  const wasAlive = link.lastDecided === "active";
  return { service, target: targetOf(catalogue, url), undecided: null, way: null, wasAlive };
}
