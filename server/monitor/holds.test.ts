import { describe, expect, test } from "bun:test";
import { labCheck, untilTheEnd } from "../../tests/checker/prober.ts";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { labOutbound } from "../../tests/outbound/lab.ts";
import { type Routes, type Says, startSite } from "../../tests/site.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import { NEVER_CHECKED } from "../judge/attempt.ts";
import type { KnownLink } from "../judge/confirm.ts";
import { createPoliteness } from "../judge/politeness/politeness.ts";
import { type ProbeInput, probe } from "../judge/probe/probe.ts";
import { USUAL_STYLE } from "../judge/probe/style.ts";
import type { Kind, Service } from "../judge/services/record.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A web site that is known as `site.test` and as `other.test`. */
function siteWith(routes: Routes) {
  const site = untilTheEnd(startSite(routes));
  return {
    requests: site.requests,
    at: (path: string) => `http://site.test:${site.port}${path}`,
    elsewhere: (path: string) => `http://other.test:${site.port}${path}`,
  };
}

const answers =
  (status: number, headers: Record<string, string> = {}): Says =>
  () =>
    new Response("A page.", { status, headers: { "Content-Type": "text/html", ...headers } });

const asksFor = (status: number, seconds: number) =>
  answers(status, { "Retry-After": `${seconds}` });

/** Single attempts, on a clock that moves on its own whenever something sleeps. */
function prober() {
  const clock = movableClock("2030-01-01T00:00:00Z", { autoMove: true });
  const outbound = labOutbound({ clock });
  const politeness = createPoliteness({ clock, hostConcurrency: 2, hostGapMs: 0 });
  const look = (url: string, more: Partial<ProbeInput> = {}) =>
    probe(
      { clock, outbound, politeness, userAgent: "Stillup/test" },
      { url, style: USUAL_STYLE, timeoutMs: 20_000, leftMs: 60_000, ...more },
    );
  return { clock, look };
}

type Options = {
  random?: () => number;
  /** One that stands still, instead of one that moves on its own. */
  clock?: MovableClock;
  signal?: AbortSignal;
  hostConcurrency?: number;
  hostGapMs?: number;
  /** Services of one's own. */
  own?: Service[];
  /** How late the event loop was. */
  lagMs?: number;
};

/** Whole checks as the program makes them. `random` is what chance gives. */
function checking(options: Options = {}) {
  const { random = () => 0, hostConcurrency = 2, hostGapMs = 0, lagMs = 0, own = [] } = options;
  const { clock = movableClock("2030-01-01T00:00:00Z", { autoMove: true }) } = options;
  const config = {
    checkConcurrency: 200,
    hostConcurrency,
    hostGapMs,
    checkTimeoutMs: 30_000,
    confirmDelaysMs: [0, 3000, 12_000],
    checkUserAgent: "Stillup/test",
  };
  const lag = { worstSince: () => lagMs };
  const run = labCheck({ config, clock, lag, catalogue: catalogueWith(own), random });
  let links = 0;
  const { signal = new AbortController().signal } = options;
  const check = (url: string, known: Partial<KnownLink> = {}) =>
    run({ ...NEVER_CHECKED, id: `link-${++links}`, url, ...known }, signal);
  return { clock, check };
}

