import { describe, expect, test } from "bun:test";
import { labChecker, untilTheEnd } from "../../tests/checker/prober.ts";
import { eachRow } from "../../tests/each-row.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { type Routes, type Says, type Site, startSite } from "../../tests/site.ts";
import { waitFor } from "../../tests/waits.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { type Checker, checkUrl, type KnownLink } from "./confirm.ts";

const siteWith = (routes: Routes, otherwise?: Says): Site =>
  untilTheEnd(startSite(routes, otherwise === undefined ? {} : { otherwise }));

const DAY = 24 * 3_600_000;
const NAME = "qzkxvbnmwrtplkjh";
const story = `<title>A story</title><h1>A story</h1><article>${"Some words of it. ".repeat(200)}</article>`;
const missing = `<title>Page not found</title><h1>Page not found</h1><p>There is nothing here.</p>`;

const lab = (options?: Partial<Checker>, known: Omit<KnownLink, "url"> = NEVER_CHECKED) => {
  const { checker, clock } = labChecker(options);
  return { clock, check: (url: string) => checkUrl(checker, { ...known, url }) };
};

/** The paths that were asked for, in order. */
const paths = ({ requests }: Site) => requests.map(({ url }) => new URL(url).pathname);

describe("a host that is new to us", () => {
  test("is asked once for an address that cannot exist, after its robots.txt", async () => {
    const site = siteWith({ "/blog/a": story, "/blog/b": story });
    const { check } = lab();

    const first = await check(`${site.url}/blog/a`);
    const second = await check(`${site.url}/blog/b`);

    expect(first).toMatchObject({
      status: "active",
      evidence: {
        probes: [{ asked: "sibling", url: `${site.url}/blog/${NAME}`, status: 404, reason: null }],
      },
    });
    expect(second).toMatchObject({ status: "active", evidence: { probes: [] } });
    expect(paths(site)).toEqual(["/blog/a", "/robots.txt", `/blog/${NAME}`, "/blog/b"]);
  });

  test("is asked again after a week, and not before", async () => {
    const site = siteWith({ "/a": story });
    const { check, clock } = lab();
    const asked = () => paths(site).filter((path) => path === `/${NAME}`).length;

    await check(`${site.url}/a`);
    clock.moveBy(6.9 * DAY);
    await check(`${site.url}/a`);
    expect(asked()).toBe(1);
    clock.moveBy(0.2 * DAY);
    await check(`${site.url}/a`);

    expect(asked()).toBe(2);
  });

  test("is not asked for anything that was made up when its robots.txt says so", async () => {
    const rules = () => new Response("User-agent: *\nDisallow: /\n");
    const site = siteWith({ "/a": story, "/robots.txt": rules });
    const { check } = lab();

    const allowed = [await check(`${site.url}/a`), await check(`${site.url}/a`)];

    expect(allowed).toMatchObject([{ status: "active" }, { status: "active" }]);
    expect(paths(site)).toEqual(["/a", "/robots.txt", "/a"]);
  });

  test("is asked when its rules are for others, or for other places", async () => {
    const rules = () =>
      new Response("User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n");
    const site = siteWith({ "/a": story, "/robots.txt": rules });

    await lab().check(`${site.url}/a`);

    expect(paths(site)).toContain(`/${NAME}`);
  });

  test("whose robots.txt cannot be had for now is asked another time", async () => {
    const site = siteWith({ "/a": story, "/robots.txt": [500, 404] });
    const { check } = lab();

    await check(`${site.url}/a`);
    expect(paths(site)).toEqual(["/a", "/robots.txt"]);
    await check(`${site.url}/a`);

    expect(paths(site).slice(2)).toEqual(["/a", "/robots.txt", `/${NAME}`]);
  });

  test("is asked once by all who meet it at the same time, and tells them all", async () => {
    const site = siteWith({ "/blog/a": story, "/blog/b": story, "/blog/c": story });
    const { check } = lab();

    const all = await Promise.all(["a", "b", "c"].map((name) => check(`${site.url}/blog/${name}`)));

    expect(all.map(({ status }) => status)).toEqual(["active", "active", "active"]);
    expect(all.flatMap(({ evidence }) => evidence.probes)).toHaveLength(1);
    expect(paths(site).toSorted().slice(3)).toEqual([`/blog/${NAME}`, "/robots.txt"]);
  });

  test("is asked at the same time in a manual check", async () => {
    const { checker } = labChecker({ checkTimeoutMs: 30_000 });
    const answer = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    const waiting = () => {
      asked.resolve();
      return answer.promise;
    };
    const robots: Says[] = [waiting, 404];
    const site = siteWith({ "/a": story, "/b": story, "/robots.txt": robots });
    const check = (path: string, isRequested: boolean) =>
      checkUrl(checker, { ...NEVER_CHECKED, url: `${site.url}${path}`, isRequested });
    const slow = check("/a", false);
    await waitFor(asked.promise, () => `its robots.txt; seen: ${paths(site)}`);

    expect(await check("/b", true)).toMatchObject({ status: "active" });

    answer.resolve(new Response(""));
    await slow;
  });

  test("is asked for its robots.txt no longer than the check has time", async () => {
    const lab = labChecker();
    const { clock } = lab;
    const slowly: Says = ({ url }) => {
      clock.moveBy(25_000);
      return Response.redirect(`${new URL(url).origin}/robots.txt?${Math.random()}`);
    };
    const site = siteWith({ "/a": story, "/robots.txt": slowly });
    const startedAt = clock.elapsed();

    await checkUrl(
      { ...lab.checker, checkTimeoutMs: 30_000 },
      { ...NEVER_CHECKED, url: `${site.url}/a` },
    );

    expect(paths(site)).toEqual(["/a", "/robots.txt", "/robots.txt"]);
    expect(clock.elapsed() - startedAt).toBeLessThanOrEqual(60_000);
  });

  test("is not asked for an address that was made up when its robots.txt took all the time", async () => {
    const lab = labChecker();
    const { clock } = lab;
    const slowly: Says = () => {
      clock.moveBy(31_000);
      return new Response("");
    };
    const site = siteWith({ "/a": story, "/robots.txt": slowly });

    await checkUrl(
      { ...lab.checker, checkTimeoutMs: 30_000 },
      { ...NEVER_CHECKED, url: `${site.url}/a` },
    );

    expect(paths(site)).toEqual(["/a", "/robots.txt"]);
  });

  test("is not asked about its home page", async () => {
    const site = siteWith({ "/": story });

    await lab().check(`${site.url}/`);

    expect(paths(site)).toEqual(["/"]);
  });
});

