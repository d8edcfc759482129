import { describe, expect, test } from "bun:test";
import { labChecker, untilTheEnd } from "../../tests/checker/prober.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { freePort } from "../../tests/free-port.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import {
  type Certificate,
  type Routes,
  replies,
  resets,
  type Says,
  startRawSite,
  startSite,
} from "../../tests/site.ts";
import { readConfig } from "../ground/config/config.ts";
import type { DnsReason, Resolution } from "../ground/net/resolve.ts";
import { NEVER_CHECKED } from "./attempt.ts";
import { type Checker, checkUrl, type KnownLink } from "./confirm.ts";
import { createPoliteness } from "./politeness/politeness.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2030-01-01T00:00:00Z");
const wasActive = { ...NEVER_CHECKED, lastDecided: "active" } as const;

async function check(
  url: string,
  known: Omit<KnownLink, "url"> = NEVER_CHECKED,
  options: Partial<Checker> = {},
) {
  const { clock, checker } = labChecker(options);
  const conclusion = await checkUrl(checker, { url, ...known });
  const profiles = conclusion.evidence.attempts.map(({ profile }) => profile).join("");
  return { ...conclusion, profiles, slept: clock.slept, attempts: conclusion.evidence.attempts };
}

const checkPage = (
  says: Says | Says[],
  known: Omit<KnownLink, "url"> = NEVER_CHECKED,
  options?: Partial<Checker>,
) => check(untilTheEnd(startSite({ "/": says } as Routes)).url, known, options);

type Row = {
  what: string;
  says: Says | Says[];
  /** Of the link, which was never checked otherwise. */
  known?: Omit<KnownLink, "url">;
  confirmDelaysMs?: number[];
  seen: object;
};

eachRow(Object.values(yamlIn<Record<string, Row[]>>(import.meta.dir, "confirm.yaml")).flat())(
  "A page ends by what its attempts found together",
  async (row) => {
    const { confirmDelaysMs } = row;
    const known = { ...NEVER_CHECKED, ...row.known };

    const seen = await checkPage(row.says, known, confirmDelaysMs && { confirmDelaysMs });

    expect(seen).toMatchObject(row.seen);
  },
);

describe("a page that is missing", () => {
  test("only for programs is not dead", async () => {
    const says: Says = (request) =>
      new Response("A page.", {
        status: request.headers.get("user-agent")?.startsWith("Mozilla") ? 200 : 404,
      });

    expect(await checkPage(says, wasActive)).toMatchObject({ status: "active", profiles: "AAB" });
  });

  test("behind redirects shows the redirects", async () => {
    const site = untilTheEnd(startSite({ "/a": () => Response.redirect("/b", 301) }));

    expect(await check(`${site.url}/a`)).toMatchObject({
      status: "dead",
      redirectCount: 1,
      finalUrl: `${site.url}/b`,
      evidence: {
        redirects: [{ url: `${site.url}/a`, status: 301 }],
        final_url: `${site.url}/b`,
        address: "127.0.0.1",
      },
    });
  });
});

describe("a page of a link that changes all the time", () => {
  const flapping = { ...wasActive, isFlapping: true } as const;

  test("is left open while many others are looked at so often, as they take up room", async () => {
    const longChecks = { count: 0, most: 1 };
    const { url } = untilTheEnd(startSite({}));
    const { checker } = labChecker({ longChecks });
    const both = [url, `${url}/b`].map((each) => checkUrl(checker, { url: each, ...flapping }));

    expect((await Promise.all(both)).map(({ reason }) => reason).toSorted()).toEqual([
      "http_404",
      "unconfirmed",
    ]);
    expect(longChecks.count).toBe(0);
  });

  test("that answers too slowly for that is not looked at again and again", async () => {
    const { clock, checker } = labChecker();
    const slowly = () => {
      clock.moveBy(50_000);
      return new Response("", { status: 404 });
    };
    const { url } = untilTheEnd(startSite({ "/": slowly }));

    const conclusion = await checkUrl(
      { ...checker, checkTimeoutMs: 100_000 },
      { url, ...flapping },
    );

    expect(conclusion).toMatchObject({ reason: "unconfirmed", followUpMs: null });
  });
});

