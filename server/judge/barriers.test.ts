import { test } from "bun:test";
import {
  ARTICLE,
  bare,
  below,
  belowSections,
  HOME,
  LOGIN,
  only,
  say,
  sends,
  site,
} from "../../tests/checker/barrier-sites.ts";
import { verdictAt } from "../../tests/checker/row-of-site.ts";
import { article, paragraph, story } from "../../tests/checker/signals/missing-pages.ts";
import { agree } from "../../tests/each-row.ts";
import type { Says } from "../../tests/site.ts";

/**
 * Whole sites that answer by what is asked of them, each checked from the request to the verdict; those with pages only
 * are in rows/. A site is what it says at any address. The link is `/articles/some-story` unless the row names another.
 */
type Row = [what: string, says: Says, verdict: string, path?: string];

const LINK = "/articles/some-story";

const testSites = (about: string, rows: Row[]) =>
  test(about, () =>
    agree(
      rows.map(([story, says, verdict, path = LINK]) => ({
        story,
        expected: { verdict },
        seen: async () => ({ verdict: await verdictAt(says, path) }),
      })),
    ),
  );

/** Another number each time, for pages that change at every reading. */
let last = 100;
const next = () => {
  last += 1;
  return last;
};

const h1 = (text: string) => `<h1>${text}</h1>`;
const LOG_IN = "unknown login_required";
const OPEN = "unknown soft404_suspected";
const NOT_FOUND = site("Page not found", `${h1("Page not found")}<p>There is nothing here.</p>`);

testSites("one page in front of a whole site says nothing about the link", [
  [
    "a choice of one's university",
    site(
      "Select your institution",
      h1("Select your institution") +
        `<ul>${Array.from({ length: 400 }, (_, at) => `<li><a href="/idp/${at}">University of ${story(at, 2)}</a>`).join("")}</ul>`,
    ),
    OPEN,
  ],
  [
    "a choice of one's country",
    site(
      "Choose your country",
      h1("Choose your country") +
        `<ul>${Array.from({ length: 60 }, (_, at) => `<li><a href="/c${at}/">Country ${story(at, 1)}</a>`).join("")}</ul>`,
      { words: 300 },
    ),
    OPEN,
  ],
  [
    "a page with other words each time",
    () =>
      new Response(site("Harbour", h1("Hyvä lukija") + paragraph(next(), 20), { words: 700 }), {
        headers: { "Content-Type": "text/html" },
      }),
    OPEN,
  ],
  [
    "a page that names what was asked for",
    (request) =>
      say(
        site("Harbour", `${h1("One moment")}<p>You asked for ${request.url}.</p>`, {
          words: 300,
        }),
        request,
      ),
    OPEN,
  ],
]);

testSites("a barrier before all but the home page says nothing about the link", [
  [
    "a page that all are led to",
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/") return say(HOME, request);
      if (pathname === "/hello")
        return say(site("Satama", h1("Tervetuloa"), { words: 400 }), request);
      return new Response(null, { status: 302, headers: { Location: "/hello" } });
    },
    OPEN,
  ],
]);

const b64 = (text: string) => Buffer.from(text).toString("base64url");
const wayBack = (rest: (asked: URL) => string, at = "/"): Says => sends(at, rest, HOME);

testSites("a redirect that carries the way back leads to a gate", [
  [
    "in JSON in base64",
    wayBack(({ pathname }) => `?state=${b64(JSON.stringify({ go: pathname, at: 1 }))}`),
    OPEN,
  ],
  [
    "in a token",
    wayBack(({ href }) => `?t=${b64('{"a":1}')}.${b64(JSON.stringify({ href }))}.s`),
    OPEN,
  ],
  [
    "one redirect earlier",
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/") return say(HOME, request);
      const to = pathname === "/sso" ? "/" : `/sso?zz=${pathname}`;
      return new Response(null, { status: 302, headers: { Location: to } });
    },
    OPEN,
  ],
  [
    "by a page that sends its reader on",
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/") return say(HOME, request);
      return say(`<meta http-equiv="refresh" content="0;url=/?zz=${pathname}">`, request);
    },
    OPEN,
  ],
]);

const MISSING = "dead soft404_probe";
testSites("a site that shows an excuse for what is missing is not believed", [
  [
    "with other goods each time",
    below(
      () =>
        new Response(
          site("Harbour", h1("Page not found") + paragraph(2, 300) + paragraph(next(), 20)),
          {
            headers: { "Content-Type": "text/html" },
          },
        ),
    ),
    MISSING,
  ],
  ["by its home page", wayBack(() => "?ref=404"), "dead soft404_redirect_home"],
]);

testSites("a page about barriers is there", [
  [
    "an article on a site that shows one page for the rest",
    (request) =>
      say(new URL(request.url).pathname === "/articles/some-story" ? ARTICLE : HOME, request),
    "active ok",
  ],
]);

const SEARCHED = site("Harbour", `${h1("Harbour")}<form></form>`, { words: 400 });
/** Whatever is below `/files/` shows this; elsewhere missing pages are 404. */
const inFolder =
  (says: Says): Says =>
  (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/files/")) return say(says, request);
    return say(pathname === "/" ? SEARCHED : 404, request);
  };
const redirects =
  (to: string): Says =>
  () =>
    new Response(null, { status: 302, headers: { Location: to } });
