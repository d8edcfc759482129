import { describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../server/verdict/attempt.ts";
import { checkUrl } from "../../server/verdict/confirm.ts";
import type { Conclusion } from "../../server/verdict/probe/conclusion.ts";
import { plainOutbound } from "../outbound/lab.ts";
import { type Says, startSite } from "../site.ts";
import { agree, type Promised } from "./agree.ts";
import { HOME, say, site } from "./barrier-sites.ts";
import { outcomesOf } from "./ended.ts";
import { AMPLE_MS, labChecker } from "./prober.ts";

/** Pages whose title says that a page is missing, on sites that say something else of made-up addresses. */

const BODY = "dead soft404_body";
const PROBE = "dead soft404_probe";

async function seenAt(otherwise: Says, path: string): Promise<Conclusion> {
  const { url, stop } = startSite({}, { otherwise });
  const link = { ...NEVER_CHECKED, lastDecided: "active", url: url + path } as const;
  return checkUrl(labChecker({ checkTimeoutMs: AMPLE_MS }, plainOutbound).checker, link).finally(
    stop,
  );
}

async function verdictOf(otherwise: Says, path: string): Promise<string> {
  const { status, reason } = await seenAt(otherwise, path);
  return `${status} ${reason}`;
}

/** What a link comes to if each check for more than a week sees the same. */
async function verdictInTheEnd(otherwise: Says, path: string): Promise<string> {
  const seen = await seenAt(otherwise, path);
  const last = outcomesOf([0, 1, 24, 72, 200].map((hour) => [hour, seen])).at(-1)!;
  return last.kind === "void" ? "void" : last.conclusion.status;
}

const html = (body: string, status = 200) =>
  new Response(body, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });

/** One page below the home page; elsewhere what is said of made-up addresses. */
const only =
  (path: string, page: string, elsewhere: () => Response): Says =>
  (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === path) return html(page);
    return pathname === "/" ? say(HOME, request) : elsewhere();
  };

const NAME = "Harbour Forum";
const gone = () => html("<h1>Gone.</h1>", 404);
const titled = (title: string, main: string, head = "") =>
  site(`${title} – ${NAME}`, main, { head });
const missing = titled("Page not found", "<h1>Page not found</h1>");
const honest = () => html(missing, 404);
const soft = () => html(titled("Topics", "<h1>Topics</h1><p>There is no such topic.</p>"));
const same = () => html(missing);

const NOINDEX = '<meta name="robots" content="noindex">';
const ELSEWHERE: [how: string, elsewhere: () => Response][] = [
  ["on a site that is honest elsewhere", gone],
  ["on a site with an honest page of these words", honest],
  ["on a site that says otherwise with a success", soft],
  ["on a site that says so with a success", same],
  ["on a site that fails elsewhere", () => html("Busy.", 500)],
];

/** What a page comes to on each of these sites; `seen` makes of it what is promised. */
const onSites = (
  story: string,
  path: string,
  page: string,
  expected: string,
  seen: (says: Says, path: string) => Promise<string>,
): Promised => ({
  story: `${story}, at ${path}`,
  expected: Object.fromEntries(ELSEWHERE.map(([how]) => [how, expected])),
  async seen() {
    const found: Record<string, string> = {};
    for (const [how, elsewhere] of ELSEWHERE) {
      found[how] = await seen(only(path, page, elsewhere), path);
    }
    return found;
  },
});

const NOT_DEAD = "not dead";
const unlessDead = (verdict: string) => (verdict.startsWith("dead") ? verdict : NOT_DEAD);

const POSTS = `<div><b>anna</b> 3 May, 10:12</div><div>My start page says so since this morning. Any ideas?</div>
  <div><b>olaf</b> 3 May, 11:40</div><div>Clear the cache of your browser, that did it for me.</div>`;

