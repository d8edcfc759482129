import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  json,
  page,
  startPlayedWeb,
  text,
  to,
  type Web,
} from "../../../tests/checker/services/played-web.ts";
import { checkerThrough } from "../../../tests/checker/services/prove.ts";
import { agree } from "../../../tests/each-row.ts";
import { NEVER_CHECKED } from "../attempt.ts";
import { checkUrl } from "../confirm.ts";
import type { Conclusion } from "../probe/conclusion.ts";
import { createCatalogue } from "./catalogue.ts";
import type { Ask, Kind, Page, Rule, Service } from "./record.ts";

/** A host of files that is asked in all the ways that there are. */
const HOST = "files.test";
const API = "api.files.test";
const ELSEWHERE = "elsewhere.test";
/** Its certificate is for other names. */
const UNTRUSTED = "untrusted.test";

const ALIVE: Rule = { json: { state: "there" }, means: "ok_service" };
const GONE: Rule = { json: { state: "gone" }, means: "service_deleted", class: "C1" };

const kindOf = (kind: string, ask: Ask | Ask[], more: Partial<Kind> = {}): Kind => ({
  kind,
  path: `^/${kind}/(?<id>\\w+)$`,
  ask,
  page: "never",
  ...more,
});

const FILE_PAGE: Page = {
  needsMarker: true,
  rules: [
    { text: "was deleted", means: "service_deleted", class: "C1" },
    { text: "Download", means: "ok_service" },
  ],
};

const KINDS: Kind[] = [
  kindOf("keyed", {
    url: `https://${API}/keyed/{id}`,
    headers: { "x-api-key": "secret", authorization: "Bearer secret", cookie: "session=secret" },
    form: { key: "secret" },
    rules: [ALIVE, GONE],
  }),
  kindOf("many", {
    url: `https://${API}/many/{id}`,
    batch: { most: 10, answers: { by: "position" } },
    rules: [ALIVE, GONE],
  }),
  kindOf("named", {
    url: `https://${API}/named`,
    json: ["{id}"],
    batch: { most: 10, answers: { by: "key", key: "{id}.zip" } },
    rules: [ALIVE, GONE, { missing: true, means: "service_not_found", class: "C2" }],
  }),
  kindOf("guest", [
    {
      url: `https://${API}/token`,
      json: {},
      take: { token: "token" },
      keepMinutes: 30,
      rules: [{ json: { token: { empty: false } }, means: "next" }],
    },
    { url: `https://${API}/guest/{id}?token={token}`, rules: [ALIVE, GONE] },
  ]),
  {
    kind: "page",
    path: "^/page/",
    page: { headers: { Cookie: "lang=en", "User-Agent": "Stillup" }, ...FILE_PAGE },
  },
  kindOf("both", { url: `https://${API}/both/{id}`, rules: [ALIVE, GONE] }, { page: FILE_PAGE }),
  kindOf("never", { url: `https://${API}/never/{id}`, rules: [ALIVE, GONE] }),
  kindOf(
    "steps",
    [
      { url: `https://${HOST}/steps/{id}/key`, rules: [{ status: 200, means: "next" }] },
      { url: `https://${API}/steps/{id}`, rules: [ALIVE, GONE] },
    ],
    { page: FILE_PAGE },
  ),
  {
    kind: "moved",
    path: "^/moved/(?<id>\\w+)$",
    page: { url: `https://${API}/moved/{id}`, ...FILE_PAGE },
  },
  {
    kind: "untrusted",
    path: "^/untrusted/(?<id>\\w+)$",
    page: { url: `https://${UNTRUSTED}/{id}`, ...FILE_PAGE },
  },
];

const FILES: Service = { id: "files", name: "Files", hosts: [HOST], confidence: "M", kinds: KINDS };
const WITH_CANARIES: Service = {
  ...FILES,
  canary: ["both", "never", "steps", "moved", "untrusted"].map(
    (kind) => `https://${HOST}/${kind}/old`,
  ),
};
const SHORT: Service = { id: "short", name: "Short", hosts: ["sho.rt"], shortens: true };

let web: Awaited<ReturnType<typeof startPlayedWeb>>;
beforeAll(async () => {
  web = await startPlayedWeb([HOST, API, ELSEWHERE, "sho.rt"]);
});
afterAll(() => web.stop());