/** Everything at the link's host leads to one page at another host. */
const leaves =
  (page: string): Says =>
  (request) => {
    const { hostname, port } = new URL(request.url);
    return hostname === "127.0.0.1"
      ? say(redirects(`http://site.test:${port}/`), request)
      : say(page, request);
  };

testSites("what happens to a part of a site, or to all of it, says nothing about the link", [
  ["a members' folder leads home", inFolder(redirects("/")), OPEN, "/files/report"],
  ["pictures lead home for readers from elsewhere", inFolder(redirects("/")), OPEN, "/files/a.jpg"],
  [
    "a folder of files asks for a code first",
    inFolder(site("Download", `${h1("Security code")}<form><input name="code"></form>`)),
    OPEN,
    "/files/tool.zip",
  ],
  [
    "a folder of pictures is for readers of the site",
    inFolder(site("Pictures", `${h1("No hotlinking")}<p>See it on our site.</p>`)),
    OPEN,
    "/files/a.jpg",
  ],
  [
    "a folder asks for a password",
    inFolder(bare("Intern", h1("Intern") + LOGIN)),
    LOG_IN,
    "/files/report",
  ],
  ["all of a host leads to another one's home page", leaves(HOME), OPEN],
  [
    "all of a shop leads to a notice at another host",
    leaves(bare("We are upgrading our shop", h1("Please come back on Monday"))),
    OPEN,
  ],
  ["the home page is not found either", () => say(NOT_FOUND, new Request("http://x/")), OPEN],
  [
    "the home page leads to the error page, too",
    (request) =>
      say(new URL(request.url).pathname === "/404" ? NOT_FOUND : redirects("/404"), request),
    OPEN,
  ],
]);

const pathOf = ({ url }: Request) => new URL(url).pathname;
const html = (body: string) =>
  new Response(body, { headers: { "Content-Type": "text/html; charset=utf-8" } });
const leads = (to: string) => new Response(null, { status: 302, headers: { Location: to } });
const HOUSE = site("A house by the sea", h1("A house by the sea") + paragraph(7, 120), {
  head: '<script type="application/ld+json">{"@context":"https://schema.org","@type":"House"}</script>',
});

testSites("what only resembles an end is there", [
  [
    "but a thing is missing if a random address says the same of another thing",
    (request) =>
      pathOf(request) === "/"
        ? html(HOME)
        : html(
            site(
              "This product is no longer available",
              `${h1("This product is no longer available")}<div itemscope itemtype="https://schema.org/Product">${paragraph(pathOf(request).length, 30)}</div>`,
            ),
          ),
    "dead soft404_probe",
  ],
  [
    "a portal's home below folders, led to that of its folder as all missing pages are",
    (request) =>
      pathOf(request) === "/" || pathOf(request) === "/portal/" ? html(HOME) : leads("/portal/"),
    "active ok_redirected",
    "/portal/de/start.html",
  ],
  [
    "a viewer in place of files that the home page offers",
    (request) =>
      pathOf(request) === "/"
        ? html(site("Papers", '<a href="/papers/1.pdf">One</a>'))
        : html(`<title>Viewer</title><embed src="/raw${pathOf(request)}">`),
    OPEN,
    "/papers/17.pdf",
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
    "active ok",
    "/search?q=zebra",
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
  [
    "a picture that calls itself a page",
    only(
      "/a.png",
      () =>
        new Response(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), {
          headers: { "Content-Type": "text/html" },
        }),
    ),
    "active ok",
    "/a.png",
  ],
]);

const THERE = article("Mills and water");
const ERROR_PAGE = site("Page not found", h1("Page not found"));
/** Leads each address to `at`, where an error page is. */
const leadsToError =
  (at: string, rest = ""): Says =>
  (request) =>
    pathOf(request) === at ? html(ERROR_PAGE) : leads(at + rest.replace("%", pathOf(request)));

const ENDED: [what: string, says: Says, verdict: string, path?: string][] = [
  [
    "a wiki's topic, by its parameter",
    (request) => {
      const topic = new URL(request.url).searchParams.get("id");
      return html(site(`${topic} [Wiki]`, h1("This topic does not exist yet")));
    },
    "dead soft404_probe",
    "/doku.php?id=ropes:old",
  ],
  [
    "an error page whose address names the link",
    leadsToError("/pagenotfound.aspx", "?aspxerrorpath=%"),
    "dead soft404_redirect_error",
  ],
  [
    "an error page in a folder for them",
    leadsToError("/errors/404.html"),
    "dead soft404_redirect_error",
  ],
  [
    "the home page, by a header that refreshes",
    () => new Response("", { headers: { "Content-Type": "text/html", Refresh: "0; url=/" } }),
    "dead soft404_redirect_home",
  ],
];

test("an error page of common software is dead, and another page of its site is alive", () =>
  agree(
    ENDED.map(([story, says, verdict, path = "/ad/17"]) => ({
      story,
      expected: { verdict, there: "active ok" },
      async seen() {
        const others = belowSections(says);
        const whole: Says = (request) =>
          pathOf(request) === "/there" ? html(THERE) : say(others, request);
        return {
          verdict: await verdictAt(whole, path),
          there: await verdictAt(whole, "/there"),
        };
      },
    })),
  ));
