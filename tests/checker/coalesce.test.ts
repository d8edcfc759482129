import { describe, expect, test } from "bun:test";
import type { KnownLink } from "../../server/verdict/confirm.ts";
import { type CheckLink, coalesce } from "../../server/verdict/create-check.ts";
import type { Conclusion } from "../../server/verdict/probe/conclusion.ts";
import { catalogueWith } from "../../server/verdict/services/records/built-in.ts";
import { movableClock } from "../clock.ts";
import { eachRow } from "../each-row.ts";
import { saw } from "./ended.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const URL_A = "https://example.org/a";

const signal = new AbortController().signal;

const known = (id: string | null, more: Partial<KnownLink> = {}): KnownLink => ({
  id,
  url: URL_A,
  lastDecided: null,
  decidedReason: null,
  lastActiveAt: null,
  unconfirmedSince: null,
  isFlapping: false,
  isRequested: false,
  ...more,
});

const concluded = (more: Partial<Conclusion> = {}) =>
  saw("ok", { statusCode: 200, responseTimeMs: 5, finalUrl: URL_A, ...more });

/** Checks that end when they are told to, or at once with what is given. */
function checks(ends?: Partial<Conclusion>) {
  const clock = movableClock(NOW);
  const begun: string[] = [];
  const open: { end: (more?: Partial<Conclusion>) => void; fail: (error: Error) => void }[] = [];
  const run: CheckLink = ({ id }) => {
    begun.push(id ?? "nobody");
    if (ends) return Promise.resolve(concluded(ends));
    return new Promise((resolve, fail) =>
      open.push({ end: (more) => resolve(concluded(more)), fail }),
    );
  };
  return {
    clock,
    begun,
    open,
    check: coalesce({ clock, catalogue: catalogueWith([]), checkLink: run }),
  };
}

test("a trial neither gets the result of another check nor gives its own", async () => {
  const { check, begun } = checks({});
  const trial = known("mine", { isTrial: true, isRequested: true });

  await check(known("mine"), signal);
  await Promise.all([check(trial, signal), check(trial, signal)]);
  await check(known("yours"), signal);

  expect(begun).toEqual(["mine", "mine", "mine"]);
});

describe("while a check is under way", () => {
  test("a link with the same URL shares it", async () => {
    const { check, begun, open } = checks();
    const both = Promise.all([check(known("mine"), signal), check(known("yours"), signal)]);

    open[0]?.end({ status: "dead", reason: "http_404" });

    const [mine, yours] = await both;
    expect(mine.reason).toBe("http_404");
    expect(yours).toEqual(mine);
    expect(begun).toEqual(["mine"]);
  });

  test("two who ask by hand share it too", async () => {
    const { check, begun } = checks({});

    await Promise.all([
      check(known("mine", { isRequested: true }), signal),
      check(known("yours", { isRequested: true }), signal),
    ]);

    expect(begun).toEqual(["mine"]);
  });

  test("so does a URL that nobody keeps", async () => {
    const { check, begun } = checks({});

    await Promise.all([check(known(null), signal), check(known(null), signal)]);
    await check(known(null), signal);

    expect(begun).toEqual(["nobody", "nobody"]);
  });

  test("its end by abortion is the end for all, and not remembered", async () => {
    const { check, begun, open } = checks();
    const both = Promise.all([check(known("mine"), signal), check(known("yours"), signal)]);

    open[0]?.end({ status: "unknown", reason: "check_aborted" });

    expect((await both).map(({ reason }) => reason)).toEqual(["check_aborted", "check_aborted"]);
    void check(known("other"), signal);
    expect(begun).toEqual(["mine", "other"]);
  });

  test("its failure is a failure for all, and the next check is a new one", async () => {
    const { check, begun, open } = checks();
    const both = [check(known("mine"), signal), check(known("yours"), signal)];

    open[0]?.fail(new Error("a bug"));

    for (const outcome of await Promise.allSettled(both)) expect(outcome.status).toBe("rejected");
    void check(known("other"), signal);
    expect(begun).toEqual(["mine", "other"]);
  });
});