function checking(played: Web) {
  web.play(played);
  const { checker, clock } = checkerThrough(web, createCatalogue([FILES, SHORT]));
  const check = (url: string): Promise<Conclusion> =>
    checkUrl(checker, { ...NEVER_CHECKED, url, lastDecided: "active" });
  const seen = async (...urls: string[]) => {
    const all = await Promise.all(urls.map(check));
    return all.map(({ status, reason }) => `${status} ${reason}`);
  };
  return { clock, check, seen };
}

const lines = () => web.requests().map(({ line }) => line);

describe("What is meant for a service", () => {
  test("is not sent to where it redirects", async () => {
    const { seen } = checking({
      [`${API}/keyed/a`]: to(`https://${ELSEWHERE}/keyed/a`, 307),
      [`${ELSEWHERE}/keyed/a`]: json({ state: "there" }),
    });

    await seen(`https://${HOST}/keyed/a`);

    const [first, second] = web.requests();
    expect(first?.line).toBe(`POST https://${API}/keyed/a key=secret`);
    expect(second?.line).toBe(`GET https://${ELSEWHERE}/keyed/a`);
    for (const name of ["x-api-key", "authorization", "cookie"]) {
      expect(first?.headers.has(name)).toBeTrue();
      expect(second?.headers.has(name)).toBeFalse();
    }
  });

  test("goes with a redirect of its own, which may ask for it again or only for its answer", async () => {
    const { seen } = checking({
      [`${API}/keyed/a`]: to(`https://${API}/keyed/b`, 308),
      [`${API}/keyed/b`]: ({ method }) =>
        method === "POST" ? to(`https://${API}/keyed/b`, 303) : json({ state: "there" }),
    });

    expect(await seen(`https://${HOST}/keyed/a`)).toEqual(["active ok_service"]);
    expect(lines()).toEqual([
      `POST https://${API}/keyed/a key=secret`,
      `POST https://${API}/keyed/b key=secret`,
      `GET https://${API}/keyed/b`,
    ]);
  });

  test("goes not to the short address that leads to it, in no look", async () => {
    const { seen } = checking({
      "sho.rt/a": to(`https://${HOST}/page/a`),
      [`${HOST}/page/a`]: "<p>The file was deleted.</p>",
    });

    expect(await seen("https://sho.rt/a")).toEqual(["dead service_deleted"]);
    const short = web.requests().filter(({ line }) => line.includes("sho.rt"));
    expect(short.map(({ headers }) => headers.get("cookie"))).toEqual([null]);
    expect(web.requests().at(-1)?.headers.get("cookie")).toBe("lang=en");
  });
});

describe("Many links in one request", () => {
  const urls = (kind: string) => ["a", "b", "c"].map((id) => `https://${HOST}/${kind}/${id}`);

  test("each get their own verdict, and show nothing of the others", async () => {
    const { check } = checking({
      [`${API}/many/a%2Cb`]: json([{ state: "there" }, { state: "gone" }]),
      [`${API}/many/b`]: json([{ state: "gone" }]),
    });

    const [a, b] = await Promise.all(urls("many").slice(0, 2).map(check));

    expect([a?.reason, b?.reason]).toEqual(["ok_service", "service_deleted"]);
    expect(JSON.stringify(a?.evidence)).not.toContain("/many/a%2Cb");
    expect(a?.evidence.probes[0]?.url).toBe(`https://${API}/many/a`);
  });

  test("count for nothing when there are not as many answers as questions", async () => {
    const { seen } = checking({ [`${API}/many/a%2Cb%2Cc`]: json([{ state: "gone" }]) });

    expect(await seen(...urls("many"))).toEqual(Array(3).fill("unknown service_probe_failed"));
  });

  test("are asked about alone when one of them has all refused", async () => {
    const { seen } = checking({
      [`${API}/many/a%2Cb%2Cc`]: json({ error: "bad id" }, 400),
      [`${API}/many/a`]: json([{ state: "there" }]),
      [`${API}/many/b`]: json({ error: "bad id" }, 400),
      [`${API}/many/c`]: json([{ state: "gone" }]),
    });

    expect(await seen(...urls("many"))).toEqual([
      "active ok_service",
      "unknown service_probe_failed",
      "dead service_deleted",
    ]);
  });

  test("are not asked about alone by a server in trouble", async () => {
    const { seen } = checking({ [`${API}/many/a%2Cb%2Cc`]: text("trouble", 503) });

    await seen(...urls("many"));

    expect(new Set(lines())).toEqual(new Set([`GET https://${API}/many/a%2Cb%2Cc`]));
  });

  test("are found by names that have dots, and by no name that every object has", async () => {
    const { seen } = checking({ [`${API}/named`]: json({ "a.zip": { state: "there" } }) });

    expect(await seen(`https://${HOST}/named/a`, `https://${HOST}/named/b`)).toEqual([
      "active ok_service",
      "dead service_not_found",
    ]);
  });
});