describe("a short topic with the words of an error page as its title", () => {
  const topics: [what: string, page: string][] = [
    ["under its title", titled("Page not found", `<h1>Page not found</h1>${POSTS}`)],
    ["under a second heading", titled("Page not found", `<h2>Page not found</h2>${POSTS}`)],
    ["without a heading", titled("Page not found", `<div>Page not found</div>${POSTS}`)],
    [
      "of one post",
      titled("404 Not Found", "<h1>404 Not Found</h1><div>anna</div><div>Since when?</div>"),
    ],
    [
      "of posts that only advise",
      titled(
        "Page not found",
        "<h1>Page not found</h1><div>anna</div><div>Please help.</div><div>olaf</div><div>Try another browser.</div>",
      ),
    ],
    ...[
      "The link in the menu is broken.",
      "The page was removed after the update, why?",
      "Sorry to ask, but the harbour's page about ropes says so on all of our machines, with every browser that we have tried.",
      "Die Seite im Menü ist nicht vorhanden.",
      "Le lien du menu est incorrect.",
      "El enlace del menú no existe.",
      "Ссылка в меню не работает.",
      "菜单里的链接打不开。",
    ].map((post): [string, string] => [
      `of one post by a linked name: ${post}`,
      titled(
        "Page not found",
        `<h1>Page not found</h1><div><a href="/u/anna">anna</a></div><div>${post}</div>`,
      ),
    ]),
    [
      "with a form for replies",
      titled(
        "Page not found",
        "<h1>Page not found</h1><p>Which page do you open?</p><form><textarea></textarea></form>",
      ),
    ],
    [
      "in German",
      titled(
        "Seite nicht gefunden",
        "<h1>Seite nicht gefunden</h1><div>anna, 3. Mai</div><div>Das steht seit heute auf meiner Startseite.</div><div>olaf, 4. Mai</div><div>Bei mir auch.</div>",
      ),
    ],
    [
      "which is an exhibit in German",
      titled(
        "Seite nicht gefunden",
        "<h1>Seite nicht gefunden</h1><p>Diese Skulptur wurde nach dem Sturm entfernt.</p>",
      ),
    ],
    [
      "which is an exhibit in French",
      titled("Page introuvable", "<h1>Page introuvable</h1><p>Cette sculpture a été déplacée.</p>"),
    ],
    [
      "which tells in German of a stone",
      titled(
        "Seite nicht gefunden",
        "<h1>Seite nicht gefunden</h1><p>Der Stein wurde, als er die Straße versperrte, verschoben.</p>",
      ),
    ],
    [
      "which tells in French of a village",
      titled(
        "Page introuvable",
        "<h1>Page introuvable</h1><p>Le village, où il vivait, a été déplacé.</p>",
      ),
    ],
    [
      "in Japanese",
      titled(
        "ページが見つかりません",
        "<h1>ページが見つかりません</h1><div>花子</div><div>今朝からこうなります。</div><div>太郎</div><div>私もです。</div>",
      ),
    ],
    [
      "which search engines shall not see",
      titled(
        "Page not found",
        `<h1>Page not found</h1>${POSTS}`,
        '<meta name="robots" content="noindex">',
      ),
    ],
    [
      "about an ad",
      titled("This ad is no longer available", `<h1>This ad is no longer available</h1>${POSTS}`),
    ],
  ];
  const paths = ["/t/17", "/d/17", "/discussion/x-y", "/posts/17", "/things/a", "/anything/a"];
  test("is not dead", () =>
    agree(
      topics.map(([what, page], at) =>
        onSites(what, paths[at % paths.length]!, page, NOT_DEAD, async (says, path) =>
          unlessDead(await verdictOf(says, path)),
        ),
      ),
    ));

  test("is alive on a site that is honest elsewhere, at any address", () => {
    const page = titled("Page not found", `<h1>Page not found</h1>${POSTS}`);
    return agree(
      paths.map((path) => ({
        story: path,
        expected: { verdict: "active ok" },
        seen: async () => ({ verdict: await verdictOf(only(path, page, gone), path) }),
      })),
    );
  });
});

