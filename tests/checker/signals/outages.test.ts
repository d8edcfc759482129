import { describe, expect, test } from "bun:test";
import { judge } from "../../../server/verdict/verdict.ts";
import { seenOf } from "../seen.ts";
import { article, notice, page, prose, type Row, testGuards, testWalls } from "./wall-pages.ts";

const STORY = "http://site.test/articles/some-story";
const led = (at: string, html = notice("Notice"), from = [STORY]) => ({ from, at, html });

describe("a filter between us and the site is told by", () => {
  testWalls([
    [
      "the notice of German providers",
      led("https://notice.cuii.info/"),
      "network_filter",
      "filter_notice_address",
    ],
    [
      "the same notice, even when it is missing",
      { ...led("https://notice.cuii.info/x"), status: 404 },
      "network_filter",
      "filter_notice_address",
    ],
    [
      "the notice of OpenDNS",
      led("https://block.opendns.com/?url=7078"),
      "network_filter",
      "filter_notice_address",
    ],
    [
      "the notice of Zscaler",
      led("https://gateway.zscalertwo.net/auD?x=1"),
      "network_filter",
      "filter_notice_address",
    ],
    [
      "the path of Netsweeper",
      led("http://203.0.113.4/webadmin/deny/index.php?dpid=1"),
      "network_filter",
      "filter_product_address",
    ],
    [
      "the path of Palo Alto",
      led("https://fw.corp.test:6083/php/urlblock.php?args=AAA"),
      "network_filter",
      "filter_product_address",
    ],
    [
      "the name of the server",
      { status: 403, headers: { Server: "Zscaler/6.2" } },
      "network_filter",
      "filter_server",
    ],
    [
      "another name of the server",
      { status: 403, headers: { Server: "Protected by WireFilter 8000" } },
      "network_filter",
      "filter_server",
    ],
    [
      "the German notice in the page's place",
      {
        html: notice(
          "Notice",
          "Diese Webseite ist aus urheberrechtlichen Gründen nicht verfügbar.",
        ),
      },
      "network_filter",
      "cuii_notice",
    ],
    [
      "the Italian stop page",
      { html: notice("AGCOM Stop Page", "") },
      "network_filter",
      "agcom_stop_page",
    ],
    [
      "the Italian notice",
      { html: notice("AVVISO", "AVVISO", "Sito bloccato per ordine di AGCOM.") },
      "network_filter",
      "agcom_notice",
    ],
    [
      "the page of OpenDNS",
      {
        status: 403,
        html: '<title></title><script>location.replace("https://block.opendns.com/?url=1")</script>',
      },
      "network_filter",
      "opendns_block",
    ],
    [
      "the page of FortiGuard",
      {
        html: `${notice("Web Filter", "FortiGuard Web Filtering", "Web Page Blocked! You have tried to access a web page which is in violation of your policy.")}<h2 class="fgd_icon">block</h2>`,
      },
      "network_filter",
      "fortiguard_block",
    ],
    [
      "an antivirus program",
      {
        status: 499,
        html: notice("Kaspersky", "Access denied", "The address was blocked by Kaspersky."),
      },
      "network_filter",
      "antivirus_block",
    ],
  ] satisfies Row[]);

  testGuards([
    [
      "not the site of whom it comes from",
      { url: "https://notice.cuii.info/faq", html: notice("FAQ") },
      "active ok",
    ],
    [
      "not a redirect within that site",
      {
        url: "https://notice.cuii.info/",
        ...led("https://notice.cuii.info/de", notice("FAQ"), ["https://notice.cuii.info/"]),
      },
      "active ok_redirected",
    ],
    [
      "not the product in front of a page that is there",
      { headers: { Server: "WebGuard" } },
      "active ok",
    ],
    [
      "not an article about a filter",
      { html: article("Web page blocked: how FortiGuard decides", 120) },
      "active ok",
    ],
    [
      "not an Italian notice of something else",
      { html: notice("Avviso", "Avviso", "La biblioteca resta chiusa lunedì.") },
      "active ok",
    ],
    [
      "not an organisation that AGCOM watches",
      { html: notice("Radio Porto", "Radio Porto", "Iscritta al registro AGCOM.") },
      "active ok",
    ],
    [
      "not a firewall's support page",
      {
        html: `${notice("Fortinet help", "Help", "Ask us about Fortinet.")}<p class="fgd_icon"></p>`,
      },
      "active ok",
    ],
    [
      "not a link to the blocker's site",
      { html: `${notice("Tools")}<a href="https://block.opendns.com/">test</a>` },
      "active ok",
    ],
    [
      "not a shop for antivirus programs",
      { status: 403, html: notice("Shop", "Kaspersky", "Members only.") },
      "unknown http_403",
    ],
    [
      "not a path of a similar name",
      led("http://site.test/webadmin/denial/story", article("Denial")),
      "active ok_redirected",
    ],
    [
      "not a status that only a proxy would use",
      { status: 499, html: notice("499") },
      "unknown http_4xx",
    ],
  ]);
});

