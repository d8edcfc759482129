import { describe, expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { logLines } from "../../tests/log.ts";
import { createClockSkew } from "../judge/online/online.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Our clock, and sites whose clocks are ahead of it by as much as a test says. */
function clocks() {
  let correction = 0;
  const standing = movableClock(NOW);
  const clock = { ...standing, now: () => standing.now() + correction };
  const skew = createClockSkew(clock);
  const note = (site: string, headers: Record<string, string>) =>
    skew.note({ finalUrl: `https://${site}/`, headers: new Headers(headers) });
  return {
    isOff: skew.isOff,
    note,
    answers: (aheadMs: number, ...sites: string[]) => {
      for (const site of sites) {
        standing.moveBy(1000);
        note(site, { date: httpDate(clock.now() + aheadMs) });
      }
    },
    setBy: (ms: number) => {
      correction += ms;
    },
  };
}

const httpDate = (ms: number) => new Date(ms).toUTCString();

describe("Our clock is off", () => {
  eachRow([
    ["three sites are six minutes ahead", 6 * MINUTE],
    ["three sites are six minutes behind", -6 * MINUTE],
    ["three sites live in another year", 365 * 24 * HOUR],
  ])("when at least three sites agree that it is more than five minutes off", (_, aheadMs) => {
    const { answers, isOff } = clocks();

    answers(aheadMs, "a.test", "b.test", "c.test");

    expect(isOff()).toBe(true);
  });

  test("when most sites say so, whatever a few others say", () => {
    const { answers, isOff } = clocks();

    answers(0, "a.test", "b.test");
    answers(HOUR, "c.test", "d.test", "e.test");

    expect(isOff()).toBe(true);
  });

  test("by the last twenty sites, of which it takes one a second", () => {
    const { answers, isOff } = clocks();
    const sites = (kind: string) => Array.from({ length: 20 }, (_, n) => `${kind}-${n}.test`);

    answers(0, ...sites("old"), ...sites("older"));
    answers(HOUR, ...sites("new"));

    expect(isOff()).toBe(true);
  });
});

describe("Our clock is not off", () => {
  test("before anyone has answered", () => {
    expect(clocks().isOff()).toBe(false);
  });

  eachRow([
    ["two sites alone say so", HOUR, ["a.test", "b.test"]],
    ["one site says so under three names", HOUR, ["a.site.test", "b.site.test", "c.site.test"]],
    ["one site says so on and on", HOUR, ["a.test", "a.test", "a.test"]],
    ["one machine says so on three ports", HOUR, ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3"]],
    ["it is four minutes", 4 * MINUTE, ["a.test", "b.test", "c.test"]],
    ["it is four minutes the other way", -4 * MINUTE, ["a.test", "b.test", "c.test"]],
  ])("when too few sites say so, or they do not agree", (_, aheadMs, sites) => {
    const { answers, isOff } = clocks();

    answers(aheadMs, ...sites);

    expect(isOff()).toBe(false);
  });

  test("when caches tell how old their pages are", () => {
    const { note, isOff } = clocks();
    const old = { date: httpDate(NOW - HOUR), age: "3600" };

    for (const site of ["a.test", "b.test", "c.test"]) note(site, old);

    expect(isOff()).toBe(false);
  });

  eachRow(["", "0", "-1", "1893499200", "yesterday", "never"])(
    "when what sites say is not a date",
    (date) => {
      const { note, isOff } = clocks();

      for (const site of ["a.test", "b.test", "c.test"]) note(site, { date });

      expect(isOff()).toBe(false);
    },
  );

  test("once it was set right, before any other answer", () => {
    const { answers, isOff, setBy } = clocks();
    answers(HOUR, "a.test", "b.test", "c.test");

    setBy(HOUR);

    expect(isOff()).toBe(false);
  });
});

test("one line tells that our clock is off, and one that it is right again", async () => {
  const lines = await logLines("info");
  const { answers, setBy } = clocks();

  for (let round = 0; round < 3; round++) answers(HOUR, "a.test", "b.test", "c.test", "d.test");
  expect(lines).toEqual([expect.stringMatching(/^\S+ warning clock is wrong: .* behind_s=3600$/)]);

  setBy(HOUR);
  answers(0, "a.test");
  expect(lines).toHaveLength(1);
  for (let round = 0; round < 3; round++) answers(0, "a.test", "b.test", "c.test", "d.test");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(" info clock agrees with other sites again");
});

describe("Where another machine's clock is followed, ours is off", () => {
  eachRow([
    ["when our own is six minutes ahead of sites that agree with it", 0, 6 * MINUTE, true],
    [
      "when the followed one is six minutes behind them, our own right",
      6 * MINUTE,
      6 * MINUTE,
      true,
    ],
    ["not when both are nearly right", MINUTE, -MINUTE, false],
  ])(
    "by what that machine's own clock differs from sites",
    (_, sitesAheadMs, ownAheadMs, isOff) => {
      const standing = movableClock(NOW);
      const source = { look: async () => {}, ownAheadMs: () => ownAheadMs };
      const skew = createClockSkew({ ...standing, source });
      for (const site of ["a.test", "b.test", "c.test"]) {
        const headers = new Headers({ date: httpDate(NOW + sitesAheadMs) });
        skew.note({ finalUrl: `https://${site}/`, headers });
      }

      expect(skew.isOff()).toBe(isOff);
    },
  );
});