describe("a host that was honest and shows one page everywhere now", () => {
  const words = "Some words of it. ".repeat(200);
  const gates: [what: string, page: string, reason: string][] = [
    ["a consent page", `<title>News</title><h1>We value your privacy</h1>${words}`, "consent_wall"],
    ["a sign-in", `<title>Portal</title><h1>Please sign in</h1>${words}`, "login_required"],
    ["a page that no rule knows", `<title>News</title><h1>Hei</h1>${words}`, "soft404_suspected"],
    ["an excuse", `<title>Page not found</title><h1>Hei</h1>${words}`, "soft404_suspected"],
  ];
  const later = [
    { when: "in the same week", days: 1, isRestarted: false },
    { when: "when what was learned has ended", days: 8, isRestarted: false },
    { when: "weeks later", days: 30, isRestarted: false },
    { when: "after a restart", days: 0, isRestarted: true },
  ];
  const rows = gates.flatMap(([what, page, reason]) =>
    later.map(({ when, ...rest }) => [what, when, { page, reason, ...rest }] as const),
  );

  eachRow(rows)("is not called dead", async (_, __, row) => {
    const { page, reason, days, isRestarted } = row;
    let shut = false;
    const site = siteWith({ "/robots.txt": 404 }, ({ url }) =>
      shut || url.endsWith("/a")
        ? new Response(shut ? page : story, { headers: { "Content-Type": "text/html" } })
        : new Response("Gone.", { status: 404 }),
    );
    const wasActive = { ...NEVER_CHECKED, lastDecided: "active" } as const;
    const before = lab({}, wasActive);
    expect(await before.check(`${site.url}/x/a`)).toMatchObject({ status: "active" });

    shut = true;
    before.clock.moveBy(days * DAY);
    const after = isRestarted ? lab({}, wasActive) : before;
    const { status, reason: seen } = await after.check(`${site.url}/x/a`);

    expect(status).not.toBe("dead");
    if (days > 7 || isRestarted) expect(`${status} ${seen}`).toBe(`unknown ${reason}`);
  });
});

