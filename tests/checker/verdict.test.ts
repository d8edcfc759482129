import { describe, expect, test } from "bun:test";
import { readRetryAfter } from "../../server/verdict/politeness/site-load.ts";
import { dead, type Finding } from "../../server/verdict/probe/finding.ts";
import type { Answer, Failure, Probe } from "../../server/verdict/probe/probe.ts";
import { judgeFailure, retriedAfter } from "../../server/verdict/probe/statuses.ts";
import {
  DEAD_REASONS,
  isMonitorFault,
  messageOf,
  type Reason,
  UNKNOWN_REASONS,
  verdictOf,
} from "../../server/verdict/reasons/reasons.ts";
import { judge } from "../../server/verdict/verdict.ts";
import { eachRow } from "../each-row.ts";
import { readPage } from "./read-page.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const PAGE = await readPage("A page.", "text/html");
const journey = {
  hops: [],
  finalUrl: "http://a.test/",
  fragment: "",
  address: "8.8.8.8",
  tlsExpiresAt: null,
  dnsMs: null,
  elapsedMs: 5,
  waitedMs: 0,
};

const answer = (
  status: number,
  {
    headers,
    ...rest
  }: Partial<Omit<Answer, "headers">> & { headers?: Record<string, string> } = {},
): Answer => ({
  ...journey,
  kind: "answered",
  status,
  headers: new Headers({ "Content-Type": "text/html", ...headers }),
  page: PAGE,
  text: null,
  bodyBytes: 7,
  truncated: false,
  bodyProblem: null,
  responseTimeMs: 5,
  ...rest,
});

const failure = (reason: Failure["reason"]): Failure => ({
  ...journey,
  kind: "failed",
  reason,
  detail: "",
});

/** The verdict on what came from the home page of a host that is honest about what does not exist. */
function findingOn(probe: Probe): Finding {
  if (probe.kind === "failed") return judgeFailure(probe);
  const facts = { profile: { kind: "honest" } } as const;
  const url = new URL("http://a.test/");
  const seen = { answer: probe, url, now: NOW, facts, serving: null, isReregistered: false };
  return judge(seen) as Finding;
}

/** How a finding wants to look again: the waits in seconds, with what is different in brackets. */
const retriesOf = (probe: Probe) =>
  findingOn(probe)
    .retries.map(
      ({ delayMs, style }) =>
        `${delayMs / 1000}${Object.keys(style).length > 0 ? JSON.stringify(style) : ""}`,
    )
    .join(" ");

const AS_BROWSER = '2{"profile":"B"}';