describe("an attempt at a site that wants to be left alone", () => {
  test("waits for half a minute, which is neither queueing nor the site's slowness", async () => {
    const site = siteWith({ "/busy": asksFor(429, 20), "/page": "hello" });
    const { clock, look } = prober();
    await look(site.at("/busy"));

    const found = await look(site.at("/page"));

    expect(found).toMatchObject({ kind: "answered", status: 200, waitedMs: 0, responseTimeMs: 0 });
    expect(clock.slept).toContain(20_000);
  });

  eachRow([
    [429, "http_429"],
    [503, "maintenance"],
  ])("is not made when that takes longer", async (status, reason) => {
    const site = siteWith({ "/busy": asksFor(status, 45), "/page": "hello" });
    const { clock, look } = prober();
    await look(site.at("/busy"));

    const found = await look(site.at("/page"));

    expect(found).toMatchObject({
      kind: "failed",
      reason,
      heldMs: 45_000,
      hops: [],
      address: null,
    });
    expect(found).toMatchObject({
      detail: expect.stringMatching(/^site\.test(:\d+)? has a cooldown of 45 seconds more\.$/),
    });
    expect(clock.slept).not.toContain(45_000);
    expect(site.requests).toHaveLength(1);
  });

  test("is not made when the check would have no time left for it", async () => {
    const site = siteWith({ "/busy": asksFor(429, 20), "/page": "hello" });
    const { look } = prober();
    await look(site.at("/busy"));

    expect(await look(site.at("/page"), { leftMs: 24_000 })).toMatchObject({ heldMs: 20_000 });
    expect(await look(site.at("/page"), { leftMs: 25_000 })).toMatchObject({ status: 200 });
  });

  test("has waited already when another site on its way wants it too", async () => {
    const redirect: Says = () =>
      new Response(null, { status: 302, headers: { Location: site.elsewhere("/page") } });
    const routes = { "/busy": asksFor(429, 20), "/busier": asksFor(429, 28) };
    const site = siteWith({ ...routes, "/a": redirect, "/page": "hello" });
    const { look } = prober();
    for (const url of [site.at("/busy"), site.elsewhere("/busier")]) await look(url);

    const hurried = await look(site.at("/a"), { leftMs: 32_000 });
    const patient = await look(site.at("/a"));

    expect(hurried).toMatchObject({ kind: "failed", heldMs: 8000, hops: [{ status: 302 }] });
    expect(patient).toMatchObject({ kind: "answered", status: 200, hops: [{ status: 302 }] });
  });

  test("ends in the middle of the way when another site does", async () => {
    const redirect: Says = () =>
      new Response(null, { status: 302, headers: { Location: site.elsewhere("/page") } });
    const site = siteWith({ "/busy": asksFor(429, 45), "/a": redirect, "/page": "hello" });
    const { look } = prober();
    await look(site.elsewhere("/busy"));

    expect(await look(site.at("/a"))).toMatchObject({
      kind: "failed",
      reason: "http_429",
      heldMs: 45_000,
      hops: [{ status: 302 }],
      finalUrl: site.elsewhere("/page"),
      address: null,
    });
  });

  test("that is given up ends as an aborted check", async () => {
    const site = siteWith({ "/busy": asksFor(429, 20), "/page": "hello" });
    const { look } = prober();
    await look(site.at("/busy"));

    expect(await look(site.at("/page"), { signal: AbortSignal.abort() })).toMatchObject({
      reason: "check_aborted",
    });
  });
});

describe("a check whose own page asks for a rest", () => {
  test("of twenty seconds waits for it", async () => {
    const site = siteWith({ "/a": [asksFor(429, 20), "hello"] });
    const { clock, check } = checking();

    expect(await check(site.at("/a"))).toMatchObject({ status: "active", deferMs: null });
    expect(clock.slept).toContain(20_000);
  });

  test("of forty-five ends unclear, and is not asked again before", async () => {
    const site = siteWith({ "/a": asksFor(429, 45) });

    expect(await checking().check(site.at("/a"))).toMatchObject({
      status: "unknown",
      reason: "http_429",
      statusCode: 429,
      restMs: 45_000,
      deferMs: null,
    });
    expect(site.requests).toHaveLength(1);
  });

  test("because it was the third refusal in a row, rests as long as its site", async () => {
    const site = siteWith({ "/a": 429, "/b": 429 });
    const { check } = checking();
    const first = await check(site.at("/a"));
    expect(first).toMatchObject({ reason: "http_429", restMs: null });

    const second = await check(site.at("/b"));

    expect(second).toMatchObject({ status: "unknown", reason: "http_429", deferMs: null });
    expect(second.restMs).toBe(15 * MINUTE - 2000);
    expect(site.requests).toHaveLength(3);
  });

  test("and found nothing while it was gone is unconfirmed", async () => {
    const site = siteWith({ "/a": [404, asksFor(429, 3600)] });

    expect(await checking().check(site.at("/a"))).toMatchObject({
      status: "unknown",
      reason: "unconfirmed",
      cause: "http_404",
      restMs: HOUR,
      deferMs: null,
    });
  });

  test("behind a redirect to a site that is held is unclear", async () => {
    const redirect: Says = () =>
      new Response(null, { status: 302, headers: { Location: site.elsewhere("/page") } });
    const site = siteWith({ "/busy": asksFor(429, 45), "/a": redirect, "/page": "hello" });
    const { check } = checking();
    await check(site.elsewhere("/busy"));

    expect(await check(site.at("/a"))).toMatchObject({
      status: "unknown",
      reason: "http_429",
      restMs: 45_000,
      deferMs: null,
      redirectCount: 1,
    });
  });
});

