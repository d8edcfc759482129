import { describe, expect, test } from "bun:test";
import { labChecker, untilTheEnd } from "../../tests/checker/prober.ts";
import { eachRow } from "../../tests/each-row.ts";
import { freePort } from "../../tests/free-port.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { type Routes, replies, type Site, startRawSite, startSite } from "../../tests/site.ts";
import { NEVER_CHECKED } from "../judge/attempt.ts";
import { type Checker, checkUrl, type KnownLink } from "../judge/confirm.ts";
import { createOnline } from "../judge/online/online.ts";

const siteWith = (routes: Routes): Site => untilTheEnd(startSite(routes));

const NEAR = ["127.0.0.1:53", "127.0.0.2:53", "127.0.0.3:53"];
const FAR = ["1.1.1.1:53", "8.8.8.8:53", "9.9.9.9:53"];

/** A checker with three sentinels, of which so many answer. */
function guarded(answering: number, options: Partial<Checker> = {}, sentinels = NEAR) {
  const { clock, checker } = labChecker(options);
  const asked: string[] = [];
  const ask = async ({ address }: { address: string }) => {
    asked.push(address);
    return sentinels.findIndex((sentinel) => sentinel.startsWith(address)) < answering;
  };
  const online = createOnline({ clock, sentinels, ask });
  const check = (url: string, known: Omit<KnownLink, "url"> = NEVER_CHECKED) =>
    checkUrl({ ...checker, online }, { ...known, url });
  return { clock, check, asked, online };
}

