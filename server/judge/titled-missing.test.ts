import { describe, expect, test } from "bun:test";
import { HOME, say, site } from "../../tests/checker/barrier-sites.ts";
import { outcomesOf } from "../../tests/checker/ended.ts";
import { AMPLE_MS, labChecker } from "../../tests/checker/prober.ts";
import { agree, type Promised, yamlIn } from "../../tests/each-row.ts";
import { plainOutbound } from "../../tests/outbound/lab.ts";
import { type Says, startSite } from "../../tests/site.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { checkUrl } from "./confirm.ts";
import type { Conclusion } from "./probe/conclusion.ts";

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

type Page = {
  what: string;
  path: string;
  title?: string;
  full_title?: string;
  main: string;
  noindex?: true;
};
const TABLES = yamlIn<{
  topics: Omit<Page, "path">[];
  living: Page[];
  errors: Page[];
  excuses: Omit<Page, "path">[];
}>(import.meta.dir, "titled-missing.yaml");

function pageOf({ title, full_title, main, noindex }: Omit<Page, "path">): string {
  const name = full_title ?? `${title} – ${NAME}`;
  return site(name, main.replace("{posts}", POSTS), { head: noindex ? NOINDEX : "" });
}

describe("a short topic with the words of an error page as its title", () => {
  const paths = ["/t/17", "/d/17", "/discussion/x-y", "/posts/17", "/things/a", "/anything/a"];
  test("is not dead", () =>
    agree(
      TABLES.topics.map((row, at) =>
        onSites(row.what, paths[at % paths.length]!, pageOf(row), NOT_DEAD, async (says, path) =>
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
  test("whatever the site shows elsewhere, in more than a week of checks", () =>
    agree(
      TABLES.living.map((row) =>
        onSites(row.what, row.path, pageOf(row), NOT_DEAD, async (says, path) =>
          unlessDead(await verdictInTheEnd(says, path)),
        ),
      ),
    ));

  test("but the same template does without its thing", () =>
    agree(
      TABLES.errors.map((row) => ({
        story: `${row.what}, at ${row.path}`,
        expected: { here: BODY, everywhere: true },
        async seen() {
          const [path, page] = [row.path, pageOf(row)];
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
    const main = "<h1>Resource not found</h1><p>It may have been moved.</p>";
    const page = site("Resource not found | Harbour API", main);

    expect(
      await verdictOf(
        only("/reference/17", page, () => html(page)),
        "/reference/17",
      ),
    ).toBe(PROBE);
  });
});

describe("an error page of a site", () => {
  const at = (paths: string[], seen: (page: string, path: string) => Promise<unknown>) =>
    TABLES.excuses.flatMap((row) =>
      paths.map(
        (path): Promised => ({
          story: `${row.what}, at ${path}`,
          expected: { isDead: true },
          seen: async () => ({ isDead: await seen(pageOf(row), path) }),
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
