import { type Signature, SMALL, signatureFor } from "./signature.ts";

const geoBlock = signatureFor("geo_blocked");
const ipBlock = signatureFor("ip_blocked");
const networkFilter = signatureFor("network_filter");
const captivePortal = signatureFor("captive_portal");
const legalBlock = signatureFor("legal_blocked");

const either = (...patterns: string[]) => `(?:${patterns.join("|")})`;

const OH = "(?:(?:we['’]re |we are )?(?:sorry|unfortunately|oops|uh[ -]oh)[,!.:]* )?(?:but )?";
const THING =
  "(?:content|video|programme?|page|(?:web ?)?site|service|(?:live ?)?stream|channel|media|material|show|film|movie|episode|app)s?";
const IT = `(?:this|the|our|that|these) ${THING}(?: you (?:requested|are (?:looking for|trying to (?:access|view|watch|reach))))?`;
const IS_NOT =
  "(?:(?:is|are)(?: currently| presently)? (?:not(?: currently| yet)? |un)|(?:isn|aren)['’]t(?: currently| yet)? )";
const HERE =
  "(?:your|this|the) (?:current )?(?:country|region|location|area|territory|jurisdiction|geographic(?:al)? (?:area|region|location))(?: or (?:region|territory|country))?";
const EUROPE = "(?:the (?:European (?:Economic Area|Union)|EEA|EU)|European countries|Europe)";

/** Whole sentences, so that a headline about the topic does not match. */
const GEO = either(
  `${OH}${IT} ${IS_NOT}(?:available|accessible|supported|offered)(?: to (?:you|users|viewers|visitors))? (?:in|from|for) ${HERE}`,
  `${OH}(?:${THING} )?(?:not |un)available in your (?:country|region|location|area|territory)`,
  `${OH}you (?:are (?:currently )?(?:not able|unable) to|cannot|can['’]t|may not) (?:access|view|watch|visit|use) ${IT} (?:from|in) ${HERE}`,
  `${OH}access (?:to (?:this|our) ${THING} )?(?:from|in) your (?:country|region|location) (?:is|has been) (?:blocked|restricted|denied|prohibited|not (?:allowed|permitted))`,
  `${OH}access denied in your (?:country|region|location)`,
  `${OH}(?:this|our) ${THING} (?:is|are) (?:currently )?(?:unavailable|not available) (?:to (?:visitors|users) from|in) (?:most )?(?:of )?${EUROPE}`,
  `we recogni[sz]e you are attempting to access this website from a country belonging to ${EUROPE}`,
  "(?:leider )?(?:ist|sind) (?:dieser?s?|der|die|das) [\\p{L}-]{3,20} in (?:deinem|ihrem) (?:land|gebiet) nicht verfügbar",
  "(?:dieser?s?|der|die|das) [\\p{L}-]{3,20} (?:ist|sind) (?:leider )?in (?:deinem|ihrem|deiner|ihrer) (?:land|gebiet|region) (?:leider )?nicht verfügbar",
  "(?:ce|cet|cette|ces) [\\p{L}-]{3,20} (?:n['’]est|ne sont) pas (?:disponibles?|accessibles?) dans votre (?:pays|région|zone)",
  "(?:este|esta|el|la) [\\p{L}-]{3,20} no est[áa] disponible en (?:tu|su) (?:país|región|zona)",
  "(?:questo|questa|il|la) [\\p{L}-]{3,20} non è disponibile (?:nel (?:tuo|suo) paese|nella (?:tua|sua) (?:regione|zona))",
  "(?:este|esta|o|a) [\\p{L}-]{3,20} não está disponível (?:no seu país|na sua região)",
  "deze [\\p{L}-]{3,20} is niet beschikbaar in (?:jouw|je|uw) (?:land|regio)",
  "(?:ta|ten|to|te) [\\p{L}-]{3,20} (?:nie jest|jest nie)dostępn[aey] w (?:twoim|państwa) (?:kraju|regionie)",
  "(?:den här|det här|dette|denne) [\\p{L}-]{3,20} (?:är|er) (?:inte|ikke) (?:tillgänglig|tilgængelig|tilgjengelig)t? i (?:ditt|dit) (?:land|område)",
  "(?:bu )?[\\p{L}-]{3,20} (?:ülkenizde|bölgenizde) (?:kullanılamıyor|mevcut değil|kullanılabilir değil)",
  "(?:귀하의|현재) (?:국가|지역)에서는? .{0,30}(?:없습니다|않습니다)",
  "(?:этот |данный |эта |данная |это )?(?:контент|сайт|видео|страница|материал) недоступ(?:ен|на|но) в ваш(?:ей стране|ем регионе)",
  "お住まいの(?:国|地域).{0,40}(?:できません|いただけません)",
  "(?:您|你)所在的(?:国家|地区|國家|地區).{0,20}(?:无法|不能|不可|暂不|無法)[^。]{0,20}",
);

const IP = "ip(?: address)?(?: ?\\(?[0-9a-f.:]{3,45}\\)?)?";
const HAVE =
  "(?:has been|have been|is|are|was)(?: currently| temporarily| permanently| automatically)?";
const BLOCKED = "(?:blocked|banned|blacklisted|blocklisted|denied|restricted)";
const IP_BLOCK = either(
  `${OH}your ${IP} ${HAVE} ${BLOCKED}`,
  `${OH}(?:access|requests|connections|traffic) from your ${IP} ${HAVE} ${BLOCKED}`,
  `${OH}your ${IP} is on (?:a|our) (?:block|black|deny) ?list`,
  "доступ ограничен: проблема с ip",
);

const LEGAL_CAUSE =
  "(?:legal (?:reasons|grounds)|(?:a|an) (?:court order|(?:legal|government) (?:request|demand|order)|(?:copyright|dmca|trademark) (?:claim|complaint|notice|infringement)))";
const LEGAL = either(
  `${OH}(?:${IT}|this domain) (?:is|has been|was) (?:currently )?(?:not available|unavailable|blocked|restricted|removed|disabled)(?: in your (?:country|region))? (?:for|due to|on|because of|following|in response to) ${LEGAL_CAUSE}.{0,60}`,
  `(?:unavailable|blocked) (?:for|due to) ${LEGAL_CAUSE}`,
  "this (?:domain(?: name)?|(?:web ?)?site) has been seized(?: .{1,80})?",
  "доступ к (?:этому |данному |запрашиваемому )?(?:сайту|(?:информационному )?ресурсу) (?:ограничен|заблокирован)(?: .{1,80})?",
);

const CAUSE = "(?:,? (?:due to|because of|for) .{1,80})?";
const wholly = (patterns: string) => new RegExp(`^${patterns}${CAUSE}[^\\p{L}\\p{N}]*$`, "iu");
const somewhere = (patterns: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${patterns}(?![\\p{L}\\p{N}])`, "iu");
const first = (patterns: string) => new RegExp(`^${patterns}(?![\\p{L}\\p{N}])`, "iu");

const REFUSED = [403, 451] as const;
const SHOWN = [200, 403, 451] as const;

/** An address about geoblocking. */
const ABOUT_GEO =
  /(?:not|un)[-_]?available|geo[-_]?(?:block|restrict)|(?:region|country)[-_]?(?:lock|block|restrict)/i;

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