describe("the other links of a site that wants to be left alone", () => {
  test("are deferred and not failed, while those of other sites are checked", async () => {
    const site = siteWith({ "/busy": asksFor(429, 3600), "/page": "hello" });
    const { check } = checking({ random: Math.random });
    await check(site.at("/busy"));
    const fifty = Array.from({ length: 50 }, (_, i) => check(site.at(`/${i}`)));
    const others = Array.from({ length: 5 }, (_, i) => check(site.elsewhere(`/page?${i}`)));

    const deferred = await Promise.all(fifty);

    for (const conclusion of deferred) {
      expect(conclusion).toMatchObject({ status: "unknown", reason: "http_429", restMs: null });
      expect(conclusion.deferMs).toBeGreaterThanOrEqual(HOUR);
      expect(conclusion.deferMs).toBeLessThanOrEqual(HOUR + 10 * MINUTE);
      expect(conclusion.evidence.attempts).toEqual([]);
    }
    expect(new Set(deferred.map(({ deferMs }) => deferMs)).size).toBeGreaterThan(40);
    for (const { status } of await Promise.all(others)) expect(status).toBe("active");
    expect(site.requests.filter(({ url }) => url.includes("site.test"))).toHaveLength(1);
  });

  eachRow([
    [0, 60, 60],
    [0.5, 60, 90],
    [1, 60, 120],
    [1, 3600, 4200],
  ])(
    "come back by chance within twice the time that it asks for, or ten minutes after it",
    async (chance, seconds, expected) => {
      const site = siteWith({ "/busy": asksFor(429, seconds), "/page": "hello" });
      const { check } = checking({ random: () => chance });
      await check(site.at("/busy"));

      expect((await check(site.at("/page"))).deferMs).toBe(expected * 1000);
    },
  );

  test("are checked when it is over", async () => {
    const site = siteWith({ "/busy": asksFor(503, 3600), "/page": "hello" });
    const { clock, check } = checking();
    await check(site.at("/busy"));
    const link = { id: "mine" };
    expect(await check(site.at("/page"), link)).toMatchObject({
      reason: "maintenance",
      deferMs: HOUR,
    });

    clock.moveBy(HOUR);

    expect(await check(site.at("/page"), link)).toMatchObject({ status: "active", deferMs: null });
  });

  test("are deferred too when they stood in line as it began", async () => {
    const site = siteWith({ "/busy": asksFor(429, 45), "/b": "hello", "/c": "hello" });
    const { check } = checking({ hostConcurrency: 1 });

    const ends = await Promise.all(["/busy", "/b", "/c"].map((path) => check(site.at(path))));

    expect(ends.map(({ deferMs }) => deferMs)).toEqual([null, 45_000, 45_000]);
    expect(ends.map(({ evidence }) => evidence.attempts.length)).toEqual([1, 0, 0]);
    expect(site.requests).toHaveLength(1);
  });

  test("do not hide a fault of ours", async () => {
    const site = siteWith({ "/busy": asksFor(429, 45), "/b": "hello" });
    const { check } = checking({ hostConcurrency: 1, lagMs: 6000 });

    const ends = await Promise.all(["/busy", "/b"].map((path) => check(site.at(path))));

    expect(ends[1]).toMatchObject({ reason: "internal_error", deferMs: null });
  });

  test("are deferred too when it is so slow that the line is long", async () => {
    const site = siteWith({ "/ill": 500, "/page": "hello" });
    const { check } = checking({ hostGapMs: 29_800 });
    await check(site.at("/ill"));

    expect(await check(site.at("/page"))).toMatchObject({ reason: "http_500", deferMs: 30_400 });
    expect(await check(site.elsewhere("/page"))).toMatchObject({ status: "active" });
  });

  test("wait for a moment rather than be deferred", async () => {
    const site = siteWith({ "/busy": asksFor(429, 20), "/page": "hello" });
    const { clock, check } = checking({ hostConcurrency: 1 });

    const ends = await Promise.all([check(site.at("/busy")), check(site.at("/page"))]);

    expect(ends.map(({ deferMs }) => deferMs)).toEqual([null, null]);
    expect(ends[1]?.status).toBe("active");
    expect(clock.slept).toContain(20_000);
  });

  test("are left until its rate limit is renewed, though all went well", async () => {
    const limit = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "120" };
    const site = siteWith({ "/last": answers(200, limit), "/page": "hello" });
    const { check } = checking();

    expect(await check(site.at("/last"))).toMatchObject({ status: "active", restMs: null });
    expect(await check(site.at("/page"))).toMatchObject({ deferMs: 120_000 });
  });
});

