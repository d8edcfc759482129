import { describe, expect, test } from "bun:test";
import { HOUR, NEW_LINK, NO_EVIDENCE, NOON, outcomesOf, saw } from "../../tests/checker/ended.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import type { Reason } from "../judge/reasons/reasons.ts";
import { followUpAt } from "../work/schedule.ts";
import type { Outcome } from "./outcome.ts";

const TABLES = yamlIn<{ never_death: Reason[] }>(import.meta.dir, "persistence.yaml");

const DAY_1 = 24;
const DAYS_3 = 72;
const DAYS_7 = 168;
const MILLISECOND = 1 / 3_600_000;

type Seen = Reason | Conclusion;

const conclusionOf = (seen: Seen) => (typeof seen === "string" ? saw(seen) : seen);

/** What each check of a new link comes to, such as "unknown conn_refused". */
const verdictsOf = (...checks: [hour: number, seen: Seen][]) =>
  outcomesOf(checks.map(([hour, seen]) => [hour, conclusionOf(seen)])).map((outcome) => {
    if (outcome.kind === "void") return "void";
    const { status, reason, cause } = outcome.conclusion;
    return `${status} ${reason}${cause ? ` of ${cause}` : ""}`;
  });

const lastOf = (...checks: [hour: number, seen: Seen][]) => verdictsOf(...checks).at(-1);

const ORIGIN_GONE = saw("http_530", {
  statusCode: 530,
  evidence: {
    ...NO_EVIDENCE,
    signals: [{ rule: "origin_dns_missing", text: "The page says error 1016." }],
  },
});

const NO_IPV6 = saw("conn_unreachable", {
  evidence: { ...NO_EVIDENCE, signals: [{ rule: "no_ipv6_here", text: "There is no IPv6." }] },
});

test("A missing network path of this machine is not a failure, however long it lasts", () => {
  expect(lastOf([0, NO_IPV6], [DAYS_3, NO_IPV6], [2 * DAYS_3, NO_IPV6])).toBe(
    "unknown conn_unreachable",
  );
});

const UNSAFE = saw("redirect_bad_location", {
  evidence: { ...NO_EVIDENCE, signals: [{ rule: "unsafe_location", text: "A backslash." }] },
});

test("A redirect that only this monitor refuses never means death", () => {
  expect(lastOf([0, UNSAFE], [DAYS_7, UNSAFE], [2 * DAYS_7, UNSAFE])).toBe(
    "unknown redirect_bad_location",
  );
});

const UNCOMPARED = saw("soft404_suspected", {
  evidence: { ...NO_EVIDENCE, signals: [{ rule: "no_control", text: "Nothing to compare." }] },
});

const ANSWERED = saw("http_malformed", {
  evidence: { ...NO_EVIDENCE, signals: [{ rule: "answered_malformed", text: "Status 200." }] },
});

test("A malformed success never means death", () => {
  expect(lastOf([0, ANSWERED], [DAYS_7, ANSWERED], [2 * DAYS_7, ANSWERED])).toBe(
    "unknown http_malformed",
  );
});

