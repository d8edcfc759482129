import { describe, expect, test } from "bun:test";
import { fingerprintOf } from "../../../server/verdict/signals/same-page.ts";
import { judge } from "../../../server/verdict/verdict.ts";
import { answerOf, type Case, rulesOn, seenOf, verdictOn } from "../seen.ts";
import { article, encoded, excuse, page, paragraph, shell } from "./missing-pages.ts";

const HONEST = { status: 404, at: "http://site.test/articles/qwertzuiopasdfgh", html: "Not here." };
const honest: NonNullable<Case["facts"]> = { sibling: HONEST };
/** The site shows another page at addresses that do not exist. */
const another: NonNullable<Case["facts"]> = {
  sibling: { html: article("Results"), at: "http://site.test/articles/qwertzuiopasdfgh" },
};

const S3 = `<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>`;

const BODY = "dead soft404_body C2";
const PROBE = "dead soft404_probe C2";
const SUSPECTED = "unknown soft404_suspected";
const ALIVE = "active ok";
const APP = "active ok_unverified_app";

type Row = [story: string, given: Case, verdict: string];
const testRows = (rows: Row[]) =>
  test.each(rows)("%s", async (_, given, verdict) => {
    expect(await verdictOn(given)).toBe(verdict);
  });

/** A random address with the same page, at a place of its own. */
const showing = (html: string, path = "/articles/qwertzuiopasdfgh") => ({
  html,
  at: `http://site.test${path}`,
});

const LONG = paragraph(1, 400);
const NOINDEX = '<meta name="robots" content="noindex, follow">';

describe("a page that is nothing but the words of an error page proves by itself that its link is dead:", () => {
  testRows([
    ["in its title and its heading", { html: excuse("Page not found") }, BODY],
    [
      "in other words in its title and its heading",
      { html: excuse("Oops! That page can’t be found.", { title: "404 Not Found" }) },
      BODY,
    ],
    [
      "at the home page of a site that is honest elsewhere",
      { url: "http://site.test/", html: excuse("Site not found"), facts: { root: HONEST } },
      BODY,
    ],
    [
      "on a site with 404 in its name",
      {
        url: "http://404media.test/story",
        html: page("Page not found | 404 Media", "Page not found"),
      },
      BODY,
    ],
    [
      "in its title and, without a first one, in its second heading",
      { html: excuse("", { title: "Page not found", main: "<h2>Page not found</h2>" }) },
      BODY,
    ],
    ["cut off in the middle", { html: excuse("Page not found"), truncated: true }, BODY],
    ["answered in part", { html: excuse("Page not found"), status: 206 }, BODY],
    ["answered by a proxy", { html: excuse("Page not found"), status: 203 }, BODY],
    [
      "behind a redirect",
      {
        html: excuse("Page not found"),
        from: ["http://site.test/articles/some-story"],
        at: "http://site.test/story/1",
      },
      BODY,
    ],
    [
      "at an address whose number has 404 in it",
      { url: "http://site.test/articles/140455", html: excuse("404 Not Found") },
      BODY,
    ],
  ]);

  test("and the verdict quotes it", async () => {
    expect(await rulesOn({ html: excuse("Page not found", { head: NOINDEX }) })).toEqual([
      "missing_title",
      "missing_heading",
      "noindex",
      "short_page",
    ]);
    expect(
      await rulesOn({
        html: "<title>404 Not Found</title>Not found. <a href=/>Home</a>",
        facts: another,
      }),
    ).toContain("missing_first_text");
  });
});

describe("a page that says so in one place, with something else that agrees, is dead only where the site is not honest elsewhere:", () => {
  const pages: [story: string, given: Case][] = [
    [
      "in its title, which search engines shall not see",
      { html: excuse("Oh dear", { title: "Page not found", head: NOINDEX }) },
    ],
    [
      "in its title, with a header for search engines",
      {
        html: excuse("Oh dear", { title: "Page not found" }),
        headers: { "X-Robots-Tag": "noindex" },
      },
    ],
    [
      "in its heading, which search engines shall not see",
      { html: excuse("Page not found", { title: "Articles", head: NOINDEX }) },
    ],
    [
      "in its title, with the home page as its own address",
      {
        html: excuse("Oh dear", {
          title: "Page not found",
          head: '<link rel="canonical" href="/">',
        }),
      },
    ],
    [
      "in its title, with an error page as its own address",
      {
        html: excuse("Oh dear", {
          title: "Page not found",
          head: '<meta property="og:url" content="http://site.test/404.html">',
        }),
      },
    ],
    [
      "in its title, and where its text begins",
      {
        html: "<title>404 Not Found</title><p><b>Not Found</b></p><p>The requested URL was not found on this server.</p>",
      },
    ],
    ["in its heading, below a number", { html: excuse("Page not found", { title: "404" }) }],
    ["as an error without words", { html: excuse("Error 404") }],
    ["in words that name nothing", { html: excuse("Not found") }],
  ];
  testRows(
    pages.flatMap(([story, given]): Row[] => [
      [`${story}, where it is not`, { ...given, facts: another }, BODY],
      [`${story}, where it is`, { ...given, facts: honest }, SUSPECTED],
      [
        `${story}, where random addresses are gone`,
        { ...given, facts: { sibling: { ...HONEST, status: 410 } } },
        SUSPECTED,
      ],
    ]),
  );
});

