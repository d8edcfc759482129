import { lazily } from "../../ground/lib/concurrency.ts";
import { type Kind, regExpOf, type Service } from "./record.ts";
import type { Values } from "./templates.ts";

/** All services, and how addresses are recognised as theirs. */
export type Catalogue = {
  services: readonly Service[];
  /** Built for the first lookup, so that the start does not wait for it. */
  index: () => Index;
};

type Index = {
  /** By host, or host and path: the owner of that and of everything below. */
  owners: Map<string, Service>;
  /** For hosts of which a service owns only some paths: these, the longest first. */
  paths: Map<string, string[]>;
  /** The last two labels of all hosts, since most addresses end in none of them. */
  ends: Set<string>;
  /** Some host is a single label, as in private networks. */
  hasBareNames: boolean;
  /** Services that are recognized by a path, on any host. */
  byPath: { path: RegExp; service: Service }[];
};

/** An address as its service classifies it. `values` are those of the kind's patterns. */
export type Target = { service: Service; kind: Kind; values: Values };

export const createCatalogue = (services: readonly Service[]): Catalogue => ({
  services,
  index: lazily(() => indexOf(services)),
});

/** @throws if two records claim the same id or host */
function indexOf(services: readonly Service[]): Index {
  const owners = ownersAmong(services);
  const paths = new Map<string, string[]>();
  const ends = new Set<string>();
  for (const place of owners.keys()) {
    const slash = place.indexOf("/");
    const host = slash < 0 ? place : place.slice(0, slash);
    ends.add(endOf(host));
    if (slash >= 0)
      paths.set(
        host,
        [...(paths.get(host) ?? []), place.slice(slash)].sort((a, b) => b.length - a.length),
      );
  }
  const byPath = services.flatMap((service) =>
    service.path ? [{ path: new RegExp(service.path), service }] : [],
  );
  const hasBareNames = [...ends].some((end) => !end.includes("."));
  return { owners, paths, ends, hasBareNames, byPath };
}

function ownersAmong(services: readonly Service[]): Map<string, Service> {
  const owners = new Map<string, Service>();
  const ids = new Set<string>();
  for (const service of services) {
    const { id, hosts } = service;
    if (ids.has(id)) throw new Error(`Service "${id}": the id is used twice.`);
    ids.add(id);
    for (const entry of hosts) {
      for (const place of placesOf(entry)) {
        const other = owners.get(place)?.id;
        if (other)
          throw new Error(`Service "${id}", hosts: "${place}" also belongs to "${other}".`);
        owners.set(place, service);
      }
    }
  }
  return owners;
}

/** Changes when an address may belong to another service than before. */
export const fingerprintOf = ({ services }: Catalogue): string =>
  Bun.hash(JSON.stringify(services.map(({ id, hosts, path }) => [id, hosts, path]))).toString(36);

/** Returns the service whose host is the longest suffix of the address's host. */
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

export const serviceIdOf = (catalogue: Catalogue, url: URL): string =>
  serviceOf(catalogue, url)?.id ?? "generic";

/** Returns the first kind that the address matches; null if there is none. */
export function targetOf(catalogue: Catalogue, url: URL): Target | null {
  const service = serviceOf(catalogue, url);
  for (const kind of service?.kinds ?? []) {
    const values = valuesOf(kind, url);
    if (values) return { service: service!, kind, values: { ...values, ...wholeOf(url) } };
  }
  return null;
}

function valuesOf({ host, path, query, fragment }: Kind, url: URL): Values | null {
  const parts = [
    [host, url.hostname],
    [path, url.pathname],
    [query, url.search.slice(1)],
    [fragment, url.hash.slice(1)],
  ] as const;
  const values: Values = {};
  for (const [pattern, text] of parts) {
    if (pattern === undefined) continue;
    const found = regExpOf(pattern).exec(text);
    if (!found) return null;
    for (const [name, value] of Object.entries(found.groups ?? {})) {
      if (value !== undefined) values[name] = value;
    }
  }
  return values;
}

/** The address without credentials and fragment, percent-encoded like a value in an address. */
function wholeOf(url: URL): Values {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  bare.hash = "";
  return { url: encodeURIComponent(bare.href), host: url.hostname };
}

/** Returns the hosts with a gap of their own, with the milliseconds between two requests. */
export function gapsOf({ services }: Catalogue): Map<string, number> {
  const gaps = new Map<string, number>();
  for (const { gapMs, hosts } of services) {
    if (gapMs === undefined) continue;
    for (const place of hosts.flatMap(placesOf)) gaps.set(place.replace(/\/.*/, ""), gapMs);
  }
  return gaps;
}

/** Expands an entry of a record: `a.{com,net}/b` is `a.com/b` and `a.net/b`. */
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
 * Returns the key by which two links of an account are the same: the URL without its fragment, unless the service uses
 * fragments as ids. Nothing else is normalized, since `www.`, a slash or a query may lead elsewhere.
 */
export function urlKeyOf(catalogue: Catalogue, url: URL): string {
  const kinds = serviceOf(catalogue, url)?.kinds ?? [];
  if (kinds.some(({ fragment }) => fragment !== undefined)) return url.href;
  const bare = new URL(url);
  bare.hash = "";
  return bare.href;
}
