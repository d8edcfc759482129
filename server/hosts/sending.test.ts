import { afterEach, expect, test } from "bun:test";
import { labChecker } from "../../tests/checker/prober.ts";
import { eachRow } from "../../tests/each-row.ts";
import { echoesOf } from "../../tests/hosts/echoes.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import {
  type Certificate,
  type Routes,
  type Says,
  type Site,
  startSite,
} from "../../tests/site.ts";
import { NEVER_CHECKED } from "../judge/attempt.ts";
import { checkUrl, type KnownLink } from "../judge/confirm.ts";
import type { LinkHost } from "../judge/credentials.ts";
import type { Expect } from "../judge/expectations.ts";
import type { Answer } from "../judge/probe/probe.ts";
import { USUAL_STYLE } from "../judge/probe/style.ts";
import { createHostProfiles, learnFact, type ProfileEntry } from "../judge/surroundings.ts";

const HERE = ["127.0.0.1"];
const outbound = () =>
  labOutbound({
    resolver: playedResolver({
      "site.test": HERE,
      "docs.site.test": HERE,
      "wiki.site.test": HERE,
      "elsewhere.test": HERE,
    }),
  });

const KEY = "key-0123456789";
const HOST: LinkHost = {
  id: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b",
  version: 1,
  host: "*.site.test",
  headers: [["X-Key", KEY]],
  auth: { type: "basic", user: "monitor", password: "pass word" },
  userAgent: "ExampleCheck/1.0",
  allowHttp: false,
  isProven: true,
};
const AUTHORIZATION = `Basic ${btoa("monitor:pass word")}`;
const PAGE = `<title>A page</title><p>${"Some words of it. ".repeat(60)}</p>`;

const sites: Site[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.stop()));
});

function site(routes: Routes, options: { certificate?: Certificate; otherwise?: Says } = {}) {
  const started = startSite(routes, options);
  sites.push(started);
  return started;
}

const secure = (routes: Routes, otherwise?: Says) =>
  site(routes, { certificate: "good", ...(otherwise !== undefined && { otherwise }) });

const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });

/** The setting for the port of a URL. */
const atPortOf = (url: string, host: LinkHost): LinkHost => ({
  ...host,
  host: `${host.host}:${new URL(url).port}`,
});

function check(url: string, host: LinkHost | null, more: Partial<KnownLink> = {}) {
  const { checker } = labChecker({ outbound: outbound() });
  return checkUrl(checker, {
    ...NEVER_CHECKED,
    url,
    host: host && atPortOf(url, host),
    ...more,
  });
}

/** Which of the requests, by path and query, came with all that is set, with a part of it, or with nothing. */
const carried = ({ requests }: Site) =>
  requests.map(({ url, headers }) => {
    const has = [headers.get("x-key"), headers.get("authorization"), headers.get("user-agent")];
    const wanted = [KEY, AUTHORIZATION, "ExampleCheck/1.0"];
    const same = has.filter((value, i) => value === wanted[i]).length;
    return `${new URL(url).pathname} ${["nothing", "a part", "a part", "all"][same]}`;
  });

eachRow([...new Set(echoesOf(KEY))])(
  "a guess at a value that the page repeats says nothing",
  async (echo) => {
    const visited = secure({
      "/page": () =>
        new Response(`<title>${echo}</title>${PAGE}<p>Your key is ${echo}.</p>`, {
          headers: { "content-type": "text/html" },
        }),
      "/moved": to(`/page?key=${encodeURIComponent(echo)}`),
    });
    const port = visited.port;
    const reasonFor = async (path: string, expect: Expect) =>
      (await check(`https://docs.site.test:${port}${path}`, HOST, { expect })).reason;

    for (const guess of [KEY, echo, KEY.slice(0, 8)]) {
      expect(await reasonFor("/page", { must_contain: [guess] })).toBe("text_missing");
      expect(await reasonFor("/page", { must_not_contain: [guess] })).toBe("ok");
      expect(await reasonFor("/moved", { final_url_contains: guess })).toBe("final_url_unexpected");
    }
    expect(await reasonFor("/page", { must_contain: ["Some words of it."] })).toBe("ok");
  },
);

eachRow([
  ["tags", "key-01<b>23</b>456789"],
  ["comments", "key-01<!-- -->23456789"],
  ["places to break", "key-01<wbr>23456789"],
  ["soft hyphens", "key-01\u00AD23456789"],
  ["escaped soft hyphens", "key-01&shy;23456789"],
])(
  "a guess at a value that the page repeats with something inside says nothing",
  async (_, echo) => {
    const visited = secure({
      "/page": () =>
        new Response(`<title>A page</title>${PAGE}<p>Your key is ${echo}.</p>`, {
          headers: { "content-type": "text/html; charset=utf-8" },
        }),
    });
    const url = `https://docs.site.test:${visited.port}/page`;
    const reasonFor = async (expect: Expect) => (await check(url, HOST, { expect })).reason;

    for (const guess of [KEY, KEY.slice(0, 8), echo, "key-01 23 456789"]) {
      expect(await reasonFor({ must_contain: [guess] })).toBe("text_missing");
      expect(await reasonFor({ must_not_contain: [guess] })).toBe("ok");
    }
    expect(await reasonFor({ must_contain: ["Some words of it."] })).toBe("ok");
  },
);