describe("in the language of", () => {
  test.each([
    ["German", "Seite nicht gefunden", "Seiten, die niemand gefunden hat"],
    ["French", "Page introuvable", "La page introuvable du manuscrit"],
    ["Spanish", "Página no encontrada", "La página no encontrada de Cervantes"],
    ["Italian", "Pagina non trovata", "La pagina non trovata nel diario"],
    ["Portuguese", "Página não encontrada", "Uma página não encontrada em Lisboa"],
    ["Dutch", "Pagina niet gevonden", "De pagina die niet gevonden werd in Delft"],
    ["Polish", "Nie znaleziono strony", "Nie znaleziono strony z dziennika"],
    ["Russian", "Страница не найдена", "Почему страница не найдена в архиве"],
    ["Czech", "Stránka nenalezena", "Ztracená stránka nenalezena v kronice"],
    ["Swedish", "Sidan hittades inte", "Sidan hittades inte förrän i går"],
    ["Japanese", "ページが見つかりません", "「ページが見つかりません」の直し方"],
    ["Chinese", "页面不存在", "为什么说页面不存在"],
    ["Chinese of Taiwan", "找不到網頁", "為什麼找不到網頁"],
    ["Korean", "페이지를 찾을 수 없습니다", "페이지를 찾을 수 없습니다 오류의 역사"],
    ["Turkish", "Sayfa bulunamadı", "Sayfa bulunamadı hatasının tarihi"],
    ["Ukrainian", "Сторінку не знайдено", "Чому сторінку не знайдено в літописі"],
  ])("%s, an excuse is dead and a page about one is alive", async (_, words, title) => {
    expect(await verdictOn({ html: excuse(words) })).toBe(BODY);
    expect(await verdictOn({ html: excuse(title) })).toBe(ALIVE);
  });

  test.each([
    ["windows-1251", "Страница не найдена", "Страница одной книги"],
    ["shift_jis", "お探しのページは見つかりません", "お探しのページの物語"],
    ["gbk", "您访问的页面不存在", "页面的故事"],
  ] as const)(
    "%s bytes, whether the header names the charset or the page",
    async (charset, words, title) => {
      const html = encoded(
        `<meta charset="${charset}"><title>${words}</title><h1>${words}</h1>`,
        charset,
      );
      const guard = encoded(
        `<meta charset="${charset}"><title>${title}</title><h1>${title}</h1>`,
        charset,
      );
      const named = { "Content-Type": `text/html; charset=${charset}` };
      const unnamed = { "Content-Type": "text/html" };

      expect(await verdictOn({ html, headers: named })).toBe(BODY);
      expect(await verdictOn({ html, headers: unnamed })).toBe(BODY);
      expect(await verdictOn({ html: guard, headers: unnamed })).toBe(ALIVE);
    },
  );
});

describe("a page is no excuse, whatever resembles one:", () => {
  testRows([
    ["an article on how to mend 404 errors", { html: article("How to fix a 404 error") }, ALIVE],
    [
      "an article with nothing but 404 as its title",
      { html: article("404"), facts: honest },
      ALIVE,
    ],
    [
      "an article with the words of an error page as its title",
      { html: article("Page not found"), facts: honest },
      ALIVE,
    ],
    [
      "a short article with the words of an error page as its title",
      { html: article("Page not found", 60), facts: honest },
      ALIVE,
    ],
    [
      "a page of a site with 404 in its name that is called by its number",
      { url: "http://404media.test/story", html: page("404 | 404 Media", "404"), facts: honest },
      ALIVE,
    ],
    ["a car", { html: page("Peugeot 404 | Cars", "Peugeot 404") }, ALIVE],
    [
      "a short page of a car that is called by its number",
      { html: page("404 Sedan | Cars", "404 Sedan"), facts: honest },
      ALIVE,
    ],
    [
      "a house by its number",
      { html: page("404 Lexington Avenue", "404 Lexington Avenue"), facts: honest },
      ALIVE,
    ],
    ["an area code", { html: page("Area code 404", "Area code 404") }, ALIVE],
    ["the 404th page of a list", { html: page("Page 404", "Page 404") }, ALIVE],
    ["a programme with the number", { html: page("Code 404 | TV", "Code 404") }, ALIVE],
    [
      "an album called so, whose page says that it is one",
      {
        html: page("Page Not Found | The Ladders", "Page Not Found", {
          head: '<meta property="og:type" content="music.album">',
        }),
        facts: honest,
      },
      ALIVE,
    ],
    [
      "a film called so, whose data says that it is one",
      {
        html: page("Not Found", "Not Found", {
          head: '<script type="application/ld+json">{"@type":"Movie"}</script>',
        }),
        facts: honest,
      },
      ALIVE,
    ],
    [
      "a band called so, whose link says so",
      {
        url: "http://site.test/bands/page-not-found",
        html: page("Page Not Found", "Page Not Found"),
        facts: honest,
      },
      ALIVE,
    ],
    [
      "a song called so, whose link says so in one word",
      {
        url: "http://site.test/songs?name=pagenotfound",
        html: page("Page Not Found", "Page Not Found"),
        facts: honest,
      },
      ALIVE,
    ],
    [
      "a year",
      {
        url: "http://site.test/wiki/404",
        html: page("404 - Encyclopedia", "404", { main: LONG }),
        facts: honest,
      },
      ALIVE,
    ],
    [
      "a film with another title",
      { html: page("Sorry We Missed You (film)", "Sorry We Missed You") },
      ALIVE,
    ],
    ["a memoir", { html: page("Lost and Not Found: a memoir", "Lost and Not Found") }, ALIVE],
    [
      "a page of a magazine called so",
      { html: page("Not Found Magazine | About", "About") },
      ALIVE,
    ],
    [
      "a page of a site that is called 404, and says so",
      {
        html: page("About | 404", "About", {
          head: '<meta property="og:site_name" content="404">',
        }),
      },
      ALIVE,
    ],
    [
      "a page of a site that is called like its host",
      { url: "http://notfoundmag.test/about", html: page("About us - Not Found", "About us") },
      ALIVE,
    ],
    [
      "the home page of a site with 404 in its name",
      { url: "http://404media.test/", html: page("404 Media", "404 Media", { main: LONG }) },
      ALIVE,
    ],
    [
      "a question about the error, with the name of the site behind it",
      {
        url: "http://stackoverflow.test/questions/123/some-question",
        html: page("php - 404 not found - Stack Overflow", "A script answers with 404"),
      },
      ALIVE,
    ],
    [
      "a search without results",
      { html: page("Search: bridge", "0 results for bridge", { head: NOINDEX }) },
      ALIVE,
    ],
    [
      "a long page that says so in a corner",
      { html: page("Bridge", "Bridge", { main: `${LONG}<p>Page not found</p>` }) },
      ALIVE,
    ],
    [
      "a page with the words in a sentence of its heading",
      { html: page("Bridge", "The plans of the bridge were not found in any archive") },
      ALIVE,
    ],
    [
      "a page that search engines shall not see",
      { html: page("Staging", "Staging", { head: NOINDEX }) },
      ALIVE,
    ],
    [
      "a page that a header keeps from search engines",
      { html: page("Staging", "Staging"), headers: { "X-Robots-Tag": "noindex, nofollow" } },
      ALIVE,
    ],
    [
      "a file that is no page",
      { url: "http://site.test/404.txt", headers: { "Content-Type": "text/plain" } },
      ALIVE,
    ],
    ["an empty answer", { url: "http://site.test/a.pdf", html: "" }, "active ok_empty"],
    [
      "a page in a compression that cannot be read",
      { html: excuse("Page not found"), bodyProblem: "body_undecodable" },
      "unknown body_undecodable",
    ],
  ]);
});