describe("a connection that fails", () => {
  const refused = async () => `http://127.0.0.1:${freePort()}/`;

  eachRow([
    [3, "conn_refused", "online"],
    [2, "conn_refused", "online"],
    [1, "monitor_degraded", "degraded"],
    [0, "monitor_offline", "offline"],
  ])("ends by how many of three sentinels answer", async (answering, reason, state) => {
    const { check } = guarded(answering);

    expect(await check(await refused())).toMatchObject({
      status: "unknown",
      reason,
      evidence: { monitor: { state } },
    });
  });

  test("is blamed on the server when there are no sentinels", async () => {
    const { check, asked } = guarded(0, {}, []);

    const conclusion = await check(await refused());

    expect(conclusion.reason).toBe("conn_refused");
    expect(conclusion.evidence.monitor).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test("on this very machine says nothing about the internet, nor the other way round", async () => {
    const { check, asked } = guarded(0, {}, FAR);

    expect(await check(await refused())).toMatchObject({ reason: "conn_refused" });
    expect(asked).toEqual([]);
  });

  test("after a look that found the page missing decides whether that look counts", async () => {
    const says = [404, () => new Response("", { status: 404 })];
    const site = siteWith({ "/a": says });
    const { checker } = labChecker();
    let looks = 0;
    const outbound: Checker["outbound"] = {
      ...checker.outbound,
      async request(...input) {
        if (looks++ === 1) await site.stop();
        return checker.outbound.request(...input);
      },
    };

    const { check } = guarded(0, { outbound });

    expect(await check(`${site.url}/a`)).toMatchObject({ reason: "monitor_offline" });
  });
});

describe("a name that is missing", () => {
  const missing = (known: Record<string, string[]>): Partial<Checker> => ({
    outbound: labOutbound({ resolver: playedResolver(known) }),
  });

  test("is dead when we are online and the name servers know what everybody knows", async () => {
    const { check } = guarded(3, missing({ "dns.google": ["8.8.8.8"] }));

    expect(await check("http://gone.test/")).toMatchObject({
      status: "dead",
      reason: "dns_nxdomain",
      evidence: { monitor: { state: "online" } },
    });
  });

  test("says nothing when the name servers know nothing at all", async () => {
    const { check } = guarded(3, missing({}));

    expect(await check("http://gone.test/")).toMatchObject({
      reason: "monitor_degraded",
      evidence: { notes: ["The name servers do not resolve well-known names."] },
    });
  });

  test("is dead when servers of the operator's choice say so, whatever else they know", async () => {
    const resolver = { ...playedResolver({}), isChosen: true };
    const { check } = guarded(3, { outbound: labOutbound({ resolver }) });

    expect(await check("http://gone.test/")).toMatchObject({ status: "dead" });
  });

  test("says nothing when we are offline", async () => {
    const { check } = guarded(0, missing({ "dns.google": ["8.8.8.8"] }));

    expect(await check("http://gone.test/")).toMatchObject({ reason: "monitor_offline" });
  });

  test("by the rules of the internet is missing everywhere, online or not", async () => {
    const { check, asked } = guarded(0, missing({}));

    expect(await check("http://never.invalid/")).toMatchObject({ status: "dead" });
    expect(asked).toEqual([]);
  });
});

describe("an answer", () => {
  eachRow([200, 404, 500])("needs no sentinel", async (status) => {
    const site = siteWith({ "/": status });
    const { check, asked } = guarded(0);

    expect(await check(site.url)).toMatchObject({ statusCode: status });
    expect(asked).toEqual([]);
  });
});

describe("a process that came late", () => {
  const late = (ms: number) => ({ lag: { worstSince: () => ms } });

  eachRow([
    [2000, 404, "http_404"],
    [5000, 404, "http_404"],
    [5001, 404, "internal_error"],
    [5001, 500, "internal_error"],
    [60_000, 200, "ok"],
  ])("takes no finding for true that its lateness may explain", async (ms, status, reason) => {
    const site = siteWith({ "/": status });

    expect(await guarded(3, late(ms)).check(site.url)).toMatchObject({ reason });
  });

  eachRow([
    [2000, "dns_timeout"],
    [2001, "internal_error"],
  ])("takes no time-out for true sooner than that", async (ms, reason) => {
    const outbound = labOutbound({ resolver: playedResolver({ "slow.test": "dns_timeout" }) });

    const { check } = guarded(3, { ...late(ms), outbound });

    expect(await check("http://slow.test/")).toMatchObject({ reason });
  });
});

describe("a clock that is wrong", () => {
  /** Sites whose `Date` is so many minutes ahead of the clock, and one whose certificate has expired. */
  async function seen(minutes: number) {
    const { clock, check } = guarded(3, {
      outbound: labOutbound({ resolver: playedResolver(NAMES) }),
    });
    const date = new Date(clock.now() + minutes * 60_000).toUTCString();
    const dated = siteWith({ "/": () => new Response("hello", { headers: { Date: date } }) });
    for (const name of ["a.test", "b.test", "c.test"]) await check(`http://${name}:${dated.port}/`);
    const expired = untilTheEnd(
      await startRawSite(replies("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), {
        certificate: "expired",
      }),
    );
    return check(`https://site.test:${expired.port}/`);
  }

  const here = ["127.0.0.1"];
  const NAMES = { "a.test": here, "b.test": here, "c.test": here, "site.test": here };

  eachRow([
    [4, "tls_expired"],
    [-4, "tls_expired"],
    [6, "internal_error"],
    [-6, "internal_error"],
  ])("takes no expired certificate for true", async (minutes, reason) => {
    expect(await seen(minutes)).toMatchObject({ status: "unknown", reason });
  });
});

describe("an error of a proxy in front of a site", () => {
  const gone =
    "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nProxy-Status: cdn.test; error=http_response_incomplete\r\nX-Squid-Error: ERR_ACCESS_DENIED 0\r\nContent-Length: 5\r\nConnection: close\r\n\r\nGone.";
  const serve = async () => {
    const site = untilTheEnd(await startRawSite(replies(gone)));
    return site.url;
  };

  test("is the site's where this monitor has no proxy", async () => {
    const { check } = guarded(3);

    expect(await check(`${await serve()}/a`)).toMatchObject({ status: "dead", reason: "http_404" });
  });

  test("is this monitor's where its proxy says so", async () => {
    const outbound = labOutbound({ proxy: await serve() });
    const { check } = guarded(3, { outbound });

    expect(await check("http://site.test/a")).toMatchObject({
      status: "unknown",
      reason: "monitor_proxy_error",
    });
  });
});