describe("what a check came to", () => {
  test("is shared with another link for ten minutes", async () => {
    const { clock, check, begun } = checks({ reason: "ok_redirected" });
    await check(known("mine"), signal);

    clock.moveBy(10 * MINUTE);
    expect((await check(known("yours"), signal)).reason).toBe("ok_redirected");
    expect(begun).toEqual(["mine"]);
    clock.moveBy(1);
    await check(known("theirs"), signal);
    expect(begun).toEqual(["mine", "theirs"]);
  });

  eachRow([
    ["asked", "mine"],
    ["shared the check", "yours"],
    ["was told afterwards", "late"],
  ])("is not told again to a link that was told", async (_, id) => {
    const { clock, check, begun, open } = checks();
    const both = Promise.all([check(known("mine"), signal), check(known("yours"), signal)]);
    open[0]?.end();
    await both;
    await check(known("late"), signal);

    clock.moveBy(MINUTE);
    void check(known(id), signal);

    expect(begun).toEqual(["mine", id]);
  });

  test("is not for who asks by hand", async () => {
    const { check, begun } = checks({});
    await check(known("mine", { isRequested: true }), signal);

    await check(known("yours", { isRequested: true }), signal);

    expect(begun).toEqual(["mine", "yours"]);
  });

  eachRow([
    ["our own fault", { status: "unknown", reason: "monitor_offline" }],
    ["a bug of ours", { status: "unknown", reason: "internal_error" }],
    ["a deferral", { status: "unknown", reason: "http_429", deferMs: 900_000 }],
  ] as const)("is not remembered when it says nothing of the site", async (_, ends) => {
    const { check, begun } = checks(ends);
    await check(known("mine"), signal);

    await check(known("yours"), signal);

    expect(begun).toEqual(["mine", "yours"]);
  });

  test("is remembered when the site gave no clear answer", async () => {
    const { check, begun } = checks({ status: "unknown", reason: "http_503" });
    await check(known("mine"), signal);

    expect((await check(known("yours"), signal)).reason).toBe("http_503");
    expect(begun).toEqual(["mine"]);
  });

  test("is forgotten when there are too many", async () => {
    const { check, begun } = checks({});
    for (let i = 0; i <= 10_000; i++) {
      await check(known("mine", { url: `https://example.org/${i}` }), signal);
    }
    begun.length = 0;

    await check(known("yours", { url: "https://example.org/10000" }), signal);
    await check(known("yours", { url: "https://example.org/0" }), signal);

    expect(begun).toEqual(["yours"]);
  });
});

describe("of two links", () => {
  const active: Partial<KnownLink> = { lastDecided: "active", decidedReason: "ok" };
  const dead = (decidedReason: string): Partial<KnownLink> => ({
    lastDecided: "dead",
    decidedReason,
  });
  const asksOnce = async (a: Partial<KnownLink>, b: Partial<KnownLink>) => {
    const { check, begun } = checks({});
    await Promise.all([check(known("mine", a), signal), check(known("yours", b), signal)]);
    return begun.length === 1;
  };

  eachRow([
    ["the same URL", {}, {}],
    ["fragments that no server sees", { url: `${URL_A}#one` }, { url: `${URL_A}#two` }],
    ["other reasons to be active", active, { ...active, decidedReason: "ok_redirected" }],
    ["another moment of the week", { lastActiveAt: NOW }, { lastActiveAt: NOW - 6 * DAY }],
    [
      "the same expectations in another order",
      { expect: { must_contain: ["a"], final_url_contains: "/a" } },
      { expect: { final_url_contains: "/a", must_contain: ["a"] } },
    ],
    ["other moments long ago", { lastActiveAt: null }, { lastActiveAt: NOW - 8 * DAY }],
  ])("one is asked for where both ask the same", async (_, a, b) => {
    expect(await asksOnce(a, b)).toBeTrue();
  });

  eachRow([
    ["another path", {}, { url: "https://example.org/b" }],
    ["another query", {}, { url: `${URL_A}?b` }],
    ["another scheme", {}, { url: "http://example.org/a" }],
    [
      "fragments that name the file",
      { url: "https://mega.nz/#!a" },
      { url: "https://mega.nz/#!b" },
    ],
    ["another past", active, dead("http_404")],
    ["a name that may have a new owner", dead("http_404"), dead("dns_nxdomain")],
    ["a page seen this week, and not", { lastActiveAt: NOW }, { lastActiveAt: NOW - 8 * DAY }],
    ["a missing name to confirm", {}, { unconfirmedSince: NOW }],
    ["a status that changes all the time", {}, { isFlapping: true }],
    ["somebody waiting", {}, { isRequested: true }],
    ["an expectation, and none", {}, { expect: { must_contain: ["a"] } }],
    ["other texts", { expect: { must_contain: ["a"] } }, { expect: { must_contain: ["a", "b"] } }],
    [
      "a text that must be there, and must not",
      { expect: { must_contain: ["a"] } },
      { expect: { must_not_contain: ["a"] } },
    ],
    [
      "other statuses",
      { expect: { accepted_status_codes: ["200"] } },
      { expect: { accepted_status_codes: ["404"] } },
    ],
  ])("both are asked for where one asks something else", async (_, a, b) => {
    expect(await asksOnce(a, b)).toBeFalse();
  });
});