describe("a page that says so in one place, or among much else, is compared with a random address:", () => {
  const inTitle = excuse("Oh dear", { title: "Page not found" });
  const inHeading = excuse("Page not found", { title: "Articles" });
  const long = excuse("Page not found", { main: LONG });
  const home = showing(article("Home"), "/");
  const isOther = { ...showing(article("Results")) };
  testRows([
    ["which is asked first", { html: inTitle }, "wants sibling"],
    [
      "the same page is there, and the home page is asked next",
      { html: inTitle, facts: { sibling: showing(inTitle), home: undefined } },
      "wants home",
    ],
    [
      "the same page is there",
      { html: inTitle, facts: { sibling: showing(inTitle), home } },
      PROBE,
    ],
    [
      "the same page is there, and the site has no home page",
      {
        html: inTitle,
        facts: { sibling: showing(inTitle), home: { ...HONEST, at: "http://site.test/" } },
      },
      PROBE,
    ],
    [
      "the same page is there, and at home, so that the site says nothing about the link",
      { html: inTitle, facts: { sibling: showing(inTitle), home: showing(inTitle, "/") } },
      SUSPECTED,
    ],
    [
      "the same title and heading are there, and at home",
      {
        html: long,
        facts: { sibling: showing(long), home: showing(`${long}${paragraph(9, 400)}`, "/") },
      },
      SUSPECTED,
    ],
    [
      "the same page is there, and the home page cannot be seen",
      { html: inTitle, facts: { sibling: showing(inTitle), home: "conn_timeout" } },
      SUSPECTED,
    ],
    [
      "the same page is there, and the home page fails",
      { html: inTitle, facts: { sibling: showing(inTitle), home: { status: 500 } } },
      SUSPECTED,
    ],
    [
      "the same page is there, by its heading",
      { html: inHeading, facts: { sibling: showing(inHeading), home } },
      PROBE,
    ],
    [
      "the same page is there, and it is long",
      { html: long, facts: { sibling: showing(long), home } },
      PROBE,
    ],
    [
      "the same page is there, with other recommendations",
      {
        html: `${long}${paragraph(2, 300)}`,
        facts: { sibling: showing(`${long}${paragraph(9, 300)}`), home },
      },
      PROBE,
    ],
    [
      "a random address is led to the same place",
      {
        html: inTitle,
        from: ["http://site.test/articles/some-story"],
        at: "http://site.test/oh-dear",
        facts: {
          sibling: { html: inTitle, from: [HONEST.at], at: "http://site.test/oh-dear" },
          home,
        },
      },
      PROBE,
    ],
    [
      "the same page is there, with the right status",
      { html: long, facts: { sibling: { ...showing(long), status: 404 }, home } },
      PROBE,
    ],
    ["the site says 404 there, and the page is short", { html: inTitle, facts: honest }, SUSPECTED],
    [
      "the site says 410 there, and the page is short",
      { html: inTitle, facts: { sibling: { ...HONEST, status: 410 } } },
      SUSPECTED,
    ],
    ["the site says 404 there, and the page is long", { html: long, facts: honest }, ALIVE],
    [
      "the site has an error page for it, and the page is long",
      {
        html: long,
        facts: {
          sibling: {
            html: page("Oh dear", "Oh dear"),
            from: [HONEST.at],
            at: "http://site.test/404.html",
          },
        },
      },
      ALIVE,
    ],
    [
      "something else is there, and the page is short",
      { html: inTitle, facts: { sibling: isOther } },
      SUSPECTED,
    ],
    [
      "something else is there, and the page is long",
      { html: long, facts: { sibling: isOther } },
      ALIVE,
    ],
    [
      "no answer comes from there",
      { html: inTitle, facts: { sibling: "conn_timeout" } },
      SUSPECTED,
    ],
    [
      "no answer comes from there, and the page is long",
      { html: long, facts: { sibling: "conn_timeout" } },
      SUSPECTED,
    ],
    [
      "a wall stands there",
      { html: inTitle, facts: { sibling: { ...HONEST, status: 403 } } },
      SUSPECTED,
    ],
    [
      "a wall stands there, in the words of the page",
      { html: inTitle, facts: { sibling: { ...showing(inTitle), status: 403 } } },
      SUSPECTED,
    ],
    ["it may not be asked", { html: inTitle, facts: { sibling: null } }, SUSPECTED],
    [
      "another excuse is there",
      {
        html: inTitle,
        facts: { sibling: showing(excuse("Oh dear", { title: "404", main: LONG })) },
      },
      SUSPECTED,
    ],
    [
      "a home page that names itself as its own address is not",
      {
        url: "http://site.test/",
        html: excuse("Oh dear", {
          title: "Page not found",
          head: '<link rel="canonical" href="/">',
        }),
      },
      SUSPECTED,
    ],
    ["nothing is asked beside a home page", { url: "http://site.test/", html: inTitle }, SUSPECTED],
    [
      "nothing is asked beside a query without a path",
      { url: "http://site.test/?p=12", html: inTitle },
      SUSPECTED,
    ],
  ]);

  const explained = excuse("User not found", { main: paragraph(3, 60) });
  testRows(
    [
      "http://site.test/docs/errors/1203",
      "http://help.site.test/en-us/360001",
      "http://forum.site.test/viewtopic.php?t=12",
      "http://site.test/cats/404",
    ].flatMap((url): Row[] => [
      [
        `twice, at an address where errors are talked about, and others are missing: ${url}`,
        { url, html: explained, facts: honest },
        url.endsWith("404") ? SUSPECTED : ALIVE,
      ],
      [
        `twice, at such an address, and others show the same: ${url}`,
        { url, html: explained, facts: { sibling: showing(explained), home } },
        PROBE,
      ],
      [
        `twice, at such an address, and search engines shall not see it: ${url}`,
        { url, html: excuse("User not found", { head: NOINDEX }), facts: another },
        BODY,
      ],
    ]),
  );

  test("and the verdict says what was there", async () => {
    expect(await rulesOn({ html: inTitle, facts: { sibling: showing(inTitle), home } })).toEqual([
      "missing_title",
      "short_page",
      "sibling_same",
    ]);
  });
});

