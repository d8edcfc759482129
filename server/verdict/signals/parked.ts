import type { HostNames } from "../../net/dns-query.ts";
import { holdsAddress, parseAddress, parseHostList } from "../../net/policy.ts";
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
import type { Answer } from "../probe/probe.ts";
import { domainOf, isShortener, isSiteAddress, wordList } from "./addresses.ts";
import { isShort } from "./clues.ts";
import { type DomainNotice, readDomainNotice, readParkingMarkup } from "./parking-phrases.ts";
import { quoted } from "./phrases.ts";
import { compare, comparedAddress, compareWithoutHost, SAME_EVERYWHERE } from "./same-page.ts";

/**
 * Parked domains: nobody's page any more, whoever answers. The way there or the page's own code must give
 * it away, and a second witness of another kind must agree: what the page says of its domain, who serves
 * its name or its address, or that every address of the site shows the same. Less leaves it open.
 */
export const readParking: Reader = (seen) => {
  const { answer, url } = seen;
  const found = new URL(answer.finalUrl);
  if (!answer.page || isMarketplace(url) || (isShortener(url) && isMarketplace(found))) return null;
  const route = readSaleRoute(seen);
  if (route.sellsLink && !isSiteAddress(url)) return parked(route.signals);
  if (answer.page.text.length > LONGEST_TEXT && !route.sellsLink) return null;
  return weigh(seen, gather(answer, answer.page, route));
};

/** A longer page may be an article about domains. In characters. */
const LONGEST_TEXT = 5000;

/** What speaks for parking before anybody was asked. */
type Clues = {
  /** From the network path and from the page's code: strong, but someone may have put them there. */
  strong: Signal[];
  route: SaleRoute;
  notice: DomainNotice | null;
  address: (Signal & { owner: "own" | "hired" }) | null;
};

function gather(answer: Answer, page: Page, route: SaleRoute): Clues {
  const markup = readParkingMarkup(page, domainOf(new URL(answer.finalUrl).hostname));
  const strong = [...route.signals, ...(markup ? [markup] : [])];
  const notice = readDomainNotice(page);
  // A sale page is at its service's address, which says nothing of the domain that it sells.
  const isTold = strong.length > 0 || notice !== null || isShort(page);
  const address = isTold && !route.sale ? readAddress(answer.address) : null;
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

/** Names cost no request to the site, so they are asked before any other address of it. */
function weighNames(seen: Seen, clues: Clues, signals: Signal[]): Finding | Need | null {
  const { strong, route, notice, address } = clues;
  const { names } = seen.facts;
  if (!route.sale && names === undefined) return needs("names");
  const served = route.sale || !names ? null : readNames(names);
  const all = [...signals, ...asSignal(served)];
  if (served && (strong.length > 0 || notice)) return parked(all);
  if (strong.length > 0) return weighSameness(seen, clues, all);
  if (notice || served) return suspected("parked_suspected", all);
  // An address that was hired from a cloud goes to its next customer with all that it was listed for. A
  // short page of theirs is told from a parked one by the name: its servers are known and park nothing.
  const isNextCustomer = address?.owner === "hired" && names;
  return address && !isNextCustomer ? suspected("parked_suspected", all) : null;
}

/** A parked domain shows the same at every address, and mostly at every name below it. */
function weighSameness(seen: Seen, clues: Clues, signals: Signal[]): Finding | Need | null {
  const { answer, facts } = seen;
  const beside = comparedAddress(seen.url);
  const other = facts[beside];
  if (other === undefined) return needs(beside);
  const shown = compare(answer, other);
  if (shown === "missing" && isOnlyLed(clues)) return null;
  if (shown !== "same") return suspected("parked_suspected", signals);
  const { subdomain } = facts;
  if (subdomain === undefined) return needs("subdomain");
  return ["same", "nothing"].includes(compareWithoutHost(answer, subdomain))
    ? parked([...signals, SAME_EVERYWHERE])
    : suspected("parked_suspected", signals);
}

/**
 * A site that knows which addresses it lacks leads its readers to a `ww2.` of its own, or to a marketplace,
 * on purpose. What runs on the page is another matter.
 */
const isOnlyLed = ({ strong, route }: Clues) => strong.length === route.signals.length;

const parked = (signals: Signal[]): Finding => dead("domain_parked", "C2", signals);

const asSignal = (clue: Signal | null): Signal[] =>
  clue ? [{ rule: clue.rule, text: clue.text }] : [];

function readAddress(address: string | null): Clues["address"] {
  const owner = parkingAddress(address);
  if (!owner) return null;
  return { rule: "parking_address", text: `The address ${address} is known for parking.`, owner };
}

/** All name servers must be a service's: some sellers only add one to prove that a domain is theirs. */
function readNames({ nameServers, aliases }: HostNames): Signal | null {
  const [server] = nameServers;
  if (server !== undefined && nameServers.every(isParkingNameServer)) {
    const text = `The domain's name servers serve parked domains: ${quoted(server)}.`;
    return { rule: "parking_name_servers", text };
  }
  const alias = aliases.find(isParkingAlias);
  if (alias === undefined) return null;
  return {
    rule: "parking_alias",
    text: `The host is an alias of ${quoted(alias)}, which parks domains.`,
  };
}

/** What gives parking away in the redirects behind a link. */
type SaleRoute = {
  signals: Signal[];
  /** The link ended at a sale page, or was led over one. */
  sale: URL | null;
  /** What is for sale there is the link's own domain. */
  sellsLink: boolean;
};

/**
 * Reads where a link was led to. What the link itself says counts for nothing: shops and advertisers put
 * the same into addresses that they hand out.
 */
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
  text: "The site sends its readers on to a host named as parking services name them (ww1, ww25 …).",
};

