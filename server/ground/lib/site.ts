import { getDomain, parse } from "tldts";

/**
 * Returns the site of a link as people see it: the registrable domain, where a private suffix such as github.io counts.
 * A host without one, or an address, is a site by its own name. A text that is not a URL has none.
 */
export function siteOfUrl(url: string | URL): string {
  const hostname = URL.parse(String(url))?.hostname ?? "";
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

/** Returns the domain of a link as its registry knows it, without private suffixes; null where there is none. */
export function registrableDomainOf(url: string | URL): string | null {
  const { domain, isIcann } = parse(URL.parse(String(url))?.hostname ?? "");
  return isIcann ? domain : null;
}

/**
 * Returns the registrable name of a host, or its address, with a non-default port, where another server runs. The address
 * that a name resolves to is not used: thousands of sites share one address of a CDN and would wait for each other.
 * @param host a name or an address, with its port unless that is the default
 */
export const siteOf = (host: string): string =>
  (getDomain(host) ?? bareHost(host)) + (/:\d+$/.exec(host)?.[0] ?? "");

/**
 * Returns whose requests wait in one line with those to a host: its site, but those to a host of the operator have a
 * line of their own.
 */
export const lineOf = (host: string, ownSites: OwnSites): string =>
  ownRate(host, ownSites) === null ? siteOf(host) : host;

/** The hosts that belong to the operator, and how many requests a second they take. */
export type OwnSites = Readonly<Record<string, number>>;

/** How many requests a second a host takes that belongs to the operator; null for all others. */
export const ownRate = (host: string, ownSites: OwnSites): number | null =>
  [host, bareHost(host)].flatMap((name) =>
    Object.hasOwn(ownSites, name) ? ownSites[name]! : [],
  )[0] ?? null;

const bareHost = (host: string) => host.replace(/:\d+$/, "");
