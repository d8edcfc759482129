import { describe, expect, test } from "bun:test";
import { type Case, rulesOn, verdictOn } from "../seen.ts";
import { article, excuse, page, paragraph, shell } from "./missing-pages.ts";

const LINK = "http://site.test/articles/some-story";
const HOME = "http://site.test/";
const RANDOM = "http://site.test/articles/qwertzuiopasdfgh";
const ROOT = "http://site.test/qwertzuiopasdfgh";
const FRONT = page("The Harbour Gazette", "Today", { main: paragraph(7, 300) });

const DEAD_HOME = "dead soft404_redirect_home C2";
const DEAD_ERROR = "dead soft404_redirect_error C2";
const SUSPECTED = "unknown soft404_suspected";
const ALIVE = "active ok_redirected";

/** The link led from `from` to `at`, and random addresses beside it and at the root there as well. */
const bothLead = (from: string, at: string, given: Case = {}): Case => ({
  url: from,
  from: [from],
  at,
  html: FRONT,
  ...given,
  facts: {
    sibling: { from: [new URL("qwertzuiopasdfgh", from).href], at, html: FRONT },
    root: { from: [new URL("/qwertzuiopasdfgh", from).href], at, html: FRONT },
    ...given.facts,
  },
});

/** The link led from `from` to `at`, and nothing is known of other addresses. */
const leads = (from: string, at: string, html = FRONT): Case => ({
  url: from,
  from: [from],
  at,
  html,
});

type Row = [story: string, given: Case, verdict: string];
const testRows = (rows: Row[]) =>
  test.each(rows)("%s", async (_, given, verdict) => {
    expect(await verdictOn(given)).toBe(verdict);
  });

describe("a link that leads to an error page is dead, whatever the page says:", () => {
  testRows(
    [
      "/404",
      "/404/",
      "/404.html",
      "/404.htm",
      "/404.aspx",
      "/en/404",
      "/errors/404.php",
      "/notfound",
      "/not-found",
      "/not_found.html",
      "/page-not-found",
      "/PageNotFound.aspx",
      "/de/page_not_found/",
      "/error404",
      "/error-404.html",
      "/404/index.html",
    ].map((path) => [path, leads(LINK, `http://site.test${path}`, article("Today")), DEAD_ERROR]),
  );

  testRows([
    ["on another host", leads(LINK, "https://other.test/404.html"), DEAD_ERROR],
    [
      "by a page that sends its reader on",
      { ...leads(LINK, "http://site.test/404.html"), via: "refresh" },
      DEAD_ERROR,
    ],
    [
      "behind a shortener, whose targets are as mortal as any",
      leads("https://bit.ly/3xYz", "http://site.test/not-found"),
      DEAD_ERROR,
    ],
    [
      "as an image in place of an image",
      {
        ...leads("http://site.test/img/a.png", "http://site.test/404.png"),
        headers: { "Content-Type": "image/png" },
      },
      DEAD_ERROR,
    ],
    [
      "deep in a site, where the page says so as well",
      leads(LINK, "http://site.test/shop/404", excuse("Page not found")),
      DEAD_ERROR,
    ],
    [
      "deep in a site by words, where the page is hardly more than an excuse",
      leads(LINK, "http://site.test/shop/not-found", excuse("Something went wrong")),
      DEAD_ERROR,
    ],
  ]);

  test("but not where its home page leads there, too", async () => {
    const at = "http://site.test/404.html";
    const home = { from: [HOME], at, html: FRONT };
    expect(await verdictOn({ ...leads(LINK, at), facts: { home } })).toBe(SUSPECTED);
  });

  test("and the verdict shows where it led", async () => {
    expect(await rulesOn(leads(LINK, "http://site.test/404.html"))).toEqual([
      "leads_to_error_page",
    ]);
  });
});