describe("The same failure in check after check means death", () => {
  eachRow<[hours: number, seen: Seen]>([
    [DAY_1, "conn_refused"],
    [DAY_1, ORIGIN_GONE],
    [DAYS_3, "conn_unreachable"],
    [DAYS_3, "conn_timeout"],
    [DAYS_3, "read_timeout"],
    [DAYS_3, "http_408"],
    [DAYS_3, "conn_reset"],
    [DAYS_3, "dns_nodata"],
    [DAYS_3, "redirect_loop"],
    [DAYS_3, "redirect_too_many"],
    [DAYS_3, "http_500"],
    [DAYS_3, "http_502"],
    [DAYS_3, "http_504"],
    [DAYS_3, "http_505"],
    [DAYS_3, "http_509"],
    [DAYS_3, "http_510"],
    [DAYS_3, "http_520"],
    [DAYS_3, "http_527"],
    [DAYS_3, "http_529"],
    [DAYS_3, "http_530"],
    [DAYS_3, "http_598"],
    [DAYS_3, "http_599"],
    [DAYS_7, "http_503"],
    [DAYS_7, "maintenance"],
    [DAYS_7, "tls_protocol"],
    [DAYS_7, "tls_handshake_reset"],
    [DAYS_7, "http_malformed"],
    [DAYS_7, "header_overflow"],
    [DAYS_7, "dns_servfail"],
    [DAYS_7, "redirect_bad_location"],
    [DAYS_7, "placeholder_page"],
    [DAYS_7, "site_error"],
    [DAYS_7, UNCOMPARED],
  ])("after its hours, and not before", (hours, seen) => {
    const { reason } = conclusionOf(seen);

    const early = lastOf([0, seen], [1, seen], [6, seen], [hours - MILLISECOND, seen]);
    const late = lastOf([0, seen], [1, seen], [hours, seen]);

    expect(early).toBe(`unknown ${reason}`);
    expect(late).toBe(`dead persistent_failure of ${reason}`);
  });

  test("but not in two checks, however far apart", () => {
    expect(lastOf([0, "conn_refused"], [2000, "conn_refused"])).toBe("unknown conn_refused");
  });

  test("whatever of one class each of them was, and the last one is the cause", () => {
    expect(lastOf([0, "conn_timeout"], [36, "read_timeout"], [DAYS_3, "http_408"])).toBe(
      "dead persistent_failure of http_408",
    );
    expect(lastOf([0, "http_502"], [36, "http_500"], [DAYS_3, "http_522"])).toBe(
      "dead persistent_failure of http_522",
    );
  });
});

describe("What is not the link's death stays unknown for ever", () => {
  eachRow(TABLES.never_death)("however long it lasts", (reason) => {
    const checks = [0, 1, 6, 24, 72, 168, 2000].map((hour): [number, Reason] => [hour, reason]);

    expect(new Set(verdictsOf(...checks))).toEqual(new Set([`unknown ${reason}`]));
  });
});

describe("A series of failures", () => {
  eachRow<[what: string, between: Seen]>([
    ["the page was there", "ok"],
    ["the page was missing", "http_404"],
    ["another kind of failure", "conn_reset"],
    ["a failure that proves nothing", "http_403"],
    ["a death that was not confirmed", "unconfirmed"],
  ])("begins again after anything that is not the same", (_, between) => {
    const checks: [number, Seen][] = [
      [0, "conn_refused"],
      [1, "conn_refused"],
      [6, between],
      [24, "conn_refused"],
      [30, "conn_refused"],
    ];

    expect(lastOf(...checks)).toBe("unknown conn_refused");
    expect(lastOf(...checks, [48, "conn_refused"])).toBe("dead persistent_failure of conn_refused");
  });

  eachRow<[what: string, between: Seen]>([
    ["a fault of this monitor", "monitor_offline"],
    ["a bug of ours", "internal_error"],
    ["a check that was stopped", "check_aborted"],
    ["a check that was put off", saw("http_429", { deferMs: 1000 })],
  ])("goes on over what counts for nothing", (_, between) => {
    const two: [number, Seen][] = [
      [0, "conn_refused"],
      [1, between],
      [24, "conn_refused"],
    ];

    expect(lastOf(...two)).toBe("unknown conn_refused");
    expect(lastOf(...two, [25, "conn_refused"])).toBe("dead persistent_failure of conn_refused");
  });

  test("keeps a link dead that goes on failing, and reports it once", () => {
    const checks = [0, 12, 24, 36, 48].map((hour): [number, Conclusion] => [
      hour,
      saw("conn_refused"),
    ]);

    const outcomes = outcomesOf(checks, { ...NEW_LINK, status: "active", decidedStatus: "active" });

    expect(outcomes).toMatchObject([
      { status: "active", event: null },
      { status: "active", event: null },
      { status: "dead", event: "link.dead", statusChanged: true },
      { status: "dead", event: null, statusChanged: false },
      { status: "dead", event: null, statusChanged: false },
    ]);
  });

  test("makes a link dead again that was dead for another reason, and reports nothing", () => {
    const checks = ["http_404", ...Array(5).fill("conn_refused")].map(
      (reason, i): [number, Conclusion] => [i * 8, saw(reason)],
    );

    const outcomes = outcomesOf(checks);

    const seen = outcomes.map((o) => o.kind === "settled" && `${o.status} ${o.reason} ${o.event}`);
    expect(seen).toEqual([
      "dead http_404 link.dead",
      "dead http_404 null",
      "dead http_404 null",
      "unknown conn_refused null",
      "dead persistent_failure null",
      "dead persistent_failure null",
    ]);
  });

  test("tells what was seen in the evidence too", () => {
    const [, , last] = outcomesOf([0, 12, 24].map((hour) => [hour, saw("conn_refused")]));

    expect(last).toMatchObject({ conclusion: { evidence: { cause: "conn_refused" } } });
  });

  test("remembers since when, of what kind and how often", () => {
    const outcomes = outcomesOf([
      [0, saw("conn_timeout")],
      [1, saw("read_timeout")],
      [2, saw("ok")],
    ]);

    expect(outcomes).toMatchObject([
      { series: { kind: "timeout", since: NOON, checks: 1 } },
      { series: { kind: "timeout", since: NOON, checks: 2 } },
      { series: null },
    ]);
  });
});

