import { describe, expect, test } from "bun:test";
import { type Case, rulesOn, verdictOn } from "../seen.ts";
import {
  bodis,
  bodisScript,
  DANS_ADDRESS,
  forSale,
  goDaddy,
  goDaddyLander,
  hugeDomains,
  linkList,
  PARKED_NAMES,
  parkingCrew,
  SEDOS_ADDRESS,
  sedo,
  USUAL_NAMES,
} from "./parked-pages.ts";
import { article, notice, page, prose } from "./wall-pages.ts";

const LINK = "http://site.test/articles/some-story";
const HOME = "http://site.test/";
const MISSING = { status: 404, html: "Not found." };
const DEAD = "dead domain_parked C2";
const SUSPECTED = "unknown parked_suspected";

type Facts = NonNullable<Case["facts"]>;
type Row = [story: string, given: Case, verdict: string];

const testRows = (rows: Row[]) =>
  test.each(rows)("%s", async (_, given, verdict) => {
    expect(await verdictOn(given)).toBe(verdict);
  });

/** The page is all there is: at a random address, and below a random name. */
const everywhere = (html: string, more: Facts = {}): Facts => ({
  names: USUAL_NAMES,
  sibling: { html },
  root: { html },
  home: { html },
  subdomain: { html, at: "http://qwertzuiop.site.test/" },
  ...more,
});

describe("a link is dead when its redirects give parking away:", () => {
  testRows([
    [
      "a deep link led to a page on which its own domain is sold",
      {
        from: [LINK],
        at: "https://www.hugedomains.com/domain_profile.cfm?d=site.test",
        html: hugeDomains(),
      },
      DEAD,
    ],
    [
      "however much that page has to say",
      {
        from: [LINK],
        at: "https://www.hugedomains.com/domain_profile.cfm?d=site.test",
        html: hugeDomains().replace("</body>", `${prose(1500)}</body>`),
      },
      DEAD,
    ],
    [
      "the sale page names the domain only in its text",
      { from: [LINK], at: "https://sedo.com/search/details/?id=123", html: forSale("site.test") },
      DEAD,
    ],
    [
      "GoDaddy's sale pages are a folder of its site, in many languages",
      {
        from: [LINK],
        at: "https://www.godaddy.com/en-uk/forsale/site.test",
        html: notice("GoDaddy"),
      },
      DEAD,
    ],
    [
      "a home page was led to a sale page and says so",
      {
        url: HOME,
        from: [HOME],
        at: "https://www.afternic.com/forsale/site.test",
        html: hugeDomains(),
      },
      DEAD,
    ],
    [
      "a home page was led to a sale page, as is any other address",
      {
        url: HOME,
        from: [HOME],
        at: "https://www.hugedomains.com/domain_profile.cfm?d=site.test",
        html: page("HugeDomains", prose(1500)),
        facts: everywhere(page("HugeDomains", prose(1500))),
      },
      DEAD,
    ],
    [
      "a numbered host of the site's own, and a query that counts visitors",
      {
        from: [LINK],
        at: "http://ww25.site.test/articles/some-story?subid1=20300101-0001-ab",
        html: linkList(),
      },
      DEAD,
    ],
    [
      "a numbered host whose page has a parking service's code",
      { from: [LINK], at: "http://ww1.site.test/story", html: parkingCrew() },
      DEAD,
    ],
    [
      "a numbered host, and the same for any other address",
      {
        from: [LINK],
        at: "http://ww1.site.test/story",
        html: linkList(),
        facts: everywhere(linkList()),
      },
      DEAD,
    ],
    [
      "a query that counts visitors, and name servers of a parking service",
      {
        from: [LINK],
        at: "http://site.test/articles/some-story?tr_uuid=2030&fp=-7",
        html: linkList(),
        facts: { names: PARKED_NAMES },
      },
      DEAD,
    ],
    [
      "a hop over a parking service, and the same for any other address",
      {
        from: [LINK, "http://sedoparking.com/search/registrar.php"],
        at: "https://win-a-prize.test/landing-page",
        html: forSale("Congratulations", "You are today's visitor."),
        facts: everywhere(forSale("Congratulations", "You are today's visitor.")),
      },
      DEAD,
    ],
    [
      "a site that moved, and whose new domain is parked",
      {
        from: [LINK, "http://moved.test/some-story"],
        at: "http://ww7.moved.test/some-story?usid=25&utid=1234",
        html: linkList("moved.test"),
      },
      DEAD,
    ],
  ]);
});