describe("a status", () => {
  eachRow([
    [200, "ok", ""],
    [201, "ok", ""],
    [202, "ok", ""],
    [203, "ok", ""],
    [204, "ok_empty", ""],
    [205, "ok_empty", ""],
    [206, "ok_partial", ""],
    [207, "ok", ""],
    [226, "ok", ""],
    [250, "ok", ""],
    [300, "ok", ""],
    [304, "ok_not_modified", '2{"headers":{"Cache-Control":"no-cache"}}'],
    [305, "http_unexpected", ""],
    [306, "http_unexpected", ""],
    [310, "http_unexpected", ""],
    [399, "http_unexpected", ""],
    [400, "http_400", '2{"profile":"B","keepsCookies":false}'],
    [401, "http_401", ""],
    [402, "paywall", ""],
    [403, "http_403", AS_BROWSER],
    [404, "http_404", ""],
    [405, "http_405", ""],
    [406, "http_406", '2{"headers":{"Accept":"*/*"}}'],
    [407, "http_4xx", ""],
    [408, "http_408", "2 8"],
    [409, "http_409", ""],
    [410, "http_410", ""],
    [411, "http_4xx", "2"],
    [412, "http_4xx", "2"],
    [413, "http_4xx", "2"],
    [414, "http_4xx", "2"],
    [415, "http_4xx", "2"],
    [416, "http_4xx", "2"],
    [417, "http_4xx", "2"],
    [418, "http_4xx", "2"],
    [419, "http_4xx", ""],
    [421, "http_421", "2"],
    [422, "http_4xx", "2"],
    [423, "http_423", "2"],
    [424, "http_4xx", "2"],
    [425, "http_425", "2"],
    [426, "http_4xx", "2"],
    [428, "http_4xx", "2"],
    [429, "http_429", AS_BROWSER],
    [431, "http_4xx", '2{"keepsCookies":false}'],
    [440, "http_4xx", ""],
    [449, "http_4xx", ""],
    [450, "http_4xx", ""],
    [451, "http_451", ""],
    [460, "http_4xx", ""],
    [463, "http_4xx", ""],
    [499, "http_4xx", ""],
    [500, "http_500", "2 8"],
    [501, "http_501", ""],
    [502, "http_502", "2 8"],
    [503, "http_503", ""],
    [504, "http_504", "2 8"],
    [505, "http_505", ""],
    [509, "http_509", ""],
    [510, "http_510", ""],
    [511, "captive_portal", ""],
    [520, "http_520", "2"],
    [527, "http_527", "2"],
    [529, "http_529", "2"],
    [530, "http_530", "2"],
    [598, "http_598", "2"],
    [599, "http_599", "2"],
    [600, "http_unexpected", "2"],
    [99, "http_unexpected", "2"],
    [999, "bot_challenge", ""],
  ] as const)("has its reason and its retries", (status, reason, retries) => {
    expect(findingOn(answer(status))).toMatchObject({ reason, verdict: verdictOf(reason) });
    expect(retriesOf(answer(status))).toBe(retries);
  });

  test("kills only when it says that the page is missing or gone", () => {
    const deadly = Array.from({ length: 600 }, (_, status) => status).filter(
      (s) => findingOn(answer(s)).verdict === "dead",
    );

    expect(deadly).toEqual([404, 410]);
    expect(findingOn(answer(404)).confirm).toBe("C2");
    expect(findingOn(answer(410)).confirm).toBe("C1");
  });

  eachRow([
    [301, "redirect_no_location", { bodyBytes: 0 }],
    [302, "redirect_no_location", { page: null }],
    [302, "ok", {}],
    [300, "redirect_no_location", { bodyBytes: 0 }],
  ] as const)("that leads nowhere is judged by its page", (status, reason, rest) =>
    expect(findingOn(answer(status, rest)).reason).toBe(reason),
  );
});

describe("a 530", () => {
  const told = (html: string) => readPage(html, "text/html");

  test("with 1016 tells that the site's own server has no address", async () => {
    const page = await told("<title>Origin DNS error</title><h1>Error 1016</h1>");

    expect(findingOn(answer(530, { page }))).toMatchObject({
      reason: "http_530",
      signals: [{ rule: "origin_dns_missing" }],
    });
  });

  test("with another number does not", async () => {
    const page = await told("<h1>Error 1033</h1>");

    expect(findingOn(answer(530, { page }))).toMatchObject({ reason: "http_530", signals: [] });
  });
});

test("a 407 is the fault of this monitor's proxy if there is one, else the server's", () => {
  expect(findingOn(answer(407, { isProxied: true })).reason).toBe("monitor_proxy_error");
  expect(findingOn(answer(407))).toMatchObject({ verdict: "unknown", reason: "http_4xx" });
});

