import { wordList } from "../../../ground/lib/text.ts";
import { parseHostList } from "../../../ground/net/policy.ts";

export type Mark = {
  by: string;
  needle: string;
  /** Matches the code before the needle. */
  after?: RegExp;
  /** Matches the code from the needle on. */
  from?: RegExp;
  /** The URL that begins with the needle must name the page's own domain. */
  namesDomain?: true;
  /** A statement of a script; others are tags. */
  isScript?: true;
  /** The page has less visible text than this. */
  textUnder?: number;
};

const inTag = (tags: string) =>
  new RegExp(
    `<(?:${tags})\\b[^<>]*\\s(?:src|href|action)\\s*=\\s*["']?(?:https?:)?\\\\?/\\\\?/(?:[a-z0-9-]+\\.)*$`,
    "i",
  );

const RUN = inTag("script|iframe|frame|form");
const LINKED = inTag("a|form");
const LOADED = inTag("script|iframe|frame|form|img|link");

/** A quick test: every mark contains one of these. */
export const MARKUP_HINT =
  /adblockkey|window\.park|\/lander"|LANDER_SYSTEM|parking(?:crew\.net|-lander|-page|\.reg\.ru)|sedo[pP]arking|DOMAIN_PARKING|bping\.php|parklogic|bodis\.com|d38psrni17bvxu|dan\.com\/buy-domain|domain_profile/;

export const MARKUP_MARKS: Mark[] = [
  {
    by: "AdSense for Domains",
    needle: "data-adblockkey",
    // Blog themes have the same attribute on a `div`, with a number.
    after: /<html\b[^<>]*$/i,
    from: /^data-adblockkey\s*=\s*["']?[^"'\s>]/,
  },
  { by: "Bodis", needle: "window.park", from: /^window\.park\s*=\s*["']ey/, isScript: true },
  { by: "Bodis", needle: "bodis.com", after: RUN },
  {
    by: "GoDaddy",
    needle: '"/lander"',
    after: /window\.location(?:\.href)?\s*=\s*$/,
    isScript: true,
    textUnder: 300,
  },
  { by: "GoDaddy", needle: "img1.wsimg.com/parking-lander", after: LOADED },
  { by: "GoDaddy", needle: "window.LANDER_SYSTEM", isScript: true },
  { by: "Sedo", needle: "sedoparking.com", after: LOADED },
  { by: "Sedo", needle: "dto.sedoParkingUrl", isScript: true },
  { by: "Sedo", needle: "FOOTER_DOMAIN_PARKING", isScript: true },
  { by: "Sedo", needle: "FOOTER_DOMAIN_PARKING" },
  { by: "Skenzo", needle: "cdn-fileserver.com/bping.php", after: LOADED },
  { by: "ParkLogic", needle: "parklogic.com", after: RUN },
  { by: "ParkingCrew", needle: "parkingcrew.net", after: RUN },
  { by: "ParkingCrew", needle: "d38psrni17bvxu.cloudfront.net", after: LOADED },
  { by: "REG.RU", needle: "parking.reg.ru/script", after: RUN },
  {
    by: "Squarespace",
    needle: "assets.squarespace.com/universal/scripts-compressed/parking-page",
    after: RUN,
  },
  { by: "Dan", needle: "dan.com/buy-domain", after: LINKED, namesDomain: true },
  { by: "HugeDomains", needle: "hugedomains.com/domain_profile", after: LINKED, namesDomain: true },
];

/** Where domains are sold or parked: hosts with their sub-domains, and the folder for it. */
export const SALE_PAGES =
  wordList(`above.com/marketplace/ afternic.com/ atom.com/name/ bodis.com/ brandbucket.com/names/
  buydomains.com/ dan.com/ domainmarket.com/ dsredirection.com/ dynadot.com/market/
  expireddomains.com/ forsale.godaddy.com/ fwdservice.com/ godaddy.com/domainsearch/
  godaddy.com/forsale/ hugedomains.com/ mydomaincontact.com/ parkingcrew.net/ parklogic.com/
  perfectdomain.com/ searchmagnified.com/ sedo.com/ sedoparking.com/ squadhelp.com/name/
  survey-smiles.com/ undeveloped.com/`).map((page) => {
    const slash = page.indexOf("/");
    return { host: page.slice(0, slash), folder: page.slice(slash) };
  });

/** A link to one of their pages is about domains, not parked. */
export const MARKETPLACES = new Set([
  ...SALE_PAGES.map(({ host }) => host),
  ...wordList(`domain.io dropcatch.com efty.com epik.com flippa.com godaddy.com namebright.com namecheap.com
  nicsell.com park.io porkbun.com sav.com spaceship.com uniregistry.com`),
]);

/** Name servers, including sub-domains, that only serve parked domains. */
export const NAME_SERVERS = new Set(
  wordList(`above.com afternic.com bodis.com brainydns.com brandbucket.com cashparking.com cnomy.com
  dan.com dan.hosting dnsnuts.com dnsspark.com domain-for-sale.at
  domain-is-4-sale-at-domainmarket.com domaincntrol.com domainhasexpired.com domainmarket.com
  domainparking.ru dsredirection.com dsredirects.com eftydns.com expirationwarning.net
  fastpark.net ibspark.com namefind.com parking-page.net parkingcrew.net parkingspa.com
  parklogic.com perfectdomain.com renewyourname.net rookdns.com sedoparking.com smartname.com
  snparking.ru sslparking.com undeveloped.com uniregistrymarket.link voodoo.com ztomy.com`),
);

/** Targets of the `CNAME` records of parked hosts, including sub-domains. */
export const ALIASES = new Set(
  wordList(`bodis.com cname.sslparking.com comingsoon.namebright.com domainparking-dnspod.cn
  dsredirection.com dsredirects.com expired.namebright.com fwdservice.com hugedomains.com
  ndparking.com overdue.aliyun.com parking.namecheap.com parkingcrew.net
  parkingpage.namecheap.com searchmagnified.com sedoparking.com
  webapp.parkingpage.production.flippa.com`),
);

/** HugeDomains and ParkLogic. */
export const ALIAS_PATTERN =
  /^(?:autoscale-)?hdr(?:edirect)?-[a-z0-9-]+\.(?:elb\.[a-z0-9-]+|[a-z0-9-]+\.elb)\.amazonaws\.com$|(?:^|\.)pltraffic\d+\.com$/;

/** Networks of parking services. The lists age, so they are never enough alone. */
export const OWN_NETWORKS = parseHostList(
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

export const HIRED_ADDRESSES = parseHostList(
  [
    ["34.102.136.180", "34.98.99.30", "35.186.238.101"], // GoDaddy
    ["3.64.163.50", "52.58.78.16"], // Dan
    ["75.2.18.233", "75.2.115.196"], // Dynadot
    ["99.83.154.118"], // Namecheap
    ["52.128.23.153", "34.102.221.37"], // Uniregistry
  ].join(","),
);