describe("a link is dead when a parking service's code runs on its page and", () => {
  testRows([
    [
      "its name servers are a parking service's",
      { html: sedo(), facts: { names: PARKED_NAMES } },
      DEAD,
    ],
    [
      "its host is an alias of a parking service's",
      {
        html: bodis(),
        facts: {
          names: { nameServers: ["dns1.registrar.test"], aliases: ["parkingpage.namecheap.com"] },
        },
      },
      DEAD,
    ],
    [
      "its host is an alias of one of HugeDomains's numbered balancers",
      {
        html: bodis(),
        facts: {
          names: {
            nameServers: ["ns1.hosting.test"],
            aliases: ["hdr-nlb5-4e815dd67a14bf7f.elb.us-east-2.amazonaws.com"],
          },
        },
      },
      DEAD,
    ],
    ["it is at a parking service's own address", { html: sedo(), address: SEDOS_ADDRESS }, DEAD],
    [
      "it is at an address that a parking service hired",
      { html: goDaddy(), address: "34.102.136.180" },
      DEAD,
    ],
    [
      "it says that its domain is for sale",
      {
        html: sedo()
          .replace("Related searches", "This domain is for sale!")
          .replace("<h1>site.test</h1>", ""),
      },
      DEAD,
    ],
    [
      "it is the same everywhere (AdSense for Domains)",
      { html: bodis(), facts: everywhere(bodis()) },
      DEAD,
    ],
    [
      "it is the same everywhere (Bodis)",
      { html: bodisScript(), facts: everywhere(bodisScript()) },
      DEAD,
    ],
    [
      "it is the same everywhere (ParkingCrew)",
      { html: parkingCrew(), facts: everywhere(parkingCrew()) },
      DEAD,
    ],
    [
      "it is the same everywhere (GoDaddy)",
      { html: goDaddy(), facts: everywhere(goDaddy()) },
      DEAD,
    ],
    [
      "it is the same everywhere (GoDaddy, drawn by a script)",
      { html: goDaddyLander(), facts: everywhere(goDaddyLander()) },
      DEAD,
    ],
    [
      "it is the same at a random address, while a random name does not exist",
      { html: sedo(), facts: everywhere(sedo(), { subdomain: "dns_nxdomain" }) },
      DEAD,
    ],
    [
      "it is the same below a random name, which it repeats",
      {
        html: sedo(),
        facts: everywhere(sedo(), {
          subdomain: { html: sedo("qwertzuiop.site.test"), at: "http://qwertzuiop.site.test/" },
        }),
      },
      DEAD,
    ],
    [
      "the home page is another one of a parking service",
      {
        html: sedo(),
        facts: everywhere(sedo(), {
          home: { html: forSale("Buy this domain"), at: "http://site.test/" },
        }),
      },
      DEAD,
    ],
    [
      "at home, where there is nothing beside it, it is the same below",
      { url: HOME, html: sedo(), facts: everywhere(sedo(), { sibling: null }) },
      DEAD,
    ],
    [
      "it links to the sale of the domain at which it is",
      {
        html: forSale("site.test", '<a href="https://dan.com/buy-domain/site.test">Buy now</a>'),
        facts: { names: PARKED_NAMES },
      },
      DEAD,
    ],
  ]);
});

const MARKS: [mark: string, html: string][] = [
  [
    "GoDaddy's lander",
    '<script src="https://img1.wsimg.com/parking-lander/static/js/main.js"></script>',
  ],
  ["GoDaddy's system", '<script>window.LANDER_SYSTEM="PW"</script>'],
  ["Sedo's images", '<img src="//img.sedoparking.com/templates/bg.png">'],
  ["Sedo's variables", '<script>var dto={};dto.sedoParkingUrl="https://www.sedo.com/";</script>'],
  ["Sedo's footer", '<div data-text="FOOTER_DOMAIN_PARKING"></div>'],
  ["Skenzo's counter", '<img src="https://l.cdn-fileserver.com/bping.php?d=1">'],
  ["ParkLogic's frame", '<iframe src="http://router.parklogic.com/x"></iframe>'],
  [
    "ParkingCrew's script",
    '<script type="text/javascript" src="http://www.parkingcrew.net/jsparkcaf.php"></script>',
  ],
  ["Bodis's frame", '<frame src="https://parking.bodis.com/x">'],
  [
    "REG.RU's script",
    '<script async src="https://parking.reg.ru/script/get_domain_data?domain_name=site.test"></script>',
  ],
  [
    "Squarespace's script",
    '<script src="//assets.squarespace.com/universal/scripts-compressed/parking-page-1a2b.js"></script>',
  ],
  ["AdSense for Domains, under any key", '<html data-adblockkey="x1">'],
  ["AdSense for Domains", "<html data-adblockkey=MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBA>"],
  [
    "HugeDomains's offer",
    '<a href="https://www.hugedomains.com/domain_profile.cfm?d=site.test">Buy</a>',
  ],
];