describe("words that other pages have, too,", () => {
  const sedan = page("404 Sedan | Cars", "404 Sedan");
  const slug: Case = {
    url: "http://site.test/questions/123/404-not-found",
    html: page("404 not found", "404 not found", { main: LONG }),
  };
  const sameSlug = {
    ...showing(slug.html as string),
    from: ["http://site.test/questions/123/qwertzuiopasdfgh"],
    at: slug.url as string,
  };
  testRows([
    [
      "count if the page is the same for every address but the home page",
      {
        html: sedan,
        facts: {
          sibling: showing(sedan),
          root: showing(sedan, "/mnbvcxylkjhgfdsa"),
          home: {
            at: "http://site.test/",
            html: `<title>Site</title>${article("The front page")}`,
          },
        },
      },
      PROBE,
    ],
    [
      "leave it open if the home page says so as well, which keeps everybody out",
      {
        html: sedan,
        facts: {
          sibling: showing(sedan),
          root: showing(sedan, "/mnbvcxylkjhgfdsa"),
          home: showing(sedan, "/"),
        },
      },
      SUSPECTED,
    ],
    [
      "want a random address below the site after one beside the link",
      { html: sedan, facts: { sibling: showing(sedan) } },
      "wants root",
    ],
    [
      "count for nothing if the last part of the address is decoration",
      { ...slug, facts: { sibling: sameSlug, root: HONEST } },
      ALIVE,
    ],
    [
      "leave it open if nothing can be learned below the site",
      { html: sedan, facts: { sibling: showing(sedan), root: null } },
      SUSPECTED,
    ],
    [
      "leave it open on a short page if nothing can be learned at all",
      { html: excuse("This page isn't available"), facts: { sibling: null } },
      SUSPECTED,
    ],
    [
      "count for nothing if they are a number and nothing can be learned at all",
      { html: sedan, facts: { sibling: null } },
      ALIVE,
    ],
    [
      "count for nothing on a long page if nothing can be learned",
      { html: page("404 Sedan", "404 Sedan", { main: LONG }), facts: { sibling: null } },
      ALIVE,
    ],
    [
      "count for nothing at a home page",
      { url: "http://site.test/", html: page("404 Ink", "Books") },
      ALIVE,
    ],
    [
      "leave it open if they say that it is for now",
      {
        html: page("Harbour", "This page is currently unavailable", { main: LONG }),
        facts: {
          sibling: showing(page("Harbour", "This page is currently unavailable", { main: LONG })),
        },
      },
      SUSPECTED,
    ],
    [
      "count for nothing on an honest site: a page that is not available now",
      { html: page("This page isn't available", "This page isn't available"), facts: honest },
      ALIVE,
    ],
  ]);
});