const PARKING_QUERY: Signal = {
  rule: "parking_query",
  text: "The site adds to its address what parking services add to count their visitors.",
};

/** Parking services move a domain's visitors to `ww25.` and the like below it. */
const isParkingHost = (url: URL, at: number, way: URL[]) =>
  url.protocol === "http:" && isNumbered(url) && !isNumbered(way[0]!) && staysAt(way[at - 1], url);

const isNumbered = ({ hostname }: URL) => /^ww\d+\./.test(hostname);

/** A shop on another domain may be told by the same words who sent the reader. */
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

/** Whether an address is a page on which a service sells or parks a domain. */
function isSalePage({ hostname, pathname }: URL): boolean {
  const path = `${pathname.replace(/^\/[a-z]{2}(?:-[a-z]{2})?(?=\/)/i, "")}/`;
  return SALE_PAGES.some(({ host, folder }) => isBelow(hostname, host) && path.startsWith(folder));
}

/** Whether an address is a service's own, whatever it shows there. */
const isMarketplace = ({ hostname }: URL) => isBelowAny(hostname, MARKETPLACES);

/** Whether a name server serves nothing but parked domains. */
const isParkingNameServer = (name: string) => isBelowAny(name, NAME_SERVERS);

/** Whether what a host is an alias of belongs to a parking service. */
const isParkingAlias = (name: string) => isBelowAny(name, ALIASES) || ALIAS_PATTERN.test(name);

/**
 * Whether an address belongs to a parking service, or was hired by one from a cloud and may be somebody
 * else's by now. Null for any other and for none.
 */
function parkingAddress(text: string | null): "own" | "hired" | null {
  const address = text === null ? null : parseAddress(text);
  if (!address) return null;
  if (holdsAddress(OWN_NETWORKS, address)) return "own";
  return holdsAddress(HIRED_ADDRESSES, address) ? "hired" : null;
}

