import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../../server/verdict/attempt.ts";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import { type Answers, json, startPlayedWeb, text, to, type Web } from "./played-web.ts";
import { checkerThrough, checkThrough } from "./prove.ts";

// What the rows of services cannot show: several links at once, huge answers, and links that were never alive.

const pixelFile = (more: object = {}) => ({
  ...{
    success: true,
    id: "jW9E6s4h",
    name: "holiday.png",
    size: 182,
    abuse_type: "",
    availability: "",
  },
  ...more,
});
const pixelNo = (value: string, status = 404) =>
  json({ success: false, value, message: "The entity you requested could not be found" }, status);

type Together = {
  service: string;
  /** The first one is alive, so that it is asked about once. */
  urls: [first: string, second: string, third: string];
  web: Web;
  seen: string[];
  /** The request that asks about all. */
  asked: string;
};

const keep2shareTogether = (service: string, site: string, api: string): Together => ({
  service,
  urls: [
    `https://${site}/file/aaaaaaaaaaaa1`,
    `https://${site}/file/bbbbbbbbbbbb2`,
    `https://${site}/file/cccccccccccc3`,
  ],
  web: {
    [`${api}/api/v2/GetFilesInfo`]: json({
      status: "success",
      code: 200,
      files: [
        { id: "bbbbbbbbbbbb2", name: "holiday.rar", is_available: false },
        { id: "aaaaaaaaaaaa1", name: "holiday.rar", is_available: true, access: "public" },
      ],
    }),
    [`${api}/api/v2/GetFileStatus`]: json({ status: "error", code: 406, errorCode: 20 }, 406),
  },
  seen: ["active ok_service", "dead service_deleted", "dead service_not_found"],
  asked: `POST https://${api}/api/v2/GetFilesInfo {"ids":["aaaaaaaaaaaa1","bbbbbbbbbbbb2","cccccccccccc3"],"extended_info":false}`,
});

const TOGETHER: Together[] = [
  {
    service: "1fichier",
    urls: [
      "https://1fichier.com/?aaaaa1",
      "https://1fichier.com/?bbbbb2",
      "https://pjointe.com/?ccccc3",
    ],
    web: {
      "1fichier.com/check_links.pl": text(
        "https://pjointe.com/?ccccc3;;;PRIVATE\nhttps://1fichier.com/?aaaaa1;holiday.rar;1048576\nhttps://1fichier.com/?bbbbb2;;;NOT FOUND\n",
      ),
    },
    seen: ["active ok_service", "dead service_not_found", "active ok_service_protected"],
    asked:
      "POST https://1fichier.com/check_links.pl links[]=https://1fichier.com/?aaaaa1&links[]=https://1fichier.com/?bbbbb2&links[]=https://pjointe.com/?ccccc3",
  },
  {
    service: "nitroflare",
    urls: [
      "https://nitroflare.com/view/AAAAA1",
      "https://nitroflare.com/view/BBBBB2",
      "https://nitro.download/view/CCCCC3",
    ],
    web: {
      "nitroflare.com/api/v2/getFileInfo": json({
        type: "success",
        result: { files: { AAAAA1: { status: "online" }, BBBBB2: { status: "offline" } } },
      }),
    },
    seen: ["active ok_service", "dead service_deleted", "dead service_not_found"],
    asked: "GET https://nitroflare.com/api/v2/getFileInfo?files=AAAAA1,BBBBB2,CCCCC3",
  },
  keep2shareTogether("keep2share", "k2s.cc", "keep2share.cc"),
  keep2shareTogether("fileboom", "fboom.me", "fileboom.me"),
  keep2shareTogether("tezfiles", "publish2.me", "tezfiles.com"),
  {
    service: "turbobit",
    urls: [
      "https://turbobit.net/aaaaa1.html",
      "https://turb.to/bbbbb2/holiday.rar.html",
      "https://turbobit.net/ccccc3.html",
    ],
    web: {
      "app.turbobit.net/api/links/check": json([
        { id: "bbbbb2", status: "inactive" },
        { id: "aaaaa1", status: "active" },
      ]),
      "turbobit.net/ccccc3.html": "<title>Turbobit.net</title><h1>Loading</h1>",
    },
    seen: ["active ok_service", "dead service_not_found", "unknown service_probe_failed"],
    asked:
      "POST https://app.turbobit.net/api/links/check links=https://turbobit.net/aaaaa1.html\nhttps://turbobit.net/bbbbb2.html\nhttps://turbobit.net/ccccc3.html",
  },
  {
    service: "hitfile",
    urls: ["https://hitfile.net/aaaaa1", "https://hil.to/bbbbb2", "https://hitfile.net/ccccc3"],
    web: {
      "app.hitfile.net/api/links/check": json([
        { id: "bbbbb2", status: "inactive" },
        { id: "aaaaa1", status: "active" },
        { id: "ccccc3", status: "active" },
      ]),
    },
    seen: ["active ok_service", "dead service_not_found", "active ok_service"],
    asked:
      "POST https://app.hitfile.net/api/links/check links=https://hitfile.net/aaaaa1\nhttps://hitfile.net/bbbbb2\nhttps://hitfile.net/ccccc3",
  },
  {
    service: "pixeldrain",
    urls: [
      "https://pixeldrain.com/u/aaaaa1",
      "https://pixeldrain.com/u/bbbbb2",
      "https://pixeldra.in/u/ccccc3",
    ],
    web: {
      "pixeldrain.com/api/file/aaaaa1%2Cbbbbb2%2Cccccc3/info": json([pixelFile({ id: "aaaaa1" })]),
      "pixeldrain.com/api/file/bbbbb2/info": pixelNo("not_found"),
      "pixeldrain.com/api/file/ccccc3/info": json(pixelFile({ id: "ccccc3" })),
    },
    seen: ["active ok_service", "dead service_not_found", "active ok_service"],
    asked: "GET https://pixeldrain.com/api/file/aaaaa1,bbbbb2,ccccc3/info",
  },
];