describe("a page in place of a file is compared with a random file:", () => {
  const url = "http://site.test/files/report.pdf";
  const other = "http://site.test/files/qwertzuiopasdfgh.pdf";
  const html = page("The Harbour Gazette", "Welcome", { main: LONG });
  const home = showing(article("Home"), "/");
  /** Whatever the site has not. */
  const root = showing(html, "/qwertzuiopasdfgh");
  const viewer = page("report.pdf · ladders/plans", "report.pdf", { main: paragraph(4, 60) });
  const keyed = "http://site.test/file/8f3k2j1d/report.pdf";
  testRows([
    ["which is asked first", { url, html }, "wants sibling"],
    [
      "the same page is there",
      { url, html, facts: { sibling: { html, at: other }, root, home } },
      PROBE,
    ],
    [
      "the same page is there, and a random address at the root is asked next",
      { url, html, facts: { sibling: { html, at: other } } },
      "wants root",
    ],
    [
      "the same page is there, but not at the root, so that the folder may be closed",
      { url, html, facts: { sibling: { html, at: other }, root: HONEST } },
      SUSPECTED,
    ],
    [
      "the same page is there, and the home page is asked next",
      { url, html, facts: { sibling: { html, at: other }, root, home: undefined } },
      "wants home",
    ],
    [
      "the same page is there, and at home",
      { url, html, facts: { sibling: { html, at: other }, root, home: showing(html, "/") } },
      SUSPECTED,
    ],
    [
      "the same page is there, with a form that the home page has not",
      {
        url,
        html: `${html}<form><input name="email"></form>`,
        facts: {
          sibling: { html: `${html}<form><input name="email"></form>`, at: other },
          root: showing(`${html}<form><input name="email"></form>`, "/qwertzuiopasdfgh"),
          home,
        },
      },
      SUSPECTED,
    ],
    [
      "a list of files is there, too",
      {
        url,
        html: page("Index of /files", "Index of /files"),
        facts: {
          sibling: { html: page("Index of /files", "Index of /files"), at: other },
          root: showing(page("Index of /files", "Index of /files"), "/qwertzuiopasdfgh"),
          home,
        },
      },
      PROBE,
    ],
    [
      "a gate stands there, too",
      {
        url,
        html: page("Vineyard", "Are you over 18?"),
        facts: { sibling: { html: page("Vineyard", "Are you over 18?"), at: other } },
      },
      "unknown consent_wall",
    ],
    [
      "a sign-in stands there, too",
      {
        url,
        html: page("Members", "Members", { main: '<form><input type="password"></form>' }),
        facts: {
          sibling: {
            html: page("Members", "Members", { main: '<form><input type="password"></form>' }),
            at: other,
          },
        },
      },
      "unknown login_required",
    ],
    [
      "a page without a way into the site is there, too",
      {
        url,
        html: "<title>Terms</title><h1>Terms of use</h1><a href=/privacy>Privacy</a>",
        facts: {
          sibling: {
            html: "<title>Terms</title><h1>Terms of use</h1><a href=/privacy>Privacy</a>",
            at: other,
          },
        },
      },
      SUSPECTED,
    ],
    [
      "a page that says so in a line is there, too",
      {
        url,
        html: "<title>Files</title><p>The file you requested was not found.</p>",
        facts: {
          sibling: {
            html: "<title>Files</title><p>The file you requested was not found.</p>",
            at: other,
          },
          home,
        },
      },
      PROBE,
    ],
    [
      "a viewer on a site that says 404",
      { url, html: viewer, facts: { sibling: { ...HONEST, at: other } } },
      ALIVE,
    ],
    [
      "the page of an archive on a site that says 404",
      { url: "http://site.test/ladders/blob/main/plans.zip", html: viewer, facts: honest },
      ALIVE,
    ],
    [
      "a page about a picture on a site that says 404",
      { url: "http://site.test/wiki/File:Bridge.jpg", html: viewer, facts: honest },
      ALIVE,
    ],
    [
      "a viewer on a site with something else there",
      {
        url,
        html: viewer,
        facts: { sibling: { html: page("No such plan", "No such plan"), at: other } },
      },
      ALIVE,
    ],
    ["nothing can be learned", { url, html: viewer, facts: { sibling: "conn_reset" } }, ALIVE],
    [
      "an app that shows files is left open",
      { url, html: shell(), facts: { sibling: { html: shell(), at: other } } },
      SUSPECTED,
    ],
    [
      "a key before the file's name wants an address below the site as well",
      {
        url: keyed,
        html,
        facts: { sibling: { html, at: "http://site.test/file/8f3k2j1d/qwertzuiopasdfgh.pdf" } },
      },
      "wants root",
    ],
    [
      "a key before the file's name, and all is the same",
      {
        url: keyed,
        html,
        facts: {
          sibling: { html, at: other },
          root: { html, at: "http://site.test/qwertzuiopasdfgh" },
          home,
        },
      },
      PROBE,
    ],
    [
      "a key before the file's name, and the site is honest",
      { url: keyed, html, facts: { sibling: { html, at: other }, root: HONEST } },
      ALIVE,
    ],
    [
      "a file that led to a page of another site, as any does",
      {
        url,
        html,
        from: [url],
        at: "http://other.test/offers",
        facts: {
          sibling: { html, from: [other], at: "http://other.test/offers" },
          root: {
            html,
            from: ["http://site.test/qwertzuiopasdfgh"],
            at: "http://other.test/offers",
          },
          home,
        },
      },
      PROBE,
    ],
    [
      "a file that led to a page of another site on purpose",
      {
        url,
        html,
        from: [url],
        at: "http://other.test/report",
        facts: { sibling: { ...HONEST, at: other } },
      },
      "active ok_redirected",
    ],
    [
      "a file that led to a page of the same site",
      { url, html, from: [url], at: "http://www.site.test/report" },
      "active ok_redirected",
    ],
    [
      "a page whose address ends like one",
      { url: "http://site.test/files/report.html", html },
      ALIVE,
    ],
    ["a file that comes as one", { url, headers: { "Content-Type": "application/pdf" } }, ALIVE],
  ]);
});

