import { afterAll, describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../server/verdict/attempt.ts";
import { checkUrl } from "../../server/verdict/confirm.ts";
import { type Says, startSite } from "../site.ts";
import { bare, belowSections, HOME, LOGIN, only, say, site } from "./barrier-sites.ts";
import { labChecker } from "./prober.ts";
import { article, paragraph, shell } from "./signals/missing-pages.ts";

/** Whole sites, each checked from the request to the verdict. What a site says at any address, and the link. */
type Row = [what: string, says: Says, verdict: string | RegExp, path?: string];

const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const LINK = "/articles/some-story";
const OPEN = "unknown soft404_suspected";
const DEAD_PAGE = /^dead soft404_/;
const LOG_IN = "unknown login_required";
const DEAD = "dead http_404";

const testSites = (rows: Row[]) =>
  test.each(rows.map(([what, ...row]) => [what, row] as const))("%s", async (_, row) => {
    const [says, verdict, path = LINK] = row;
    const { url, stop } = startSite({}, { otherwise: (request) => say(says, request) });
    stops.push(stop);
    const link = { ...NEVER_CHECKED, lastDecided: "active", url: url + path } as const;
    const { status, reason } = await checkUrl(labChecker().checker, link);
    const expected = typeof verdict === "string" ? verdict : expect.stringMatching(verdict);
    expect(`${status} ${reason}`).toEqual(expected);
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

const ALIVE = "active ok";
const p = (text: string) => `<p>${text}</p>`;
/** One page that says it in title and heading, where all others are honest. */
const alone = (words: string, more: string, title = words) =>
  only(LINK, site(title, h1(words) + p(more)));
const typed =
  (body: string | Buffer<ArrayBuffer>, type: string): Says =>
  () =>
    new Response(body, { headers: { "Content-Type": type } });

describe("a page stands in place of all files of a kind, also of those that the home page offers:", () => {
  const inPlace =
    (kind: string, page: string): Says =>
    (request) =>
      pathOf(request) === "/"
        ? html(site("Harbour", `${h1("Archive")}<a href="/old/other.${kind}">Other</a>`))
        : html(page);
  testSites([
    [
      "a statement after an attack on the house",
      inPlace("pdf", site("Statement", h1("An attack on our house") + paragraph(3, 200))),
      OPEN,
      "/records/1.pdf",
    ],
    [
      "a daily download limit",
      inPlace("zip", site("Limit", h1("Daily download limit reached") + p("Come back tomorrow."))),
      OPEN,
      "/get/tool.zip",
    ],
    [
      "a page that is being updated, in French",
      inPlace("jpg", site("Le Port", h1("En cours de mise à jour"), { lang: "fr" })),
      OPEN,
      "/images/phare.jpg",
    ],
    [
      "a file on tape",
      inPlace("tif", site("Archive", h1("File not available") + p("It will be here in an hour."))),
      OPEN,
      "/scans/17.tif",
    ],
    [
      "a viewer",
      (request) =>
        pathOf(request) === "/"
          ? html(site("Papers", '<a href="/papers/1.pdf">One</a>'))
          : html(`<title>Viewer</title><embed src="/raw${pathOf(request)}">`),
      OPEN,
      "/papers/17.pdf",
    ],
  ]);
});

describe("an error that a script may show later is none:", () => {
  const front = site("Harbour", h1("Boards") + paragraph(1, 200));
  const app =
    (root: string): Says =>
    (request) =>
      html(pathOf(request) === "/" ? front : shell("Harbour", `<div id="app">${root}</div>`));
  const SHOWN = "active ok_unverified_app";
  testSites([
    ["for a condition of Vue", app('<div v-if="missing"><h1>Page not found</h1></div>'), SHOWN],
    ["for one of AngularJS", app('<h1 ng-show="missing">Page not found</h1>'), SHOWN],
    ["by its style", app('<div style="display: none;"><h1>Page not found</h1></div>'), SHOWN],
    ["by a class", app('<div class="error hidden"><h1>Page not found</h1></div>'), SHOWN],
    ["in a closed dialog", app("<dialog><h1>Page not found</h1></dialog>"), SHOWN],
    [
      "on a page of its own",
      only(LINK, site("Ropes", `<div hidden>${h1("Page not found")}</div>${p("Twelve metres.")}`)),
      ALIVE,
    ],
  ]);
  testSites([
    [
      "but it is one that browsers show",
      app('<div class="overflow-hidden"><h1>Page not found</h1></div>'),
      "dead soft404_probe",
    ],
    [
      "also on wide screens only",
      app('<div class="hidden md:block"><h1>Page not found</h1></div>'),
      "dead soft404_probe",
    ],
    [
      "also in the words of no list, where the home page differs",
      app("<h1>Nie ma tu niczego dla ciebie</h1>"),
      OPEN,
    ],
  ]);
});

describe("words of an error page are left open where this reader may be the cause:", () => {
  const deep = (words: string, more: string, end = "") =>
    belowSections(site(`${words} – Harbour`, h1(words) + p(more) + end));
  testSites([
    [
      "a session of a library's catalogue that is over",
      belowSections(
        bare("Session expired", h1("Session expired") + p("This page is no longer available.")),
      ),
      OPEN,
    ],
    ["a record in it", deep("Record not found", "Your session has timed out."), OPEN],
    ["the same in German", deep("Seite nicht gefunden", "Ihre Sitzung ist abgelaufen."), OPEN],
    ["the same in French", deep("Page introuvable", "Votre session a expiré."), OPEN],
    ["it exists or is private", deep("That page doesn’t exist or is private", "Sorry."), OPEN],
    ["the same in Italian", deep("Pagina non trovata", "Non esiste o è privata."), OPEN],
    [
      "only inside of a network",
      deep("Page not found", "Only available on the campus network."),
      OPEN,
    ],
    [
      "to those who log in, in German",
      deep("Seite nicht gefunden", "Melden Sie sich an, um sie zu sehen."),
      OPEN,
    ],
    [
      "to those who log in, in French",
      deep("Page introuvable", "Connectez-vous pour la voir."),
      OPEN,
    ],
    [
      "perhaps to those who log in, with a form",
      deep("The page could not be found", "It may be that you are not logged in.", LOGIN),
      LOG_IN,
    ],
  ]);
  testSites([
    [
      "but not where the site greets everyone so",
      deep("Page not found", "You are not logged in."),
      DEAD_PAGE,
    ],
    [
      "nor where people log in for more than to see",
      deep("Page introuvable", "Connectez-vous pour commenter."),
      DEAD_PAGE,
    ],
    [
      "nor where each page has a dialog for the end of a session",
      deep("Page not found", "", '<div class="modal fade"><p>Your session has expired.</p></div>'),
      DEAD_PAGE,
    ],
  ]);
});

describe("what only resembles an end is there:", () => {
  testSites([
    [
      "a parking space for sale",
      alone("This parking space is for sale", "Dry, nine metres."),
      ALIVE,
    ],
    ["what a host's help says of parking", alone("This domain is parked", "Choose a plan."), ALIVE],
    ["a host's help on accounts", alone("Account suspended", "Pay, then write to us."), OPEN],
    ["a band", alone("Not Found", "Saturday, main stage.", "Not Found | Festival"), OPEN],
    ["a poem", alone("Missing page", "Of the book that I lent you, a leaf is gone."), OPEN],
    [
      "an article about an end",
      only(
        LINK,
        site(
          "No longer available",
          `<article>${h1("No longer available")}${p("A bell.")}</article>`,
        ),
      ),
      ALIVE,
    ],
    [
      "a product that is sold out, without data",
      only(LINK, site("Rope", `${h1("Rope")}<h2>This product is no longer available</h2>`)),
      ALIVE,
    ],
    ["a concert that is over", alone("This event has ended", "With the choir.", "Concert"), ALIVE],
    ["a survey that is closed", alone("This survey is closed", "214 took part."), ALIVE],
    ["a poll that ended", alone("This poll has ended", "Ropes 60 %, chains 40 %."), ALIVE],
    ["an archived project", alone("This project has been archived", "214 commits."), ALIVE],
    [
      "a page in another language",
      alone("This page is not available in English", "Deutsch"),
      ALIVE,
    ],
    [
      "a search without hits",
      (request) =>
        pathOf(request) === "/search"
          ? html(
              site("Nothing found", h1("Nothing found"), {
                head: '<meta name="robots" content="noindex">',
              }),
            )
          : say(only("/", 404), request),
      ALIVE,
      "/search?q=zebra",
    ],
    [
      "what an operator reports",
      only("/incidents/17", site("Service unavailable", h1("Service unavailable") + p("At noon."))),
      ALIVE,
      "/incidents/17",
    ],
    [
      "what an operator reports, but not the error of its server",
      only("/incidents/17", bare("Service unavailable", h1("Service unavailable"))),
      "unknown site_error",
      "/incidents/17",
    ],
    [
      "what a glossary says of a status",
      only("/codes/503", site("503 Service Unavailable", h1("503 Service Unavailable"))),
      ALIVE,
      "/codes/503",
    ],
    [
      "a request of a page that found nothing",
      only(
        LINK,
        site("Ropes", h1("Ropes"), {
          footer: "<script>window.__NUXT__={data:[{error:{statusCode:404}}],error:null}</script>",
        }),
      ),
      ALIVE,
    ],
    [
      "masked forwarding",
      (request) =>
        html(`<frameset rows="100%"><frame src="https://o.test${pathOf(request)}"></frameset>`),
      OPEN,
    ],
    [
      "one home page for each language",
      (request) => (pathOf(request) === "/en/" ? html(HOME) : leads("/en/")),
      OPEN,
    ],
    [
      "a wall that wants a cookie back",
      (request) => {
        if (request.headers.get("cookie") === "seen=1") return say(only(LINK, HOUSE), request);
        const to = new URL(request.url).searchParams.get("to");
        const Location = to ?? `/cookie?to=${pathOf(request)}`;
        const headers = { Location, ...(to && { "Set-Cookie": "seen=1" }) };
        return new Response(null, { status: 302, headers });
      },
      "active ok_redirected",
    ],
  ]);
});

describe("whatever its type, a body is there that says nothing of an end:", () => {
  testSites([
    [
      "no error, in JSON at each address",
      belowSections(typed('{"error":null}', "application/json")),
      ALIVE,
    ],
    [
      "a list of codes that calls itself a page",
      only("/codes.csv", typed("code,words\n404,Not found\n", "text/html")),
      ALIVE,
      "/codes.csv",
    ],
    [
      "a picture that calls itself a page",
      only("/a.png", typed(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), "text/html")),
      ALIVE,
      "/a.png",
    ],
    [
      "a paper that calls itself a page",
      only("/a.pdf", typed("%PDF-1.4\n1 0 obj <</Title (Page not found)>>\n", "text/html")),
      ALIVE,
      "/a.pdf",
    ],
    [
      "an article that calls itself a paper",
      only("/a.pdf", typed(article("Mills", 300), "application/pdf")),
      ALIVE,
      "/a.pdf",
    ],
    [
      "a drawing",
      only(
        "/a.svg",
        typed(
          '<svg xmlns="http://www.w3.org/2000/svg"><title>Page not found</title></svg>',
          "image/svg+xml",
        ),
      ),
      ALIVE,
      "/a.svg",
    ],
    [
      "a feed about closures",
      only(
        "/feed",
        typed(
          "<rss><channel><title>Closed</title><item><title>Page not found</title></item></channel></rss>",
          "application/rss+xml",
        ),
      ),
      ALIVE,
      "/feed",
    ],
    ["nothing", belowSections(typed("", "text/html")), "active ok_empty"],
    ["one word", belowSections(typed("ok", "text/plain")), ALIVE],
  ]);
});
