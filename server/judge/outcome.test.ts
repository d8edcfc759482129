import { describe, expect, test } from "bun:test";
import { DAY, HOUR, NEW_LINK, NOON, outcomesOf, saw } from "../../tests/checker/ended.ts";
import { eachRow } from "../../tests/each-row.ts";
import { outcomeOf } from "../monitor/outcome.ts";
import type { Conclusion } from "./probe/conclusion.ts";
import type { Reason } from "./reasons/reasons.ts";

const ALIVE = {
  ...NEW_LINK,
  status: "active",
  reason: "ok_redirected",
  decidedStatus: "active",
  decidedReason: "ok_redirected",
} as const;

describe("A check that is void", () => {
  eachRow<[reason: Reason, againInMs: number]>([
    ["check_aborted", 0],
    ["monitor_offline", 0],
    ["monitor_degraded", 60_000],
    ["monitor_proxy_error", 60_000],
    ["internal_error", 900_000],
  ])("is made again soon", (reason, againInMs) => {
    expect(outcomeOf(ALIVE, saw(reason), NOON)).toEqual({ kind: "void", dueAt: NOON + againInMs });
  });

  eachRow<[what: string, seen: Conclusion]>([
    ["a server said what only our proxy says", saw("monitor_proxy_error", { statusCode: 407 })],
    ["a server said what only our network says", saw("captive_portal", { statusCode: 511 })],
  ])("is not made again each minute for ever where the fault may last", (_, seen) => {
    expect(outcomeOf(ALIVE, seen, NOON)).toEqual({ kind: "void", dueAt: NOON + 900_000 });
  });

  test("since the site asked to be left alone is made again when the site may be asked", () => {
    const seen = saw("http_429", { deferMs: HOUR });

    expect(outcomeOf(ALIVE, seen, NOON)).toEqual({ kind: "void", dueAt: NOON + HOUR });
  });

  test("leaves the count of inconclusive checks as it is", () => {
    const outcomes = outcomesOf(
      [
        [0, saw("http_403")],
        [1, saw("http_403", { deferMs: HOUR })],
        [2, saw("monitor_offline")],
        [3, saw("http_403")],
        [4, saw("http_403")],
      ],
      ALIVE,
    );

    const shown = outcomes.map((o) => (o.kind === "void" ? "void" : o.status));
    expect(shown).toEqual(["active", "void", "void", "active", "unknown"]);
  });
});

describe("What was decided", () => {
  test("stands with its reason through two inconclusive checks in a row, however near", () => {
    const outcomes = outcomesOf(
      [0, 1, 2].map((hour) => [hour, saw("conn_refused")]),
      ALIVE,
    );

    expect(outcomes).toMatchObject([
      { status: "active", reason: "ok_redirected", statusChanged: false },
      { status: "active", reason: "ok_redirected", statusChanged: false },
      { status: "unknown", reason: "conn_refused", statusChanged: true, event: null },
    ]);
  });

  test("is remembered with its reason while the link shows unknown", () => {
    const outcomes = outcomesOf([
      [0, saw("dns_nxdomain")],
      ...[1, 2, 3].map((hour): [number, ReturnType<typeof saw>] => [hour, saw("http_403")]),
    ]);

    expect(outcomes.at(-1)).toMatchObject({
      status: "unknown",
      reason: "http_403",
      decidedStatus: "dead",
      decidedReason: "dns_nxdomain",
    });
  });

  test("gives way at once to a check that decides otherwise", () => {
    expect(outcomeOf(ALIVE, saw("http_410"), NOON + DAY)).toMatchObject({
      status: "dead",
      reason: "http_410",
      decidedStatus: "dead",
      decidedReason: "http_410",
      inconclusiveChecks: 0,
      event: "link.dead",
    });
  });

  test("was nothing yet: a link never decided is unknown from the first inconclusive check on", () => {
    expect(outcomeOf(NEW_LINK, saw("http_403"), NOON)).toMatchObject({
      status: "unknown",
      reason: "http_403",
      statusChanged: false,
      decidedStatus: null,
      decidedReason: null,
      event: null,
    });
  });
});
