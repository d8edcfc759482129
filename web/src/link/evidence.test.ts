import { describe, expect, test } from "bun:test";
import {
  DEAD_REASONS,
  type Reason,
  STAGES,
  UNKNOWN_REASONS,
  verdictOf,
} from "../../../server/judge/reasons/reasons.ts";
import { PARKED } from "../../../tests/web/parked.ts";
import { type Evidence, type Line, linesOf, type Seen } from "../data/evidence.ts";
import { reasonWords, stageOf } from "../data/words.ts";

const OK_REASONS = [
  "ok",
  "ok_redirected",
  "ok_empty",
  "ok_not_modified",
  "ok_partial",
  "ok_service",
  "ok_service_protected",
  "ok_unverified_app",
  "ok_truncated",
  "ok_overridden",
] as const;
const SERVER_ERRORS = ["http_500", "http_503", "http_599"] as const;
const FAILURES: Reason[] = [...DEAD_REASONS, ...UNKNOWN_REASONS, ...SERVER_ERRORS];

const NO_STAGE: Reason[] = [
  "monitor_offline",
  "monitor_degraded",
  "monitor_proxy_error",
  "captive_portal",
  "check_aborted",
  "internal_error",
  "url_invalid",
  "scheme_unsupported",
  "target_forbidden",
  "credentials_unreadable",
];

const PREFIXES: Record<string, string> = {
  dns_: "dns",
  conn_: "connection",
  tls_: "tls",
  http_: "response",
  redirect_: "response",
  soft404_: "content",
  status_: "response",
  text_: "content",
};

describe("The reason of a verdict", () => {
  test("failed at one of five stages, or at none because nothing was requested", () => {
    const prefixOf = (reason: Reason) =>
      Object.keys(PREFIXES).find((start) => reason.startsWith(start));
    const isRight = (reason: Reason) => {
      const [stage, prefix] = [stageOf(reason), prefixOf(reason)];
      if (NO_STAGE.includes(reason)) return stage === null;
      return STAGES.includes(stage!) && (!prefix || stage === PREFIXES[prefix]);
    };

    expect(FAILURES.filter((reason) => !isRight(reason))).toEqual([]);
  });

  test("failed at no stage where the link is alive", () => {
    expect(OK_REASONS.filter((reason) => stageOf(reason) !== null)).toEqual([]);
  });

  test("that lasts for days failed where its cause does", () => {
    expect(stageOf("persistent_failure")).toBe("response");
    expect(stageOf("persistent_failure", "conn_refused")).toBe("connection");
  });

  test("has a few words", () => {
    const isShort = (words: string) => words.split(" ").length <= 4 && words.length <= 26;
    const all = [...FAILURES, ...OK_REASONS].map((reason) => reasonWords(reason));

    expect(all.filter((words) => words.includes("_") || !isShort(words))).toEqual([]);
  });

  test("names the status where that says it all", () => {
    expect(reasonWords("http_404")).toBe("404");
    expect(reasonWords("http_4xx", 418)).toBe("418");
    expect(reasonWords("ok", 200)).toBe("200");
    expect(reasonWords("persistent_failure", 503)).toBe("503 for days");
    expect(reasonWords("persistent_failure", null, "conn_timeout")).toBe(
      "Connection timed out for days",
    );
    expect(reasonWords("a_new_reason")).toBe("a_new_reason");
  });
});

const NOTHING: Evidence = {
  attempts: [],
  redirects: [],
  final_url: null,
  address: null,
  tls_expires_at: null,
  signals: [],
  probes: [],
  notes: [],
  monitor: null,
  flapping: false,
  cause: null,
  dns_ms: null,
  server: null,
  excerpt: null,
};

const attempt = (reason: Reason, more: Partial<Evidence["attempts"][number]> = {}) => ({
  at: "2030-01-01T00:00:00.000Z",
  profile: "A",
  outcome: "answered" as const,
  status: 200,
  reason,
  detail: null,
  elapsed_ms: 231,
  address: "203.0.113.44",
  ...more,
});

const seen = (reason: Reason, evidence: Partial<Evidence>): Seen => ({
  url: "https://example.org/page",
  status: verdictOf(reason),
  reason,
  message: "As the server says.",
  statusCode: null,
  checkedAt: "2030-01-01T00:00:09.000Z",
  evidence: { ...NOTHING, ...evidence },
});

const asText = ({ kind, at, title, took, text, list = [] }: Line) =>
  [
    kind,
    at ?? "",
    title,
    text.map((part) => (typeof part === "string" ? part : `[${part.code}]`)).join(""),
    ...list,
    took ?? "",
  ].join("|");

const reportOf = (reason: Reason, evidence: Partial<Evidence>) =>
  linesOf(seen(reason, evidence)).map(asText);