describe("our own network's sign-in is told by", () => {
  testWalls([
    [
      "its gateway's address and port",
      led(
        "https://wifi.cafe.test/hotspot?res=notyet&uamip=192.168.182.1&uamport=3990&userurl=http://site.test/",
      ),
      "captive_portal",
      "portal_uam",
    ],
    [
      "this device's address and the network's name",
      led(
        "https://portal.hotel.test/guest/?ap_mac=00-11-22-33-44-55&client_mac=66:77:88:99:aa:bb&ssid=Lobby",
      ),
      "captive_portal",
      "portal_device",
    ],
    [
      "Meraki's host and this device's address",
      led("https://n143.network-auth.com/splash/?mac=00%3A18&continue_url=http://site.test/"),
      "captive_portal",
      "portal_meraki",
    ],
    [
      "Fortinet's script",
      {
        html: '<html><body><script>window.location="http://192.168.1.1:1000/fgtauth?0b2c3d4e5f6a7b8c";</script></body></html>',
      },
      "captive_portal",
      "portal_fortinet",
    ],
    [
      "a note for programs",
      {
        html: `${notice("Welcome")}<!-- <?xml version="1.0"?><WISPAccessGatewayParam><Redirect><LoginURL>http://10.0.0.1/</LoginURL></Redirect></WISPAccessGatewayParam> -->`,
      },
      "captive_portal",
      "portal_wispr",
    ],
  ] satisfies Row[]);

  const FORTINET = "http://192.168.1.1:1000/fgtauth?0b2c3d4e5f6a7b8c";
  const SAFE = ["https://site.test/articles/some-story"];
  const UAM = "https://wifi.cafe.test/?uamip=192.168.182.1&uamport=3990";

  testGuards([
    [
      "nothing that came over https",
      { ...led(UAM, notice("Notice"), SAFE), url: SAFE[0]! },
      "active ok_redirected",
    ],
    [
      "not the gateway's address alone",
      led("http://shop.test/?uamip=192.168.182.1", article("Routers")),
      "active ok_redirected",
    ],
    [
      "not a device's address alone",
      led("http://shop.test/lookup?mac=00:11:22:33:44:55", article("Vendor of a MAC")),
      "active ok_redirected",
    ],
    [
      "not a computer called so",
      led("http://shop.test/?mac=mini&ssid=1", article("Computers")),
      "active ok_redirected",
    ],
    [
      "not a link to such a portal",
      {
        url: UAM.replace("https", "http"),
        ...led(`${UAM}&x=1`, notice("Hi"), [UAM.replace("https", "http")]),
      },
      "active ok_redirected",
    ],
    [
      "not an article with the note for programs in it",
      { html: article("WISPr: &lt;WISPAccessGatewayParam&gt;&lt;LoginURL&gt;", 100) },
      "active ok",
    ],
    [
      "not Fortinet's script over https",
      { url: SAFE[0]!, html: `<script>window.location="${FORTINET}"</script>` },
      "active ok",
    ],
    [
      "not Fortinet's address without the script",
      { html: `<a href="${FORTINET}">Sign in</a>` },
      "active ok",
    ],
    [
      "not another address in such a script",
      { html: '<script>window.location="/fgt?0b2c3d4e5f6a7b8c"</script>' },
      "active ok",
    ],
    [
      "not the note for programs over https",
      {
        url: SAFE[0]!,
        html: "<WISPAccessGatewayParam><LoginURL>http://10.0.0.1/</LoginURL></WISPAccessGatewayParam>",
      },
      "active ok",
    ],
    [
      "not half of the note for programs",
      { html: `${notice("Setup")}<LoginURL>http://10.0.0.1/</LoginURL>` },
      "active ok",
    ],
    [
      "not the other half of it",
      { html: `${notice("Setup")}<WISPAccessGatewayParam></WISPAccessGatewayParam>` },
      "active ok",
    ],
    [
      "not a device and a network over https",
      {
        ...led("https://x.test/?client_mac=66:77:88:99:aa:bb&ssid=Lobby", article("Wi-Fi"), SAFE),
        url: SAFE[0]!,
      },
      "active ok_redirected",
    ],
    [
      "not Meraki's host over https",
      {
        ...led("https://n1.network-auth.com/splash/?mac=00", notice("Hi"), SAFE),
        url: SAFE[0]!,
      },
      "active ok_redirected",
    ],
    [
      "not Fortinet's address in a page",
      { html: `${notice("Help")}<script>window.location="/fgtauth?0b2c3d4e5f6a"</script>` },
      "active ok",
    ],
  ]);
});

