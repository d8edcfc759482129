import { afterAll, describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../server/verdict/attempt.ts";
import { checkUrl } from "../../server/verdict/confirm.ts";
import { type Says, startSite } from "../site.ts";
import { HOME, LOGIN, only, say, site } from "./barrier-sites.ts";
import { labChecker } from "./prober.ts";
import { paragraph, shell } from "./signals/missing-pages.ts";

/** Whole sites, each checked from the request to the verdict. What a site says at any address, and the link. */
type Row = [what: string, says: Says, verdict: string, path?: string];

const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const LINK = "/articles/some-story";
const OPEN = "unknown soft404_suspected";
const LOG_IN = "unknown login_required";
const DEAD = "dead http_404";

const testSites = (rows: Row[]) =>
  test.each(rows.map(([what, ...row]) => [what, row] as const))("%s", async (_, row) => {
    const [says, verdict, path = LINK] = row;
    const { url, stop } = startSite({}, { otherwise: (request) => say(says, request) });
    stops.push(stop);
    const link = { ...NEVER_CHECKED, lastDecided: "active", url: url + path } as const;
    const { status, reason } = await checkUrl(labChecker().checker, link);
    expect(`${status} ${reason}`).toBe(verdict);
  });

const h1 = (text: string) => `<h1>${text}</h1>`;
const pathOf = ({ url }: Request) => new URL(url).pathname;
const html = (body: string, status = 200) =>
  new Response(body, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
const leads = (to: string) => new Response(null, { status: 302, headers: { Location: to } });
const jsonLd = (value: object) =>
  `<script type="application/ld+json">${JSON.stringify({ "@context": "https://schema.org", ...value })}</script>`;

const GONE = h1("This product is no longer available");
/** Says so in title and heading, with `more`. */
const gone = (more: string, head = "") =>
  site("This product is no longer available", GONE + more, { head });

describe("a page about a thing says that it is no longer available, on a site that says 404 elsewhere:", () => {
  const things: [what: string, page: string][] = [
    [
      "a product in microdata",
      gone(
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Rope</b></div>',
      ),
    ],
    [
      "a product in RDFa",
      gone('<div vocab="https://schema.org/" typeof="Product"><b property="name">Rope</b></div>'),
    ],
    ["a product in RDFa with a prefix", gone('<div typeof="schema:Product"></div>')],
    [
      "a post within the frame of its site",
      gone(
        '<div itemscope itemtype="http://schema.org/Blog"><div itemprop="blogPost" itemscope itemtype="http://schema.org/BlogPosting"></div></div>',
      ),
    ],
    ["a house in JSON-LD", gone("", jsonLd({ "@type": "House", name: "A house by the sea" }))],
    [
      "an offer of a flat in a graph",
      gone(
        "",
        jsonLd({ "@graph": [{ "@type": "WebSite" }, { "@type": ["Apartment", "Product"] }] }),
      ),
    ],
    [
      "a concert that its page is about",
      gone("", jsonLd({ "@type": "WebPage", mainEntity: { "@type": "MusicEvent" } })),
    ],
    [
      "a job in JSON with a mistake",
      gone("", '<script type="application/ld+json">{"@type":"JobPosting","a":1,}</script>'),
    ],
    [
      "a boat, after the frame of the site",
      gone(
        "",
        jsonLd({ "@type": "Organization" }) + jsonLd({ "@type": "https://schema.org/Vehicle" }),
      ),
    ],
  ];
  testSites(things.map(([what, page]): Row => [what, only(LINK, page), "active ok"]));

  const frames: [what: string, page: string][] = [
    [
      "nothing but the site in JSON-LD",
      gone(
        "",
        jsonLd({
          "@graph": [
            { "@type": "WebSite", potentialAction: { "@type": "SearchAction" } },
            { "@type": ["Person", "Organization"], logo: { "@type": "ImageObject" } },
            { "@type": "BreadcrumbList" },
          ],
        }),
      ),
    ],
    [
      "a list of others",
      gone("", jsonLd({ "@type": "ItemList", itemListElement: [{ "@type": "Product" }] })),
    ],
    [
      "the frame in microdata",
      gone(
        '<div itemscope itemtype="https://schema.org/WebPage"><p itemprop="publisher" itemscope itemtype="https://schema.org/Person"></p></div>',
      ),
    ],
    [
      "types of other vocabularies",
      gone(
        '<div typeof="foaf:Document sioc:Item"></div><div itemscope itemtype="http://vocab.test/Product"></div>',
      ),
    ],
    ["data that is shown as text", gone("<p>&lt;div itemtype=https://schema.org/Product&gt;</p>")],
  ];
  testSites(
    frames.map(
      ([what, page]): Row => [
        `but it is missing with ${what}`,
        only(LINK, page),
        "dead soft404_body",
      ],
    ),
  );

  testSites([
    [
      "but it is missing if a random address says the same of another thing",
      (request) =>
        pathOf(request) === "/"
          ? html(HOME)
          : html(
              gone(
                `<div itemscope itemtype="https://schema.org/Product">${paragraph(pathOf(request).length, 30)}</div>`,
              ),
            ),
      "dead soft404_probe",
    ],
  ]);
});

const APP = shell("Board");
const JUMP = `<!doctype html><title>Board</title><script>var l = window.location;
  l.replace(l.protocol + '//' + l.hostname + '/?/' + l.pathname.slice(1));</script>`;
/** The home page of a site that answers 404 with `body` for all else. */
const with404 =
  (home: string, body: string, others = body): Says =>
  (request) =>
    pathOf(request) === "/" ? html(home) : html(pathOf(request) === LINK ? body : others, 404);
const HOUSE = site("A house by the sea", h1("A house by the sea") + paragraph(7, 120), {
  head: jsonLd({ "@type": "House" }),
});

describe("a 404 whose page a browser shows is left open:", () => {
  testSites([
    ["the frame of the app that the home page is", with404(APP, APP), OPEN],
    [
      "an empty frame in place of a rendered home page",
      with404(`${APP}<div id="root">${paragraph(1, 99)}</div>`, APP),
      OPEN,
    ],
    ["a script that leads into the app", with404(APP, JUMP), OPEN],
    [
      "a refresh that leads into the app",
      with404(APP, '<meta http-equiv="refresh" content="0;URL=\'/\'">'),
      OPEN,
    ],
    [
      "an app without a name for its frame",
      with404(shell("Board", "<canvas></canvas>"), shell("Board", "<canvas></canvas>")),
      OPEN,
    ],
    ["a house that a random address does not show", with404(HOME, HOUSE, "Gone."), OPEN],
    [
      "a house, where others have an error page",
      with404(HOME, HOUSE, site("Page not found", h1("Page not found"))),
      OPEN,
    ],
  ]);
  testSites([
    [
      "but not the words of an error page in the frame",
      with404(APP, shell("Board", '<div id="root"><h1>Page not found</h1></div>')),
      DEAD,
    ],
    [
      "but not a sentence of its own in the frame",
      with404(APP, shell("Board", '<div id="root"><p>Tyvärr, här finns inget att se.</p></div>')),
      DEAD,
    ],
    ["but not a frame where the home page is another page", with404(HOME, APP), DEAD],
    [
      "but not a script that leads to another host",
      with404(APP, "<script>location.href = 'https://other.test/'</script>"),
      DEAD,
    ],
    [
      "but not a refresh that leads to another host",
      with404(APP, '<meta http-equiv="refresh" content="0;url=https://other.test/">'),
      DEAD,
    ],
    ["but not an error page with things that it recommends", with404(HOME, HOUSE), DEAD],
    [
      "but not an error page that names itself so, with a thing",
      with404(
        HOME,
        site("Page not found", h1("Page not found"), { head: jsonLd({ "@type": "Product" }) }),
        "Gone.",
      ),
      DEAD,
    ],
    ["but not a plain 404", with404(HOME, "Gone."), DEAD],
  ]);
});

describe("a link to a portal's home below folders is alive where all missing pages lead home:", () => {
  const toHome =
    (target = "/"): Says =>
    (request) =>
      pathOf(request) === target ? html(HOME) : leads(target);
  testSites([
    ["two folders deep", toHome(), "active ok_redirected", "/portal/public/home"],
    ["three folders deep", toHome(), "active ok_redirected", "/web/stadt/de/index.jsp"],
    ["in French", toHome(), "active ok_redirected", "/fr/portail/accueil.html"],
    ["a page in such a portal is not proven missing either", toHome(), OPEN, "/portal/public/news"],
    [
      "to that of its folder",
      (request) =>
        pathOf(request) === "/" || pathOf(request) === "/portal/" ? html(HOME) : leads("/portal/"),
      "active ok_redirected",
      "/portal/de/start.html",
    ],
  ]);
});

/** The members' sign-in on each page of a forum, outside of a header. */
const BOX = `<div id="login-box" hidden>${LOGIN}</div>`;
const board =
  (page: string): Says =>
  (request) =>
    pathOf(request) === "/"
      ? html(site("Harbour Forum", h1("All boards") + paragraph(1, 200), { banner: BOX }))
      : html(page);
const inForum = (title: string, main: string, words = 0) =>
  site(title, main, { banner: BOX, words });
const onlyAt = (page: string): Says => {
  const shown = board(page);
  return (request) =>
    ["/", LINK].includes(pathOf(request)) ? say(shown, request) : html("Gone.", 404);
};
const header = (form: string) => `<header>${form}</header>`;

describe("a sign-in form in the layout", () => {
  testSites([
    [
      "leaves a guide about logging in alive, in the header",
      only(
        LINK,
        site("Log in | Help", h1("How to log in") + paragraph(8, 500), { banner: header(LOGIN) }),
      ),
      "active ok",
    ],
    [
      "leaves a short guide alive, in the header",
      only(
        LINK,
        site("Log in | Help", h1("How to log in") + paragraph(8, 60), { banner: header(LOGIN) }),
      ),
      "active ok",
    ],
    [
      "leaves a guide alive, in the navigation",
      only(
        LINK,
        site("Anmelden – Hilfe", h1("So melden Sie sich an") + paragraph(8, 200), {
          banner: `<nav>${LOGIN}</nav>`,
          lang: "de",
        }),
      ),
      "active ok",
    ],
    [
      "leaves a guide alive, in a box that the home page has as well",
      onlyAt(inForum("Log in | Help", h1("How to log in"), 300)),
      "active ok",
    ],
    [
      "leaves a short guide alive, in such a box",
      onlyAt(inForum("Log in | Help", h1("How to log in"), 60)),
      "active ok",
    ],
    [
      "hides no words of an error page in a line",
      board(
        inForum(
          "Harbour Forum",
          "<h2>Oh dear</h2><p>The page you requested does not exist.</p>",
          40,
        ),
      ),
      "dead soft404_probe",
    ],
    [
      "hides no words of an error page right after it",
      board(inForum("Harbour Forum", `${BOX}<p>The page you requested does not exist.</p>`, 40)),
      "dead soft404_probe",
    ],
    [
      "hides no words of an error page in a heading",
      board(inForum("Harbour Forum", h1("Page not found"), 40)),
      "dead soft404_probe",
    ],
    [
      "makes no login of a page that may be private",
      board(inForum("Harbour Forum", "<p>You do not have permission to see this page.</p>", 20)),
      OPEN,
    ],
  ]);
  testSites([
    [
      "is none on a page that says that permission is missing",
      only(
        LINK,
        site(
          "Harbour Forum",
          `<p>You are not logged in or you do not have permission to access this page.</p>${LOGIN}`,
        ),
      ),
      LOG_IN,
    ],
    [
      "is none on such a page in German",
      only(
        LINK,
        site("Forum", `<p>Sie haben keine Berechtigung, diese Seite zu sehen.</p>${LOGIN}`, {
          lang: "de",
        }),
      ),
      LOG_IN,
    ],
    [
      "is none on a page that only logs in",
      only(LINK, site("Log in – Harbour", h1("Log in") + LOGIN)),
      LOG_IN,
    ],
    [
      "is none where the home page is a sign-in, too",
      (request) =>
        html(
          pathOf(request) === "/"
            ? site("Welcome", h1("Please log in") + LOGIN)
            : site("Log in – Harbour", h1("Log in") + LOGIN),
        ),
      LOG_IN,
    ],
  ]);
});

const estate = (title: string, text: string, lang = "fr") =>
  site(title, `${h1(title)}<p>${text}</p>`, { lang });
describe("a page with words of parking on a living site is alive:", () => {
  testSites([
    [
      "a French estate for sale",
      only(LINK, estate("Domaine à vendre", "Un mas, douze hectares de vigne.")),
      "active ok",
    ],
    [
      "an Italian estate for sale",
      only(LINK, estate("Dominio in vendita", "Una villa con vigna.", "it")),
      "active ok",
    ],
    [
      "a Dutch estate for sale",
      only(LINK, estate("Domein te koop", "Een landhuis met bos.", "nl")),
      "active ok",
    ],
    [
      "a lesson that quotes a parking page",
      only(
        LINK,
        site(
          "Parking pages",
          `${h1("Parking pages")}<pre><script src="//sedoparking.com/frmpark/x/park.js"></script></pre>`,
        ),
      ),
      "active ok",
    ],
    [
      "a domain for sale on a dealer's own site",
      only(LINK, site("harbour.test is for sale", h1("harbour.test is for sale"))),
      "active ok",
    ],
  ]);
});