describe("A guest's token", () => {
  const guests = (answer = json({ state: "there" })): Web => ({
    [`${API}/token`]: json({ token: "t1" }),
    [`${API}/guest/a`]: answer,
    [`${API}/guest/b`]: answer,
  });
  const tokens = () => lines().filter((line) => line.includes("/token"));

  test("is requested once, by however many, and shown to no one", async () => {
    const { check, seen } = checking(guests());

    const [a] = await Promise.all(
      [`https://${HOST}/guest/a`, `https://${HOST}/guest/b`].map(check),
    );
    await seen(`https://${HOST}/guest/a`);

    expect(tokens()).toHaveLength(1);
    expect(JSON.stringify(a?.evidence)).not.toContain("t1");
    expect(a?.evidence.probes.at(-1)?.url).toBe(`https://${API}/guest/a?token=***`);
  });

  test("is asked for again when it is old, or refused after it was kept", async () => {
    const { clock, seen } = checking(guests());
    await seen(`https://${HOST}/guest/a`);
    clock.moveBy(31 * 60_000);
    await seen(`https://${HOST}/guest/a`);
    expect(tokens()).toHaveLength(2);

    web.play(guests(json({ error: "token" }, 401)));
    await seen(`https://${HOST}/guest/a`);
    expect(tokens()).toHaveLength(0);
    await seen(`https://${HOST}/guest/a`);
    expect(tokens()).toHaveLength(1);
  });

  test("is not asked for again and again while everything is refused", async () => {
    const { seen } = checking(guests(json({ error: "not for guests" }, 401)));

    await seen(`https://${HOST}/guest/a`);
    await seen(`https://${HOST}/guest/b`);

    expect(tokens()).toHaveLength(1);
  });
});

describe("The page of a file", () => {
  const seenOn = async (html: string) =>
    (await checking({ [`${HOST}/page/a`]: html }).seen(`https://${HOST}/page/a`))[0];

  test("that shows nothing of its service proves nothing", async () => {
    expect(await seenOn("<title>Files</title><h1>Files</h1>")).toBe("unknown service_unrecognised");
  });

  test("that contradicts itself proves nothing either", async () => {
    expect(await seenOn('<p>The file was deleted.</p><a href="/get">Download</a>')).toBe(
      "unknown service_unrecognised",
    );
  });

  test("behind a wall is not gone, whatever it says", async () => {
    const wall = page("<title>Just a moment...</title><p>was deleted</p>", 403, {
      "cf-mitigated": "challenge",
    });
    const { seen } = checking({ [`${HOST}/page/a`]: wall });

    expect(await seen(`https://${HOST}/page/a`)).toEqual(["unknown bot_challenge"]);
  });

  test("is not judged where it never tells anything, by a short address either", async () => {
    const { seen } = checking({
      "sho.rt/a": to(`https://${HOST}/keyed/a`),
      [`${HOST}/keyed/a`]: 404,
      [`${API}/keyed/a`]: text("trouble", 503),
    });

    expect(await seen("https://sho.rt/a")).toEqual(["unknown service_probe_failed"]);
  });
});