describe("an error page of a proxy", () => {
  const rows = [
    ["X-Squid-Error", "ERR_ACCESS_DENIED 0", "monitor_proxy_error"],
    ["X-Squid-Error", "ERR_DNS_FAIL 0", "dns_servfail"],
    ["X-Squid-Error", "ERR_CONNECT_FAIL 111", "conn_refused"],
    ["X-Squid-Error", "ERR_CONNECT_FAIL 110", "conn_timeout"],
    ["X-Squid-Error", "ERR_CONNECT_FAIL 101", "conn_unreachable"],
    ["X-Squid-Error", "none", "http_503"],
    ["Proxy-Status", "proxy.test; error=proxy_internal_error", "monitor_proxy_error"],
    ["Proxy-Status", 'p.test; error=dns_error; rcode="NXDOMAIN"', "dns_servfail"],
    ["Proxy-Status", "q.test, p.test;error=connection_refused", "conn_refused"],
    ["Proxy-Status", "q.test; error=dns_error, p.test; error=connection_timeout", "conn_timeout"],
    ["Proxy-Status", "p.test;error=connection_refused, q.test", "http_503"],
    ["Proxy-Status", "p.test; error=dns_error, q.test; received-status=503", "http_503"],
    ["Proxy-Status", 'p.test; error=dns_error; details="a, b"', "dns_servfail"],
    ["Proxy-Status", "p.test; error=connection_timeout", "conn_timeout"],
    ["Proxy-Status", "p.test; error=http_request_error", "http_503"],
    ["Proxy-Status", "p.test; received-status=503", "http_503"],
    ["Proxy-Status", 'p.test; details="; error=dns_error"', "http_503"],
  ] as const;

  eachRow(rows)("that came through our own says whose fault it is", (name, value, reason) => {
    const proxied = answer(503, { headers: { [name]: value }, isProxied: true });

    expect(findingOn(proxied)).toMatchObject({ reason });
  });

  eachRow(rows)("without one of our own is the site's", (name, value, _) => {
    const reasonOf = (status: number) =>
      findingOn(answer(status, { headers: { [name]: value } })).reason as string;

    expect([404, 410, 502, 503, 504].map(reasonOf)).toEqual([
      "http_404",
      "http_410",
      "http_502",
      "http_503",
      "http_504",
    ]);
  });

  test("is never evidence against the link, nor is a page that came through a proxy one", () => {
    const headers = { "X-Squid-Error": "ERR_ACCESS_DENIED 0" };
    const isProxied = true;

    expect(findingOn(answer(404, { headers, isProxied })).reason).toBe("monitor_proxy_error");
    expect(findingOn(answer(200, { headers, isProxied })).reason).toBe("ok");
    expect(
      findingOn(answer(404, { headers: { "Proxy-Status": "cdn.test" }, isProxied })).reason,
    ).toBe("http_404");
  });
});

test("Varnish names a time with each failure behind it, which is no maintenance", async () => {
  const html = "<title>503 Backend fetch failed</title><h1>Error 503 Backend fetch failed</h1>";
  const page = await readPage(html, "text/html");

  expect(findingOn(answer(503, { page, headers: { "Retry-After": "5" } }))).toMatchObject({
    reason: "http_503",
    restMs: 5000,
  });
});

test("a service's own 500 gets a second attempt, also where it has to last", () => {
  const finding = dead("service_not_found", "C4");
  const after = (status: number) => retriedAfter(finding, answer(status), NOW).retries.length;

  expect([after(500), after(404)]).toEqual([2, 0]);
});

describe("a server that asks for time", () => {
  eachRow([
    [429, "10", "http_429", "10", 10_000],
    [429, "31", "http_429", "", 31_000],
    [429, "1m30s", "http_429", "", 90_000],
    [429, "soon", "http_429", AS_BROWSER, null],
    [503, "10", "maintenance", "10", 10_000],
    [503, "3600", "maintenance", "", 3_600_000],
    [503, "soon", "http_503", "", null],
  ])("is looked at again when that is soon", (status, value, reason, retries, restMs) => {
    const asking = answer(status, { headers: { "Retry-After": value } });

    expect(findingOn(asking)).toMatchObject({
      verdict: "unknown",
      reason: reason as Reason,
      restMs,
    });
    expect(retriesOf(asking)).toBe(retries);
  });

  eachRow([
    ["120", 120_000],
    ["3s", 3000],
    ["1h", 3_600_000],
    ["Tue, 01 Jan 2030 00:00:20 GMT", 20_000],
    ["Mon, 31 Dec 2029 00:00:00 GMT", 0],
    ["99999999999", 86_400_000],
    ["-5", null],
    ["1.5", null],
    ["", null],
    [null, null],
  ])("can say so in several ways", (value, ms) => expect(readRetryAfter(value, NOW)).toBe(ms));
});

