import { afterAll, describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../../server/verdict/attempt.ts";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import { type Says, startSite } from "../../site.ts";
import { bare, belowSections, HOME, say, site } from "../barrier-sites.ts";
import { labChecker } from "../prober.ts";
import { article, excuse, paragraph } from "./missing-pages.ts";

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const THERE = article("Mills and water");

/** A site with a home page, sections and one article, which says the same at all other addresses. */
function startGone(says: Says): string {
  const others = belowSections(says);
  const { url, stop } = startSite(
    { "/": HOME, "/there": THERE, "/robots.txt": 404 },
    { otherwise: (request) => say(others, request) },
  );
  stops.push(stop);
  return url;
}

async function verdictAt(url: string): Promise<string> {
  const link = { ...NEVER_CHECKED, lastDecided: "active", url } as const;
  const { status, reason } = await checkUrl(labChecker().checker, link);
  return `${status} ${reason}`;
}

type Row = [what: string, says: Says, path?: string];
const testGone = (rows: Row[]) =>
  test.each(rows.map(([what, ...row]) => [what, row] as const))("%s", async (_, row) => {
    const [says, path = "/ad/17"] = row;
    const url = startGone(says);
    expect(await verdictAt(url + path)).toMatch(/^dead soft404_/);
    expect(await verdictAt(`${url}/there`)).toBe("active ok");
  });

const h1 = (words: string) => `<h1>${words}</h1>`;
const p = (words: string) => `<p>${words}</p>`;
/** Says it in title and heading. */
const both = (words: string, title = words) => site(title, h1(words));
const typed =
  (body: string, type: string): Says =>
  () =>
    new Response(body, { headers: { "Content-Type": type } });
/** Leads each address to `at`, where an error page is. */
const leads =
  (at: string, rest = ""): Says =>
  (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === at) return say(both("Page not found"), request);
    const Location = at + rest.replace("%", pathname);
    return new Response(null, { status: 302, headers: { Location } });
  };
/** Nothing about an error but in the state that the framework writes. */
const rendered = (state: string) =>
  site("Harbour", `${h1("Hm")}${p("Try the menu, or begin again at the front.")}${state}`);

describe("what ended says so, and is dead:", () => {
  testGone([
    ["a German ad", excuse("Diese Anzeige ist nicht mehr verfügbar")],
    ["a Spanish ad", excuse("Este anuncio ha caducado")],
    ["a Polish ad", excuse("To ogłoszenie jest już nieaktualne")],
    ["a French ad that is switched off", both("Cette annonce est désactivée")],
    [
      "a French ad, in its heading",
      site("Le Port", h1("Cette annonce a été désactivée"), { lang: "fr" }),
    ],
    ["a German car", both("Dieses Fahrzeug ist leider nicht mehr verfügbar")],
    [
      "an Italian ad without a verb",
      both("L'annuncio non è più disponibile", "Annuncio non più disponibile"),
    ],
    ["a Russian ad", both("Объявление снято с публикации")],
    ["a Japanese house", both("この物件は掲載を終了しました")],
    ["Chinese goods", both("很抱歉，您查看的商品找不到了！")],
    ["a job that is not open", both("The job you are looking for is no longer open.")],
    ["a job, any more", both("This job is not available anymore")],
    ["an item of a repository", both("This item has been withdrawn and is no longer available")],
    ["a paste", both("This paste has been deleted or has expired", "Paste not found")],
    ["a transfer of files", both("This transfer has expired", "Transfer expired")],
    ["a survey", site("Harbour", h1("This survey does not exist"))],
    ["an album", site("Harbour", h1("This album was deleted by its owner"))],
    ["an issue", both("Issue Does Not Exist", "Issue Does Not Exist - Harbour")],
  ]);
});

describe("an error page of common software is dead:", () => {
  testGone([
    [
      "a shop's, with a number in its title",
      site("404 Not Found 1", h1("Whoops, our bad...") + p("We have a fine guess why.")),
    ],
    [
      "that of a framework, without layout",
      bare(
        "The page you were looking for doesn't exist (404)",
        h1("The page you were looking for doesn't exist.") + p("The page may have moved."),
      ),
    ],
    [
      "that of a generator, among three hundred links",
      site("Page Not Found | Harbour", h1("Page Not Found") + p("Tell the owner of that link."), {
        links: 300,
      }),
    ],
    [
      "a wiki's topic, by its parameter",
      (request) => {
        const topic = new URL(request.url).searchParams.get("id");
        return say(site(`${topic} [Wiki]`, h1("This topic does not exist yet")), request);
      },
      "/doku.php?id=ropes:old",
    ],
    [
      "a file-not-found message without markup",
      typed("File not found.\n", "text/plain"),
      "/raw/17",
    ],
    ["one whose address names the link", leads("/pagenotfound.aspx", "?aspxerrorpath=%")],
    ["one in a folder for errors", leads("/errors/404.html")],
    [
      "the home page, by a header that refreshes",
      () => new Response("", { headers: { "Content-Type": "text/html", Refresh: "0; url=/" } }),
    ],
  ]);
});

const SCRIPT = '<script type="application/json"';
describe("a route is dead that is missing by its state alone:", () => {
  testGone([
    [
      "the error route of Next",
      rendered(
        `${SCRIPT} id="__NEXT_DATA__">{"props":{"pageProps":{"statusCode":404}},"page":"/_error"}</script>`,
      ),
    ],
    ["a boundary of Next", `${excuse("Hm")}<template data-dgst="NEXT_NOT_FOUND">`],
    [
      "an error of Remix",
      rendered(
        '<script>window.__remixContext = {"state":{"loaderData":{},"errors":{"routes/$":{"status":404,"data":null}}}};</script>',
      ),
    ],
    [
      "an error of Nuxt",
      rendered(
        `${SCRIPT} id="__NUXT_DATA__">[["ShallowReactive",1],{"data":2,"error":3},{},["NuxtError",4],{"statusCode":5},404]</script>`,
      ),
    ],
  ]);
});

describe("an error page by any other type is dead:", () => {
  testGone([
    ["as a PDF", typed(excuse("Page not found"), "application/pdf"), "/a.pdf"],
    ["as a drawing", typed(excuse("Page not found"), "image/svg+xml"), "/badge.svg"],
    ["as an archive", typed(excuse("File not found"), "application/octet-stream"), "/a.zip"],
    [
      "as details of a problem",
      typed('{"title":"Not Found","status":404,"detail":"No rope"}', "application/problem+json"),
      "/api/ropes/17",
    ],
    ["as a table of data", typed('{"error":"not found"}', "text/csv"), "/export/17.csv"],
    [
      "as a picture, in words for another",
      site("Harbour", h1("Image not found") + paragraph(4, 20)),
      "/img/17.jpg",
    ],
  ]);
});