describe("a site is under maintenance that says so", () => {
  testWalls([
    ["in its title", { html: notice("Under maintenance") }, "maintenance", "maintenance_page"],
    [
      "in its heading",
      { html: notice("Harbour", "Our website is currently down for scheduled maintenance.") },
      "maintenance",
      "maintenance_page",
    ],
    [
      "beside its name",
      { status: 503, html: notice("Harbour – Maintenance mode", "Harbour") },
      "maintenance",
      "maintenance_page",
    ],
    [
      "under its own name",
      { html: notice("harbour.test is under maintenance") },
      "maintenance",
      "maintenance_page",
    ],
    ["with a promise", { html: notice("We’ll be right back!") }, "maintenance", "maintenance_page"],
    [
      "with regret",
      { html: notice("This site is temporarily unavailable") },
      "maintenance",
      "maintenance_page",
    ],
    ["in French", { html: notice("Site en maintenance") }, "maintenance", "maintenance_page"],
    ["in Spanish", { html: notice("Sitio en mantenimiento") }, "maintenance", "maintenance_page"],
    [
      "in Japanese",
      { html: notice("ただいまメンテナンス中です") },
      "maintenance",
      "maintenance_page",
    ],
    [
      "in German, and nothing else",
      { html: notice("Wartungsarbeiten", "Wartungsarbeiten", "Bis gleich.") },
      "maintenance",
      "maintenance_words",
    ],
    [
      "by being away for a moment",
      { html: notice("Temporarily unavailable") },
      "maintenance",
      "maintenance_words",
    ],
    [
      "in a word, and nothing else",
      { html: notice("Scheduled maintenance") },
      "maintenance",
      "maintenance_words",
    ],
    [
      "in the text of a 503",
      {
        status: 503,
        html: notice(
          "Harbour",
          "Hello",
          "This server is in maintenance mode. Please try again later.",
        ),
      },
      "maintenance",
      "maintenance_text",
    ],
    [
      "in the text of a 503 that names no time one can read",
      {
        status: 503,
        headers: { "Retry-After": "soon" },
        html: notice("Harbour", "We will be back soon"),
      },
      "maintenance",
      "maintenance_page",
    ],
    [
      "as the Internet Archive does",
      {
        status: 503,
        html: notice("Offline", "Internet Archive services are temporarily offline."),
      },
      "service_unavailable",
      "archive_offline",
    ],
    [
      "of all it offers",
      { html: notice("All services are temporarily offline | Harbour", "") },
      "service_unavailable",
      "services_offline",
    ],
  ] satisfies Row[]);

  const long = (title: string, heading: string) => page(title, `<h1>${heading}</h1>${prose(900)}`);
  testGuards(
    [
      ["Site under maintenance | Harbour", "We’re down for scheduled maintenance"],
      ["Harbour – Maintenance mode", "We’ll be right back!"],
      ["Scheduled maintenance", "Scheduled maintenance"],
      ["Service temporarily unavailable", "This shop is temporarily closed for maintenance"],
      ["Wartungsarbeiten – Hafenshop", "Unser Shop wird gerade gewartet"],
      ["Site en maintenance", "Nous revenons bientôt !"],
      ["Sitio en mantenimiento", "Estamos en mantenimiento"],
      ["Sito in manutenzione", "Torniamo presto"],
      ["Em manutenção", "Site em manutenção"],
      ["Przerwa techniczna", "Trwają prace konserwacyjne"],
      ["Технические работы", "Ведутся технические работы"],
      ["メンテナンス中", "ただいまメンテナンス中です"],
      ["Bakım çalışması", "Sitemiz bakımda"],
    ].map(([title, heading]) => [
      `at any length, in its title and its heading: ${heading}`,
      { html: long(title!, heading!) },
      "unknown maintenance",
    ]),
  );

  test.each(["Under maintenance", "Scheduled maintenance", "All services are temporarily offline"])(
    "and is tried again when it names a time soon enough: %s",
    async (title) => {
      const headers = { "Retry-After": "20" };
      const seen = await seenOf({ status: 503, headers, html: notice(title) });

      expect(judge(seen)).toMatchObject({
        reason: "maintenance",
        retries: [{ delayMs: 20_000 }],
        restMs: 20_000,
      });
    },
  );
});

