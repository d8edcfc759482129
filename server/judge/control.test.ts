import { describe, expect, test } from "bun:test";
import { HOME, site as page } from "../../tests/checker/barrier-sites.ts";
import { labChecker, untilTheEnd } from "../../tests/checker/prober.ts";
import { paragraph } from "../../tests/checker/signals/missing-pages.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Routes, type Says, type Site, startSite } from "../../tests/site.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { type Checker, checkUrl, type KnownLink } from "./confirm.ts";

const siteWith = (routes: Routes, otherwise: Says): Site =>
  untilTheEnd(startSite({ "/robots.txt": 404, ...routes }, { otherwise }));

const lab = (options?: Partial<Checker>) => {
  const { checker, clock } = labChecker(options);
  const check = (url: string, known: Partial<KnownLink> = {}) =>
    checkUrl(checker, { ...NEVER_CHECKED, ...known, url });
  return { clock, check };
};

const paths = ({ requests }: Site) => requests.map(({ url }) => new URL(url).pathname);
const HOUR = 3_600_000;
const OPEN = { status: "unknown", reason: "soft404_suspected" };

/** A home page with links to these addresses. */
const homeWith = (...links: string[]) =>
  page(
    "Harbour – ropes, sails and charts",
    `<h1>Ropes</h1>${links.map((link) => `<a href="${link}">A page</a>`).join(" ")}${paragraph(1, 200)}`,
    { links: 0 },
  );
const shown =
  (html: string): Says =>
  () =>
    new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
const pdf: Says = () =>
  new Response("%PDF-1.7", { headers: { "Content-Type": "application/pdf" } });
const toHome: Says = () => new Response(null, { status: 302, headers: { Location: "/" } });
/** A page in place of all that is missing, in words that no rule knows. */
const CATALOGUE = page("All goods – Harbour", `<h1>All goods</h1>${paragraph(44, 200)}`);
const ABOUT = page("About – Harbour", `<h1>About us</h1>${paragraph(9, 200)}`);

describe("before a page is taken for that of a missing file, a page that must exist is asked for:", () => {
  test("another answer there makes the comparison count, and the evidence shows it", async () => {
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, CATALOGUE);

    const { evidence, ...seen } = await lab().check(`${site.url}/files/report.pdf`);

    expect(seen).toMatchObject({ status: "dead", reason: "soft404_probe" });
    expect(evidence.probes).toContainEqual({
      asked: "control",
      url: `${site.url}/about`,
      status: 200,
      reason: null,
      final_url: null,
    });
    expect(evidence.signals).toContainEqual({
      rule: "control_differs",
      text: `A page that the site itself offers shows something else: “${site.url}/about”.`,
    });
  });

  test("the same page there stands before the whole site", async () => {
    const site = siteWith({ "/": homeWith("/about") }, CATALOGUE);

    const { evidence, ...seen } = await lab().check(`${site.url}/files/report.pdf`);

    expect(seen).toMatchObject(OPEN);
    expect(evidence.signals.map(({ rule }) => rule)).toContain("control_same");
  });

  eachRow([
    [
      "a file of the same kind",
      ["/about", "/news/1", "/old/price-list.pdf"],
      "/old/price-list.pdf",
    ],
    ["another file", ["/about", "/files/", "/old/ropes.zip"], "/old/ropes.zip"],
    ["one of the same folder", ["/about", "/files/overview", "/news"], "/files/overview"],
    ["one without a query", ["/about?from=menu", "/news"], "/news"],
    [
      "one behind entities and another host's name",
      ["http://other.test/a", "/a?b=1&amp;c=2"],
      "/a",
    ],
  ])("of the links of the home page, the one most like it is the best", async (_, links, best) => {
    const site = siteWith({ "/": homeWith(...links) }, CATALOGUE);

    await lab().check(`${site.url}/files/report.pdf`);

    expect(paths(site).at(-1)).toBe(best);
  });

  test("what signs in, buys, regulates, or is not vouched for is none", async () => {
    const links = [
      "/login",
      "/en/cart",
      "/privacy",
      "/impressum",
      "/user/register",
      "#top",
      "/de/",
    ];
    const unsure = '<a href="/trap" rel="nofollow">x</a>';
    const site = siteWith({ "/": homeWith(...links) + unsure }, CATALOGUE);

    expect(await lab().check(`${site.url}/files/report.pdf`)).toMatchObject(OPEN);

    const asked = paths(site);
    for (const path of [...links, "/trap"]) expect(asked).not.toContain(path);
  });

  test("neither the link itself is one, nor what robots.txt forbids", async () => {
    const rules = () => new Response("User-agent: *\nDisallow: /closed/\n");
    const home = homeWith("/files/report.pdf", "/closed/list.pdf", "/about");
    const site = siteWith({ "/": home, "/robots.txt": rules, "/about": ABOUT }, CATALOGUE);

    const { status, evidence } = await lab().check(`${site.url}/files/report.pdf`);

    expect(status).toBe("dead");
    expect(evidence.probes).toContainEqual(
      expect.objectContaining({ asked: "control", url: `${site.url}/about` }),
    );
    expect(paths(site)).not.toContain("/closed/list.pdf");
  });

  test("an error there, or a page that asks for something first, shows nothing", async () => {
    const gate = page("Harbour", "<h1>Are you over 18?</h1>", { words: 200 });
    for (const says of [404, 500, 403, shown(gate)]) {
      const site = siteWith({ "/": homeWith("/about"), "/about": says }, CATALOGUE);

      const { evidence, ...seen } = await lab().check(`${site.url}/files/report.pdf`);

      expect(seen).toMatchObject(OPEN);
      expect(evidence.signals.map(({ rule }) => rule)).toContain("no_control");
    }
  });

  test("one statement in the layout of each part of the site is the same", async () => {
    const statement = (words: number, links: number) =>
      page("Harbour informs", `<h1>To all our readers</h1>${paragraph(3, 60)}`, { words, links });
    const site = siteWith(
      { "/": homeWith("/about"), "/about": statement(300, 30) },
      statement(100, 9),
    );

    expect(await lab().check(`${site.url}/files/report.pdf`)).toMatchObject(OPEN);
  });
});

