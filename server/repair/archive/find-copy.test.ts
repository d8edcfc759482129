import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  captured,
  type Kept,
  look,
  type PlayedArchive,
  stampOf,
  startArchive,
} from "../../../tests/archive.ts";
import { check } from "../../../tests/checked.ts";
import { DAY, HOUR, saw } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { type Asker, onServer, START } from "../../../tests/harness.ts";
import { addLink } from "../../../tests/rows.ts";
import { startSite } from "../../../tests/site.ts";
import { archiveCopies, archiveHosts } from "../../ground/db/tables.ts";
import type { Memory } from "../../judge/identity/memory.ts";
import { readIndex } from "./cdx.ts";
import { createTimemapReader } from "./timemap.ts";

const archive: PlayedArchive = startArchive();
const other: PlayedArchive = startArchive();
const stranger = startSite({}, { otherwise: "A page." });
afterAll(() => Promise.all([archive, other, stranger].map((site) => site.stop())));

const SETTINGS = {
  STILLUP_ARCHIVE_URL: archive.url,
  STILLUP_ARCHIVE_TIMEMAPS: `${other.url}/timemap/link/`,
};

const PAGE = "http://www.example.com/guide";
const GOOD = KINDS.article("How to grow tomatoes in small gardens", { words: 400 });
const GONE = KINDS.headed("Page not found", {});
const SALE = KINDS.parked("Sedo", { domain: "example.com" });
const CAPTCHA = KINDS.page("Shop", {
  main: "<h1>Please confirm that you are a human</h1><div class='h-captcha'></div>",
});
const OWNER = KINDS.article("Best casino bonuses of the month", { words: 400 });

/** Days before the tests begin. */
const daysAgo = (days: number) => new Date(Date.parse(START) - days * DAY).toISOString();

const memoryOf = (title: string, more: Partial<Memory> = {}): Memory => {
  const page = { title, language: "en", script: "Latn", print: "0".repeat(16) };
  return {
    state: "known",
    since: 0,
    page,
    now: page,
    firstTitle: null,
    textHash: null,
    comparedAt: 0,
    way: null,
    waySince: 0,
    isWayPermanent: false,
    waySeen: 0,
    domains: [],
    kept: [],
    doubts: {},
    past: {},
    ...more,
  };
};
const TOMATOES = memoryOf("How to grow tomatoes in small gardens");