describe("a parking service's code is known by", () => {
  test.each(MARKS)("%s", async (_, html) => {
    expect(await verdictOn({ html, facts: { names: PARKED_NAMES } })).toBe(DEAD);
  });

  test.each(MARKS)("%s, unless the page only shows it", async (_, html) => {
    const quoting = page("How parked pages look", `<pre>${Bun.escapeHTML(html)}</pre>${prose(40)}`);

    expect(await verdictOn({ html: quoting })).toBe("active ok");
  });
});

describe("a link is dead when its page says of its domain", () => {
  testRows([
    [
      "that it has expired, at a parking service's address",
      { html: forSale("This domain has expired"), address: SEDOS_ADDRESS },
      DEAD,
    ],
    [
      "that it has expired, and a parking service serves its name",
      { html: forSale("site.test has expired"), facts: { names: PARKED_NAMES } },
      DEAD,
    ],
    [
      "that it is for sale, and a parking service serves its name",
      { html: forSale("This domain is for sale"), facts: { names: PARKED_NAMES } },
      DEAD,
    ],
  ]);
});

describe("what could prove parking is asked for", () => {
  testRows([
    [
      "also when a home page leads to a sale of its domain, at the seller's own address",
      {
        url: HOME,
        from: [HOME],
        at: "https://sedo.com/site.test",
        html: linkList(),
        address: SEDOS_ADDRESS,
      },
      "wants root",
    ],
    [
      "also when a home page leads to a numbered host with a query",
      { url: HOME, from: [HOME], at: "http://ww25.site.test/x?subid1=1", html: linkList() },
      "wants names",
    ],
    ["first by name, which costs the site nothing", { html: sedo() }, "wants names"],
    ["then at a random address", { html: sedo(), facts: { names: USUAL_NAMES } }, "wants sibling"],
    [
      "below the root when the link is the home page",
      { url: HOME, html: sedo(), facts: { names: null } },
      "wants root",
    ],
    [
      "then below a random name",
      {
        html: sedo(),
        facts: { names: null, sibling: { html: sedo() }, home: { html: sedo() } },
      },
      "wants subdomain",
    ],
    ["when only the words speak for it", { html: forSale("Buy this domain") }, "wants names"],
    [
      "when only the address speaks for it",
      { html: linkList(), address: SEDOS_ADDRESS },
      "wants names",
    ],
    [
      "when the domain was lost before, whatever it shows",
      { html: page("A new shop", prose(300)), isReregistered: true },
      "wants names",
    ],
  ]);
});