describe("a living page about something missing never dies", () => {
  const H1 = "<h1>Page not found</h1>";
  const API = "Resource not found | Harbour API";
  const exhibit = (main: string) => titled("Page not found", H1 + main);
  const poem = exhibit;
  const described = (main: string, head = "") =>
    site(API, `<h1>Resource not found</h1>${main}`, { head });
  const thread = (main: string) =>
    site("Mooring lines for winter – Harbour", main, { head: NOINDEX });
  const DELETED = "<h2>This post has been deleted</h2>";
  const pages: [what: string, path: string, page: string][] = [
    ["an exhibit", "/exhibits/17", exhibit("<p>Oil on canvas by Olaf Berg.</p>")],
    ["with its artist as second heading", "/exhibits/17", exhibit("<h2>Olaf Berg, 1998</h2>")],
    ["with its artist aside", "/exhibits/17", exhibit("<aside>Oil on canvas, a gift.</aside>")],
    ["with a picture only", "/exhibits/17", exhibit("<img src=/works/17.jpg alt=Driftwood>")],
    ["with a year", "/exhibits/17", exhibit("<a href=/artists/olaf>Olaf Berg</a><p>1998</p>")],
    ["with a few words", "/exhibits/17", exhibit("<dl><dt>Artist<dd>Olaf Berg</dl>")],
    ["that moves", "/exhibits/17", exhibit("<p>Letters that may be moved by visitors.</p>")],
    ["without letters", "/exhibits/17", exhibit("<p>The letters of it have been removed.</p>")],
    ["to look at", "/exhibits/17", exhibit("<p>Look at the letters in the wood.</p>")],
    ["a poem", "/poems/17", poem("<p>The gulls have read it,<br>the sea has said it.</p>")],
    ["that advises", "/poems/17", poem("<p>Try another tide.<br>Return to the reeds.</p>")],
    ["that seeks", "/poems/17", poem("<p>You are looking for a door<br>that may be gone.</p>")],
    ["in a quotation", "/poems/17", poem("<blockquote>The tide has turned.</blockquote>")],
    [
      "documentation of the error",
      "/reference/17",
      described("<p>The berth is unknown. Check the identifier and try again.</p>"),
    ],
    [
      "in words of the error",
      "/reference/17",
      described("<p>The resource you requested could not be found. Check the identifier.</p>"),
    ],
    [
      "that search engines leave out",
      "/reference/17",
      described("<p>The berth is unknown. Check the identifier.</p>", NOINDEX),
    ],
    ["with an example", "/reference/17", described('<pre>{"error":"not_found"}</pre>')],
    ["a thread without its first post", "/t/17", thread(`${DELETED}<p>anna</p><p>Blue ones.</p>`)],
    ["under its title", "/t/17", thread(`<h1>Mooring lines</h1>${DELETED}<p>Blue ones.</p>`)],
    ["of advice", "/t/17", thread(`${DELETED}<p>Try another rope.</p><p>Check the knots.</p>`)],
    ["a product named so", "/shop/17", exhibit("<p>A shirt of cotton, sizes S to XL.</p>")],
    ["a product in stock", "/shop/17", exhibit("<h3>14 coins, sent within a day</h3>")],
    ["a song with its length", "/songs/17", exhibit("<p>3:45</p><p>Words: Anna Holm</p>")],
    ["an event", "/events/17", exhibit("<p>A play in two acts, at the old pier.</p>")],
    ["an event's day", "/events/17", exhibit("<p>2031-05-03</p>")],
  ];

  test("whatever the site shows elsewhere, in more than a week of checks", () =>
    agree(
      pages.map(([what, path, page]) =>
        onSites(what, path, page, NOT_DEAD, async (says, path) =>
          unlessDead(await verdictInTheEnd(says, path)),
        ),
      ),
    ));

  const errors: [what: string, path: string, page: string][] = [
    ["an exhibit", "/exhibits/17", exhibit("<p>The page may have been moved.</p>")],
    ["a drawing", "/exhibits/17", exhibit("<img src=/art/lost-sailor.svg><p>Sorry!</p>")],
    ["advice", "/poems/17", poem("<p>Try the search.<br>Return to the home page.</p>")],
    ["what was sought", "/poems/17", poem("<p>What you are looking for may be gone.</p>")],
    [
      "a title of the same words",
      "/events/17",
      exhibit("<h2>Sorry, we can't find that page</h2><p>It may have been deleted.</p>"),
    ],
  ];

  test("but the same template does without its thing", () =>
    agree(
      errors.map(([story, path, page]) => ({
        story: `${story}, at ${path}`,
        expected: { here: BODY, everywhere: true },
        async seen() {
          const missingEverywhere = only(path, page, () => html(page));
          const everywhere = await verdictOf(missingEverywhere, path);
          return {
            here: await verdictOf(only(path, page, gone), path),
            everywhere: everywhere.startsWith("dead soft404_") || everywhere,
          };
        },
      })),
    ));

  test("and documentation of a site that shows its error page for all addresses does, too", async () => {
    const page = described("<p>It may have been moved.</p>");

    expect(
      await verdictOf(
        only("/reference/17", page, () => html(page)),
        "/reference/17",
      ),
    ).toBe(PROBE);
  });
});