describe("The report of a check", () => {
  test("shows each stage until the one that failed, with what was seen and measured there", () => {
    const lines = reportOf("soft404_body", {
      attempts: [
        attempt("soft404_body"),
        attempt("soft404_body", { at: "2030-01-01T00:00:06.000Z", profile: "B", elapsed_ms: 140 }),
      ],
      dns_ms: 9,
      server: "cloudfront",
      tls_expires_at: "2030-03-02T00:00:00.000Z",
      signals: [{ rule: "title", text: "The title says “Page not found”." }],
    });

    expect(lines).toEqual([
      "ok|0 ms|DNS|example.org → 203.0.113.44|9 ms",
      "ok||Connection|203.0.113.44, port 443|",
      expect.stringMatching(/^ok\|\|TLS\|Certificate valid until 2 Mar/),
      "ok|231 ms|Response|[200] from cloudfront|231 ms",
      "no||Content|Says “not found”|The title says “Page not found”.|",
      "no|6 s|Second attempt|[200]: Says “not found” again, with a browser profile|140 ms",
      "verdict||Dead|As the server says. Confirmed by 2 attempts. [soft404_body]|",
    ]);
  });

  test("ends with the name when that does not exist, and invents no later stage", () => {
    const lines = reportOf("dns_nxdomain", {
      attempts: [
        attempt("dns_nxdomain", { outcome: "failed", status: null, address: null, elapsed_ms: 12 }),
      ],
    });

    expect(lines).toEqual([
      "no|0 ms|DNS|example.org: Host not found|12 ms",
      "verdict||Dead|As the server says. [dns_nxdomain]|",
    ]);
  });

  test("gives the connection the time that it took to fail, and what the system said", () => {
    const lines = reportOf("conn_timeout", {
      attempts: [
        attempt("conn_timeout", {
          outcome: "failed",
          status: null,
          elapsed_ms: 10_000,
          detail: "ETIMEDOUT",
        }),
      ],
    });

    expect(lines.slice(0, 2)).toEqual([
      "ok|0 ms|DNS|example.org → 203.0.113.44|",
      "may||Connection|203.0.113.44, port 443: Connection timed out (ETIMEDOUT)|10,000 ms",
    ]);
  });

  test("marks what is unknown differently from what is dead, and says where attempts disagree", () => {
    const lines = reportOf("unconfirmed", {
      cause: "http_404",
      attempts: [attempt("http_404", { status: 404 }), attempt("ok", { elapsed_ms: 90 })],
    });

    expect(lines.slice(-3)).toEqual([
      "may|231 ms|Response|[404]|231 ms",
      "ok||Second attempt|[200]|90 ms",
      "verdict||Unknown|As the server says. [unconfirmed] [http_404]|",
    ]);
  });

  test("of a link that is alive passes every stage", () => {
    const lines = reportOf("ok", { attempts: [attempt("ok")] });

    expect(lines.map((line) => line.split("|")[0])).toEqual([
      ...["ok", "ok", "ok", "ok", "ok"],
      "verdict",
    ]);
  });

  test("has no TLS without encryption", () => {
    const lines = linesOf({
      ...seen("ok", { attempts: [attempt("ok")] }),
      url: "http://example.org/",
    });

    expect(lines.map(({ title }) => title)).toEqual([
      "DNS",
      "Connection",
      "Response",
      "Content",
      "Alive",
    ]);
    expect(asText(lines[1]!)).toBe("ok||Connection|203.0.113.44, port 80|");
  });

  test("has no stages when nothing was requested", () => {
    expect(reportOf("scheme_unsupported", {})).toEqual([
      "verdict||Unknown|As the server says. [scheme_unsupported]|",
    ]);
  });

  test("says that a fault of the monitor says nothing about the link", () => {
    const monitor = {
      state: "offline" as const,
      asked_at: "2030-01-01T00:00:00.000Z",
      sentinels: [{ address: "1.1.1.1:53", answered: false }],
    };

    expect(reportOf("monitor_offline", { monitor })).toEqual([
      "around||Notes||This monitor was offline: 0 of 1 test servers responded.|",
      "verdict||Unknown|As the server says. This result says nothing about the link. [monitor_offline]|",
    ]);
  });

  test("tells the rest of the site from the service that a link belongs to", () => {
    const probe = { url: "https://example.org/x", reason: null, final_url: null };
    const around = (probes: Evidence["probes"]) => {
      const lines = linesOf(seen("http_404", { attempts: [attempt("http_404")], probes }));
      return asText(lines.find(({ kind }) => kind === "around")!);
    };

    expect(
      around([
        { ...probe, asked: "sibling", status: 404 },
        { ...probe, asked: "home", status: 200 },
      ]),
    ).toBe(
      "around||Rest of the site|A random URL next to it returns [404]. The home page returns [200]. The site is up, this page is missing.|",
    );
    expect(around([{ ...probe, asked: "home", status: 503 }])).toBe(
      "around||Rest of the site|The home page returns [503]. The problem is not limited to this page.|",
    );
    expect(around([{ ...probe, asked: "service", status: null, reason: "conn_timeout" }])).toBe(
      "around||Service|The service: connection timed out.|",
    );
  });

  test("follows redirects, with what each changes", () => {
    const { evidence } = PARKED;
    const [line] = linesOf(seen("domain_parked", { ...NOTHING, ...evidence }));

    expect(line!.title).toBe("2 redirects");
    expect(line!.hops).toEqual([
      { status: 301, url: "https://example.org/parked", how: "" },
      {
        status: 200,
        url: "https://www.example.org/lander",
        how: "with www, another path; redirects by its page",
      },
      {
        status: null,
        url: "http://sale.example.net/",
        how: "no longer encrypted, another host, another path",
      },
    ]);
  });
});