describe("it stays open", () => {
  testRows([
    [
      "when other addresses could not be asked",
      { html: sedo(), facts: { names: USUAL_NAMES, sibling: null } },
      SUSPECTED,
    ],
    [
      "when other addresses are closed to us",
      { html: sedo(), facts: { names: USUAL_NAMES, sibling: { status: 403, html: sedo() } } },
      SUSPECTED,
    ],
    [
      "when the home page is that of a site",
      { html: sedo(), facts: everywhere(sedo(), { home: { html: article("Our harbour") } }) },
      SUSPECTED,
    ],
    [
      "when a random name has a page of its own",
      {
        html: sedo(),
        facts: everywhere(sedo(), { subdomain: { html: article("Our other projects") } }),
      },
      SUSPECTED,
    ],
    [
      "when the page says that its domain is for sale, and nothing else says so",
      {
        html: forSale("site.test is for sale"),
        facts: everywhere(forSale("site.test is for sale")),
      },
      SUSPECTED,
    ],
    [
      "when the page says so, and other addresses could not be asked",
      { html: forSale("site.test is for sale"), facts: { names: USUAL_NAMES, sibling: null } },
      SUSPECTED,
    ],
    [
      "when a home page says so, although the site says 404 elsewhere",
      {
        url: HOME,
        html: forSale("site.test is for sale"),
        facts: { names: USUAL_NAMES, sibling: MISSING, root: MISSING },
      },
      SUSPECTED,
    ],
    [
      "when the page says that its domain is for sale, at an address that a service hired",
      {
        html: forSale("site.test is for sale"),
        address: DANS_ADDRESS,
        facts: everywhere(forSale("site.test is for sale")),
      },
      SUSPECTED,
    ],
    [
      "when a short page is at a parking service's own address",
      { html: linkList(), address: SEDOS_ADDRESS, facts: everywhere(linkList()) },
      SUSPECTED,
    ],
    [
      "when a short page is at an address that a service hired, and the name could not be looked up",
      { html: linkList(), address: DANS_ADDRESS, facts: everywhere(linkList(), { names: null }) },
      SUSPECTED,
    ],
    [
      "when a domain that was lost is still served by a parking service",
      { html: page("Welcome", prose(300)), isReregistered: true, facts: { names: PARKED_NAMES } },
      SUSPECTED,
    ],
    [
      "when a home page leads to a sale page that is not about it, and other addresses elsewhere",
      {
        url: HOME,
        from: [HOME],
        at: "https://sedo.com/us/",
        html: page("Sedo", prose(100)),
        facts: { root: { html: article("Something else") } },
      },
      SUSPECTED,
    ],
  ]);
});

describe("a deep page with one mark, or only with words, is there if the site has other pages:", () => {
  const estate = page("Domaine à vendre", "<h1>Domaine à vendre</h1><p>Vue sur la mer.</p>");
  const others = { missing: MISSING, different: { html: article("Something else") } };
  testRows(
    Object.entries(others).flatMap(([kind, sibling]): Row[] => [
      [
        `code of a parking service: ${kind}`,
        { html: sedo(), facts: { names: USUAL_NAMES, sibling } },
        "active ok",
      ],
      [
        `words: ${kind}`,
        { html: forSale("site.test is for sale"), facts: { names: USUAL_NAMES, sibling } },
        "active ok",
      ],
      [
        `an estate in France: ${kind}`,
        { html: estate, facts: { names: USUAL_NAMES, sibling } },
        "active ok",
      ],
      [
        `a parking service's address: ${kind}`,
        { html: linkList(), address: SEDOS_ADDRESS, facts: { names: USUAL_NAMES, sibling } },
        "active ok",
      ],
    ]),
  );
  testRows([
    [
      "but not with a mark and words",
      {
        html: sedo()
          .replace("</h1>", "</h1><p>This domain is for sale.</p>")
          .replace(/<title>.*<\/title>/, "<title>This domain is for sale</title>"),
        facts: { names: USUAL_NAMES, sibling: MISSING },
      },
      DEAD,
    ],
    [
      "but not with two marks",
      {
        html: parkingCrew(),
        from: [LINK],
        at: "http://ww1.site.test/story",
        facts: { sibling: MISSING },
      },
      DEAD,
    ],
  ]);
});

