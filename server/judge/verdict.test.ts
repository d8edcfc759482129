import { describe, expect, test } from "bun:test";
import { readPage } from "../../tests/checker/read-page.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { readRetryAfter } from "./politeness/site-load.ts";
import { dead, type Finding } from "./probe/finding.ts";
import type { Answer, Failure, Probe } from "./probe/probe.ts";
import { judgeFailure, retriedAfter } from "./probe/statuses.ts";
import {
  DEAD_REASONS,
  isMonitorFault,
  messageOf,
  type Reason,
  UNKNOWN_REASONS,
  verdictOf,
} from "./reasons/reasons.ts";
import { judge } from "./verdict.ts";

const TABLES = yamlIn<{
  statuses: [status: number, reason: Reason, retries: string][];
  retry_after: [
    status: number,
    value: string,
    reason: Reason,
    retries: string,
    restMs: number | null,
  ][];
  ways_to_ask: [value: string | null, ms: number | null][];
  failures: [reason: Failure["reason"], retries: string][];
  bodies: [what: string, rest: object, reason: Reason, retries: string][];
}>(import.meta.dir, "verdict.yaml");

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

describe("a status", () => {
  eachRow(TABLES.statuses)("has its reason and its retries", (status, reason, retries) => {
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
  const pageOf = (html: string) => readPage(html, "text/html");

  test("with 1016 tells that the site's own server has no address", async () => {
    const page = await pageOf("<title>Origin DNS error</title><h1>Error 1016</h1>");

    expect(findingOn(answer(530, { page }))).toMatchObject({
      reason: "http_530",
      signals: [{ rule: "origin_dns_missing" }],
    });
  });

  test("with another number does not", async () => {
    const page = await pageOf("<h1>Error 1033</h1>");

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

test("Varnish names a time with each failure behind it, which is not maintenance", async () => {
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
  eachRow(TABLES.retry_after)(
    "is looked at again when that is soon",
    (status, value, reason, retries, restMs) => {
      const asking = answer(status, { headers: { "Retry-After": value } });

      expect(findingOn(asking)).toMatchObject({
        verdict: "unknown",
        reason,
        restMs,
      });
      expect(retriesOf(asking)).toBe(retries);
    },
  );

  eachRow(TABLES.ways_to_ask)("can say so in several ways", (value, ms) =>
    expect(readRetryAfter(value, NOW)).toBe(ms),
  );
});

describe("a failed attempt", () => {
  eachRow(TABLES.failures)("is unknown, and tried again in its own way", (reason, retries) => {
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
  eachRow(TABLES.bodies)("is judged by how its body came", (_, rest, reason, retries) => {
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

  test("of ours is recognized as such", () => {
    expect(["internal_error", "check_aborted", "captive_portal"].every(isMonitorFault)).toBe(true);
    expect(isMonitorFault("conn_refused")).toBe(false);
  });
});
