import { describe, expect, test } from "bun:test";
import type { Answer, Failure } from "../../server/checker/probe.ts";
import {
  DEAD_REASONS,
  isMonitorFault,
  messageOf,
  type Reason,
  UNKNOWN_REASONS,
  verdictOf,
} from "../../server/checker/reasons.ts";
import { readRetryAfter } from "../../server/checker/retry-after.ts";
import { judge } from "../../server/checker/verdict.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const journey = {
  hops: [],
  finalUrl: "http://a.test/",
  address: "8.8.8.8",
  tlsExpiresAt: null,
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
  body: Buffer.from("A page."),
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

/** How a finding wants to look again: the waits in seconds, with what is different in brackets. */
const retriesOf = (...probe: Parameters<typeof judge>) =>
  judge(...probe)
    .retries.map(
      ({ delayMs, style }) =>
        `${delayMs / 1000}${Object.keys(style).length > 0 ? JSON.stringify(style) : ""}`,
    )
    .join(" ");

const AS_BROWSER = '2{"profile":"B"}';

describe("a status", () => {
  test.each([
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
    [407, "monitor_proxy_error", ""],
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
  ] as const)("of %i is %s", (status, reason, retries) => {
    expect(judge(answer(status), NOW)).toMatchObject({ reason, verdict: verdictOf(reason) });
    expect(retriesOf(answer(status), NOW)).toBe(retries);
  });

  test("kills only when it says that the page is missing or gone", () => {
    const deadly = Array.from({ length: 600 }, (_, status) => status).filter(
      (s) => judge(answer(s), NOW).verdict === "dead",
    );

    expect(deadly).toEqual([404, 410]);
    expect(judge(answer(404), NOW).confirm).toBe("C2");
    expect(judge(answer(410), NOW).confirm).toBe("C1");
  });

  test.each([
    [301, "redirect_no_location", { body: new Uint8Array() }],
    [302, "redirect_no_location", { headers: { "Content-Type": "text/plain" } }],
    [302, "ok", {}],
    [300, "redirect_no_location", { body: new Uint8Array() }],
  ] as const)("of %i that leads nowhere is %s, depending on its page", (status, reason, rest) =>
    expect(judge(answer(status, rest), NOW).reason).toBe(reason),
  );
});

describe("a server that asks for time", () => {
  test.each([
    [429, "10", "http_429", "10", 10_000],
    [429, "31", "http_429", "", 31_000],
    [429, "1m30s", "http_429", "", 90_000],
    [429, "soon", "http_429", AS_BROWSER, null],
    [503, "10", "maintenance", "10", 10_000],
    [503, "3600", "maintenance", "", 3_600_000],
    [503, "soon", "http_503", "", null],
  ])("with %i and %s is %s", (status, value, reason, retries, retryAfterMs) => {
    const asking = answer(status, { headers: { "Retry-After": value } });

    expect(judge(asking, NOW)).toMatchObject({
      verdict: "unknown",
      reason: reason as Reason,
      retryAfterMs,
    });
    expect(retriesOf(asking, NOW)).toBe(retries);
  });

  test.each([
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
  ])("can say so as %p", (value, ms) => expect(readRetryAfter(value, NOW)).toBe(ms));
});

describe("a failed attempt", () => {
  test.each([
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
  ] as const)("with %s is unknown", (reason, retries) => {
    expect(judge(failure(reason), NOW)).toMatchObject({
      verdict: "unknown",
      reason,
      confirm: "none",
    });
    expect(retriesOf(failure(reason), NOW)).toBe(retries);
  });

  test("is dead only when the name does not exist", () => {
    expect(judge(failure("dns_nxdomain"), NOW)).toMatchObject({ verdict: "dead", confirm: "C3" });
  });
});

describe("a success", () => {
  const nothing = new Uint8Array();
  const kilobyte = new Uint8Array(1024);

  test.each([
    ["without a body", { body: nothing }, "ok_empty", "2"],
    ["after a redirect", { hops: [{ url: "http://a.test/", status: 301 }] }, "ok_redirected", ""],
    ["longer than the cap", { truncated: true }, "ok_truncated", ""],
    [
      "of a long file",
      { truncated: true, headers: { "Content-Type": "application/pdf" } },
      "ok",
      "",
    ],
    [
      "cut after a kilobyte",
      { truncated: true, bodyProblem: "body_incomplete", body: kilobyte },
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
      { truncated: true, bodyProblem: "body_incomplete", body: nothing },
      "body_incomplete",
      "2",
    ],
    ["dripping", { truncated: true, bodyProblem: "read_timeout" }, "ok_truncated", ""],
    [
      "stalling",
      { truncated: true, bodyProblem: "read_timeout", body: nothing },
      "read_timeout",
      "2",
    ],
    [
      "packed wrongly",
      { bodyProblem: "body_undecodable" },
      "body_undecodable",
      '2{"headers":{"Accept-Encoding":"identity"}}',
    ],
  ] as const)("%s is told as such", (_, rest, reason, retries) => {
    const page = answer(200, rest as Parameters<typeof answer>[1]);

    expect(judge(page, NOW)).toMatchObject({ reason, verdict: verdictOf(reason) });
    expect(retriesOf(page, NOW)).toBe(retries);
  });

  test("is not needed for a status to count", () => {
    expect(judge(answer(404, { bodyProblem: "body_undecodable" }), NOW).reason).toBe("http_404");
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

  test.each([
    ["ok", 200, "The server answered 200."],
    ["http_404", 404, "The server answered 404: there is no such page."],
    ["http_502", 502, "The server answered 502: it has a problem."],
    ["http_4xx", 418, "The server answered 418."],
    ["dns_nxdomain", null, "The name does not exist (NXDOMAIN)."],
  ] as const)("%s reads well", (reason, status, message) =>
    expect(messageOf(reason, status)).toBe(message),
  );

  test("of ours is told from the link's", () => {
    expect(["internal_error", "check_aborted", "captive_portal"].every(isMonitorFault)).toBe(true);
    expect(isMonitorFault("conn_refused")).toBe(false);
  });
});