describe("code that a page quotes is no code of the page:", () => {
  const quoting = (code: string) => page("Parking pages", `<h1>How they are made</h1>${code}`);
  const quotes: [what: string, code: string][] = [
    ["in a string", `<script>const page = '<script src="//sedoparking.com/park.js">';</script>`],
    ["in a template", '<script>show(`window.park = "eyJhIjoxfQ";`)</script>'],
    [
      "in a string with another quote",
      `<script>var a = "it's", b = 'window.LANDER_SYSTEM="PW"';</script>`,
    ],
    ["in a comment of a script", `<script>// window.park = "eyJhIjoxfQ"\nstart()</script>`],
    ["in a long comment", `<script>/* "/lander" window.location.href="/lander" */</script>`],
    ["in a comment of the page", `<!-- <script src="//sedoparking.com/park.js"></script> -->`],
    ["preformatted", `<pre><script src="//sedoparking.com/park.js"></script></pre>`],
    ["in a field", `<textarea><html data-adblockkey="MFww"></textarea>`],
    [
      "as data",
      `<script type="application/json">{"code":"window.park = \\"eyJhIjoxfQ\\""}</script>`,
    ],
    ["as text", `<p>&lt;html data-adblockkey="MFww"&gt; window.park = "eyJhIjoxfQ"</p>`],
  ];
  test.each(quotes)("%s", async (_, code) => {
    const html = quoting(code);
    expect(await verdictOn({ html, facts: everywhere(html, { names: PARKED_NAMES }) })).toBe(
      "active ok",
    );
  });

  test.each([
    ["after strings", `<script>var a = 'it"s', b = "\\"";window.park = "eyJhIjoxfQ";</script>`],
    ["after a comment", `<script>/* it's */ window.park = "eyJhIjoxfQ"</script>`],
    [
      "after a line that ends in a string",
      `<script>x = 'oops\nwindow.park = "eyJhIjoxfQ"</script>`,
    ],
    ["after preformatted text", `<pre>x</pre><script src="//sedoparking.com/park.js"></script>`],
  ])("but it is %s", async (_, code) => {
    const html = quoting(code);
    expect(await verdictOn({ html, facts: everywhere(html) })).toBe(DEAD);
  });
});

const STATEMENTS = [
  "This domain may be for sale",
  "site.test - This domain is for sale!",
  "SITE.TEST is for sale | HugeDomains",
  "Domain for sale: site.test",
  "The domain name site.test is for sale",
  "Inquire about this domain",
  "site.test is parked free, courtesy of GoDaddy.com.",
  "Parked by Namecheap",
  "site.test - Registered at Namecheap.com",
  "This domain name has expired",
  "Diese Domain steht zum Verkauf",
  "Die Domain site.test ist zu verkaufen",
  "Diese Domain ist abgelaufen",
  "Ce nom de domaine est à vendre",
  "Este dominio está en venta",
  "Questo dominio è in vendita",
  "Dit domein is te koop",
  "site.test is te koop",
  "Este domínio está à venda",
  "Ta domena jest na sprzedaż",
  "Домен site.test продаётся",
  "Срок регистрации домена истёк",
  "Denna domän är till salu",
  "Dette domæne er til salg",
  "Tato doména je na prodej",
  "このドメインは販売中です",
  "此域名正在出售",
  "域名已过期",
  "이 도메인은 판매 중입니다",
  "Make an offer on this domain",
  "Interested in this domain?",
  "Diese Domain kaufen",
  "Acheter ce nom de domaine",
  "Comprar este dominio",
  "Acquista questo dominio",
  "Koop deze domeinnaam",
  "Compre este domínio",
  "Kup tę domenę",
  "Купить домен",
  "Цей домен продається",
  "Köp denna domän",
  "Bu alan adı satılıktır",
  "购买此域名",
  "Ce nom de domaine a expiré",
  "Este dominio ha caducado",
  "Questo dominio è scaduto",
  "Deze domeinnaam is verlopen",
  "Este domínio expirou",
  "Ta domena wygasła",
  "ドメインの有効期限が切れています",
  "Parked free, courtesy of GoDaddy",
  "Parked domain",
  "Diese Domain wurde soeben registriert",
  "Domain im Kundenauftrag registriert",
];

describe("a statement about the domain is understood in", () => {
  test.each(STATEMENTS)("%s", async (words) => {
    const asTitle = forSale(words, "Welcome.");
    const asText = `<title>site.test</title><p>${words}</p><p>Contact us today.</p>`;

    expect(await verdictOn({ html: asTitle, facts: everywhere(asTitle) })).toBe(SUSPECTED);
    expect(await verdictOn({ html: asText, facts: everywhere(asText) })).toBe(SUSPECTED);
  });
});

describe("a page that has more to say than its first words is there:", () => {
  test.each(STATEMENTS)("%s", async (words) => {
    const html = page(words, `<h1>${words}</h1>${prose(320)}`);

    expect(await verdictOn({ html, facts: { names: PARKED_NAMES } })).toBe("active ok");
  });
});