describe("a page like those that the host shows for random addresses", async () => {
  const front = page("The Harbour Gazette", "Today", { main: LONG });
  const fingerprint = fingerprintOf(
    await answerOf({ html: front, at: "http://site.test/qwertzuiopasdfgh" }),
  );
  const profile = { kind: "page", fingerprint } as const;
  const sibling = showing(front);
  const root = showing(front, "/mnbvcxylkjhgfdsa");
  const home = showing(front, "/");
  const all = { profile, sibling, root, home };
  const closed = page("Works", "Works", { main: paragraph(5, 20) });
  const signIn = page("Boats", "Log in to see our boats", { main: paragraph(6, 400) });
  const every = (html: string): NonNullable<Case["facts"]> => ({
    ...all,
    sibling: showing(html),
    root: showing(html, "/mnbvcxylkjhgfdsa"),
    home: showing(html, "/"),
  });

  testRows([
    [
      "is compared with a random address beside it",
      { html: front, facts: { profile } },
      "wants sibling",
    ],
    ["then with one below the site", { html: front, facts: { profile, sibling } }, "wants root"],
    ["and is left open if all of them are the same", { html: front, facts: all }, SUSPECTED],
    [
      "which needs no address below the site if the link is there itself",
      { url: "http://site.test/some-story", html: front, facts: { profile, sibling: root, home } },
      SUSPECTED,
    ],
    [
      "is left open with its reason if the home page is another, and it asks for something first",
      {
        html: signIn,
        facts: { ...every(signIn), home: showing(article("Home"), "/") },
      },
      "unknown login_required",
    ],
    [
      "is alive if the site says 404 beside it",
      { html: front, facts: { profile, sibling: HONEST } },
      ALIVE,
    ],
    [
      "is alive if something else is beside it",
      { html: front, facts: { profile, sibling: showing(article("Results")) } },
      ALIVE,
    ],
    [
      "is alive if nothing can be learned beside it",
      { html: front, facts: { profile, sibling: "read_timeout" } },
      ALIVE,
    ],
    [
      "is alive if the last part of its address is decoration",
      { html: front, facts: { profile, sibling, root: HONEST } },
      ALIVE,
    ],
    [
      "is alive if nothing can be learned below the site",
      { html: front, facts: { profile, sibling, root: null } },
      ALIVE,
    ],
    [
      "is left open if the home page is another",
      { html: front, facts: { ...all, home: showing(article("Home"), "/") } },
      SUSPECTED,
    ],
    [
      "is left open if the home page cannot be seen",
      { html: front, facts: { ...all, home: "conn_refused" } },
      SUSPECTED,
    ],
    [
      "is left open if all say only that the site is being worked on",
      { html: closed, facts: every(closed) },
      SUSPECTED,
    ],
    ["is an app that cannot be looked into", { html: shell(), facts: every(shell()) }, APP],
    [
      "is an app that cannot be looked into, under another name",
      {
        html: shell("Board", "<app-root></app-root>"),
        facts: every(shell("Board", "<app-root></app-root>")),
      },
      APP,
    ],
    [
      "is an app that cannot be looked into, without a name for its frame",
      {
        html: shell("Board", "<canvas></canvas>"),
        facts: every(shell("Board", "<canvas></canvas>")),
      },
      APP,
    ],
    [
      "is an app that begins as a page",
      {
        html: front.replace("<main>", '<main id="__next">'),
        facts: every(front.replace("<main>", '<main id="__next">')),
      },
      APP,
    ],
  ]);

  test("names all that was the same", async () => {
    expect(await rulesOn({ html: front, facts: all })).toEqual(["sibling_same", "root_same"]);
    expect(await rulesOn({ html: shell(), facts: every(shell()) })).toEqual(["app_shell"]);
  });

  testRows([
    [
      "is alive if it shows its own story",
      { html: article("A bridge at night"), facts: { profile } },
      ALIVE,
    ],
    ["is alive on an honest host", { html: front }, ALIVE],
    [
      "is alive on a host of which nothing can be learned",
      { html: front, facts: { profile: null } },
      ALIVE,
    ],
    [
      "is alive at the home page",
      { url: "http://site.test/", html: front, facts: { profile } },
      ALIVE,
    ],
    [
      "is alive at a home page in a language",
      { url: "http://site.test/de/", html: front, facts: { profile } },
      ALIVE,
    ],
    [
      "is alive at a query without a path",
      { url: "http://site.test/?p=12", html: front, facts: { profile } },
      ALIVE,
    ],
    [
      "is compared in full if the host was asked only now",
      {
        html: front,
        facts: { profile: { kind: "page", fingerprint: "0123456789abcdef" }, sibling },
      },
      "wants root",
    ],
  ]);

  test("is found out only once the host is known", async () => {
    const { facts, ...seen } = await seenOf({ html: front });

    expect(judge({ ...seen, facts: {} })).toEqual({ needs: "profile" });
    expect(facts.profile).toEqual({ kind: "honest" });
  });
});