describe("where the home page offers nothing, the sitemap may:", () => {
  const map =
    (tag: string, ...locations: string[]): Says =>
    () =>
      new Response(
        `<?xml version="1.0"?><${tag}>${locations.map((at) => `<x><loc> ${at} </loc></x>`).join("")}</${tag}>`,
        { headers: { "Content-Type": "application/xml" } },
      );
  const listed = (...sitemaps: [path: string, says: (origin: string) => Says][]) => {
    let origin = "";
    const routes = sitemaps.map(([path, says]) => [
      path,
      (request: Request) => (says(origin) as (r: Request) => Response)(request),
    ]);
    const site = siteWith(
      { "/": homeWith(), "/about": ABOUT, ...Object.fromEntries(routes) },
      CATALOGUE,
    );
    origin = site.url;
    return site;
  };

  test("directly", async () => {
    const site = listed(["/sitemap.xml", (at) => map("urlset", `${at}/`, `${at}/about`)]);

    const { status, evidence } = await lab().check(`${site.url}/files/report.pdf`);

    expect(status).toBe("dead");
    expect(evidence.probes.map(({ asked }) => asked).slice(-2)).toEqual(["sitemap", "control"]);
  });

  test("through an index", async () => {
    const site = listed(
      ["/sitemap.xml", (at) => map("sitemapindex", "http://other.test/a.xml", `${at}/map-1.xml`)],
      ["/map-1.xml", (at) => map("urlset", `${at}/about`)],
    );

    expect(await lab().check(`${site.url}/files/report.pdf`)).toMatchObject({ status: "dead" });
    const asked = paths(site);
    expect(asked.slice(asked.indexOf("/sitemap.xml")).slice(0, 3)).toEqual([
      "/sitemap.xml",
      "/map-1.xml",
      "/about",
    ]);
  });

  test("and if it does not, nothing is dead at once", async () => {
    for (const says of [404, map("sitemapindex", "/sitemap.xml"), map("urlset"), CATALOGUE]) {
      const site = siteWith({ "/": homeWith(), "/sitemap.xml": says }, CATALOGUE);

      const { evidence, ...seen } = await lab().check(`${site.url}/files/report.pdf`);

      expect(seen).toMatchObject(OPEN);
      expect(evidence.signals.map(({ rule }) => rule)).toContain("no_control");
    }
  });
});

