import { ABOUT_GEO, GEO, IP_BLOCK, LEGAL } from "./known/blocks.ts";
import { type Signature, SMALL, signatureFor } from "./known/signature.ts";

const geoBlock = signatureFor("geo_blocked");
const ipBlock = signatureFor("ip_blocked");
const networkFilter = signatureFor("network_filter");
const captivePortal = signatureFor("captive_portal");
const legalBlock = signatureFor("legal_blocked");

const CAUSE = "(?:,? (?:due to|because of|for) .{1,80})?";
const wholly = (patterns: string) => new RegExp(`^${patterns}${CAUSE}[^\\p{L}\\p{N}]*$`, "iu");
const somewhere = (patterns: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${patterns}(?![\\p{L}\\p{N}])`, "iu");
const first = (patterns: string) => new RegExp(`^${patterns}(?![\\p{L}\\p{N}])`, "iu");

const REFUSED = [403, 451] as const;
const SHOWN = [200, 403, 451] as const;

/** For pages that are known to be the same for every address. */
export const SAYS_GEO = somewhere(GEO);

/** Blocks by country, IP address or law. */
export const BLOCKS: readonly Signature[] = [
  geoBlock("geo_heading", "The page says that the content is not for this country.", {
    status: SHOWN,
    isPlain: true,
    headline: wholly(GEO),
    also: ({ answer: { page }, url }) => page!.text.length < SMALL || !ABOUT_GEO.test(url.pathname),
  }),
  geoBlock("geo_only", "The page only says that the content is not for this country.", {
    status: SHOWN,
    textUnder: 400,
    isPlain: true,
    text: [first(GEO)],
  }),
  geoBlock("geo_refusal", "The refusal says that the content is not for this country.", {
    status: REFUSED,
    textUnder: SMALL,
    text: [somewhere(GEO)],
  }),
  ipBlock("ip_heading", "The page says that this monitor's address is blocked.", {
    status: [200, 403, 429, 451, 503],
    textUnder: SMALL,
    isPlain: true,
    headline: wholly(IP_BLOCK),
  }),
  ipBlock("ip_refusal", "The refusal says that this monitor's address is blocked.", {
    status: [403, 429, 503],
    textUnder: SMALL,
    text: [somewhere(IP_BLOCK)],
  }),
  legalBlock("legal_heading", "The page says that the content is blocked for legal reasons.", {
    status: [200, 403],
    textUnder: SMALL,
    isPlain: true,
    headline: wholly(LEGAL),
  }),
  legalBlock("legal_only", "The page only says that the content is blocked for legal reasons.", {
    status: [200, 403],
    textUnder: 400,
    isPlain: true,
    text: [first(LEGAL)],
  }),
];

export const NETWORK_FILTERS: readonly Signature[] = [
  networkFilter(
    "filter_notice_address",
    "The link leads to the notice of a provider or of a filter.",
    {
      redirectedTo:
        /^(([^/]*\.)?cuii\.info|(block|phish|malware|adult|hit-[a-z]+)\.(a\.)?opendns\.com|([^/]*\.)?block\.sse\.cisco\.com|gateway\.zscaler[a-z]*\.net|notify\.bluecoat\.com|wired\.meraki\.com:8090|warn\.recursive\.dnsbycomodo\.com)[/:]/,
    },
  ),
  // Netsweeper, Palo Alto, Forcepoint, Check Point and iboss, on any host.
  networkFilter("filter_product_address", "The link leads to the notice of a filter.", {
    redirectedTo:
      /^[^/]+\/(webadmin\/deny\/|php\/urlblock\.php\?args=|UserCheck\/PortalMain\?IID=|ibreports\/ibp\/bp\.html)|^[^/]+:15871\/cgi-bin\/block/,
  }),
  networkFilter("filter_server", "A filter names itself as the server.", {
    status: [403],
    headers: /^server: (forti(net|gate|guard|proxy)|zscaler\/|protected by wirefilter|webguard)/im,
  }),
  networkFilter("cuii_notice", "A German provider blocks the site.", {
    status: [200, 403, 451],
    textUnder: 5000,
    headline: /^diese webseite ist aus urheberrechtlichen gründen nicht verfügbar\W*$/i,
  }),
  networkFilter("agcom_stop_page", "An Italian provider blocks the site.", {
    status: [200, 403, 451],
    textUnder: SMALL,
    title: /^(AGCOM|GdF) Stop Page$/i,
  }),
  networkFilter("agcom_notice", "An Italian provider blocks the site.", {
    status: [200, 403, 451],
    textUnder: SMALL,
    headline: /^avviso\W*$/i,
    text: [/\bAGCOM\b|autorit[àa]'? per le garanzie nelle comunicazioni/i],
  }),
  networkFilter("opendns_block", "OpenDNS blocks the site.", {
    status: [403],
    textUnder: SMALL,
    markup: [/https?:\/\/block\.(a\.)?opendns\.com\//i],
  }),
  networkFilter("fortiguard_block", "FortiGuard blocks the site.", {
    status: [200, 403, 503],
    textUnder: SMALL,
    text: [/(web ?page|access|site) (is |has been )?blocked/i],
    markup: [/fgd_icon|Powered By Forti/],
  }),
  networkFilter("antivirus_block", "An antivirus program blocks the site.", {
    status: [403, 499],
    textUnder: SMALL,
    text: [
      /\b(bitdefender|eset|kaspersky)\b/i,
      /\b(blocked|denied|gesperrt|blockiert)\b|заблокирован|запрещ/i,
    ],
  }),
];

/** The client's MAC address, which only its own network knows. */
const OWN_MAC =
  /[?&](?:client_?|user_?|sta_?)?mac=[0-9a-f]{2}(?:(?:[:-]|%3a)?[0-9a-f]{2}){5}(?:&|$)/i;
const NAMES_NETWORK = /[?&](?:uamip|gw_address|switchip|essid|ssid|ap(?:_?mac|name)?|nasid)=/i;

/** The monitor's own network requires a sign-in. Two marks are needed, because the check then does not count. */
export const CAPTIVE_PORTALS: readonly Signature[] = [
  // The "universal access method" of the Wi-Fi Alliance's WISPr.
  captivePortal(
    "portal_uam",
    "This monitor's network leads to its own sign-in, which hands over its gateway's address and port.",
    {
      redirectedTo: /[?&]uamip=[\d.]+(?:&|$)/i,
      overHttp: true,
      also: ({ answer }) => /[?&]uamport=\d+(?:&|$)/i.test(answer.finalUrl),
    },
  ),
  captivePortal(
    "portal_device",
    "This monitor's network leads to its own sign-in, which names this device and the network.",
    {
      redirectedTo: OWN_MAC,
      overHttp: true,
      also: ({ answer }) => NAMES_NETWORK.test(answer.finalUrl),
    },
  ),
  captivePortal("portal_meraki", "This monitor's network leads to its own sign-in at Meraki.", {
    redirectedTo:
      /^[^/]+\.network-auth\.com\/[^?]*\?(?:[^#]*&)?(?:mac|client_mac|mauth|continue_url)=/i,
    overHttp: true,
  }),
  captivePortal(
    "portal_fortinet",
    "This monitor's network sends a script in the page's place that leads to its sign-in.",
    {
      status: [200],
      overHttp: true,
      textUnder: 200,
      title: /^$/,
      markup: [/\/fgtauth\?[0-9a-f]{8}/, /window\.location/],
    },
  ),
  captivePortal(
    "portal_wispr",
    "This monitor's network sends its sign-in in the page's place, with a note for programs.",
    {
      status: [200],
      overHttp: true,
      textUnder: SMALL,
      markup: [/<WISPAccessGatewayParam\b/, /<(?:Abort)?LoginURL>/],
    },
  ),
];