describe("an error page of a site", () => {
  const excuses: [what: string, page: string][] = [
    ["without any other words", missing],
    [
      "with help",
      titled(
        "Page not found",
        "<h1>Page not found</h1><p>It may have been moved or deleted. Please check the address, or return to the home page.</p>",
      ),
    ],
    [
      "with help in German",
      titled(
        "Seite nicht gefunden",
        "<h1>Seite nicht gefunden</h1><p>Die Seite wurde möglicherweise verschoben. Bitte überprüfen Sie die Adresse oder nutzen Sie die Suche.</p>",
      ),
    ],
    [
      "with help in French",
      titled(
        "Page introuvable",
        "<h1>Page introuvable</h1><p>La page que vous cherchez a peut-être été déplacée. Veuillez vérifier l’adresse ou retourner à la page d’accueil.</p>",
      ),
    ],
    [
      "with help in Spanish",
      titled(
        "Página no encontrada",
        "<h1>Página no encontrada</h1><p>Es posible que la página se haya movido. Compruebe la dirección o vuelva a la página de inicio.</p>",
      ),
    ],
    [
      "with an apology and a number",
      titled("404 Not Found", "<div>404</div><h1>Page not found</h1><p>Sorry about that!</p>"),
    ],
    [
      "with other products",
      titled(
        "This product is no longer available",
        "<h1>This product is no longer available</h1><p>See similar products:</p><a href=/a>A rope</a>",
      ),
    ],
  ];

  const at = (paths: string[], seen: (page: string, path: string) => Promise<unknown>) =>
    excuses.flatMap(([what, page]) =>
      paths.map(
        (path): Promised => ({
          story: `${what}, at ${path}`,
          expected: { isDead: true },
          seen: async () => ({ isDead: await seen(page, path) }),
        }),
      ),
    );

  test("is dead where the site is honest elsewhere", () =>
    agree(
      at(["/t/17", "/forum/topic/17", "/docs/17", "/shop/a-rope"], async (page, path) => {
        const found = await verdictOf(only(path, page, gone), path);
        return found === BODY || found;
      }),
    ));

  test("is dead where it comes for all addresses", () =>
    agree(
      at(["/t/17", "/forum/topic/17", "/shop/a-rope"], async (page, path) => {
        const found = await verdictOf(
          only(path, page, () => html(page)),
          path,
        );
        return [BODY, PROBE].includes(found) || found;
      }),
    ));

  test("with the words of its honest one is dead, whatever else it says", async () => {
    const words = "<h1>Page not found</h1><p>The harbour master is on the way to look for it.</p>";
    const page = titled("Page not found", words);

    expect(
      await verdictOf(
        only("/t/17", page, () => html(page, 404)),
        "/t/17",
      ),
    ).toBe(PROBE);
  });

  test("that names the address is dead where it comes for all addresses", async () => {
    const says: Says = (request) => {
      const { pathname } = new URL(request.url);
      const words = `<h1>Page not found</h1><p>The harbour has no berth ${pathname}.</p>`;
      return pathname === "/" ? say(HOME, request) : html(titled("Page not found", words));
    };

    expect(await verdictOf(says, "/t/17")).toBe(PROBE);
  });

  test("that only recommends other things than the one of a random address is dead", async () => {
    let visits = 0;
    const page = () =>
      titled(
        "Page not found",
        `<h1>Page not found</h1><p>Rope ${"abcdefgh"[visits++ % 8]?.repeat(12)} for two coins, as strong as the sea, and a sail of ${"qwertzui"[visits % 8]?.repeat(9)}.</p>`,
      );
    const says: Says = (request) =>
      new URL(request.url).pathname === "/" ? say(HOME, request) : html(page());

    expect(await verdictOf(says, "/t/17")).toStartWith("dead ");
  });
});