describe("a host is asked once an hour for a page that must exist:", () => {
  const asked = (site: Site) => paths(site).filter((path) => path === "/about").length;

  test("its answer counts for all links with the same page", async () => {
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, CATALOGUE);
    const { check, clock } = lab();

    const seen = [await check(`${site.url}/a/1.pdf`), await check(`${site.url}/b/2.pdf`)];
    expect(seen).toMatchObject([{ status: "dead" }, { status: "dead" }]);
    expect(asked(site)).toBe(1);
    clock.moveBy(HOUR);
    await check(`${site.url}/c/3.pdf`);

    expect(asked(site)).toBe(2);
  });

  test("and for those that are checked at the same time", async () => {
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, CATALOGUE);
    const { check } = lab();

    const urls = ["a", "b", "c"].map((name) => `${site.url}/${name}/1.pdf`);
    const seen = await Promise.all(
      urls.map((url) => check(url, { isRequested: url.endsWith("b/1.pdf") })),
    );

    expect(seen.map(({ status }) => status)).toEqual(["dead", "dead", "dead"]);
    expect(asked(site)).toBe(1);
  });

  test("but not for a page that may have come since", async () => {
    let otherwise = CATALOGUE;
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, (request) =>
      (shown(otherwise) as (request: Request) => Response)(request),
    );
    const { check } = lab();
    await check(`${site.url}/a/1.pdf`);

    otherwise = page("Harbour", `<h1>On strike</h1>${paragraph(5, 300)}`);
    const seen = await check(`${site.url}/b/2.pdf`);

    expect(seen).toMatchObject(OPEN);
    expect(asked(site)).toBe(1);
  });

  test("and not at all where no death rests on a comparison alone", async () => {
    const words = page("Page not found", "<h1>Page not found</h1>", { words: 300 });
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, words);

    const { status, evidence } = await lab().check(`${site.url}/files/report`);

    expect(status).toBe("dead");
    expect(evidence.probes.map(({ asked }) => asked)).not.toContain("control");
  });
});

describe("before a redirect to the home page is taken for that of a missing page:", () => {
  const home = homeWith("/about", "/articles/rope");

  test("a page of the same folder must be there", async () => {
    const site = siteWith({ "/": home, "/articles/rope": ABOUT }, toHome);

    const { evidence, ...seen } = await lab().check(`${site.url}/articles/some-story`);

    expect(seen).toMatchObject({ status: "dead", reason: "soft404_redirect_home" });
    expect(evidence.probes.at(-1)).toMatchObject({
      asked: "control",
      url: `${site.url}/articles/rope`,
    });
  });

  test("all pages may lead home for this reader", async () => {
    const site = siteWith({ "/": home }, toHome);

    expect(await lab().check(`${site.url}/articles/some-story`)).toMatchObject(OPEN);
  });

  test("a page that asks for consent first may stand there for all", async () => {
    const consent = page("Harbour", `<h1>We value your privacy</h1><a href="/about">x</a>`, {
      words: 300,
    });
    const site = siteWith({ "/": consent }, toHome);

    expect(await lab().check(`${site.url}/articles/some-story`)).toMatchObject({
      reason: "consent_wall",
    });
  });
});

describe("something that stands before all but the home page says nothing about a file:", () => {
  const rows: [what: string, page: string, path: string, home?: string][] = [
    [
      "a statement after an attack on the house",
      page(
        "Statement – Harbour Library",
        `<h1>Cyber attack on the library</h1>${paragraph(3, 200)}`,
      ),
      "/records/1.pdf",
    ],
    [
      "a daily download limit",
      page("Limit – Harbour", `<h1>Daily limit reached</h1>${paragraph(6, 80)}`),
      "/get/tool.zip",
      homeWith("/a", "/get/other.zip"),
    ],
    [
      "a page that is being updated, in French",
      page("Le Port", `<h1>Mise à jour en cours</h1>${paragraph(3, 100)}`, { lang: "fr" }),
      "/images/phare.jpg",
    ],
    [
      "a strike",
      page("Harbour Gazette", `<h1>Our staff is on strike</h1>${paragraph(4, 200)}`),
      "/issues/12.pdf",
    ],
    [
      "a browser that is too old",
      page("Harbour Bank", `<h1>Time for a new browser</h1>${paragraph(4, 100)}`),
      "/forms/order.pdf",
    ],
    [
      "a hotlink notice in Polish",
      page("Port", `<h1>Obrazek tylko na naszej stronie</h1>${paragraph(4, 100)}`, { lang: "pl" }),
      "/img/latarnia.png",
    ],
    [
      "a mourning",
      page("Hafen", `<h1>Wir trauern</h1>${paragraph(4, 100)}`, { lang: "de" }),
      "/satzung.docx",
    ],
    [
      "an archive that moves house",
      page("Archivo", `<h1>Estamos de mudanza</h1>${paragraph(4, 150)}`, { lang: "es" }),
      "/mapas/puerto.tif",
    ],
    [
      "a full disk of the house",
      page("Haven", `<h1>Even geduld</h1>${paragraph(4, 150)}`, { lang: "nl" }),
      "/audio/lezing.mp3",
    ],
  ];

  eachRow(rows)(
    "where nothing else shows that pages are there",
    async (_, says, path, home = HOME) => {
      const site = siteWith({ "/": home }, says);

      const { status } = await lab().check(site.url + path, { lastDecided: "active" });

      expect(status).toBe("unknown");
    },
  );

  eachRow(rows)("where other pages are there and files are not", async (_, says, path) => {
    const home = homeWith("/about", `/archive/other${/\.\w+$/.exec(path)![0]}`);
    const site = siteWith({ "/": home, "/about": ABOUT }, says);

    const { status } = await lab().check(site.url + path, { lastDecided: "active" });

    expect(status).toBe("unknown");
  });

  eachRow(rows)(
    "and is what is shown for a missing file, if others come",
    async (_, says, path) => {
      const other = `/archive/other${/\.\w+$/.exec(path)![0]}`;
      const site = siteWith({ "/": homeWith("/about", other), [other]: pdf }, says);

      const { status, reason } = await lab().check(site.url + path, { lastDecided: "active" });

      expect(`${status} ${reason}`).toBe("dead soft404_probe");
    },
  );
});