describe("What a service says is gone, and must say for longer,", () => {
  /** Its account is gone, says the service: for an hour, or it is nothing. */
  const said = (cause: Reason = "service_account_gone"): Conclusion =>
    saw("unconfirmed", { cause, patienceMs: HOUR, evidence: { ...NO_EVIDENCE, cause } });
  const DEAD = "dead service_account_gone";
  const OPEN = "unknown unconfirmed of service_account_gone";

  test("is dead for that reason after as long, in three checks", () => {
    expect(verdictsOf([0, said()], [0.5, said()], [1 - MILLISECOND, said()])).toEqual([
      OPEN,
      OPEN,
      OPEN,
    ]);
    expect(verdictsOf([0, said()], [0.5, said()], [1, said()])).toEqual([OPEN, OPEN, DEAD]);
    expect(verdictsOf([0, said()], [2, said()])).toEqual([OPEN, OPEN]);
  });

  test("keeps no cause, since the reason is it", () => {
    const [, , last] = outcomesOf([0, 1, 2].map((hour) => [hour, said()]));

    const { conclusion } = last as Outcome & { kind: "settled" };
    expect("cause" in conclusion || "cause" in conclusion.evidence).toBeFalse();
  });

  test("starts over after anything else", () => {
    expect(lastOf([0, said()], [1, said()], [2, "http_503"], [3, said()])).toBe(OPEN);
    expect(lastOf([0, said()], [1, said()], [2, said("service_not_found")])).toBe(
      "unknown unconfirmed of service_not_found",
    );
  });
});

test("A service that calls known-good links gone is looked at again, and never makes a link dead", () => {
  const doubted = saw("service_unavailable", { cause: "service_not_found" });
  const checks = [0, DAY_1, DAYS_7, 10 * DAYS_7].map((hour): [number, Conclusion] => [
    hour,
    doubted,
  ]);

  expect(lastOf(...checks)).toBe("unknown service_unavailable of service_not_found");
  expect(outcomesOf(checks).at(-1)).toMatchObject({ series: { since: NOON, checks: 4 } });
  expect(outcomesOf([[0, saw("service_unavailable")]])).toMatchObject([{ series: null }]);
});

describe("A link that fails is looked at again", () => {
  const ids = Array.from({ length: 200 }, (_, i) => `0197c1d2-0000-7000-8000-${1e11 + i * 7919}`);
  const hoursAfter = (linkId: string, hour: number) => {
    const at = followUpAt({ linkId, since: NOON, after: NOON + hour * HOUR });
    return at === null ? null : (at - NOON) / HOUR;
  };

  eachRow([
    [0, 1],
    [1.2, 6],
    [5.9, 6],
    [6.7, 24],
    [26.5, 72],
  ])("in the hours that follow the first failure, or up to a tenth later", (checked, due) => {
    const hours = ids.map((id) => hoursAfter(id, checked) ?? 0);

    expect(Math.min(...hours)).toBeGreaterThanOrEqual(due);
    expect(Math.max(...hours)).toBeLessThanOrEqual(due * 1.1);
    expect(new Set(hours).size).toBeGreaterThan(190);
  });

  test("four times, and then no more than others are", () => {
    expect(ids.map((id) => hoursAfter(id, 80))).toEqual(ids.map(() => null));
  });
});