describe("Links that are checked at once share one request to", () => {
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    const places = TOGETHER.flatMap(({ web: played }) => Object.keys(played));
    web = await startPlayedWeb([...new Set(places.map((place) => place.split("/")[0]!))]);
  });
  afterAll(() => web.stop());

  test.each(TOGETHER)("$service", async ({ urls, web: played, seen, asked }) => {
    web.play(played);
    const { checker } = checkerThrough(web);
    const canaries = { noteAlive() {}, wasAlive: async () => true, isReliable: async () => true };
    const services = { ...checker.services, canaries };
    const known = { ...NEVER_CHECKED, lastDecided: "active" as const };

    const conclusions = await Promise.all(
      urls.map((url) => checkUrl({ ...checker, services }, { ...known, url })),
    );

    expect(conclusions.map(({ status, reason }) => `${status} ${reason}`)).toEqual(seen);
    const lines = web.requests().map(({ line }) => decodeURIComponent(line));
    const [, id = ""] = /(\w+)(?:\.html)?$/.exec(urls[0]) ?? [];
    expect(lines.filter((line) => line.includes(id))).toEqual([asked]);
  });
});

const GOFILE = "https://gofile.io/d/k6BomI";

test.each([
  ["ok", "ok_service"],
  ["error-notPremium", "service_unrecognised"],
])("One guest of gofile asks about all its links, answered %p", async (status, seen) => {
  const web = await startPlayedWeb(["api.gofile.io"]);
  web.play({
    "api.gofile.io/accounts": json({ status: "ok", data: { id: "guest-1", token: "token" } }),
    "api.gofile.io/contents/k6BomI": ({ headers }) =>
      headers.get("Authorization") === "Bearer token"
        ? json({ status, data: { canAccess: true, type: "folder", children: {} } })
        : json({ status: "error-wrongToken", data: {} }, 401),
  });
  const { checker } = checkerThrough(web);

  for (const url of [GOFILE, GOFILE]) {
    const { reason } = await checkUrl(checker, { ...NEVER_CHECKED, url });
    expect<string>(reason).toBe(seen);
  }

  expect(web.requests().filter(({ line }) => line.startsWith("POST"))).toHaveLength(1);
  await web.stop();
});

test("A refusal of vikingfile to a question about several files does not count for each of them", async () => {
  const web = await startPlayedWeb(["vikingfile.com"]);
  web.play({
    "vikingfile.com/api/check-file": async (request) => {
      const { length } = new URLSearchParams(await request.text()).getAll("hash[]");
      return json(length > 1 ? { exist: false } : [{ exist: true }]);
    },
  });
  const { checker } = checkerThrough(web);
  const urls = ["https://vikingfile.com/f/TPRSfLvcIu", "https://vikingfile.com/f/aB3dE6gH9j"];

  const seen = await Promise.all(urls.map((url) => checkUrl(checker, { ...NEVER_CHECKED, url })));

  expect(seen.map(({ reason }) => reason)).toEqual(["ok_service", "ok_service"]);
  expect(web.requests()).toHaveLength(3);
  await web.stop();
});

const MEGA = "g.api.mega.co.nz/cs";

test.each([
  [
    "a folder whose listing is too long to be read to its end",
    "https://mega.nz/folder/e4diDZ7T#iJnegBO_m6OXBQp27lHCrg",
    `[{"f":[{"h":"e4diDZ7T","t":1}${',{"h":"abcdefgh","t":0}'.repeat(60_000)}],"sn":"x"}]`,
    "active ok_service",
  ],
  [
    "a file about which the answer is nested without end",
    "https://mega.nz/file/QJUnSbJa#gtZQEfpb5lYHLj2BDyjRKCqrHq0ovVwdzjmrhBFDD5M",
    "[".repeat(500_000) + "]".repeat(500_000),
    "unknown service_probe_failed",
  ],
])("mega answers about %s", async (_, url, body, expected) => {
  const web = await startPlayedWeb(["g.api.mega.co.nz"]);
  web.play({ [MEGA]: new Response(body, { headers: { "Content-Type": "application/json" } }) });

  const { status, reason } = await checkThrough(web, url);

  expect(`${status} ${reason}`).toBe(expected);
  await web.stop();
});

const reborn = `<title>Garden sheds of Kent</title>
<h1>Garden sheds, made to measure</h1>
<p>We have been building sheds and summer houses in Kent since 1987. Call us, or come and see our yard.</p>`;

describe("A service that has ended", () => {
  const url = "https://www110.zippyshare.com/v/qz5bCgk9/file.html";
  const { host, pathname } = new URL(url);
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    web = await startPlayedWeb([host]);
  });
  afterAll(() => web.stop());

  /** Checks a link that was never alive here. */
  async function seen(answer: Answers) {
    web.play({ [host + pathname]: answer });
    const known = { lastDecided: null };
    const { status, reason } = await checkThrough(web, url, undefined, known);
    return `${status} ${reason}`;
  }

  test.each<[what: string, answer: Answers, seen: string]>([
    ["fails", text("upstream error", 502), "dead service_shutdown"],
    ["leads round in circles", to(url), "dead service_shutdown"],
    ["is someone else's now", reborn, "active ok"],
    ["shuts us out", 403, "unknown http_403"],
  ])("and was never alive since %s: %p", async (_, answer, expected) => {
    expect(await seen(answer)).toBe(expected);
  });
});