test("a check sends headers, credentials and the user agent, and also as a browser", async () => {
  const visited = secure({ "/page": 404, "/robots.txt": 404 });

  await check(`https://docs.site.test:${visited.port}/page`, HOST);

  const pages = carried(visited).filter((line) => line.startsWith("/page"));
  expect(pages).toEqual(["/page all", "/page all"]);
  const [first, second] = visited.requests.filter(({ url }) => url.endsWith("/page"));
  expect(first!.headers.get("sec-fetch-mode")).toBeNull();
  expect(second!.headers.get("sec-fetch-mode")).toBe("navigate");
});

test("a cookie that is set goes with those that the site sets", async () => {
  const visited = secure({
    "/page": () =>
      new Response(null, {
        status: 302,
        headers: { location: "/in", "set-cookie": "seen=yes; Path=/" },
      }),
    "/in": PAGE,
  });
  const headers: LinkHost["headers"] = [["cookie", "session=0123456789; seen=no"]];

  await check(`https://docs.site.test:${visited.port}/page`, { ...HOST, headers });

  const cookies = visited.requests.map((request) => request.headers.get("cookie"));
  expect(cookies.slice(0, 2)).toEqual([
    "session=0123456789; seen=no",
    "session=0123456789; seen=yes",
  ]);
});

const REDIRECTS: [
  what: string,
  to: (ports: { https: number; http: number; other: number }) => string,
  "all" | "nothing",
][] = [
  ["the same host", ({ https }) => `https://docs.site.test:${https}/end`, "all"],
  ["another host under the pattern", ({ https }) => `https://wiki.site.test:${https}/end`, "all"],
  ["the domain of the pattern itself", ({ https }) => `https://site.test:${https}/end`, "nothing"],
  ["another port of the host", ({ other }) => `https://docs.site.test:${other}/end`, "nothing"],
  ["an address", ({ https }) => `https://127.0.0.1:${https}/end`, "nothing"],
  ["another host", ({ https }) => `https://localhost:${https}/end`, "nothing"],
  ["the same host over http", ({ http }) => `http://docs.site.test:${http}/end`, "nothing"],
  ["another host over http", ({ http }) => `http://elsewhere.test:${http}/end`, "nothing"],
];

eachRow(REDIRECTS)(
  "a redirect carries what belongs to the host it leads to",
  async (_, location, expected) => {
    const http = site({ "/end": PAGE });
    const other = secure({ "/end": PAGE });
    const https: Site = secure({
      "/page": () => to(location({ https: https.port, http: http.port, other: other.port }))(),
      "/end": PAGE,
    });
    const resolver = playedResolver({
      "site.test": HERE,
      "docs.site.test": HERE,
      "wiki.site.test": HERE,
      "elsewhere.test": HERE,
      localhost: HERE,
    });
    const { checker } = labChecker({ outbound: labOutbound({ resolver }) });
    const url = `https://docs.site.test:${https.port}/page`;

    for (const allowHttp of [false, true]) {
      const host = atPortOf(url, { ...HOST, allowHttp });
      await checkUrl(checker, { ...NEVER_CHECKED, url, host });
    }

    const ends = [https, http, other].flatMap(carried).filter((line) => line.startsWith("/end"));
    expect(ends).toEqual([`/end ${expected}`, `/end ${expected}`]);
    expect(carried(https)[0]).toBe("/page all");
  },
);

eachRow([
  [true, "/page all"],
  [false, "/page nothing"],
])("a link over http carries the values only with allow_http", async (allowHttp, expected) => {
  const visited = site({ "/page": PAGE });

  await check(`http://docs.site.test:${visited.port}/page`, { ...HOST, allowHttp });

  expect(carried(visited)[0]).toBe(expected);
});

test("a look behind a bad certificate carries nothing, and what is missing there is unproven", async () => {
  const visited = site({ "/page": 404 }, { certificate: "self" });

  const seen = await check(`https://docs.site.test:${visited.port}/page`, HOST);

  expect(carried(visited)).toEqual(["/page nothing"]);
  expect(seen.reason).toBe("tls_self_signed");
});