describe("before a short text is taken for that of what is missing:", () => {
  const text =
    (body: string, type: string): (() => Response) =>
    () =>
      new Response(body, { headers: { "Content-Type": type } });
  const key = `<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>`;
  const texts: [what: string, says: Says][] = [
    ["an API's message", text('{"error":"not_found"}', "application/json")],
    ["an object store's code", text(key, "application/xml")],
    ["PHP's sentence", text("No input file specified.", "text/plain")],
    ["a sentence", text("Page not found", "text/plain")],
    [
      "a message with its address",
      (request) =>
        Response.json({
          error: "not_found",
          message: `No route ${new URL(request.url).pathname}`,
        }),
    ],
  ];

  eachRow(texts)("it may stand before the pages that the site offers", async (_, says) => {
    const site = siteWith({ "/": homeWith("/about", "/files/other.csv") }, says);

    const { evidence, ...seen } = await lab().check(`${site.url}/files/report.csv`, {
      lastDecided: "active",
    });

    expect(seen).toMatchObject(OPEN);
    expect(evidence.signals.map(({ rule }) => rule)).toContain("control_same");
  });

  eachRow(texts)("it lasts until it counts where the site offers no page", async (_, says) => {
    const site = siteWith({ "/": homeWith() }, says);

    const { evidence, ...seen } = await lab().check(`${site.url}/files/report.csv`);

    expect(seen).toMatchObject(OPEN);
    expect(evidence.signals.map(({ rule }) => rule)).toContain("no_control");
  });

  eachRow(texts)("it is death where the offered page is another", async (_, says) => {
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, says);

    expect(await lab().check(`${site.url}/files/report.csv`)).toMatchObject({
      status: "dead",
      reason: "soft404_probe",
    });
  });

  eachRow(texts)("it is death where the offered file has data", async (_, says) => {
    const there = text("a;b\n1;2\n", "text/csv");
    const offered = "/files/other.csv";
    const site = siteWith({ "/": homeWith(offered), [offered]: there }, says);

    expect(await lab().check(`${site.url}/files/report.csv`)).toMatchObject({
      status: "dead",
      reason: "soft404_probe",
    });
  });

  test("another text within the hour is judged later", async () => {
    const says: Says = (request) =>
      new URL(request.url).pathname.endsWith(".xml")
        ? text(key, "application/xml")()
        : text('{"error":"not_found"}', "application/json")();
    const site = siteWith({ "/": homeWith("/about"), "/about": ABOUT }, says);
    const { check } = lab();

    expect(await check(`${site.url}/api/17`)).toMatchObject({ status: "dead" });
    expect(await check(`${site.url}/feeds/17.xml`)).toMatchObject(OPEN);
    expect(await check(`${site.url}/api/18`)).toMatchObject({ status: "dead" });
  });
});

describe("a page in place of a script or a style:", () => {
  const offered = { "/": homeWith("/about"), "/about": ABOUT };

  eachRow(["/a/app.mjs", "/a/style.css", "/a/x.wasm", "/x.js", "/a/lib.cjs", "/a/x.js.map"])(
    "it is missing where one page comes for all but the pages that are there",
    async (path) => {
      const site = siteWith(offered, CATALOGUE);

      expect(await lab().check(site.url + path)).toMatchObject({
        status: "dead",
        reason: "soft404_probe",
      });
    },
  );

  eachRow(["/docs/node.js", "/necolas/normalize.css", "/x.wasm"])(
    "it is there where others are not",
    async (path) => {
      const site = siteWith({ ...offered, [path]: CATALOGUE }, 404);

      expect(await lab().check(site.url + path)).toMatchObject({ status: "active" });
    },
  );

  test("a name of a thing in an app cannot be looked into", async () => {
    const app = `<title>Board</title><script src="/main.js"></script><div id="root"></div>`;
    const site = siteWith({}, app);

    expect(await lab().check(`${site.url}/nodejs/node.js`)).toMatchObject({
      reason: "ok_unverified_app",
    });
    expect(await lab().check(`${site.url}/a/x.wasm`)).toMatchObject(OPEN);
  });
});