onServer(
  "An archived copy of a dead page",
  (server) => {
    let me: Asker;
    beforeEach(async () => {
      me = await server().account();
      await begin();
    });
    async function begin() {
      await server().deps.store.delete(archiveCopies);
      await server().deps.store.delete(archiveHosts);
      for (const each of [archive, other]) each.forget();
      stranger.requests.length = 0;
    }
    const keep = (...kept: Omit<Kept, "url">[]) => {
      archive.kept = kept.map((each) => ({ url: PAGE, ...each }));
    };
    const find = (wanted: Parameters<typeof look>[2] | object = {}) =>
      look(server(), me, { url: PAGE, ...wanted });

    test("is the newest capture that is good, and matches what is remembered", async () => {
      const bad = [GONE, SALE, CAPTCHA, OWNER].map((body, at) => ({ body, at: daysAgo(10 + at) }));
      keep(...bad, { body: GOOD, at: daysAgo(20) });

      const found = await find({ memory: TOMATOES });

      expect(found).toEqual({
        state: "found",
        copy: {
          url: `${archive.url}/web/${stampOf(daysAgo(20))}/${PAGE}`,
          captured_at: Date.parse(daysAgo(20)),
          title: expect.stringContaining("How to grow tomatoes in small gardens"),
          matches: "yes",
        },
      });
      expect(archive.asked().length).toBe(6);
    });

    test("is not offered where none is good, and each has its reason", async () => {
      const bad = [GONE, SALE, CAPTCHA, OWNER].map((body, at) => ({ body, at: daysAgo(10 + at) }));
      keep(...bad);

      const found = await find({ memory: TOMATOES });

      expect(found.state).toBe("nothing_good");
      const reasons = found.state === "nothing_good" ? found.reasons : [];
      expect(reasons.map(({ reason }) => reason)).toEqual([
        "soft404_body",
        "parked_suspected",
        "bot_challenge",
        "other_page",
      ]);
    });

    test("is from the time when the page was first seen, if it has become another one", async () => {
      keep(
        { body: OWNER, at: daysAgo(5) },
        { body: GOOD, at: daysAgo(300) },
        { body: GONE, at: daysAgo(400) },
      );
      const memory = memoryOf("Something else entirely today", {
        firstTitle: "How to grow tomatoes in small gardens",
      });

      const found = await find({
        memory,
        hasChanged: true,
        firstSeenAt: Date.parse(daysAgo(299.5)),
      });

      expect(found).toMatchObject({
        state: "found",
        copy: { captured_at: Date.parse(daysAgo(300)) },
      });
    });

    test("is the first one after that, if there is none before", async () => {
      keep({ body: OWNER, at: daysAgo(5) }, { body: GOOD, at: daysAgo(200) });

      const found = await find({
        memory: TOMATOES,
        hasChanged: true,
        firstSeenAt: Date.parse(daysAgo(299)),
      });

      expect(found).toMatchObject({ copy: { captured_at: Date.parse(daysAgo(200)) } });
    });

    test("is looked for within two years, then at any time, then where the link led", async () => {
      archive.kept = [{ url: "http://moved.example.com/", at: daysAgo(3000), body: GOOD }];

      const found = await find({ finalUrl: "http://moved.example.com/" });

      expect(found).toMatchObject({ state: "found", copy: { matches: "unknown" } });
      const queries = archive.asked().map((path) => new URL(path, archive.url).searchParams);
      expect(
        queries.map((query) => [query.get("url"), query.has("from"), query.get("limit")]),
      ).toEqual([
        [PAGE, true, "-20"],
        [PAGE, false, "-20"],
        ["http://moved.example.com/", false, "-20"],
        [null, false, null],
      ]);
    });

    test("of a link that never was active is looked for without a memory", async () => {
      keep({ body: GOOD, at: daysAgo(1) });

      // Its name never resolved either, so a person asks.
      expect(await find({ lastActiveAt: null })).toEqual({ state: "not_asked", reason: "private" });
      expect(archive.asked()).toEqual([]);
      expect(await find({ lastActiveAt: null, isByHand: true })).toMatchObject({ state: "found" });
    });

    test("is kept for all accounts, as far as it is the page that each remembers", async () => {
      keep({ body: GOOD, at: daysAgo(20) });
      await find({ memory: TOMATOES });
      const asked = archive.asked().length;
      const you = await server().account();

      expect(await look(server(), you, { url: PAGE })).toMatchObject({
        copy: { matches: "unknown" },
      });
      expect(archive.asked().length).toBe(asked);
      const casino = memoryOf("Best casino bonuses of the month");
      expect(await look(server(), you, { url: PAGE, memory: casino })).toMatchObject({
        state: "nothing_good",
      });
      expect(archive.asked().length).toBeGreaterThan(asked);
    });

    test("that is not there is looked for again after 7 days, then after 30", async () => {
      const askedAfter = async (days: number) => {
        server().clock.moveBy(days * DAY);
        const before = archive.asked().length;
        await find({ lastActiveAt: Date.parse(START) });
        return archive.asked().length > before;
      };

      expect(await find({ lastActiveAt: Date.parse(START) })).toEqual({
        state: "nothing_good",
        reasons: [{ reason: "not_archived", captured_at: null }],
      });
      expect(await askedAfter(6)).toBe(false);
      expect(await askedAfter(1)).toBe(true);
      expect(await askedAfter(29)).toBe(false);
      expect(await askedAfter(1)).toBe(true);
    });

    test("may be a document, if it is one", async () => {
      const pdf = `%PDF-1.7\n${"x".repeat(2000)}`;
      keep(
        { body: "%PDF-1.7\n", type: "application/pdf", at: daysAgo(3) },
        { body: `<p>${"No. ".repeat(99)}`, type: "application/pdf", at: daysAgo(4) },
        {
          at: daysAgo(5),
          type: "application/pdf",
          says: () => captured(pdf, daysAgo(5), "image/png"),
        },
        { body: pdf, type: "application/pdf", at: daysAgo(6) },
      );

      expect(await find()).toMatchObject({ copy: { captured_at: Date.parse(daysAgo(6)) } });
    });

    const hops = (to: string) => () =>
      new Response(null, { status: 302, headers: { location: to } });
    const zeros = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(97)),
      });

    eachRow<[string, string, (request: Request) => Response]>([
      ["that is empty", "little_text", () => captured("", daysAgo(9))],
      ["that scripts fill", "little_text", () => captured(KINDS.shell("app", {}), daysAgo(9))],
      ["that is from next year", "too_late", () => captured(GOOD, daysAgo(-365))],
      [
        "that is from after the death",
        "too_late",
        () => captured(GOOD, new Date(server().clock.now() - DAY).toISOString()),
      ],
      ["that is the archive's own page", "not_a_capture", () => new Response(GOOD)],
      ["that is the archive's own 404", "not_a_capture", () => new Response(GOOD, { status: 404 })],
      ["at another host", "leads_elsewhere", hops(`${stranger.url}/web/20290101000000id_/${PAGE}`)],
      ["at a host of the cloud", "leads_elsewhere", hops("http://169.254.169.254/latest/")],
      ["behind a loop", "leads_elsewhere", ({ url }) => hops(url)()],
      [
        "that sends people elsewhere",
        "leads_elsewhere",
        () =>
          captured(
            GOOD.replace(
              "<head>",
              '<head><meta http-equiv="refresh" content="0;url=http://other.example/">',
            ),
            daysAgo(9),
          ),
      ],
    ])("is none", async (_, reason, says) => {
      await begin();
      keep({ at: daysAgo(9), says });
      const lastActiveAt = server().clock.now() - 5 * DAY;

      expect(await find({ lastActiveAt })).toEqual({
        state: "nothing_good",
        reasons: [{ reason, captured_at: expect.any(Number) }],
      });
      expect(stranger.requests).toEqual([]);
    });

    test("that never ends is read up to a MiB", async () => {
      const bomb = Bun.gzipSync(new Uint8Array(200e6).fill(97));
      const packed = { "content-encoding": "gzip" };
      keep(
        { at: daysAgo(9), says: () => captured(zeros(), daysAgo(9)) },
        { at: daysAgo(10), says: () => captured(bomb, daysAgo(10), "text/html", packed) },
      );
      Bun.gc(true);
      const before = process.memoryUsage().rss;

      await find({ memory: TOMATOES });

      expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(30);
    });

    test("may be at another moment or address of the archive", async () => {
      const there = { url: "http://www.example.com/guides/", at: daysAgo(8), body: GOOD };
      const to = `${archive.url}/web/${stampOf(there.at)}id_/${there.url}`;
      archive.kept = [{ url: PAGE, at: daysAgo(9), says: hops(to) }, there];

      expect(await find()).toMatchObject({
        copy: {
          captured_at: Date.parse(daysAgo(8)),
          url: `${archive.url}/web/${stampOf(there.at)}/${there.url}`,
        },
      });
    });

    test("is looked for in other archives if the first has nothing", async () => {
      const [near, far] = [daysAgo(30), daysAgo(400)];
      const memento = (at: string) =>
        `<${other.url}/web/${stampOf(at)}/${PAGE}>; rel="memento"; datetime="${new Date(at).toUTCString()}",\n`;
      other.first = ({ url }) =>
        url.includes("/timemap/")
          ? new Response(
              `<${PAGE}>; rel="original",\n${memento(far)}${memento(near)}${memento(daysAgo(-9))}`,
            )
          : undefined;
      other.kept = [{ url: PAGE, at: near, body: GOOD }];

      expect(await find()).toMatchObject({
        copy: { url: `${other.url}/web/${stampOf(near)}/${PAGE}`, captured_at: Date.parse(near) },
      });
      expect(other.asked()[0]).toBe(`/timemap/link/${PAGE}`);
    });

    eachRow<[string, () => Response]>([
      ["no JSON", () => new Response("<h1>Welcome</h1>")],
      [
        "100,000 rows",
        () => Response.json(Array.from({ length: 100_000 }, () => ["20290101000000"])),
      ],
      ["another shape", () => Response.json({ captures: [] })],
      ["an error", () => new Response("", { status: 503 })],
    ])("needs an index that can be read, else it is looked for later", async (_, says) => {
      await begin();
      archive.index = says;

      expect(await find()).toEqual({
        state: "unavailable",
        retryAt: expect.any(Number),
      });
      archive.index = null;
      keep({ body: GOOD, at: daysAgo(9) });
      expect(await find()).toMatchObject({ state: "unavailable" });
      server().clock.moveBy(5 * 60_000);
      expect(await find({ lastActiveAt: Date.parse(START) })).toMatchObject({ state: "found" });
    });

    test("is not looked for where the archive forbids it", async () => {
      archive.index = () => new Response("Blocked Site Error", { status: 403 });

      expect(await find()).toEqual({
        state: "nothing_good",
        reasons: [{ reason: "archive_refuses", captured_at: null }],
      });
    });

    describe("is not asked for where the URL says too much", () => {
      const key = "c8f3b2a19d7e4f60a5b1c2d3e4f5a6b7";
      eachRow<[string]>([
        ["http://10.0.0.5/guide"],
        ["http://wiki/guide"],
        ["http://wiki.lan/guide"],
        ["http://printer.local/"],
        ["http://nas.home.arpa/"],
        ["http://app.test/"],
        ["http://[::1]/guide"],
        ["https://example.com/reset?reset_token=1"],
        ["https://example.com/?apiKey=1"],
        ["https://example.com/?X-Amz-Sig=1"],
        [`https://example.com/share/${key}`],
        [`https://example.com/?id=${key}`],
        ["https://example.com/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV"],
      ])("", async (url) => {
        expect(await find({ url })).toEqual({ state: "not_asked", reason: "private" });
        expect(archive.asked()).toEqual([]);
      });
    });

    eachRow<[string]>([
      ["https://example.com/?keyword=tomatoes&author=me&barcode=1"],
      ["https://example.com/a-very-long-slug-about-growing-tomatoes-in-2030-In-Small-Gardens"],
    ])("is asked for where it only looks so", async (url) => {
      await begin();
      expect(await find({ url })).toMatchObject({ state: "nothing_good" });
    });

    test("is not asked for where a check has found the host at an internal address", async () => {
      const url = "http://inside.example.com/guide";
      const id = await addLink(me, { url });
      const { evidence } = saw("ok");
      await check(server(), [id], "ok", { evidence: { ...evidence, address: "10.0.0.5" } });
      await check(server(), [id], "dns_nxdomain");

      expect(await find({ url })).toEqual({ state: "not_asked", reason: "private" });
      expect(archive.asked()).toEqual([]);
    });

    test("is not asked for where the account has settings for the host, unless by hand", async () => {
      const setting = {
        host: "www.example.com",
        headers: [{ name: "X-Api-Key", value: "s3cret/value+1" }],
      };
      expect((await me.post("/api/v1/host-settings", setting)).status).toBe(201);

      expect(await find()).toEqual({ state: "not_asked", reason: "private" });
      expect(await find({ isByHand: true })).toMatchObject({ state: "nothing_good" });
    });

    test("is not asked for again until the archive wants requests", async () => {
      let asked = 0;
      archive.first = () => (++asked === 3 ? new Response(null, { status: 429 }) : undefined);
      const at = server().clock.now();
      await find({ url: "http://www.example.com/1" });

      const found = await find({ url: "http://www.example.com/2" });

      const { retryAt } = found as { retryAt: number };
      expect(retryAt - at).toBeGreaterThanOrEqual(HOUR);
      const before = archive.asked().length;
      expect(await find({ url: "http://www.example.com/3" })).toEqual({
        state: "unavailable",
        retryAt,
      });
      expect(archive.asked().length).toBe(before);
      server().clock.moveBy(retryAt - server().clock.now());
      expect(await find({ url: "http://www.example.com/3" })).toMatchObject({
        state: "nothing_good",
      });
    });
  },
  SETTINGS,
);

