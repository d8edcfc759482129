import { describe, expect, test } from "bun:test";
import { saw } from "../../tests/checker/ended.ts";
import { movableClock } from "../../tests/clock.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import type { KnownLink } from "../judge/confirm.ts";
import { type CheckLink, coalesce } from "../judge/create-check.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";

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

/** Checks that end on request, or at once with what is given. */
function checks(ends?: Partial<Conclusion>) {
  const clock = movableClock(NOW);
  const begun: string[] = [];
  const open: { end: (more?: Partial<Conclusion>) => void; fail: (error: Error) => void }[] = [];
  const run: CheckLink = ({ id }) => {
    begun.push(id ?? "no link");
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

  test("so does a URL without a link", async () => {
    const { check, begun } = checks({});

    await Promise.all([check(known(null), signal), check(known(null), signal)]);
    await check(known(null), signal);

    expect(begun).toEqual(["no link", "no link"]);
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
    ["received it afterwards", "late"],
  ])("is not repeated for a link that has received it", async (_, id) => {
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

type Pair = { what: string; a: Partial<KnownLink>; b: Partial<KnownLink> };
const TABLES = yamlIn<{ shared: Pair[]; apart: Pair[] }>(import.meta.dir, "coalesce.yaml");

/** The moments of a row, which are in days from now. */
function inTime({ lastActiveAt, unconfirmedSince, ...rest }: Partial<KnownLink>) {
  const moment = (days: number | null = null) => (days === null ? null : NOW + days * DAY);
  return {
    ...rest,
    lastActiveAt: moment(lastActiveAt),
    unconfirmedSince: moment(unconfirmedSince),
  };
}

describe("of two links", () => {
  const asksOnce = async (a: Partial<KnownLink>, b: Partial<KnownLink>) => {
    const { check, begun } = checks({});
    const links = [known("mine", inTime(a)), known("yours", inTime(b))];
    await Promise.all(links.map((link) => check(link, signal)));
    return begun.length === 1;
  };

  eachRow(TABLES.shared)("one is asked for where both ask the same", async ({ a, b }) => {
    expect(await asksOnce(a, b)).toBeTrue();
  });

  eachRow(TABLES.apart)("both are asked for where one asks something else", async ({ a, b }) => {
    expect(await asksOnce(a, b)).toBeFalse();
  });
});