describe("whoever writes about domains has a page of their own:", () => {
  testRows([
    ["an article about parking, with all its words", { html: aboutParking() }, "active ok"],
    [
      "the same at a parking service's address",
      { html: aboutParking(), address: SEDOS_ADDRESS },
      "active ok",
    ],
    [
      "a short story about a sale",
      { html: page("This domain is for sale: how I sold my first name", prose(60)) },
      "active ok",
    ],
    [
      "a longer page under such a title",
      { html: forSale("Buy this domain", prose(320)) },
      "active ok",
    ],
    [
      "a short story that begins with its headline",
      { html: notice("My blog", "This domain is for sale: how I sold mine", "It took a year.") },
      "active ok",
    ],
    [
      "advice on what to do about it",
      { html: notice("How to buy this domain or another") },
      "active ok",
    ],
    ["a question", { html: notice("Domain expired? What to do now") }, "active ok"],
    [
      "a shop for domains",
      { html: notice("Domains for sale", "Names for your project") },
      "active ok",
    ],
    ["a house, not a domain", { html: notice("Houses for sale in Kent") }, "active ok"],
    ["a car, not a domain", { html: notice("Parked cars", "This car is parked") }, "active ok"],
    [
      "an offer in the foot of a long page",
      {
        html: article("Rivers", 400, { header: "" }).replace(
          "</footer>",
          " Buy this domain.</footer>",
        ),
      },
      "active ok",
    ],
    [
      "a short article that begins with the words",
      { html: page("Notes", `<article><h1>This domain is for sale</h1>${prose(40)}</article>`) },
      "active ok",
    ],
    [
      "instructions that quote a service's code",
      {
        html: page(
          "How parked pages look",
          `<p>They load</p><pre>&lt;script src="//sedoparking.com/frmpark/x.js"&gt; window.park = "eyJ1dWlkIjoi"</pre>`,
        ),
      },
      "active ok",
    ],
    [
      "a list of services with links to them",
      {
        html: page(
          "Where I park my names",
          '<a href="https://www.bodis.com/">Bodis</a> <a href="https://www.parkingcrew.net/">ParkingCrew</a> <a href="https://dan.com/buy-domain/other.test">other.test</a>',
        ),
      },
      "active ok",
    ],
    [
      "an investor's list of names sold elsewhere",
      {
        html: page(
          "My names",
          '<a href="https://www.hugedomains.com/domain_profile.cfm?d=rivers.test">rivers.test</a>',
        ),
      },
      "active ok",
    ],
  ]);
});

describe("a marketplace's pages are watched for what they are:", () => {
  testRows([
    [
      "an offer at Sedo",
      {
        url: "https://sedo.com/search/details/?domain=rivers.test",
        html: forSale("rivers.test is for sale"),
      },
      "active ok",
    ],
    [
      "Sedo's page about itself",
      {
        url: "https://sedo.com/us/about-us/",
        html: page("About Sedo", prose(80)),
        address: SEDOS_ADDRESS,
      },
      "active ok",
    ],
    [
      "an offer at HugeDomains",
      {
        url: "https://www.hugedomains.com/domain_profile.cfm?d=rivers.test",
        html: hugeDomains("rivers.test"),
      },
      "active ok",
    ],
    [
      "an offer at Afternic that moved to GoDaddy",
      {
        url: "https://www.afternic.com/domain/rivers.test",
        from: ["https://www.afternic.com/domain/rivers.test"],
        at: "https://www.godaddy.com/forsale/rivers.test",
        html: hugeDomains("rivers.test"),
      },
      "active ok_redirected",
    ],
    [
      "GoDaddy's page about a product",
      { url: "https://www.godaddy.com/hosting", html: notice("Web hosting", "Buy this domain") },
      "active ok",
    ],
    [
      "above.com",
      {
        url: "https://www.above.com/marketplace/",
        html: forSale("Domains for sale", "Buy this domain."),
      },
      "active ok",
    ],
    [
      "a short link to an offer",
      {
        url: "https://bit.ly/3xyz",
        from: ["https://bit.ly/3xyz"],
        at: "https://sedo.com/search/details/?domain=rivers.test",
        html: forSale("rivers.test is for sale"),
      },
      "active ok_redirected",
    ],
  ]);
});