describe("An index", () => {
  const question = { url: PAGE, from: null, to: Date.parse(START), order: "newest" } as const;
  const read = (rows: unknown) =>
    readIndex(new TextEncoder().encode(JSON.stringify(rows)), "https://a.example", question);
  const names = ["timestamp", "original", "mimetype", "statuscode", "digest", "length"];

  test("of captures is read newest first, one for each content", () => {
    const rows = [
      ["20290101000000", PAGE, "text/html", "200", "A", "1"],
      ["20290201000000", PAGE, "text/html", "200", "B", "1"],
      ["20290301000000", PAGE, "text/html", "200", "A", "1"],
    ];

    expect(read([names, ...rows])?.map(({ rawUrl }) => rawUrl)).toEqual([
      `https://a.example/web/20290301000000id_/${PAGE}`,
      `https://a.example/web/20290201000000id_/${PAGE}`,
    ]);
  });

  test("that lies is not followed", () => {
    const row = (stamp: string, url = PAGE, status = "200") => [
      stamp,
      url,
      "text/html",
      status,
      stamp,
    ];

    const captures = read([
      names.slice(0, 5),
      row("20990101000000"),
      row("2029"),
      row("20290101000000", "http://elsewhere.example/guide"),
      row("20290101000000", PAGE, "404"),
    ]);

    expect(captures).toEqual([]);
    expect(read([["a", "b"], ["c"]])).toBeNull();
  });
});

test("A TimeMap is read in pieces, and the nearest mementos of it are kept", () => {
  const to = Date.parse("2029-06-01T00:00:00Z");
  const reader = createTimemapReader({ url: PAGE, from: null, to, order: "newest" });
  const entries = Array.from({ length: 300 }, (_, n) => {
    const at = new Date(to - (150 - n) * DAY);
    return `<https://a.example/wayback/${stampOf(at.toISOString())}/${PAGE}>; rel="memento"; datetime="${at.toUTCString()}"`;
  });
  const bytes = new TextEncoder().encode(entries.join(",\n"));

  for (let at = 0; at < bytes.length; at += 777) reader.take(bytes.slice(at, at + 777));

  expect(reader.end().map(({ capturedAt }) => (to - capturedAt) / DAY)).toEqual([0, 1, 2, 3, 4]);
});
