import type { HostNames } from "../../ground/net/dns-query.ts";
import { holdsAddress, parseAddress } from "../../ground/net/policy.ts";
import type { Page } from "../page/page.ts";
import {
  dead,
  type Finding,
  type Need,
  needs,
  type Reader,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import type { Answer, Probe } from "../probe/probe.ts";
import { domainOf, isShortener, isSiteAddress } from "./addresses.ts";
import { isShort } from "./clues.ts";
import {
  ALIAS_PATTERN,
  ALIASES,
  HIRED_ADDRESSES,
  MARKETPLACES,
  NAME_SERVERS,
  OWN_NETWORKS,
  SALE_PAGES,
} from "./known/parking-services.ts";
import { type DomainNotice, readDomainNotice, readParkingMarkup } from "./parking-phrases.ts";
import { quoted } from "./phrases.ts";
import { compare, comparedAddress, compareWithoutHost, SAME_EVERYWHERE } from "./same-page.ts";

/**
 * Detects parked domains. Needs a strong sign, in the redirects or the page's code, and a second one of
 * another kind: the page's words, its name servers or address, or the same page at every address.
 */
export const readParking: Reader = (seen) => {
  const { answer, url } = seen;
  const found = new URL(answer.finalUrl);
  if (!answer.page || isMarketplace(url) || (isShortener(url) && isMarketplace(found))) return null;
  const route = readSaleRoute(seen);
  if (route.sellsLink && !isSiteAddress(url)) return parked(route.signals);
  if (answer.page.text.length > LONGEST_TEXT && !route.sellsLink) return null;
  return weigh(seen, gather(answer, answer.page, domainOf(found.hostname), route));
};

/** A page with more characters may be an article about domains. */
const LONGEST_TEXT = 5000;

/** The signs of parking in the response itself. */
type Clues = {
  /** From the redirects and the page's code. */
  strong: Signal[];
  route: SaleRoute;
  notice: DomainNotice | null;
  address: (Signal & { owner: "own" | "hired" }) | null;
};

function gather(answer: Answer, page: Page, domain: string, route: SaleRoute): Clues {
  const markup = readParkingMarkup(page, domain);
  const strong = [...route.signals, ...(markup ? [markup] : [])];
  const notice = readDomainNotice(page);
  // A sale page has the address of its service, which is not evidence for the domain on sale.
  const mayBeParked = strong.length > 0 || notice !== null || isShort(page);
  const address = mayBeParked && !route.sale ? readAddress(answer.address) : null;
  return { strong, route, notice, address };
}

function weigh(seen: Seen, clues: Clues): Finding | Need | null {
  const { strong, notice, address } = clues;
  const signals = [...strong, notice, address].flatMap(asSignal);
  if (signals.length === 0 && !seen.isReregistered) return null;
  const isDoubled = strong.length > 1 && !isSiteAddress(seen.url);
  if (isDoubled || (strong.length > 0 && (notice || address))) return parked(signals);
  if (notice?.rule === "domain_expired" && address) return parked(signals);
  return weighNames(seen, clues, signals);
}

/** Name servers are asked before other addresses, because that needs no request to the site. */
function weighNames(seen: Seen, clues: Clues, signals: Signal[]): Finding | Need | null {
  const { strong, route, notice, address } = clues;
  const { names } = seen.facts;
  if (!route.sale && names === undefined) return needs("names");
  const served = route.sale || !names ? null : readNames(names);
  const all = [...signals, ...asSignal(served)];
  if (served && (strong.length > 0 || notice)) return parked(all);
  if (strong.length > 0) return weighSameness(seen, clues, all);
  // The next customer of a cloud address has other name servers than those of parking services.
  const isNextCustomer = address?.owner === "hired" && names;
  const isWeak = notice || served || (address && !isNextCustomer);
  if (!isWeak) return null;
  const isAlive = showsOtherPages(seen);
  if (typeof isAlive !== "boolean") return isAlive;
  return isAlive ? null : suspected("parked_suspected", all);
}

/**
 * Whether a random address next to a deep link shows something else, as it does on living sites: a parked domain has one
 * page. Not enough for a name that was missing or parked before.
 */
function showsOtherPages({ answer, url, facts, isReregistered }: Seen): boolean | Need {
  if (isSiteAddress(url) || isReregistered) return false;
  if (facts.sibling === undefined) return needs("sibling");
  return ["missing", "different"].includes(compare(answer, facts.sibling));
}

/** A parked domain shows the same page at every address, and mostly at every sub-domain. */
function weighSameness(seen: Seen, clues: Clues, signals: Signal[]): Finding | Need | null {
  const { answer, facts } = seen;
  const fact = comparedAddress(seen.url);
  const other = facts[fact];
  if (other === undefined) return needs(fact);
  const comparison = compare(answer, other);
  if (comparison === "missing" && isOnlyRedirected(clues)) return null;
  if (showsOtherPages(seen) === true) return null;
  if (comparison !== "same") return suspected("parked_suspected", signals);
  if (!isSiteAddress(seen.url)) {
    if (facts.home === undefined) return needs("home");
    if (hasLivingHome(answer, facts.home)) return suspected("parked_suspected", signals);
  }
  const { subdomain } = facts;
  if (subdomain === undefined) return needs("subdomain");
  return ["same", "nothing"].includes(compareWithoutHost(answer, subdomain))
    ? parked([...signals, SAME_EVERYWHERE])
    : suspected("parked_suspected", signals);
}

/** Parking services may show another page at home, but one with their marks. */
function hasLivingHome(answer: Answer, home: Probe | null): boolean {
  if (home?.kind !== "answered" || !home.page || compare(answer, home) !== "different")
    return false;
  const domain = domainOf(new URL(home.finalUrl).hostname);
  return readParkingMarkup(home.page, domain) === null && readDomainNotice(home.page) === null;
}

/** A site that knows its missing addresses redirects to a `ww2.` or a marketplace on purpose. */
const isOnlyRedirected = ({ strong, route }: Clues) => strong.length === route.signals.length;

const parked = (signals: Signal[]): Finding => dead("domain_parked", "C2", signals);

const asSignal = (clue: Signal | null): Signal[] =>
  clue ? [{ rule: clue.rule, text: clue.text }] : [];

function readAddress(address: string | null): Clues["address"] {
  const owner = parkingAddress(address);
  if (!owner) return null;
  return { rule: "parking_address", text: `The address ${address} is known for parking.`, owner };
}

/** All name servers must match, because some sellers only add one to prove ownership. */
function readNames({ nameServers, aliases }: HostNames): Signal | null {
  const [server] = nameServers;
  if (server !== undefined && nameServers.every((name) => isBelowAny(name, NAME_SERVERS))) {
    const text = `The domain's name servers serve parked domains: ${quoted(server)}.`;
    return { rule: "parking_name_servers", text };
  }
  const alias = aliases.find((name) => isBelowAny(name, ALIASES) || ALIAS_PATTERN.test(name));
  if (alias === undefined) return null;
  return {
    rule: "parking_alias",
    text: `The host is an alias of ${quoted(alias)}, which parks domains.`,
  };
}

type SaleRoute = {
  signals: Signal[];
  /** A sale page among the redirects or at their end. */
  sale: URL | null;
  /** The link's own domain is for sale there. */
  sellsLink: boolean;
};

/** Reads the redirects. The link itself does not count, because shops and advertisers use the same marks. */
function readSaleRoute(seen: Seen): SaleRoute {
  const { answer, url } = seen;
  if (answer.hops.length === 0) return { signals: [], sale: null, sellsLink: false };
  const stops = [...answer.hops.slice(1).map((hop) => hop.url), answer.finalUrl];
  const way = [url, ...stops.flatMap((stop) => URL.parse(stop) ?? [])];
  const sale = way.find(isSalePage) ?? null;
  const signals = [
    ...(sale ? [saleSignal(sale)] : []),
    ...(way.some(isParkingHost) ? [PARKING_HOST] : []),
    ...(!hasParkingQuery(url) && way.some(hasAddedQuery) ? [PARKING_QUERY] : []),
  ];
  return { signals, sale, sellsLink: sale !== null && sells(sale, seen) };
}

const saleSignal = ({ hostname }: URL): Signal => ({
  rule: "sale_page",
  text: `The link leads to ${hostname}, where domains are sold or parked.`,
});

const PARKING_HOST: Signal = {
  rule: "parking_host",
  text: "The site redirects to a host named like those of parking services (ww1, ww25 …).",
};

const PARKING_QUERY: Signal = {
  rule: "parking_query",
  text: "The site adds the parameters with which parking services count visitors.",
};

/** Parking services redirect to sub-domains such as `ww25.`. */
const isParkingHost = (url: URL, at: number, way: URL[]) =>
  url.protocol === "http:" && isNumbered(url) && !isNumbered(way[0]!) && staysAt(way[at - 1], url);

const isNumbered = ({ hostname }: URL) => /^ww\d+\./.test(hostname);

/** On another domain, the same parameters may be a shop's referrer. */
const hasAddedQuery = (url: URL, at: number, way: URL[]) =>
  hasParkingQuery(url) && staysAt(way[at - 1], url);

const hasParkingQuery = ({ searchParams }: URL) =>
  searchParams.has("subid1") ||
  searchParams.has("tr_uuid") ||
  (searchParams.has("usid") && searchParams.has("utid"));

const staysAt = (before: URL | undefined, url: URL) =>
  before !== undefined && domainOf(before.hostname) === domainOf(url.hostname);

function sells(sale: URL, { answer: { page }, url }: Seen): boolean {
  const shown = page ? `${page.title} ${page.heading} ${page.text.slice(0, 300)}` : "";
  return `${sale.href} ${shown}`.toLowerCase().includes(domainOf(url.hostname));
}

function isSalePage({ hostname, pathname }: URL): boolean {
  const path = `${pathname.replace(/^\/[a-z]{2}(?:-[a-z]{2})?(?=\/)/i, "")}/`;
  return SALE_PAGES.some(({ host, folder }) => isBelow(hostname, host) && path.startsWith(folder));
}

const isMarketplace = ({ hostname }: URL) => isBelowAny(hostname, MARKETPLACES);

/** `hired` addresses were rented from a cloud and may belong to another customer now. */
function parkingAddress(text: string | null): "own" | "hired" | null {
  const address = text === null ? null : parseAddress(text);
  if (!address) return null;
  if (holdsAddress(OWN_NETWORKS, address)) return "own";
  return holdsAddress(HIRED_ADDRESSES, address) ? "hired" : null;
}

const isBelow = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`);

function isBelowAny(name: string, domains: Set<string>): boolean {
  const labels = name.split(".");
  return labels.some((_, index) => domains.has(labels.slice(index).join(".")));
}
