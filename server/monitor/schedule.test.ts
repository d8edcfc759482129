import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { LONGEST_INTERVAL, nextCheckAt } from "../work/schedule.ts";

const HOUR = 3_600_000;
const DAY_S = 86_400;
const NOON = Date.parse("2030-01-01T12:00:00Z");
const hourly = (linkId: string, from = NOON) =>
  nextCheckAt({ linkId, frequencySeconds: 3600, from });
const many = Array.from(
  { length: 1000 },
  (_, i) => `0197c1d2-0000-7000-8000-${String(i).padStart(12, "0")}`,
);

/** Where a link is in its hour after many checks, in tenths. */
function placeOf(linkId: string): number {
  let at = NOON;
  for (let i = 0; i < 20; i++) at = hourly(linkId, at);
  return Math.floor((at % HOUR) / (HOUR / 10));
}

test("a link is due a period later, a tenth sooner or later at most", () => {
  const waits = many.map((id) => hourly(id) - NOON);

  expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.9 * HOUR);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1.1 * HOUR);
});

test("links made at one moment spread evenly over their period", () => {
  const tenths = Map.groupBy(many, placeOf);

  expect(tenths.size).toBe(10);
  for (const links of tenths.values()) expect(links.length).toBeGreaterThan(50);
});

test("links made at one moment are not due at one moment again, from the first time on", () => {
  const slots = Map.groupBy(many, (id) => Math.floor((hourly(id) - NOON) / (HOUR / 100)));

  // A tenth either way is twenty hundredths of an hour: fifty links each, if they are spread evenly.
  for (const links of slots.values()) expect(links.length).toBeLessThan(100);
});

test("a link that found its place keeps it, also when a check was late", () => {
  let at = NOON;
  for (let i = 0; i < 20; i++) at = hourly(many[0]!, at);

  expect(hourly(many[0]!, at)).toBe(at + HOUR);
  expect(hourly(many[0]!, at + 60_000)).toBe(at + HOUR);
});

/** The moment at which a link is daily, after many days. */
function hourOf(linkId: string): number {
  let at = NOON;
  for (let i = 0; i < 20; i++) at = nextCheckAt({ linkId, frequencySeconds: DAY_S, from: at });
  return at;
}

eachRow([
  ["was five hours late", 5 * HOUR, 1],
  ["was eleven hours late", 11 * HOUR, 1],
  ["missed a turn, and the next is too near", 22 * HOUR, 2],
  ["missed ten turns", 245 * HOUR, 11],
  ["was made by hand in between", 7 * HOUR, 1],
])("a daily link stays at its hour when a check was late", (_, lateMs, daysOn) => {
  for (const linkId of many.slice(0, 50)) {
    const before = hourOf(linkId);

    const next = nextCheckAt({ linkId, frequencySeconds: DAY_S, from: before + lateMs, before });

    expect(Math.abs(next - (before + daysOn * 24 * HOUR))).toBeLessThanOrEqual(1);
  }
});

test("a link waits for half a period at least, and for one and a half at most", () => {
  for (const linkId of many) {
    const before = hourOf(linkId);
    for (const hours of [1, 6, 11, 13, 18, 23]) {
      const from = before + hours * HOUR;
      const waits = nextCheckAt({ linkId, frequencySeconds: DAY_S, from, before }) - from;
      expect(waits).toBeGreaterThanOrEqual(12 * HOUR - 1);
      expect(waits).toBeLessThanOrEqual(LONGEST_INTERVAL * 24 * HOUR);
    }
  }
});

test("a link's next moment depends on nothing but the link and the last", () => {
  expect(hourly(many[7]!)).toBe(hourly(many[7]!));
});

test("the longest and shortest periods make whole moments in the future", () => {
  for (const frequencySeconds of [1, 2_592_000]) {
    const at = nextCheckAt({ linkId: many[3]!, frequencySeconds, from: NOON });
    expect(Number.isInteger(at)).toBe(true);
    expect(at).toBeGreaterThan(NOON);
  }
});
