import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Conclusion } from "../../../server/checker/conclusion.ts";
import { checkUrl } from "../../../server/checker/confirm.ts";
import { NEVER_CHECKED } from "../../../server/checker/look.ts";
import { createCatalogue } from "../../../server/checker/services/catalogue.ts";
import type { Ask, Kind, Rule, Service } from "../../../server/checker/services/record.ts";
import { json, page, startPlayedWeb, text, to, type Web } from "./played-web.ts";
import { checkerThrough } from "./told.ts";

/** A host of files that is asked in all the ways that there are. */
const HOST = "files.test";
const API = "api.files.test";
const ELSEWHERE = "elsewhere.test";

const ALIVE: Rule = { json: { state: "there" }, means: "ok_service" };
const GONE: Rule = { json: { state: "gone" }, means: "service_deleted", class: "C1" };

const kindOf = (kind: string, ask: Ask | Ask[], more: Partial<Kind> = {}): Kind => ({
  kind,
  path: `^/${kind}/(?<id>\\w+)$`,
  ask,
  page: "never",
  ...more,
});

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
    page: {
      headers: { Cookie: "lang=en", "User-Agent": "Stillup" },
      needsMarker: true,
      rules: [
        { text: "was deleted", means: "service_deleted", class: "C1" },
        { text: "Download", means: "ok_service" },
      ],
    },
  },
];

const FILES: Service = { id: "files", name: "Files", hosts: [HOST], confidence: "M", kinds: KINDS };
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
  test("goes to nobody to whom it redirects", async () => {
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

  test("are each told apart, and show nothing of the others", async () => {
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

  test("is asked for once, by however many, and shown to nobody", async () => {
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