const isBelow = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`);

/** Whether a name, or a name above it, is one of the domains. */
function isBelowAny(name: string, domains: Set<string>): boolean {
  const labels = name.split(".");
  return labels.some((_, index) => domains.has(labels.slice(index).join(".")));
}

/**
 * Where domains are sold or parked: a host with all below it, and the folder for it where the host does
 * other things too.
 */
const SALE_PAGES =
  wordList(`above.com/marketplace/ afternic.com/ atom.com/name/ bodis.com/ brandbucket.com/names/
  buydomains.com/ dan.com/ domainmarket.com/ dsredirection.com/ dynadot.com/market/
  expireddomains.com/ forsale.godaddy.com/ fwdservice.com/ godaddy.com/domainsearch/
  godaddy.com/forsale/ hugedomains.com/ mydomaincontact.com/ parkingcrew.net/ parklogic.com/
  perfectdomain.com/ searchmagnified.com/ sedo.com/ sedoparking.com/ squadhelp.com/name/
  survey-smiles.com/ undeveloped.com/`).map((page) => {
    const slash = page.indexOf("/");
    return { host: page.slice(0, slash), folder: page.slice(slash) };
  });

/** A link to a page of theirs is about domains, not lost. */
const MARKETPLACES = new Set([
  ...SALE_PAGES.map(({ host }) => host),
  ...wordList(`domain.io dropcatch.com efty.com epik.com flippa.com godaddy.com namebright.com namecheap.com
  nicsell.com park.io porkbun.com sav.com spaceship.com uniregistry.com`),
]);

/** Name servers that serve nothing but parked domains: these names and all below them. */
const NAME_SERVERS = new Set(
  wordList(`above.com afternic.com bodis.com brainydns.com brandbucket.com cashparking.com cnomy.com
  dan.com dan.hosting dnsnuts.com dnsspark.com domain-for-sale.at
  domain-is-4-sale-at-domainmarket.com domaincntrol.com domainhasexpired.com domainmarket.com
  domainparking.ru dsredirection.com dsredirects.com eftydns.com expirationwarning.net
  fastpark.net ibspark.com namefind.com parking-page.net parkingcrew.net parkingspa.com
  parklogic.com perfectdomain.com renewyourname.net rookdns.com sedoparking.com smartname.com
  snparking.ru sslparking.com undeveloped.com uniregistrymarket.link voodoo.com ztomy.com`),
);

/** What parked hosts are aliases of (`CNAME`): these names and all below them. */
const ALIASES = new Set(
  wordList(`bodis.com cname.sslparking.com comingsoon.namebright.com domainparking-dnspod.cn
  dsredirection.com dsredirects.com expired.namebright.com fwdservice.com hugedomains.com
  ndparking.com overdue.aliyun.com parking.namecheap.com parkingcrew.net
  parkingpage.namecheap.com searchmagnified.com sedoparking.com
  webapp.parkingpage.production.flippa.com`),
);

/** HugeDomains and ParkLogic number theirs. */
const ALIAS_PATTERN =
  /^(?:autoscale-)?hdr(?:edirect)?-[a-z0-9-]+\.(?:elb\.[a-z0-9-]+|[a-z0-9-]+\.elb)\.amazonaws\.com$|(?:^|\.)pltraffic\d+\.com$/;

/** Networks of parking services. The lists age, so they never suffice alone. */
const OWN_NETWORKS = parseHostList(
  [
    ["91.195.240.0/23", "64.190.62.0/23"], // Sedo
    ["185.53.176.0/22"], // ParkingCrew
    ["199.59.240.0/22"], // Bodis
    ["103.224.182.0/23", "103.224.212.0/23"], // Above
    ["208.91.196.0/23", "204.11.56.0/23", "209.99.64.0/24", "199.191.50.0/24"], // Skenzo
    ["66.81.199.0/24"], // Rook Media
    ["192.64.147.0/24"], // Voodoo
  ].join(","),
);

/** Addresses that parking services rented from a cloud, which may be someone else's by now. */
const HIRED_ADDRESSES = parseHostList(
  [
    ["34.102.136.180", "34.98.99.30", "35.186.238.101"], // GoDaddy
    ["3.64.163.50", "52.58.78.16"], // Dan
    ["75.2.18.233", "75.2.115.196"], // Dynadot
    ["99.83.154.118"], // Namecheap
    ["52.128.23.153", "34.102.221.37"], // Uniregistry
  ].join(","),
);