describe("of very many links of one site", () => {
  const MANY = 60;

  /** What is settled of so many checks begun at once while no time passes. */
  async function crowd(known: Partial<KnownLink> = {}, serviceAt?: (host: string) => Service) {
    const site = siteWith({ "/": "hello", "/ask": "hello" });
    const stopping = new AbortController();
    const clock = movableClock("2030-01-01T00:00:00Z");
    const { host } = new URL(site.at("/"));
    const own = serviceAt ? [serviceAt(host)] : [];
    const { check } = checking({ clock, own, hostGapMs: 250, signal: stopping.signal });
    const settled: (number | null)[] = [];
    const note = ({ deferMs }: { deferMs: number | null }) => void settled.push(deferMs);
    const all = Array.from({ length: MANY }, (_, i) =>
      check(site.at(`/?${i}`), { id: `${i}`, ...known }).then(note),
    );
    await yieldToEventLoop();
    const put = settled.filter((ms) => ms !== null);
    stopping.abort();
    await Promise.all(all);
    return put;
  }

  test("few stand in line, and the others come back at the pace at which it is asked", async () => {
    const put = await crowd();

    expect(put).toHaveLength(MANY - 9);
    expect(put.slice(0, 3)).toEqual([2250, 2500, 2750]);
  });

  eachRow<[how: string, kind: (host: string) => Kind]>([
    ["by its page", () => ({ kind: "file", page: { needsMarker: true } })],
    ["by its API", (host) => ({ kind: "file", ask: { url: `http://${host}/ask` }, page: "never" })],
  ])("so it is where the site is a service", async (_, kindAt) => {
    const put = await crowd({}, (host) => ({
      id: "files",
      name: "Files",
      hosts: [host.split(":")[0]!],
      kinds: [kindAt(host)],
    }));

    expect(put).toHaveLength(MANY - 9);
  });

  eachRow([
    ["someone waits for is put off", { isRequested: true }],
    ["belongs to no link is put off, as no one would take it up again", { id: null }],
  ])("none is put off that has to be checked now", async (_, known) => {
    expect(await crowd(known)).toEqual([]);
  });
});

describe("a URL that two accounts watch", () => {
  test("is asked for once", async () => {
    const site = siteWith({ "/page": "hello" });
    const { check } = checking();

    const ends = await Promise.all([check(site.at("/page")), check(site.at("/page#part"))]);
    const later = await check(site.at("/page"));

    expect([...ends, later].map(({ status }) => status)).toEqual(["active", "active", "active"]);
    expect(site.requests.filter(({ url }) => url.endsWith("/page"))).toHaveLength(1);
  });

  test("and that is deferred is asked for afterwards", async () => {
    const site = siteWith({ "/busy": asksFor(429, 300), "/page": "hello" });
    const { clock, check } = checking();
    await check(site.at("/busy"));
    await check(site.at("/page"));

    clock.moveBy(5 * MINUTE);

    expect(await check(site.at("/page"))).toMatchObject({ status: "active", deferMs: null });
  });
});
