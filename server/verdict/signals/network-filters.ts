import { SMALL, type Wall } from "./wall.ts";

/** A filter between the monitor and the site decides what may be seen. */
export const NETWORK_FILTERS: readonly Wall[] = [
  {
    rule: "filter_notice_address",
    reason: "network_filter",
    text: "The link leads to the notice of a provider or of a filter.",
    when: {
      ledTo:
        /^(([^/]*\.)?cuii\.info|(block|phish|malware|adult|hit-[a-z]+)\.(a\.)?opendns\.com|([^/]*\.)?block\.sse\.cisco\.com|gateway\.zscaler[a-z]*\.net|notify\.bluecoat\.com|wired\.meraki\.com:8090|warn\.recursive\.dnsbycomodo\.com)[/:]/,
    },
  },
  {
    rule: "filter_product_address",
    reason: "network_filter",
    text: "The link leads to the notice of a filter.",
    // Netsweeper, Palo Alto, Forcepoint, Check Point and iboss, on whatever host they stand.
    when: {
      ledTo:
        /^[^/]+\/(webadmin\/deny\/|php\/urlblock\.php\?args=|UserCheck\/PortalMain\?IID=|ibreports\/ibp\/bp\.html)|^[^/]+:15871\/cgi-bin\/block/,
    },
  },
  {
    rule: "filter_server",
    reason: "network_filter",
    text: "A filter names itself as the server.",
    when: {
      status: [403],
      headers:
        /^server: (forti(net|gate|guard|proxy)|zscaler\/|protected by wirefilter|webguard)/im,
    },
  },
  {
    rule: "cuii_notice",
    reason: "network_filter",
    text: "A German provider blocks the site.",
    when: {
      status: [200, 403, 451],
      textUnder: 5000,
      says: /^diese webseite ist aus urheberrechtlichen gründen nicht verfügbar\W*$/i,
    },
  },
  {
    rule: "agcom_stop_page",
    reason: "network_filter",
    text: "An Italian provider blocks the site.",
    when: { status: [200, 403, 451], textUnder: SMALL, title: /^(AGCOM|GdF) Stop Page$/i },
  },
  {
    rule: "agcom_notice",
    reason: "network_filter",
    text: "An Italian provider blocks the site.",
    when: {
      status: [200, 403, 451],
      textUnder: SMALL,
      says: /^avviso\W*$/i,
      reads: [/\bAGCOM\b|autorit[àa]'? per le garanzie nelle comunicazioni/i],
    },
  },
  {
    rule: "opendns_block",
    reason: "network_filter",
    text: "OpenDNS blocks the site.",
    when: { status: [403], textUnder: SMALL, markup: [/https?:\/\/block\.(a\.)?opendns\.com\//i] },
  },
  {
    rule: "fortiguard_block",
    reason: "network_filter",
    text: "FortiGuard blocks the site.",
    when: {
      status: [200, 403, 503],
      textUnder: SMALL,
      reads: [/(web ?page|access|site) (is |has been )?blocked/i],
      markup: [/fgd_icon|Powered By Forti/],
    },
  },
  {
    rule: "antivirus_block",
    reason: "network_filter",
    text: "An antivirus program blocks the site.",
    when: {
      status: [403, 499],
      textUnder: SMALL,
      reads: [
        /\b(bitdefender|eset|kaspersky)\b/i,
        /\b(blocked|denied|gesperrt|blockiert)\b|заблокирован|запрещ/i,
      ],
    },
  },
];

/** The MAC address of the client: only its own network knows it. */
const OWN_MAC =
  /[?&](?:client_?|user_?|sta_?)?mac=[0-9a-f]{2}(?:(?:[:-]|%3a)?[0-9a-f]{2}){5}(?:&|$)/i;
const NAMES_NETWORK = /[?&](?:uamip|gw_address|switchip|essid|ssid|ap(?:_?mac|name)?|nasid)=/i;

/** The monitor's own network asks for a sign-in first. That is a heavy thing to say, so it takes two marks. */
export const CAPTIVE_PORTALS: readonly Wall[] = [
  {
    rule: "portal_uam",
    reason: "captive_portal",
    text: "This monitor's network leads to its own sign-in, which hands over its gateway's address and port.",
    // The "universal access method" of the Wi-Fi Alliance's WISPr.
    when: {
      ledTo: /[?&]uamip=[\d.]+(?:&|$)/i,
      overHttp: true,
      also: ({ answer }) => /[?&]uamport=\d+(?:&|$)/i.test(answer.finalUrl),
    },
  },
  {
    rule: "portal_device",
    reason: "captive_portal",
    text: "This monitor's network leads to its own sign-in, which names this device and the network.",
    when: {
      ledTo: OWN_MAC,
      overHttp: true,
      also: ({ answer }) => NAMES_NETWORK.test(answer.finalUrl),
    },
  },
  {
    rule: "portal_meraki",
    reason: "captive_portal",
    text: "This monitor's network leads to its own sign-in at Meraki.",
    when: {
      ledTo: /^[^/]+\.network-auth\.com\/[^?]*\?(?:[^#]*&)?(?:mac|client_mac|mauth|continue_url)=/i,
      overHttp: true,
    },
  },
  {
    rule: "portal_fortinet",
    reason: "captive_portal",
    text: "This monitor's network sends a script in the page's place that leads to its sign-in.",
    when: {
      status: [200],
      overHttp: true,
      textUnder: 200,
      title: /^$/,
      markup: [/\/fgtauth\?[0-9a-f]{8}/, /window\.location/],
    },
  },
  {
    rule: "portal_wispr",
    reason: "captive_portal",
    text: "This monitor's network sends its sign-in in the page's place, with a note for programs.",
    when: {
      status: [200],
      overHttp: true,
      textUnder: SMALL,
      markup: [/<WISPAccessGatewayParam\b/, /<(?:Abort)?LoginURL>/],
    },
  },
];
