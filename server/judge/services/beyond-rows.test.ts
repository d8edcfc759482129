import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Answers,
  json,
  page,
  startPlayedWeb,
  text,
  to,
} from "../../../tests/checker/services/played-web.ts";
import { checkerThrough, checkThrough } from "../../../tests/checker/services/prove.ts";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { NEVER_CHECKED } from "../attempt.ts";
import { checkUrl } from "../confirm.ts";

// What the rows of services cannot show: several links at once, huge answers, and links that were never alive.

/** What a service says: a page, a text or JSON. */
type Said = string | { text: string } | { json: unknown; status?: number };

type Together = {
  service: string;
  /** The first one is alive, so that it is asked about once. */
  urls: [first: string, second: string, third: string];
  web: Record<string, Said>;
  seen: string[];
  /** The request that asks about all. */
  asked: string;
};

const TABLES = yamlIn<{ together: Together[] }>(import.meta.dir, "beyond-rows.yaml");

const answersOf = (said: Said) => {
  if (typeof said === "string") return page(said);
  return "text" in said ? text(said.text) : json(said.json, said.status);
};

describe("Links that are checked at once share one request to", () => {
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    const places = TABLES.together.flatMap(({ web: played }) => Object.keys(played));
    web = await startPlayedWeb([...new Set(places.map((place) => place.split("/")[0]!))]);
  });
  afterAll(() => web.stop());

  eachRow(TABLES.together)("a service", async ({ urls, web: played, seen, asked }) => {
    const places = Object.entries(played).map(([place, said]) => [place, answersOf(said)] as const);
    web.play(Object.fromEntries(places));
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