describe("a page that says that it is missing", () => {
  test("is believed when it says so twice and hides from search engines, whatever the host", async () => {
    const page = `<meta name="robots" content="noindex">${missing}`;
    const site = siteWith({ "/a": page, "/robots.txt": 404 });

    expect(await lab().check(`${site.url}/a`)).toMatchObject({
      status: "dead",
      reason: "soft404_body",
      statusCode: 200,
      evidence: {
        signals: [
          { rule: "missing_title", text: "The title of the page is “Page not found”." },
          { rule: "missing_heading" },
          { rule: "noindex" },
          { rule: "short_page" },
        ],
      },
    });
  });

  test("only in its title is dead when every address shows it but the home page", async () => {
    const page = "<title>Page not found</title><h1>Welcome</h1><p>Have a look around.</p>";
    const site = siteWith({ "/robots.txt": 404, "/": story }, page);

    expect(await lab().check(`${site.url}/x/a`)).toMatchObject({
      status: "dead",
      reason: "soft404_probe",
    });
  });

  test("only in its title is left open when the home page shows it as well", async () => {
    const page = "<title>Page not found</title><h1>Welcome</h1><p>Have a look around.</p>";
    const site = siteWith({ "/robots.txt": 404 }, page);

    expect(await lab().check(`${site.url}/x/a`)).toMatchObject({
      status: "unknown",
      reason: "soft404_suspected",
    });
  });
});

describe("a link that leads to the home page", () => {
  const home = `<title>Shop</title><h1>Shop</h1><a href="/item/1">Rope</a><p>${"All our things. ".repeat(50)}</p>`;
  const toHome = () => new Response(null, { status: 302, headers: { Location: "/" } });

  test("as any missing page does is dead", async () => {
    const site = siteWith({ "/": home, "/item/1": story, "/robots.txt": 404 }, toHome);

    expect(await lab().check(`${site.url}/item/5`)).toMatchObject({
      status: "dead",
      reason: "soft404_redirect_home",
      finalUrl: `${site.url}/`,
    });
  });

  test("where missing pages are honest is alive", async () => {
    const site = siteWith({ "/": home, "/item/5": toHome });

    expect(await lab().check(`${site.url}/item/5`)).toMatchObject({
      status: "active",
      reason: "ok_redirected",
    });
  });

  test("where it cannot be determined is unclear", async () => {
    const site = siteWith({ "/": home, "/item/5": toHome, "/robots.txt": 404 }, 403);

    expect(await lab().check(`${site.url}/item/5`)).toMatchObject({
      status: "unknown",
      reason: "soft404_suspected",
    });
  });
});

describe("a name that was missing, or a domain that was parked,", () => {
  const servedBy = (...nameServers: string[]): Partial<Checker> => {
    const played = playedResolver({ "reborn.test": ["127.0.0.1"] });
    const namesOf = async () => ({ nameServers, aliases: [] });
    return { outbound: labOutbound({ resolver: { ...played, namesOf } }) };
  };
  const reborn = { ...NEVER_CHECKED, lastDecided: "dead", decidedReason: "dns_nxdomain" } as const;
  const at = (site: Site, path: string) => `http://reborn.test:${site.port}${path}`;
  const honest = servedBy("ns1.provider.test", "ns2.provider.test");
  const parked = servedBy("ns1.sedoparking.com", "ns2.sedoparking.com");

  test("is back when its page is there and others are not", async () => {
    const site = siteWith({ "/a/b": story });

    expect(await lab(honest, reborn).check(at(site, "/a/b"))).toMatchObject({
      status: "active",
      reason: "ok",
      evidence: { probes: [{ asked: "sibling", status: 404 }] },
    });
  });

  test("is not back when a domain parking service serves it", async () => {
    const site = siteWith({ "/a/b": story });

    const { status, reason } = await lab(parked, reborn).check(at(site, "/a/b"));

    expect({ status, reason }).toEqual({ status: "unknown", reason: "parked_suspected" });
  });

  test("is not back when every address shows the same", async () => {
    const site = siteWith({ "/robots.txt": 404 }, story);

    expect(await lab(honest, reborn).check(at(site, "/a/b"))).toMatchObject({
      status: "unknown",
      reason: "soft404_suspected",
    });
  });

  test("is looked at no harder than others once it was back", async () => {
    const site = siteWith({ "/a/b": story });
    const back = { ...reborn, lastDecided: "active", decidedReason: "ok" } as const;

    expect(await lab(parked, back).check(at(site, "/a/b"))).toMatchObject({ status: "active" });
  });
});