describe("redirects that resemble parking's lead to what is meant:", () => {
  testRows([
    [
      "an advertiser's link to a marketplace, on a site that knows what it lacks",
      {
        url: "https://blog.test/go/sedo",
        from: ["https://blog.test/go/sedo"],
        at: "https://sedo.com/us/?partnerid=77",
        html: page("Sedo", prose(100)),
        facts: { sibling: MISSING },
      },
      "active ok_redirected",
    ],
    [
      "a numbered host that was asked for",
      { url: "http://ww1.chips.test/downloads/sheet", html: page("Data sheet", prose(60)) },
      "active ok",
    ],
    [
      "a numbered host of a site that knows what it lacks",
      {
        url: "http://www.radio.test/news/bridge",
        from: ["http://www.radio.test/news/bridge"],
        at: "http://ww2.radio.test/news/bridge",
        html: page("A new bridge", prose(120)),
        facts: { names: USUAL_NAMES, sibling: MISSING },
      },
      "active ok_redirected",
    ],
    [
      "a numbered host with a certificate",
      {
        url: "http://www.radio.test/news/bridge",
        from: ["http://www.radio.test/news/bridge"],
        at: "https://ww2.radio.test/news/bridge",
        html: page("A new bridge", prose(120)),
      },
      "active ok_redirected",
    ],
    [
      "a numbered host that was asked for, at another of its addresses",
      {
        url: "http://ww1.chips.test/sheets",
        from: ["http://ww1.chips.test/sheets"],
        at: "http://ww1.chips.test/sheets/all",
        html: page("Data sheets", prose(60)),
      },
      "active ok_redirected",
    ],
    [
      "a numbered host of somebody else's",
      {
        url: "http://go.test/news/bridge",
        from: ["http://go.test/news/bridge"],
        at: "http://ww2.radio.test/news/bridge",
        html: page("A new bridge", prose(60)),
      },
      "active ok_redirected",
    ],
    [
      "another folder of GoDaddy's",
      {
        url: "https://blog.test/go/hosting",
        from: ["https://blog.test/go/hosting"],
        at: "https://www.godaddy.com/hosting/web-hosting",
        html: page("Web hosting", prose(60)),
      },
      "active ok_redirected",
    ],
    [
      "a query that the link carries itself",
      {
        url: "http://shop.test/boots?subid1=newsletter",
        from: ["http://shop.test/boots?subid1=newsletter"],
        at: "http://shop.test/boots/?subid1=newsletter",
        html: page("Boots", prose(100)),
      },
      "active ok_redirected",
    ],
    [
      "a link that carries such a query and is not led on",
      { url: "http://shop.test/boots?subid1=newsletter", html: page("Boots", prose(100)) },
      "active ok",
    ],
    [
      "an advertiser's query at the shop it leads to",
      {
        url: "https://clicks.test/c/811",
        from: ["https://clicks.test/c/811"],
        at: "https://shop.test/boots?subid1=811",
        html: page("Boots", prose(100)),
      },
      "active ok_redirected",
    ],
    [
      "a shop whose name only ends like a marketplace's",
      {
        url: "http://site.test/old/page",
        from: ["http://site.test/old/page"],
        at: "https://www.jordan.com/old/page",
        html: page("Jordan", prose(100)),
      },
      "active ok_redirected",
    ],
  ]);
});

describe("addresses and names are shared:", () => {
  testRows([
    [
      "a short personal page on a cloud's address",
      { html: page("Ann's page", prose(40)), address: "52.95.110.1" },
      "active ok",
    ],
    [
      "a short page on an address that a service once hired, with usual name servers",
      {
        html: page("Ann's page", prose(40)),
        address: DANS_ADDRESS,
        facts: { names: USUAL_NAMES },
      },
      "active ok",
    ],
    [
      "a long page on such an address",
      { html: article("Rivers"), address: DANS_ADDRESS },
      "active ok",
    ],
    [
      "an article on a parking service's own address",
      { html: article("Rivers", 60), address: SEDOS_ADDRESS },
      "active ok",
    ],
    ["a short page at an IPv6 address", { html: linkList(), address: "2001:db8::1" }, "active ok"],
    [
      "a reborn domain on a host whose name servers only sound like parking",
      {
        html: page("A new shop", prose(120)),
        isReregistered: true,
        facts: {
          names: { nameServers: ["ns1.dns-parking.com", "ns2.dns-parking.com"], aliases: [] },
          sibling: MISSING,
        },
      },
      "active ok",
    ],
    [
      "a reborn domain at GoDaddy, whose usual name servers are one letter apart",
      {
        html: page("A new shop", prose(120)),
        isReregistered: true,
        facts: {
          names: { nameServers: ["ns51.domaincontrol.com"], aliases: ["shops.myshopify.com"] },
          sibling: MISSING,
        },
      },
      "active ok",
    ],
    [
      "a reborn domain that shows a marketplace's name server to prove whose it is",
      {
        html: page("A new shop", prose(120)),
        isReregistered: true,
        facts: {
          names: {
            nameServers: ["ns1.hosting.test", "verification-1.ns1.dan.hosting"],
            aliases: [],
          },
          sibling: MISSING,
        },
      },
      "active ok",
    ],
    [
      "a reborn domain whose name servers cannot be learned",
      {
        html: page("A new shop", prose(120)),
        isReregistered: true,
        facts: { names: null, sibling: MISSING },
      },
      "active ok",
    ],
  ]);
});