describe("a page that says in some line that it is missing", async () => {
  const says = (line: string) =>
    page("The Harbour Gazette", "Information", {
      main: `<table><tr><td>${line}</td></tr></table>`,
    });
  const html = says("Sorry, the page you requested was not found.");
  const home = showing(article("Home"), "/");
  const all = { sibling: showing(html), root: showing(html, "/mnbvcxylkjhgfdsa"), home };
  const every = (other: string) => ({
    ...all,
    sibling: showing(other),
    root: showing(other, "/mnbvcxylkjhgfdsa"),
  });
  testRows([
    ["is compared even on an honest host", { html }, "wants sibling"],
    ["is dead if it is the same for every address", { html, facts: all }, PROBE],
    [
      "is dead if it is, on a host of which nothing was learned",
      { html, facts: { ...all, profile: null } },
      PROBE,
    ],
    ["is alive if random addresses are missing", { html, facts: honest }, ALIVE],
    [
      "is alive if random addresses are another thing",
      { html, facts: { sibling: showing(article("Results")) } },
      ALIVE,
    ],
    [
      "is left open if it comes for every address of one folder",
      { html, facts: { ...all, root: HONEST } },
      SUSPECTED,
    ],
    [
      "is alive if it does, but the last part of its address is decoration",
      {
        url: "http://site.test/questions/123/some-title",
        html,
        facts: { ...all, root: HONEST },
      },
      ALIVE,
    ],
    [
      "is left open if the home page is the same",
      { html, facts: { ...all, home: showing(html, "/") } },
      SUSPECTED,
    ],
    [
      "is left open if the home page cannot be seen",
      { html, facts: { ...all, home: "conn_reset" } },
      SUSPECTED,
    ],
    ["and long is nothing to ask about", { html: `${html}${LONG}` }, ALIVE],
    [
      "in the middle of a sentence is nothing to ask about",
      { html: says("Whether the page was not found or lost is for you to say.") },
      ALIVE,
    ],
    [
      "that waits to be shown is nothing to ask about",
      { html: page("Shop", "Shop", { main: '<p class="hidden">Product not found.</p>' }) },
      ALIVE,
    ],
    [
      "in a script is nothing to ask about",
      { html: page("Shop", "Shop", { main: "<script>a='<b>Product not found.</b>'</script>" }) },
      ALIVE,
    ],
    [
      "is left open if it loads scripts and says little else",
      {
        html: `${html}<script src="/count.js"></script>`,
        facts: every(`${html}<script src="/count.js"></script>`),
      },
      SUSPECTED,
    ],
    [
      "is no empty frame, even if scripts fill it",
      { html: `${html}<div id="root"></div>`, facts: every(`${html}<div id="root"></div>`) },
      SUSPECTED,
    ],
  ]);

  test("is quoted", async () => {
    expect(await rulesOn({ html, facts: all })).toEqual([
      "missing_line",
      "sibling_same",
      "root_same",
    ]);
  });
});

describe("a page that is all that a site shows, its home page included, says nothing about the link:", () => {
  const html = `<title>Acme</title><h1>Welcome to Acme</h1>${paragraph(4, 80)}`;
  const facts = {
    profile: null,
    sibling: showing(html),
    root: showing(html, "/mnbvcxylkjhgfdsa"),
    home: showing(html, "/"),
  };
  testRows([
    ["however it looks", { html, facts }, SUSPECTED],
    [
      "when it has scripts and no way into the site",
      {
        html: `${html}<script>go()</script>`,
        facts: {
          profile: null,
          sibling: showing(`${html}<script>go()</script>`),
          root: showing(`${html}<script>go()</script>`, "/mnbvcxylkjhgfdsa"),
          home: showing(`${html}<script>go()</script>`, "/"),
        },
      },
      SUSPECTED,
    ],
  ]);
});

describe("a page that stands before every address, the home page among them, is left open:", () => {
  const facts = (html: string): NonNullable<Case["facts"]> => ({
    profile: null,
    sibling: showing(html),
    root: showing(html, "/mnbvcxylkjhgfdsa"),
    home: showing(html, "/"),
  });
  const some = paragraph(4, 80);
  const bare = (heading: string, links = "") =>
    `<title>${heading}</title><h1>${heading}</h1>${some}${links}<link rel="canonical" href="/">`;
  const links =
    '<a href="/privacy">Privacy</a><a href="/legal/terms">Terms</a><a href="/contact">Contact</a><a href="/de/">Deutsch</a><a href="https://chrome.test/get">Chrome</a><a href="https://fox.test/get">Fox</a>';
  testRows(
    [
      ["a question of age", page("Wine", "Are you over 18?", { main: some }), "consent_wall"],
      [
        "a question of age in French",
        page("Vin", "Avez-vous plus de 18 ans ? Je suis majeur", { main: some }),
        "consent_wall",
      ],
      ["a captcha", page("Wait", "Please solve the captcha", { main: some }), "bot_challenge"],
      ["a wish for scripts", page("Bank", "Please enable JavaScript", { main: some })],
      [
        "a sign-in among much else",
        page("Intranet", "Intranet", {
          main: `${some}<form></form><form><input type="password"></form>`,
        }),
        "login_required",
      ],
      [
        "a cookie wall in any language",
        bare("Nieuws vraagt toestemming", `${links}<script>ask()</script>`),
        "consent_wall",
      ],
      ["a queue", bare("You are now in line")],
      [
        "works on the site",
        bare("We are being upgraded", '<a href="mailto:x@site.test">Write</a>'),
      ],
      [
        "a choice of countries",
        bare(
          "Select your country",
          '<a href="/en-us/">US</a><a href="/fr">FR</a><a href="/de/">DE</a>',
        ),
      ],
    ].map(([story, html, reason]) => [
      story!,
      {
        html: html!.replace("</head>", '<link rel="canonical" href="/"></head>'),
        facts: facts(html!),
      },
      reason ? `unknown ${reason}` : SUSPECTED,
    ]),
  );
  testRows([
    [
      "a home page with ways into the site",
      {
        html: bare("The Harbour", '<a href="/boats">Boats</a><a href="#tickets">Tickets</a>'),
        facts: facts(
          bare("The Harbour", '<a href="/boats">Boats</a><a href="#tickets">Tickets</a>'),
        ),
      },
      SUSPECTED,
    ],
  ]);
});