describe("a forum's sentence in a line of a short page", () => {
  const SENTENCES = [
    "Эта тема не существует или была удалена",
    "Das gewünschte Thema existiert nicht.",
    "Le sujet demandé n’existe pas.",
    "El tema solicitado no existe.",
    "Żądany temat nie istnieje.",
    "抱歉，指定的主题不存在或已被删除或正在被审核",
  ];
  const information = (sentence: string) =>
    site(`Information – ${NAME}`, `<h2>Information</h2><p>${sentence}</p>`, { words: 40 });

  test("is dead where it comes for all addresses", () =>
    agree(
      SENTENCES.map((sentence) => ({
        story: sentence,
        expected: { verdict: PROBE },
        async seen() {
          const says: Says = (request) =>
            new URL(request.url).pathname === "/"
              ? say(HOME, request)
              : html(information(sentence));
          return { verdict: await verdictOf(says, "/viewtopic.php?f=2&t=17") };
        },
      })),
    ));

  test("quoted in an article is not", () =>
    agree(
      SENTENCES.map((sentence) => ({
        story: sentence,
        expected: { honest: "active ok", soft: "active ok" },
        async seen() {
          const page = titled(
            "Fehler in Foren",
            `<h1>Was die Meldungen eines Forums bedeuten</h1><p>${sentence}</p>${POSTS}`,
          );
          return {
            honest: await verdictOf(only("/hilfe/17", page, gone), "/hilfe/17"),
            soft: await verdictOf(only("/hilfe/17", page, soft), "/hilfe/17"),
          };
        },
      })),
    ));
});

describe("a page in unknown words that its folder shows for all addresses", () => {
  /** So many characters in sentences of 50. */
  const text = (chars: number) =>
    Array.from({ length: Math.ceil(chars / 50) }, (_, at) =>
      "Tha an duilleag seo gu math falamh an-diugh, a ri".slice(0, chars - at * 50),
    )
      .map((sentence) => `<p>${sentence}.</p>`)
      .join("");
  const plain = (chars: number) => `<title>Duilleag</title><h1>Duilleag</h1>${text(chars)}`;
  const framed = (chars: number) => `<title>Duilleag</title><div id="root">${text(chars)}</div>`;
  const inFolder =
    (page: string): Says =>
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/folder/")) return html(page);
      return pathname === "/" ? say(HOME, request) : gone();
    };

  const pages: [what: string, page: string, verdict: string][] = [
    ["of 300 characters", plain(300), "unknown soft404_suspected"],
    ["of 400 characters", plain(400), "unknown soft404_suspected"],
    ["of 450 characters", plain(450), "active ok"],
    ["of 900 characters", plain(900), "active ok"],
    ["of 300 characters in the frame of an app", framed(300), "unknown soft404_suspected"],
    ["of 900 characters in the frame of an app", framed(900), "active ok_unverified_app"],
    ["without a sentence in the frame of an app", framed(10), "active ok_unverified_app"],
  ];
  test("is suspected if it is short, and alive if it is not", () =>
    agree(
      pages.map(([story, page, verdict]) => ({
        story,
        expected: { verdict },
        seen: async () => ({ verdict: await verdictOf(inFolder(page), "/folder/a") }),
      })),
    ));

  test("is not suspected where the home page is the same", async () => {
    const says: Says = () => html(framed(300));

    expect(await verdictOf(says, "/folder/a")).toBe("active ok_unverified_app");
  });
});