describe("A host that a record asks, other than the link's own,", () => {
  const DELETED = page("<h1>This file was deleted</h1>");
  const SHOWN = page('<h1>a.zip</h1><a href="/get">Download</a>');
  const PARKED = page(
    '<html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANDrp2lz7AOmADaN8tA50LsWcjLFyQFcb"><title>api.files.test</title><p>This domain is for sale!</p>',
  );
  const MISSING = "dns_nxdomain" as const;
  const there = json({ state: "there" });
  const gone = json({ state: "gone" });
  /** The known-good link is there, wherever it is asked for. */
  const GOOD: Web = {
    [`${HOST}/both/old`]: SHOWN,
    [`${API}/both/old`]: there,
    [`${API}/never/old`]: there,
    [`${HOST}/steps/old/key`]: 200,
    [`${API}/steps/old`]: there,
    [`${API}/moved/old`]: SHOWN,
    [`${HOST}/steps/a/key`]: 200,
  };

  const checked = async (
    path: string,
    played: Web,
    lost: Parameters<typeof checkerThrough>[2] = {},
  ) => {
    web.play({ ...GOOD, ...played });
    const { checker } = checkerThrough(web, createCatalogue([WITH_CANARIES, SHORT]), lost);
    const url = path.startsWith("https:") ? path : `https://${HOST}/${path}/a`;
    const conclusion = await checkUrl(checker, { ...NEVER_CHECKED, url, lastDecided: "active" });
    const { status, reason, evidence } = conclusion;
    const songs = evidence.probes.filter(({ asked }) => asked === "canary").length;
    return { seen: `${status} ${reason}`, songs, attempts: evidence.attempts.length };
  };

  const FAILED = "unknown service_probe_failed";

  type Lost = NonNullable<Parameters<typeof checkerThrough>[2]>;
  const FAILING: [story: string, path: string, played: Web, lost: Lost][] = [
    ["has no name any more, and the page is read there", "moved", {}, { [API]: MISSING }],
    ["has no name any more, and is the only one to ask", "never", {}, { [API]: MISSING }],
    ["has no name any more, and is asked second", "steps", {}, { [API]: MISSING }],
    ["is not known by the name servers just now", "moved", {}, { [API]: "dns_servfail" }],
    ["has no address", "moved", {}, { [API]: "dns_nodata" }],
    ["shows the certificate of another", "untrusted", {}, {}],
    ["is in trouble", "moved", { [`${API}/moved/a`]: page("Trouble", 500) }, {}],
    ["is away for a while", "moved", { [`${API}/moved/a`]: page("Back soon", 503) }, {}],
    ["waits too long itself", "moved", { [`${API}/moved/a`]: page("Slow", 408) }, {}],
    ["is parked", "moved", { [`${API}/moved/a`]: PARKED }, {}],
    [
      "redirects to a host that has no name",
      "moved",
      { [`${API}/moved/a`]: to(`https://${ELSEWHERE}/a`) },
      { [ELSEWHERE]: MISSING },
    ],
    ["redirects in a circle", "moved", { [`${API}/moved/a`]: to(`https://${API}/moved/a`) }, {}],
  ];
  test("that fails makes no link dead, and known-good links are asked for", () =>
    agree(
      FAILING.map(([story, path, played, lost]) => ({
        story,
        expected: { seen: FAILED, asksCanaries: true },
        async seen() {
          const { seen, songs } = await checked(
            path,
            { [`${HOST}/steps/a`]: "<p>a.zip</p>", ...played },
            lost,
          );
          return { seen, asksCanaries: songs > 0 };
        },
      })),
    ));

  const OTHERWISE: [story: string, path: string, played: Web, lost: string[], seen: string][] = [
    ["is fine, but the link's own is missing", "both", {}, [HOST, API], "dead dns_nxdomain"],
    [
      "is missing, but the link's own page says that it was deleted",
      "both",
      { [`${HOST}/both/a`]: DELETED },
      [API],
      "dead service_deleted",
    ],
    [
      "is missing, but the link's own page is gone",
      "both",
      { [`${HOST}/both/a`]: 404 },
      [API],
      "dead http_404",
    ],
    [
      "is missing, but the link's own page shows the file",
      "both",
      { [`${HOST}/both/a`]: SHOWN },
      [API],
      "active ok_service",
    ],
    [
      "says that it was deleted",
      "moved",
      { [`${API}/moved/a`]: DELETED },
      [],
      "dead service_deleted",
    ],
    ["says 404", "moved", { [`${API}/moved/a`]: 404 }, [], "dead http_404"],
    ["says 410", "moved", { [`${API}/moved/a`]: 410 }, [], "dead http_410"],
    ["answers that it is gone", "never", { [`${API}/never/a`]: gone }, [], "dead service_deleted"],
    ["answers that it is there", "never", { [`${API}/never/a`]: there }, [], "active ok_service"],
    [
      "shows it while the link's own is missing",
      "moved",
      { [`${API}/moved/a`]: SHOWN },
      [HOST],
      "active ok_service",
    ],
    [
      "is not asked for a short link whose redirect leads to a missing name",
      "https://sho.rt/a",
      { "sho.rt/a": to(`https://${ELSEWHERE}/a`) },
      [ELSEWHERE],
      "dead dns_nxdomain",
    ],
  ];
  test("that answers, or is not needed, changes nothing else", () =>
    agree(
      OTHERWISE.map(([story, path, played, lost, seen]) => ({
        story,
        expected: { seen },
        async seen() {
          const missing = Object.fromEntries(lost.map((host) => [host, MISSING] as const));
          const { seen } = await checked(path, played, missing);
          return { seen };
        },
      })),
    ));
});

