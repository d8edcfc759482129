import { holdsAddress, parseAddress, parseHostList } from "../../net/policy.ts";

/** Whether an address is a page on which a service sells or parks a domain. */
export function isSalePage({ hostname, pathname }: URL): boolean {
  const path = `${pathname.replace(/^\/[a-z]{2}(?:-[a-z]{2})?(?=\/)/i, "")}/`;
  return SALE_PAGES.some(([host, folder]) => isBelow(hostname, host) && path.startsWith(folder));
}

/** Whether an address is a service's own, whatever it shows there. */
export const isMarketplace = ({ hostname }: URL) => isBelowAny(hostname, MARKETPLACES);

/** Whether a name server serves nothing but parked domains. */
export const isParkingNameServer = (name: string) => isBelowAny(name, NAME_SERVERS);

/** Whether what a host is an alias of belongs to a parking service. */
export const isParkingAlias = (name: string) =>
  isBelowAny(name, ALIASES) || ALIAS_PATTERN.test(name);

/**
 * Whether an address belongs to a parking service, or was hired by one from a cloud and may be somebody
 * else's by now. Null for any other and for none.
 */
export function parkingAddress(text: string | null): "own" | "hired" | null {
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
const SALE_PAGES: [host: string, folder: string][] = [
  ["above.com", "/marketplace/"],
  ["afternic.com", "/"],
  ["atom.com", "/name/"],
  ["bodis.com", "/"],
  ["brandbucket.com", "/names/"],
  ["buydomains.com", "/"],
  ["dan.com", "/"],
  ["domainmarket.com", "/"],
  ["dsredirection.com", "/"],
  ["dynadot.com", "/market/"],
  ["expireddomains.com", "/"],
  ["forsale.godaddy.com", "/"],
  ["fwdservice.com", "/"],
  ["godaddy.com", "/domainsearch/"],
  ["godaddy.com", "/forsale/"],
  ["hugedomains.com", "/"],
  ["mydomaincontact.com", "/"],
  ["parkingcrew.net", "/"],
  ["parklogic.com", "/"],
  ["perfectdomain.com", "/"],
  ["searchmagnified.com", "/"],
  ["sedo.com", "/"],
  ["sedoparking.com", "/"],
  ["squadhelp.com", "/name/"],
  ["survey-smiles.com", "/"],
  ["undeveloped.com", "/"],
];

/** A link to a page of theirs is about domains, not lost. */
const MARKETPLACES = new Set([
  ...SALE_PAGES.map(([host]) => host),
  "domain.io",
  "dropcatch.com",
  "efty.com",
  "epik.com",
  "flippa.com",
  "godaddy.com",
  "namebright.com",
  "namecheap.com",
  "nicsell.com",
  "park.io",
  "porkbun.com",
  "sav.com",
  "spaceship.com",
  "uniregistry.com",
]);

/** Name servers that serve nothing but parked domains: these names and all below them. */
const NAME_SERVERS = new Set([
  "above.com",
  "afternic.com",
  "bodis.com",
  "brainydns.com",
  "brandbucket.com",
  "cashparking.com",
  "cnomy.com",
  "dan.com",
  "dan.hosting",
  "dnsnuts.com",
  "dnsspark.com",
  "domain-for-sale.at",
  "domain-is-4-sale-at-domainmarket.com",
  "domaincntrol.com",
  "domainhasexpired.com",
  "domainmarket.com",
  "domainparking.ru",
  "dsredirection.com",
  "dsredirects.com",
  "eftydns.com",
  "expirationwarning.net",
  "fastpark.net",
  "ibspark.com",
  "namefind.com",
  "parking-page.net",
  "parkingcrew.net",
  "parkingspa.com",
  "parklogic.com",
  "perfectdomain.com",
  "renewyourname.net",
  "rookdns.com",
  "sedoparking.com",
  "smartname.com",
  "snparking.ru",
  "sslparking.com",
  "undeveloped.com",
  "uniregistrymarket.link",
  "voodoo.com",
  "ztomy.com",
]);

/** What parked hosts are aliases of (`CNAME`): these names and all below them. */
const ALIASES = new Set([
  "bodis.com",
  "cname.sslparking.com",
  "comingsoon.namebright.com",
  "domainparking-dnspod.cn",
  "dsredirection.com",
  "dsredirects.com",
  "expired.namebright.com",
  "fwdservice.com",
  "hugedomains.com",
  "ndparking.com",
  "overdue.aliyun.com",
  "parking.namecheap.com",
  "parkingcrew.net",
  "parkingpage.namecheap.com",
  "searchmagnified.com",
  "sedoparking.com",
  "webapp.parkingpage.production.flippa.com",
]);

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