describe("a failed attempt", () => {
  eachRow([
    ["dns_nodata", "2"],
    ["dns_servfail", "2"],
    ["dns_refused", "2"],
    ["dns_timeout", "2"],
    ["dns_malformed", "2"],
    ["conn_refused", "2 8"],
    ["conn_unreachable", "2"],
    ["conn_timeout", '2{"connectMs":20000}'],
    ["read_timeout", "2"],
    ["conn_reset", `${AS_BROWSER} 8`],
    ["http_malformed", "2"],
    ["header_overflow", "2"],
    ["tls_expired", '0{"trust":"any","keepsCookies":false}'],
    ["tls_not_yet_valid", '0{"trust":"any","keepsCookies":false}'],
    ["tls_self_signed", '0{"trust":"any","keepsCookies":false}'],
    ["tls_untrusted", '0{"trust":"any","keepsCookies":false}'],
    ["tls_name_mismatch", '0{"trust":"any","keepsCookies":false}'],
    ["tls_protocol", "2"],
    ["tls_handshake_reset", "2"],
    ["client_certificate", ""],
    ["redirect_loop", AS_BROWSER],
    ["redirect_too_many", '2{"maxHops":20}'],
    ["redirect_bad_location", "2"],
    ["redirect_unsupported_scheme", ""],
    ["redirect_forbidden_target", ""],
    ["url_invalid", ""],
    ["scheme_unsupported", ""],
    ["target_forbidden", ""],
    ["network_filter", ""],
    ["monitor_proxy_error", ""],
    ["internal_error", ""],
    ["check_aborted", ""],
  ] as const)("is unknown, and tried again in its own way", (reason, retries) => {
    expect(findingOn(failure(reason))).toMatchObject({
      verdict: "unknown",
      reason,
      confirm: "none",
    });
    expect(retriesOf(failure(reason))).toBe(retries);
  });

  test("is dead only when the name does not exist", () => {
    expect(findingOn(failure("dns_nxdomain"))).toMatchObject({ verdict: "dead", confirm: "C3" });
  });
});

describe("a success", () => {
  eachRow([
    ["without a body", { bodyBytes: 0 }, "ok_empty", "2"],
    ["after a redirect", { hops: [{ url: "http://a.test/", status: 301 }] }, "ok_redirected", ""],
    ["longer than the cap", { truncated: true }, "ok_truncated", ""],
    [
      "of a long file",
      { truncated: true, page: null, headers: { "Content-Type": "application/pdf" } },
      "ok",
      "",
    ],
    [
      "cut after a kilobyte",
      { truncated: true, bodyProblem: "body_incomplete", bodyBytes: 1024 },
      "ok_truncated",
      "",
    ],
    [
      "cut before a kilobyte",
      { truncated: true, bodyProblem: "body_incomplete" },
      "body_incomplete",
      "2",
    ],
    [
      "cut before anything",
      { truncated: true, bodyProblem: "body_incomplete", bodyBytes: 0 },
      "body_incomplete",
      "2",
    ],
    ["dripping", { truncated: true, bodyProblem: "read_timeout" }, "ok_truncated", ""],
    [
      "stalling",
      { truncated: true, bodyProblem: "read_timeout", bodyBytes: 0 },
      "read_timeout",
      "2",
    ],
    [
      "packed wrongly",
      { bodyProblem: "body_undecodable" },
      "body_undecodable",
      '2{"headers":{"Accept-Encoding":"identity"}}',
    ],
  ] as const)("is judged by how its body came", (_, rest, reason, retries) => {
    const page = answer(200, rest as Parameters<typeof answer>[1]);

    expect(findingOn(page)).toMatchObject({ reason, verdict: verdictOf(reason) });
    expect(retriesOf(page)).toBe(retries);
  });

  test("is not needed for a status to count", () => {
    expect(findingOn(answer(404, { bodyProblem: "body_undecodable" })).reason).toBe("http_404");
  });
});

describe("a reason", () => {
  test("has one sentence of its own", () => {
    const sentences = [...DEAD_REASONS, ...UNKNOWN_REASONS].map((reason) =>
      messageOf(reason, null),
    );

    expect(new Set(sentences).size).toBeGreaterThan(sentences.length - 3);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  eachRow([
    ["ok", 200, "The server returned 200."],
    ["http_404", 404, "The server returned 404: there is no such page."],
    ["http_502", 502, "The server returned 502: it has a problem."],
    ["http_4xx", 418, "The server returned 418."],
    ["dns_nxdomain", null, "The name does not exist (NXDOMAIN)."],
  ] as const)("reads well", (reason, status, message) =>
    expect(messageOf(reason, status)).toBe(message),
  );

  test("of ours is told from the link's", () => {
    expect(["internal_error", "check_aborted", "captive_portal"].every(isMonitorFault)).toBe(true);
    expect(isMonitorFault("conn_refused")).toBe(false);
  });
});