describe("no error page is, on a site that says 404 where it means it:", () => {
  const honest: NonNullable<Case["facts"]> = { sibling: { status: 404, at: RANDOM } };
  const rows: Row[] = [
    [
      "an issue whose number is 404",
      leads(
        "https://bit.ly/3xYz",
        "http://site.test/issues/404",
        page("Login fails · Issue #404", "Login fails"),
      ),
      ALIVE,
    ],
    [
      "a product with the number 404, although its page is short",
      leads(
        "http://site.test/go/blue-mug",
        "http://site.test/products/404",
        page("Blue mug", "Blue mug"),
      ),
      ALIVE,
    ],
    [
      "an album called so",
      leads(
        "https://bit.ly/3xYz",
        "http://band.test/album/page-not-found",
        page("Page Not Found | The Ladders", "Page Not Found", {
          head: '<meta property="og:type" content="album">',
        }),
      ),
      ALIVE,
    ],
    [
      "an article that moved to an address with its title",
      leads(
        "http://site.test/archive/123",
        "http://site.test/2030/not-found",
        article("Not found"),
      ),
      ALIVE,
    ],
    [
      "what the link asked for by number",
      leads("http://site.test/item?id=404", "http://site.test/404/"),
      ALIVE,
    ],
    [
      "what the link asked for by name",
      leads("http://site.test/Not_Found", "http://site.test/not-found", article("Not found")),
      ALIVE,
    ],
    ["a longer number", leads(LINK, "http://site.test/4040", article("Today")), ALIVE],
    ["a longer word", leads(LINK, "http://site.test/not-founded-yet", article("Today")), ALIVE],
    [
      "a number in the query",
      leads(LINK, "http://site.test/story?page=404", article("Today")),
      ALIVE,
    ],
  ];
  testRows(rows.map(([story, given, verdict]) => [story, { ...given, facts: honest }, verdict]));
});

describe("a link that leads to a home page is dead if a random address does, too:", () => {
  testRows([
    ["to the site's own", bothLead(LINK, HOME), DEAD_HOME],
    ["to its home page in a language", bothLead(LINK, "http://site.test/en/"), DEAD_HOME],
    ["to one in a language of a country", bothLead(LINK, "http://site.test/de-at"), DEAD_HOME],
    ["to one of a country in a language", bothLead(LINK, "http://site.test/us/en/"), DEAD_HOME],
    ["to index.html", bothLead(LINK, "http://site.test/index.html"), DEAD_HOME],
    ["to /home", bothLead(LINK, "http://site.test/home"), DEAD_HOME],
    ["to that of another site", bothLead(LINK, "https://www.other.test/"), DEAD_HOME],
    ["over https and www.", bothLead(LINK, "https://www.site.test/"), DEAD_HOME],
    [
      "with a note of where one came from",
      bothLead(LINK, "http://site.test/?ref=404&utm_source=x"),
      DEAD_HOME,
    ],
    ["by a page that sends its reader on", bothLead(LINK, HOME, { via: "refresh" }), DEAD_HOME],
    [
      "which boasts of its years",
      bothLead(LINK, HOME, {
        html: page("Boats", "Over 20 years of experience, at least 21 boats"),
      }),
      DEAD_HOME,
    ],
    [
      "which has a major stake, in French",
      bothLead(LINK, HOME, { html: page("Port", "Un enjeu majeur pour la région") }),
      DEAD_HOME,
    ],
    [
      "which is protected from programs, as its footer says",
      bothLead(LINK, HOME, {
        html: page("Boats", "Boats", { footer: "This site is protected by reCAPTCHA." }),
      }),
      DEAD_HOME,
    ],
    [
      "which tells at length who may drink wine",
      bothLead(LINK, HOME, {
        html: page("Wine", "For those over 18", { main: paragraph(3, 400) }),
      }),
      DEAD_HOME,
    ],
    [
      "from a file to the home page of another site",
      bothLead("http://site.test/a/b.pdf", "http://other.test/"),
      DEAD_HOME,
    ],
    [
      "with the name of the site in its own address",
      bothLead("http://site.test/whois/site.test", HOME),
      DEAD_HOME,
    ],
    [
      "each with its own note of where it came from, on a front page that changes",
      {
        ...leads(LINK, "http://site.test/?from=some-story"),
        facts: {
          sibling: {
            from: [RANDOM],
            at: "http://site.test/?from=qwertzuiop",
            html: article("Other news today"),
          },
          root: { from: [ROOT], at: "http://site.test/?from=asdfgh", html: article("More news") },
        },
      },
      DEAD_HOME,
    ],
  ]);

  test("which is asked first", async () => {
    expect(await verdictOn(leads(LINK, HOME))).toBe("wants sibling");
  });

  test("while one at the root, and for another site the home page, is asked as well", async () => {
    const facts = { root: undefined, home: undefined };
    expect(await verdictOn(bothLead(LINK, HOME, { facts }))).toBe("wants root");
    expect(await verdictOn(bothLead(LINK, "http://other.test/", { facts }))).toBe("wants home");
  });

  test("and the verdict says so", async () => {
    expect(await rulesOn(bothLead(LINK, HOME))).toEqual([
      "leads_home",
      "sibling_leads_home",
      "control_differs",
    ]);
  });
});