describe("a page that names the home page as its own address", () => {
  const front = page("The Harbour Gazette", "Today", {
    main: LONG,
    head: '<link rel="canonical" href="http://site.test/">',
  });
  const profile = { kind: "page", fingerprint: "0123456789abcdef" } as const;
  testRows([
    ["is alive on an honest site", { html: front }, ALIVE],
    [
      "is compared on others, however their random pages looked",
      { html: front, facts: { profile } },
      "wants sibling",
    ],
    [
      "is compared on hosts that could not be learned about",
      { html: front, facts: { profile: null } },
      "wants sibling",
    ],
    [
      "is alive if random addresses are another thing",
      { html: front, facts: { profile, sibling: HONEST } },
      ALIVE,
    ],
    [
      "is alive at the home page itself",
      { url: "http://site.test/", html: front, facts: { profile } },
      ALIVE,
    ],
    [
      "is alive if it names its own address, too, in other letters",
      { html: front.replace("http://site.test/", "/Articles/Some-Story"), facts: { profile } },
      ALIVE,
    ],
  ]);
});

describe("a domain that was gone or parked", () => {
  const front = page("New owner", "Welcome", { main: LONG });
  const reborn: Case = { html: front, isReregistered: true };
  const names = null;
  const sibling = showing(front);
  const root = showing(front, "/mnbvcxylkjhgfdsa");
  testRows([
    [
      "is asked for a random address although nothing speaks against it",
      { ...reborn, facts: { names } },
      "wants sibling",
    ],
    [
      "is alive again if it says 404 there",
      { ...reborn, facts: { names, sibling: HONEST } },
      ALIVE,
    ],
    [
      "is alive again if something else is there",
      { ...reborn, facts: { names, sibling: showing(article("Results")) } },
      ALIVE,
    ],
    [
      "is alive again if nothing can be learned there",
      { ...reborn, facts: { names, sibling: null } },
      ALIVE,
    ],
    [
      "is left open if all is its home page",
      { ...reborn, facts: { names, sibling, root, home: showing(front, "/") } },
      SUSPECTED,
    ],
    [
      "is left open if nothing can be learned below the site",
      { ...reborn, facts: { names, sibling, root: null } },
      SUSPECTED,
    ],
    [
      "is left open if its home page comes for every address",
      { ...reborn, url: "http://site.test/", facts: { names, root } },
      SUSPECTED,
    ],
    [
      "is alive again if every address is led to its home page",
      {
        ...reborn,
        url: "http://site.test/",
        facts: { names, root: { html: front, from: [root.at], at: "http://site.test/" } },
      },
      ALIVE,
    ],
    [
      "is alive again if it says 404 below its home page",
      { ...reborn, url: "http://site.test/", facts: { names, root: HONEST } },
      ALIVE,
    ],
  ]);
});

describe("a body that is not what its type says is judged by its bytes:", () => {
  const missing = excuse("Page not found");
  const file = "http://site.test/files/report.csv";

  testRows([
    ["a short text with the usual sentence", data("File not found.", "File not found."), PROBE],
    ["an object store's code", data(S3, S3), PROBE],
    ["an API's message", data('{"error":"Not Found"}', '{"error":"Not Found"}'), PROBE],
    ["the same on a site that is honest elsewhere", data(S3, null), SUSPECTED],
    ["a list of things", data('{"items":[{"title":"Not found"}]}', "{}"), ALIVE],
    ["a record with data", data('{"data":{"id":1},"message":"Not found"}', "{}"), ALIVE],
    ...[
      '{"listed":false,"message":"not found"}',
      '{"id":17,"title":"Not Found","year":2013}',
      '{"available":true,"reason":"not found"}',
      '{"error":{"name":"Not Found","votes":3,"message":"not found"}}',
    ].map((answer): [string, Case, typeof ALIVE] => [answer, data(answer, answer), ALIVE]),
    ...[
      '{"success":false,"data":[],"message":"Not found"}',
      '{"statusCode":404,"message":"Not Found","requestId":"17"}',
      '{"type":"about:blank","title":"Not Found","status":404,"instance":"/a"}',
      '{"error":{"code":404,"message":"Not found","status":"NOT_FOUND","errors":[]}}',
      '{"message":"Not Found","documentation_url":"https://site.test/docs"}',
      '{"timestamp":1,"status":404,"error":"Not Found","path":"/a"}',
    ].map((answer): [string, Case, typeof PROBE] => [answer, data(answer, answer), PROBE]),
    ["an article in XML", data("<article><title>Not found</title></article>", "<a/>"), ALIVE],
    ["a page in place of data", { url: file, html: missing }, BODY],
  ]);

  function data(text: string, sibling: string | null): Case {
    const headers = { "Content-Type": "application/xml" };
    const facts = { sibling: sibling === null ? HONEST : { shortText: sibling, headers } };
    return { shortText: text, headers, facts };
  }
});