describe("a site that has an IPv6 address only", () => {
  const unreachable = (hasIpv6: boolean): Partial<Checker> => {
    const { checker } = labChecker();
    const failed = {
      kind: "failed",
      reason: "conn_unreachable",
      detail: "",
      address: "2606:4700::1",
      tlsExpiresAt: null,
      dnsMs: null,
      elapsedMs: 1,
    } as const;
    return {
      outbound: { ...checker.outbound, request: async () => failed, hasIpv6: () => hasIpv6 },
    };
  };

  test.each([
    [false, [{ rule: "no_ipv6_here" }]],
    [true, []],
  ])("differs from one that cannot be reached when we have IPv6: %p", async (has, signals) => {
    const conclusion = await check("http://site.test/", NEVER_CHECKED, unreachable(has));

    expect(conclusion).toMatchObject({ status: "unknown", reason: "conn_unreachable" });
    expect(conclusion.evidence.signals).toMatchObject(signals);
    expect(conclusion.evidence.signals).toHaveLength(signals.length);
  });
});

describe("a neighbouring address", () => {
  test("over plain http is noted where https fails, and changes nothing", async () => {
    const site = untilTheEnd(startSite({ "/a": "hello" }));

    const conclusion = await check(`https://127.0.0.1:${site.port}/a`);

    expect(conclusion).toMatchObject({
      status: "unknown",
      evidence: { notes: [`http://127.0.0.1:${site.port}/a returns 200.`] },
    });
  });

  test("is not noted when it does not answer either", async () => {
    const site = untilTheEnd(startSite({}));

    const { evidence } = await check(`https://127.0.0.1:${site.port}/a`);

    expect(evidence.notes).toEqual([]);
  });

  test("with www is noted where the certificate is for another name", async () => {
    const names = { "shop.test": ["127.0.0.1"], "www.site.test": ["127.0.0.1"] };
    const resolver = playedResolver({ ...names, "site.test": ["127.0.0.1"] });
    const hello = replies("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    const site = untilTheEnd(await startRawSite(hello, { certificate: "other" }));
    const found: string[] = [];
    const { checker } = labChecker({ outbound: labOutbound({ resolver }) });
    const outbound: Checker["outbound"] = {
      ...checker.outbound,
      request(target, input) {
        found.push(new URL(target).hostname);
        return checker.outbound.request(target, input);
      },
    };

    await checkUrl(
      { ...checker, outbound },
      { url: `https://site.test:${site.port}/`, ...NEVER_CHECKED },
    );

    expect(found.at(-1)).toBe("www.site.test");
  });

  test("over plain http at the end of the redirects is noted", async () => {
    const plain = untilTheEnd(startSite({ "/": "hello" }));
    const secure = untilTheEnd(
      startSite(
        { "/": () => Response.redirect(`http://site.test:${plain.port}/`, 302) },
        { certificate: "good" },
      ),
    );

    expect(await check(`https://site.test:${secure.port}/`)).toMatchObject({
      status: "active",
      evidence: { notes: ["The redirects leave https for plain http."] },
    });
  });
});

describe("trouble that may pass", () => {
  test("is waited out for as long as the server asks, up to half a minute", async () => {
    const asking = (seconds: string) => () =>
      new Response("", { status: 429, headers: { "Retry-After": seconds } });

    expect(await checkPage([asking("20"), "hello"])).toMatchObject({
      status: "active",
      slept: [20_000],
    });
    expect(await checkPage(asking("3600"))).toMatchObject({
      reason: "http_429",
      restMs: HOUR,
      slept: [],
    });
  });

  test("of the connection is tried again", async () => {
    const refused = await check(`http://127.0.0.1:${freePort()}/`, wasActive);
    const reset = await check(untilTheEnd(await startRawSite(resets)).url);

    expect(refused).toMatchObject({
      status: "unknown",
      reason: "conn_refused",
      profiles: "AAA",
      statusCode: null,
    });
    expect(reset).toMatchObject({ reason: "conn_reset", profiles: "ABA" });
  });

  test("an answer tells more than none", async () => {
    let visit = 0;
    const site = untilTheEnd(
      await startRawSite((socket) =>
        visit++ === 0
          ? resets(socket)
          : replies("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n")(socket),
      ),
    );

    expect(await check(site.url)).toMatchObject({ reason: "http_503", statusCode: 503 });
  });

  test("does not count the time in which a busy site is spared", async () => {
    const { clock, checker } = labChecker();
    const politeness = createPoliteness({ clock, hostConcurrency: 1, hostGapMs: 90_000 });
    const { url } = untilTheEnd(startSite({}));

    const conclusion = await checkUrl({ ...checker, politeness }, { url, ...wasActive });

    expect(conclusion).toMatchObject({ status: "dead", evidence: { attempts: [{}, {}, {}] } });
  });

  test("counts that time too for a manual check", async () => {
    const { clock, checker } = labChecker();
    const politeness = createPoliteness({ clock, hostConcurrency: 1, hostGapMs: 90_000 });
    const { url } = untilTheEnd(startSite({}));
    const startedAt = clock.elapsed();

    const conclusion = await checkUrl(
      { ...checker, politeness },
      { url, ...wasActive, isRequested: true },
    );

    expect(conclusion).toMatchObject({ reason: "unconfirmed", evidence: { attempts: [{}, {}] } });
    expect(clock.elapsed() - startedAt).toBeLessThan(100_000);
  });

  test("of a busy site does not delay a manual check", async () => {
    const { clock, checker } = labChecker();
    const politeness = createPoliteness({ clock, hostConcurrency: 1, hostGapMs: 0 });
    const { url } = untilTheEnd(startSite({ "/a": "hello", "/b": "hello", "/asked": "hello" }));
    const check = (path: string, isRequested: boolean) =>
      checkUrl({ ...checker, politeness }, { ...NEVER_CHECKED, url: `${url}${path}`, isRequested });

    const ends: string[] = [];
    const note = (path: string) => () => void ends.push(path);
    await Promise.all([
      check("/a", false).then(note("/a")),
      check("/b", false).then(note("/b")),
      check("/asked", true).then(note("/asked")),
    ]);

    expect(ends.indexOf("/asked")).toBeLessThan(ends.indexOf("/b"));
  });

  test("never takes more than a minute", async () => {
    const { clock, checker } = labChecker();
    const outbound: Checker["outbound"] = {
      ...checker.outbound,
      request: (...input) => {
        clock.moveBy(25_000);
        return checker.outbound.request(...input);
      },
    };

    const conclusion = await checkUrl(
      { ...checker, outbound },
      { url: `http://127.0.0.1:${freePort()}/`, ...NEVER_CHECKED },
    );

    expect(conclusion.evidence.attempts).toHaveLength(2);
  });

  test("takes no more than a minute in a manual check, even if each lookup of a name is slow too", async () => {
    const { clock, checker } = labChecker();
    const outbound: Checker["outbound"] = {
      ...checker.outbound,
      request: (target, input) => {
        clock.moveBy(10_000 + Math.min(input.timeoutMs, 25_000));
        return checker.outbound.request(target, input);
      },
    };
    const url = `http://127.0.0.1:${freePort()}/`;
    const startedAt = clock.elapsed();

    await checkUrl(
      { ...checker, outbound, checkTimeoutMs: 30_000 },
      { url, ...NEVER_CHECKED, isRequested: true },
    );

    expect(clock.elapsed() - startedAt).toBeLessThan(60_000);
  });
});

describe("a bad certificate", () => {
  const secure = async (certificate: Certificate, status: string) => {
    const site = untilTheEnd(
      await startRawSite(replies(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nhi`), {
        certificate,
      }),
    );
    return `https://site.test:${site.port}/`;
  };

  eachRow([
    ["expired", "tls_expired"],
    ["self", "tls_self_signed"],
    ["other", "tls_name_mismatch"],
  ] as const)("leaves a good page unknown", async (certificate, reason) => {
    expect(await check(await secure(certificate, "200 OK"), wasActive)).toMatchObject({
      status: "unknown",
      reason,
      profiles: "AA",
    });
  });

  test("does not hide that the page is missing", async () => {
    const missing = await check(await secure("expired", "404 Not Found"), wasActive);

    expect(missing).toMatchObject({ status: "dead", reason: "http_404", profiles: "AAAB" });
  });

  test("lets the server's word that the page is gone count as little as a missing page", async () => {
    const gone = await check(await secure("expired", "410 Gone"), wasActive);

    expect(gone).toMatchObject({ status: "dead", reason: "http_410", profiles: "AAAB" });
  });

  test("says nothing when the server is ill as well", async () => {
    expect(await check(await secure("expired", "500 Oops"))).toMatchObject({
      reason: "tls_expired",
    });
  });
});

describe("a closed port 80", () => {
  /** Requests to ports 80 and 443 of `site.test` go to others, since only an administrator may listen there. */
  const withPorts = (plain: number, secure: number): Partial<Checker> => {
    const { outbound } = labChecker().checker;
    const request: Checker["outbound"]["request"] = (target, input) => {
      const url = new URL(target);
      if (url.port === "") url.port = String(url.protocol === "https:" ? secure : plain);
      return outbound.request(url, input);
    };
    return { outbound: { ...outbound, request } };
  };
  const checkClosed = (
    says: Says,
    certificate: Certificate = "good",
    url = "http://site.test/a",
  ) => {
    const site = untilTheEnd(startSite({ "/a": says }, { certificate }));
    return check(url, wasActive, withPorts(freePort(), site.port));
  };

  eachRow<[string, Says]>([
    ["a page", "hello"],
    ["a refusal", 403],
  ])("with an answer over https is never a lasting failure", async (_, says) => {
    expect(await checkClosed(says)).toMatchObject({
      status: "unknown",
      reason: "https_only",
      patienceMs: null,
      evidence: { notes: [expect.stringMatching(/^https:\/\/site\.test\/a returns \d+\.$/)] },
    });
  });

  eachRow<[string, Says, Certificate]>([
    ["a missing page", 404, "good"],
    ["an error", 500, "good"],
    ["a page for another name", "hello", "other"],
    ["an expired certificate", "hello", "expired"],
  ])("with nothing good over https is one", async (_, says, certificate) => {
    expect(await checkClosed(says, certificate)).toMatchObject({ reason: "conn_refused" });
  });

  test("with nothing over https is one, and other ports are not tried there", async () => {
    const options = withPorts(freePort(), freePort());
    const other = `http://site.test:${freePort()}/a`;

    expect(await check("http://site.test/a", wasActive, options)).toMatchObject({
      reason: "conn_refused",
    });
    expect(await checkClosed("hello", "good", other)).toMatchObject({ reason: "conn_refused" });
  });
});

describe("a client certificate", () => {
  eachRow([
    ["nginx", "400 Bad Request", "<title>400 No required SSL certificate was sent</title>"],
    ["IIS", "403 Forbidden", "<h1>Forbidden: client certificate required</h1>"],
    ["a proxy", "496 SSL Certificate Required", ""],
  ])("that a page asks for is unknown", async (_, status, body) => {
    const response = `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\n\r\n${body}`;
    const site = untilTheEnd(await startRawSite(replies(response)));

    expect(await check(site.url)).toMatchObject({ reason: "client_certificate", profiles: "A" });
  });

  test("is not what another bad request is about", async () => {
    const response = "HTTP/1.1 400 Bad\r\nContent-Type: text/html\r\n\r\n<title>No</title>";
    const site = untilTheEnd(await startRawSite(replies(response)));

    expect(await check(site.url)).toMatchObject({ reason: "http_400" });
  });
});

describe("a name that does not exist", () => {
  /** Two name servers that say the same, one entry after the other. */
  const answering = (...rounds: (DnsReason | string[])[]): Partial<Checker> => {
    const say = (round: DnsReason | string[] = []): Resolution =>
      typeof round === "string" ? { ok: false, reason: round } : { ok: true, addresses: round };
    const askEach = async () => {
      const answer = say(rounds.shift());
      return [answer, answer];
    };
    return { outbound: labOutbound({ resolver: { ...playedResolver({}), askEach } }) };
  };
  const url = "http://gone.test/";

  test("is asked for twice, five seconds apart", async () => {
    expect(
      await check(url, NEVER_CHECKED, answering("dns_nxdomain", "dns_nxdomain")),
    ).toMatchObject({
      status: "dead",
      reason: "dns_nxdomain",
      slept: [5000],
      statusCode: null,
    });
  });

  test("once, but then answered differently, is unconfirmed", async () => {
    const failing = answering("dns_nxdomain", "dns_servfail");
    const found = answering(["8.8.8.8"]);

    for (const options of [failing, found]) {
      expect(await check(url, NEVER_CHECKED, options)).toMatchObject({
        status: "unknown",
        reason: "unconfirmed",
        cause: "dns_nxdomain",
        followUpMs: null,
      });
    }
  });

  const day = 24 * HOUR;
  eachRow([
    ["never active", { lastActiveAt: null, unconfirmedSince: null }, "dead", null],
    ["active 8 days ago", { lastActiveAt: NOW - 8 * day, unconfirmedSince: null }, "dead", null],
    ["active yesterday", { lastActiveAt: NOW - day, unconfirmedSince: null }, "unknown", HOUR],
    [
      "missing half an hour ago",
      { lastActiveAt: NOW - day, unconfirmedSince: NOW - HOUR / 2 },
      "unknown",
      HOUR / 2 - 5000,
    ],
    [
      "missing an hour ago",
      { lastActiveAt: NOW - day, unconfirmedSince: NOW - HOUR },
      "dead",
      null,
    ],
  ] as const)(
    "kills a link that was not active lately, or is missing for an hour",
    async (_, known, status, followUpMs) => {
      const conclusion = await check(
        url,
        { ...wasActive, ...known },
        answering("dns_nxdomain", "dns_nxdomain"),
      );

      expect(conclusion).toMatchObject({ status, followUpMs });
    },
  );

  test("under .invalid is dead without anybody being asked", async () => {
    expect(await check("http://never.invalid/")).toMatchObject({
      status: "dead",
      reason: "dns_nxdomain",
    });
  });
});

describe("the waits before a page is looked at again", () => {
  eachRow(["0,3000,12000", "40000", ""])("may be up to 40 seconds together", (text) => {
    expect(() => readConfig({ STILLUP_CONFIRM_DELAYS_MS: text })).not.toThrow();
  });

  test("may not be so long that a check could never come to its end", () => {
    expect(() => readConfig({ STILLUP_CONFIRM_DELAYS_MS: "0,30000,10001" })).toThrow(
      'STILLUP_CONFIRM_DELAYS_MS must be a list of milliseconds, 40000 together at most; got "0,30000,10001".',
    );
  });
});

describe("the check", () => {
  test("ends as aborted when the program stops, whatever was seen", async () => {
    const stop = new AbortController();
    const says: Says = () => {
      stop.abort();
      return new Response("", { status: 404 });
    };

    expect(await checkPage(says, wasActive, { signal: stop.signal })).toMatchObject({
      status: "unknown",
      reason: "check_aborted",
    });
  });

  test("keeps no user names and no endless addresses", async () => {
    const endless = `/${"a".repeat(3000)}`;
    const site = untilTheEnd(
      startSite({
        "/": () => new Response(null, { status: 302, headers: { Location: endless } }),
        [endless]: "hello",
      }),
    );

    const redirected = await check(site.url);
    const refused = await check("http://user:secret@site.test/");

    expect(redirected).toMatchObject({ status: "active", reason: "ok_redirected" });
    expect(redirected.evidence.final_url).toHaveLength(2048);
    expect(JSON.stringify(refused)).not.toContain("secret");
  });

  test("keeps little of each address on a long way", async () => {
    const onwards = ({ url }: Request) => {
      const step = Number(new URL(url).pathname.slice(1)) + 1;
      const location = step < 10 ? `/${step}?${"a".repeat(3000)}` : "/end";
      return new Response(null, { status: 302, headers: { location } });
    };
    const site = untilTheEnd(startSite({ "/end": "hello" }, { otherwise: onwards }));

    const { evidence } = await check(`${site.url}/0`);

    expect(evidence.redirects).toHaveLength(10);
    expect(JSON.stringify(evidence).length).toBeLessThan(12_000);
  });

  test("keeps little of where the addresses that it made up led", async () => {
    const toHome = (to: string) => () =>
      new Response(null, { status: 302, headers: { Location: `/?${to}` } });
    const home = "<title>Home</title><h1>Home</h1><p>Welcome.</p>";
    const routes = { "/": home, "/a": toHome(""), "/robots.txt": 404 };
    const site = untilTheEnd(startSite(routes, { otherwise: toHome("b".repeat(5000)) }));

    const { evidence } = await check(`${site.url}/a`);

    expect(evidence.probes).toMatchObject([{ asked: "sibling" }, { asked: "sitemap" }]);
    expect(JSON.stringify(evidence.probes).length).toBeLessThan(2000);
  });

  test("says what it saw, as JSON", async () => {
    const conclusion = await checkPage(403);

    expect(JSON.parse(JSON.stringify(conclusion.evidence))).toMatchObject({
      attempts: [
        {
          at: "2030-01-01T00:00:00.000Z",
          profile: "A",
          outcome: "answered",
          status: 403,
          reason: "http_403",
          address: "127.0.0.1",
        },
        { at: "2030-01-01T00:00:02.000Z", profile: "B" },
      ],
      redirects: [],
      tls_expires_at: null,
    });
  });
});