describe("a link that leads to a home page is left open if a random address", () => {
  testRows([
    [
      "at the root is not led there, since its folder may be for members",
      bothLead(LINK, HOME, { facts: { root: { status: 404, at: ROOT } } }),
      SUSPECTED,
    ],
    [
      "and the home page of its host are led there, to another site",
      bothLead(LINK, "http://other.test/", {
        facts: { home: { from: [HOME], at: "http://other.test/", html: FRONT } },
      }),
      SUSPECTED,
    ],
    ["could not be asked", { ...leads(LINK, HOME), facts: { sibling: null } }, SUSPECTED],
    ["got no answer", { ...leads(LINK, HOME), facts: { sibling: "read_timeout" } }, SUSPECTED],
    [
      "met a wall",
      { ...leads(LINK, HOME), facts: { sibling: { status: 403, at: RANDOM } } },
      SUSPECTED,
    ],
    [
      "met trouble",
      { ...leads(LINK, HOME), facts: { sibling: { status: 500, at: RANDOM } } },
      SUSPECTED,
    ],
    [
      "shows something else",
      { ...leads(LINK, HOME), facts: { sibling: { at: RANDOM, html: article("Results") } } },
      SUSPECTED,
    ],
    [
      "shows the home page without being led there",
      { ...leads(LINK, HOME), facts: { sibling: { at: RANDOM, html: FRONT } } },
      SUSPECTED,
    ],
    [
      "is led there by an app that may show each address its own page behind a #",
      bothLead(LINK, HOME, {
        html: shell(),
        facts: { sibling: { from: [RANDOM], at: HOME, html: shell() } },
      }),
      SUSPECTED,
    ],
    [
      "is led there with a note of where to return to",
      {
        ...leads(LINK, "http://site.test/?returnUrl=%2Farticles%2Fsome-story"),
        facts: {
          sibling: {
            from: [RANDOM],
            at: "http://site.test/?returnUrl=%2Farticles%2Fqwertzuiopasdfgh",
            html: FRONT,
          },
        },
      },
      SUSPECTED,
    ],
    [
      "is led there with a note of what was wrong",
      bothLead(LINK, "http://site.test/?aspxerrorpath=/articles/some-story"),
      SUSPECTED,
    ],
    [
      "is led there to say how old one is",
      bothLead(LINK, HOME, { html: page("Vineyard", "Are you over 18?") }),
      "unknown consent_wall",
    ],
    [
      "is led there to switch scripts on",
      bothLead(LINK, HOME, { html: page("Board", "Please enable JavaScript") }),
      SUSPECTED,
    ],
    [
      "is led there to sign in",
      bothLead(LINK, HOME, { html: page("Board", "Welcome", { main: '<input type="password">' }) }),
      "unknown login_required",
    ],
  ]);
});

describe("a link that leads to a home page is alive", () => {
  const gone = { status: 404, at: RANDOM };
  testRows([
    ["on a site that says 404", { ...leads(LINK, HOME), facts: { sibling: gone } }, ALIVE],
    [
      "on a site that says 410",
      { ...leads(LINK, HOME), facts: { sibling: { ...gone, status: 410 } } },
      ALIVE,
    ],
    [
      "on a site that has an error page for the rest",
      {
        ...leads(LINK, HOME),
        facts: {
          sibling: { from: [RANDOM], at: "http://site.test/404.html", html: excuse("Oh no") },
        },
      },
      ALIVE,
    ],
    [
      "on a site that excuses itself for the rest",
      { ...leads(LINK, HOME), facts: { sibling: { at: RANDOM, html: excuse("Page not found") } } },
      ALIVE,
    ],
    [
      "if it asked for one, over plain http",
      bothLead("http://site.test/", "https://site.test/"),
      ALIVE,
    ],
    [
      "if it asked for one without www.",
      bothLead("http://site.test", "https://www.site.test/"),
      ALIVE,
    ],
    ["if it asked for one by its file", bothLead("http://site.test/index.php", HOME), ALIVE],
    ["if it asked for one in its language", bothLead("http://site.test/de", HOME), ALIVE],
    [
      "if it asked for one and got one in another language",
      bothLead("http://site.test/de/", "http://site.test/en/"),
      ALIVE,
    ],
    [
      "if it asked for one by a file and a language",
      bothLead("http://site.test/index.php?lang=de", "http://site.test/de/"),
      ALIVE,
    ],
    ["if it asked for one and got another site's", bothLead(HOME, "https://new.test/"), ALIVE],
    ["if it named nothing but a query", bothLead("http://site.test/?p=123", HOME), ALIVE],
    ["if it was made short", bothLead("https://bit.ly/3xYz", "https://shop.test/"), ALIVE],
    [
      "if it was made short by somebody else",
      bothLead("https://t.co/AbCdEf", "https://shop.test/"),
      ALIVE,
    ],
    [
      "if its section got a host of its own",
      bothLead("http://site.test/blog/", "https://blog.site.test/"),
      ALIVE,
    ],
    [
      "if its profile got a host of its own",
      bothLead("http://site.test/@ladders", "https://ladders.site.test/"),
      ALIVE,
    ],
    [
      "if it points at another site by name",
      bothLead("http://site.test/go/shop", "https://shop.test/"),
      ALIVE,
    ],
    [
      "if it is a redirector that was told where to go",
      bothLead("http://site.test/out?url=https%3A%2F%2Fwww.shop.test%2F", "https://www.shop.test/"),
      ALIVE,
    ],
  ]);
});