describe("site builders and themes use what parking services use:", () => {
  testRows([
    [
      "a small site made with GoDaddy's builder",
      {
        html: page("Ann's bakery", prose(60), {
          head: `<script src="https://img1.wsimg.com/blobby/go/ab/gpub/script.js"></script><script>window._trfd=window._trfd||[],window._trfd.push({"ap":"IPv2"})</script>`,
        }),
      },
      "active ok",
    ],
    [
      "a blog's theme with the attribute of advertisements",
      { html: page("Notes", `<div class="adsbygoogle" data-adblockkey="200"></div>${prose(60)}`) },
      "active ok",
    ],
    [
      "a park that has a script of its own",
      { html: page("The park", `<script>window.park = {name: "Hyde Park"};</script>${prose(60)}`) },
      "active ok",
    ],
    [
      "a campaign's page that goes on to its lander",
      {
        html: page(
          "Spring sale",
          `<script>document.querySelector("a").onclick=()=>{window.location.href="/lander"}</script>${prose(120)}`,
        ),
      },
      "active ok",
    ],
    [
      "a hotel with parking",
      { html: page("Hotel", `<img src="/img/parking.jpg" alt="parking">${prose(60)}`) },
      "active ok",
    ],
    [
      "a file",
      { headers: { "Content-Type": "application/pdf" }, address: SEDOS_ADDRESS },
      "active ok",
    ],
  ]);
});

describe("the evidence", () => {
  test("names every witness once, in words for people", async () => {
    const given: Case = {
      from: [LINK],
      at: "http://ww25.site.test/x?subid1=1",
      html: sedo(),
      facts: {},
    };

    expect(await rulesOn(given)).toEqual(["parking_host", "parking_query", "parking_markup"]);
  });

  test.each<[string, Case, string[]]>([
    [
      "a sale page",
      { from: [LINK], at: "https://dan.com/buy-domain/site.test", html: forSale("site.test") },
      ["sale_page"],
    ],
    [
      "name servers",
      { html: sedo(), facts: { names: PARKED_NAMES } },
      ["parking_markup", "parking_name_servers"],
    ],
    [
      "an alias",
      { html: sedo(), facts: { names: { nameServers: [], aliases: ["parking.bodis.com"] } } },
      ["parking_markup", "parking_alias"],
    ],
    ["an address", { html: sedo(), address: SEDOS_ADDRESS }, ["parking_markup", "parking_address"]],
    [
      "sameness",
      { html: sedo(), facts: everywhere(sedo()) },
      ["parking_markup", "same_everywhere"],
    ],
    [
      "words of sale",
      { html: forSale("Buy this domain"), facts: { names: null, sibling: null } },
      ["domain_for_sale"],
    ],
    [
      "words of expiry",
      { html: forSale("This domain has expired"), facts: { names: null, sibling: null } },
      ["domain_expired"],
    ],
    [
      "words of nothing there",
      {
        html: forSale("site.test is parked free, courtesy of GoDaddy"),
        facts: { names: null, sibling: null },
      },
      ["domain_without_site"],
    ],
  ])("shows %s", async (_, given, rules) => {
    expect(await rulesOn(given)).toEqual(rules);
  });
});

/** Long, with every phrase and every service's name. */
function aboutParking(): string {
  return page(
    "This domain is for sale",
    `<h1>This domain is for sale</h1><p>Buy this domain, say pages of Sedo, Bodis and ParkingCrew. This domain has expired, say others.</p>
    <script src="https://static.parkingcrew.net/widget.js"></script>${prose(1200)}`,
  );
}