describe("a site is not under maintenance because of", () => {
  testGuards([
    ["an article about bicycles", { html: article("Maintenance of bicycles", 500) }, "active ok"],
    [
      "a short page about bicycles",
      { html: page("Bicycle maintenance", `<h1>Bicycle maintenance</h1>${prose(90)}`) },
      "active ok",
    ],
    [
      "an offer of such work",
      { html: page("Server maintenance | Harbour IT", `<h1>Server maintenance</h1>${prose(90)}`) },
      "active ok",
    ],
    [
      "German craftsmen",
      { html: page("Wartungsarbeiten | Hafen Heizung", `<h1>Wartungsarbeiten</h1>${prose(90)}`) },
      "active ok",
    ],
    [
      "news of a bridge",
      {
        html: page(
          "The bridge is under maintenance",
          `<h1>The bridge is under maintenance</h1>${prose(90)}`,
        ),
      },
      "active ok",
    ],
    [
      "a song",
      { html: `<meta property="og:type" content="music.song">${notice("Be Right Back")}` },
      "active ok",
    ],
    [
      "an article of that name",
      { html: `<article>${notice("Scheduled maintenance")}</article>` },
      "active ok",
    ],
    [
      "an article about an outage",
      { html: `<article>${notice("All services are temporarily offline")}</article>` },
      "active ok",
    ],
    [
      "a long page that says so in its title only",
      { html: page("Under maintenance", `<h1>Our docks</h1>${prose(700)}`) },
      "active ok",
    ],
    [
      "a long page that says so in its heading only",
      { html: page("Our docks", `<h1>Under maintenance</h1>${prose(700)}`) },
      "active ok",
    ],
    [
      "a long page whose link is about it",
      {
        url: "http://site.test/docs/maintenance-mode",
        html: page("Maintenance mode", `<h1>Maintenance mode</h1>${prose(700)}`),
      },
      "active ok",
    ],
    [
      "a long offer of such work",
      { html: page("System maintenance | Harbour IT", `<h1>Maintenance</h1>${prose(700)}`) },
      "active ok",
    ],
    ["a long article", { html: article("Under maintenance", 700) }, "active ok"],
    [
      "a product that is out",
      { html: page("Rope", `<h1>Rope</h1><p>Temporarily unavailable.</p>${prose(60)}`) },
      "active ok",
    ],
    [
      "Apache's usual words",
      {
        status: 503,
        html: notice(
          "503 Service Unavailable",
          "Service Unavailable",
          "The server is temporarily unable to service your request due to maintenance downtime or capacity problems. Please try again later.",
        ),
      },
      "unknown http_503",
    ],
    [
      "nginx's usual words",
      { status: 503, html: notice("503 Service Temporarily Unavailable") },
      "unknown http_503",
    ],
    [
      "a missing page that says so",
      { status: 404, html: notice("Under maintenance") },
      "dead http_404 C2",
    ],
    [
      "a broken server that says so",
      { status: 500, html: notice("Under maintenance") },
      "unknown http_500",
    ],
    [
      "a story about an archive",
      { html: article("When Internet Archive services are temporarily offline", 300) },
      "active ok",
    ],
    [
      "a page on which services are listed",
      { html: notice("Our services", "Our services are online") },
      "active ok",
    ],
  ]);
});

describe("a status", () => {
  testGuards([
    [
      "that offers a choice, and prefers one, is judged by its page",
      { status: 300, headers: { Location: "/en" } },
      "active ok",
    ],
    [
      "that offers a choice without one leads nowhere",
      { status: 300, headers: { Location: "/en" }, html: "", bodyBytes: 0 },
      "unknown redirect_no_location",
    ],
  ]);
});