describe("a link that names a home page is alive if it leads to one, although missing pages do as well:", () => {
  const page = (path: string) => `http://site.test${path}`;
  testRows([
    ...[
      "/portal/public/home",
      "/portal/public/home/",
      "/portal/public/index.html",
      "/de/stadt/portal/Startseite.html",
      "/a/b/c/d/index.jsf",
      "/fr/portail/accueil",
      "/web/guest/inicio",
      "/Intranet/Pages/default.aspx",
      "/app/start.do",
      "/cms/main.php?lang=de",
    ].map((path): Row => [`${path} to the site's`, bothLead(page(path), HOME), ALIVE]),
    ["to that of its folder", bothLead(page("/portal/public/home"), page("/portal/")), ALIVE],
    [
      "to that of its folder, by another name",
      bothLead(page("/portal/public/home"), page("/portal/index.php")),
      ALIVE,
    ],
    [
      "to that of the site's new host",
      bothLead(page("/portal/public/index.html"), "https://new.test/"),
      ALIVE,
    ],
  ]);
  testRows([
    [
      "not one that says that it is missing",
      bothLead(page("/portal/public/home"), HOME, { html: excuse("Page not found") }),
      "unknown soft404_suspected",
    ],
    ["not a branch of a program", bothLead(page("/owner/program/tree/main"), HOME), DEAD_HOME],
    [
      "not a thing whose name is in the query",
      bothLead(page("/shop/index.php?id=77"), HOME),
      DEAD_HOME,
    ],
    ["not one below five folders", bothLead(page("/a/b/c/d/e/index.html"), HOME), DEAD_HOME],
    ["not a house by its name", bothLead(page("/houses/home-by-the-sea"), HOME), DEAD_HOME],
    ["not a greeting", bothLead(page("/blog/2030/welcome"), HOME), DEAD_HOME],
  ]);
});

describe("no way to a home page is", () => {
  testRows([
    [
      "http to https to www.",
      {
        ...leads(LINK, "https://www.site.test/articles/some-story"),
        from: [LINK, "https://site.test/articles/some-story"],
      },
      ALIVE,
    ],
    ["a slash at the end", leads(LINK, `${LINK}/`), ALIVE],
    ["another case", leads("http://site.test/Articles/Some-Story", LINK), ALIVE],
    ["a default port", leads("http://site.test:80/articles/some-story", LINK), ALIVE],
    [
      "a language before the rest of the path",
      leads(LINK, "http://site.test/en/articles/some-story"),
      ALIVE,
    ],
    ["the end of a tracking parameter", leads(`${LINK}?utm_source=mail&gclid=1`, LINK), ALIVE],
    [
      "a page that the query of a home page names",
      leads("http://site.test/articles/12", "http://site.test/?p=12"),
      ALIVE,
    ],
    [
      "a section with a short name",
      leads("http://site.test/articles/12", "http://site.test/blog"),
      ALIVE,
    ],
    [
      "a view that an app of scripts finds behind #",
      { ...leads("http://site.test/articles/12", HOME), fragment: "#/articles/12" },
      ALIVE,
    ],
    ["no redirect at all", { url: LINK, at: LINK, html: FRONT }, "active ok"],
  ]);
});

describe("an error page that is given the link's address", () => {
  const MISSING = "<title>Page not found</title><h1>Page not found</h1><p>Sorry.</p>";
  const led = (html: string): Case => ({
    from: ["http://site.test/articles/some-story"],
    at: "http://site.test/notfound.aspx?item=/articles/some-story",
    html,
  });

  test.each([
    ["to name it in its words is dead", MISSING, "dead soft404_redirect_error C2"],
    [
      "to return to it after a sign-in is a gate",
      `${MISSING}<form><input type="password"></form>`,
      "unknown login_required",
    ],
    [
      "without saying what is missing is a gate",
      "<title>Please wait</title><h1>One moment</h1>",
      "unknown soft404_suspected",
    ],
  ])("%s", async (_, html, verdict) => {
    expect(await verdictOn(led(html))).toBe(verdict);
  });
});