describe("A service in trouble", () => {
  const there = json({ state: "there" });
  const playing = (path: string, answers: Response[]): Web => {
    let asked = 0;
    return { [`${API}/${path}/a`]: () => answers[Math.min(asked++, answers.length - 1)]!.clone() };
  };
  const troubled = (status: number, headers: Record<string, string> = {}) =>
    page("Trouble", status, headers);
  const PLAIN = page("<title>Files</title><h1>Files</h1>");
  const asked = (path: string) =>
    lines().filter((line) => line.includes(`${API}/${path}/a`)).length;

  const ANSWERS: [story: string, path: string, answers: Response[], seen: string, times: number][] =
    [
      ["500 and then an answer", "never", [troubled(500), there], "active ok_service", 2],
      [
        "502 twice and then an answer",
        "never",
        [troubled(502), troubled(502), there],
        "active ok_service",
        3,
      ],
      ["504 for good", "never", [troubled(504)], "unknown service_probe_failed", 3],
      [
        "500 for good, and a page that no rule knows",
        "both",
        [troubled(500)],
        "unknown service_probe_failed",
        3,
      ],
      [
        "500 and then an answer, and a page that no rule knows",
        "both",
        [troubled(500), there],
        "active ok_service",
        2,
      ],
      [
        "500 and then death",
        "never",
        [troubled(500), json({ state: "gone" })],
        "dead service_deleted",
        3,
      ],
      [
        "503 with a moment to wait",
        "never",
        [troubled(503, { "Retry-After": "5" }), there],
        "active ok_service",
        2,
      ],
      ["503 without one", "never", [troubled(503), there], "unknown service_probe_failed", 1],
      [
        "503 with a long wait",
        "never",
        [troubled(503, { "Retry-After": "3600" }), there],
        "unknown service_probe_failed",
        1,
      ],
      ["522", "never", [troubled(522), there], "active ok_service", 2],
      ["501", "never", [troubled(501), there], "unknown service_probe_failed", 1],
      ["403", "never", [troubled(403), there], "unknown service_probe_failed", 1],
      ["what is not JSON", "never", [text("hello"), there], "unknown service_probe_failed", 1],
    ];
  test("is asked again as any server is", () =>
    agree(
      ANSWERS.map(([story, path, answers, seen, times]) => ({
        story: `answers ${story}`,
        expected: { seen: [seen], times },
        async seen() {
          const checks = checking({ ...playing(path, answers), [`${HOST}/both/a`]: PLAIN });
          const seen = await checks.seen(`https://${HOST}/${path}/a`);
          return { seen, times: asked(path) };
        },
      })),
    ));

  test("is not asked again where its page is enough", async () => {
    const checks = checking({
      ...playing("both", [troubled(500)]),
      [`${HOST}/both/a`]: page('<a href="/get">Download</a>'),
    });

    expect(await checks.seen(`https://${HOST}/both/a`)).toEqual(["active ok_service"]);
    expect(asked("both")).toBe(1);
  });
});