test("made-up addresses and the home page get the same, and robots.txt and other names nothing", async () => {
  const asks = { "/robots.txt": "User-agent: *\nAllow: /", "/": PAGE };
  const visited = secure(asks, "<title>Page not found</title><h1>Page not found</h1><p>Or so.</p>");

  await check(`https://docs.site.test:${visited.port}/a/page`, HOST);

  const lines = carried(visited);
  expect(lines).toContain("/robots.txt nothing");
  const others = lines.filter((line) => !line.startsWith("/robots.txt"));
  expect(others.length).toBeGreaterThan(2);
  expect(others.filter((line) => !line.endsWith(" all"))).toEqual([]);
});

test("a made-up name under the pattern gets nothing", async () => {
  const visited = secure({ "/": PAGE });
  const resolver = playedResolver({ "qzkxvbnmwrtplkjh.site.test": HERE });
  const { checker: context } = labChecker({ outbound: labOutbound({ resolver }) });
  const url = new URL(`https://docs.site.test:${visited.port}/page`);
  const answer = { finalUrl: url.href } as Answer;
  const question = {
    context,
    url,
    answer,
    style: USUAL_STYLE,
    host: atPortOf(url.href, HOST),
    timeoutMs: 3000,
  };

  await learnFact(question, "subdomain");

  expect(carried(visited)).toEqual(["/ nothing"]);
});

test("how the host answers to this account is neither taken from what is known nor kept", async () => {
  const visited = secure({}, "<title>Oops</title><h1>Oops</h1><p>Nothing is here.</p>");
  const asked: string[] = [];
  const store = {
    find: async (host: string) => {
      asked.push(`find ${host}`);
      return null;
    },
    keep: (host: string, _: ProfileEntry) => void asked.push(`keep ${host}`),
  };
  const { checker, clock } = labChecker({ outbound: outbound() });
  const own = { ...checker, hostProfiles: createHostProfiles({ clock, store }) };
  const url = `https://docs.site.test:${visited.port}/a/page`;

  await checkUrl(own, { ...NEVER_CHECKED, url, host: atPortOf(url, HOST) });
  expect(asked).toEqual([]);
  await checkUrl(own, { ...NEVER_CHECKED, url });
  expect(asked.length).toBeGreaterThan(0);
});

test("a service is not asked about a link with a setting for its host", async () => {
  const { checker } = labChecker({ outbound: labOutbound({ resolver: playedResolver({}) }) });
  const url = "https://vimeo.com/76979871";
  const host = { ...HOST, host: "vimeo.com" };

  const own = await checkUrl(checker, { ...NEVER_CHECKED, url, host });
  const other = await checkUrl(checker, { ...NEVER_CHECKED, url });

  expect(own.evidence.probes).toEqual([]);
  expect(other.evidence.probes[0]?.asked).toBe("service");
});

const login = `<title>Sign in</title><form action="/login" method="post"><input name="user"><input type="password" name="password"><button>Sign in</button></form>`;

const SEEN: [
  what: string,
  says: Says,
  host: Partial<LinkHost> | null,
  seen: string,
  found: string,
][] = [
  ["200", PAGE, {}, "active ok", "accepted"],
  ["200 to a user agent alone", PAGE, { headers: [], auth: null }, "active ok", "accepted"],
  ["401", 401, {}, "unknown credentials_refused", "refused"],
  ["403", 403, {}, "unknown credentials_refused", "refused"],
  ["401 to a user agent alone", 401, { headers: [], auth: null }, "unknown http_401", "nothing"],
  ["401 without a setting", 401, null, "unknown http_401", "nothing"],
  ["404 to proven credentials", 404, {}, "dead http_404", "nothing"],
  ["404", 404, { isProven: false }, "unknown credentials_unproven", "nothing"],
  ["410", 410, { isProven: false }, "unknown credentials_unproven", "nothing"],
  [
    "404 to a user agent alone",
    404,
    { isProven: false, headers: [], auth: null },
    "dead http_404",
    "nothing",
  ],
  ["404 without a setting", 404, null, "dead http_404", "nothing"],
  ["503", 503, {}, "unknown http_503", "nothing"],
];

eachRow(SEEN)(
  "a check says whether the host took the values",
  async (_, says, host, seen, found) => {
    const visited = secure({ "/page": says });
    const url = `https://docs.site.test:${visited.port}/page`;

    const { status, reason, host: use } = await check(url, host && { ...HOST, ...host });

    expect(`${status} ${reason}`).toBe(seen);
    expect(use?.found ?? "nothing").toBe(found);
  },
);

test("a login that a redirect leads to refuses the credentials that were sent before", async () => {
  const http = site({ "/login": login });
  const visited = secure({ "/page": to(`http://elsewhere.test:${http.port}/login?next=/page`) });

  const seen = await check(`https://docs.site.test:${visited.port}/page`, HOST);

  expect(seen.reason).toBe("credentials_refused");
  expect(carried(http)).not.toContain("/login all");
});
