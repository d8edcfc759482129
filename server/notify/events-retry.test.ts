import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { nextAttemptAt } from "./settle.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const HOUR = 3600;
const retrySeconds = [5, 300, 86_400];

/** Seconds until the next attempt. */
function waitAfter(
  answer: { statusCode?: number; retryAfter?: string | null; error?: "timeout" | "connect" },
  { attempts = 1, random = 0.5 } = {},
): number | null {
  const { statusCode = 500, retryAfter = null, error } = answer;
  const outcome = error
    ? ({ kind: "failed", error } as const)
    : ({ kind: "answered", statusCode, retryAfter } as const);
  const next = nextAttemptAt({ attempts, outcome, now: NOW, retrySeconds, random });
  return next === null ? null : (next - NOW) / 1000;
}

test("each attempt waits as long as its place in the schedule says, and the last has no next", () => {
  expect([1, 2, 3, 4].map((attempts) => waitAfter({}, { attempts }))).toEqual([
    5,
    300,
    86_400,
    null,
  ]);
});

test("a wait varies by a fifth either way", () => {
  expect(waitAfter({}, { attempts: 2, random: 0 })).toBe(240);
  expect(waitAfter({}, { attempts: 2, random: 0.999999 })).toBeCloseTo(360, 2);
});

eachRow([429, 502, 504])("a receiver that answers %i is left alone for a minute", (statusCode) => {
  expect(waitAfter({ statusCode })).toBe(60);
  expect(waitAfter({ statusCode }, { attempts: 2 })).toBe(300);
});

test("so is one that does not answer in time, but not one that refuses the connection", () => {
  expect(waitAfter({ error: "timeout" })).toBe(60);
  expect(waitAfter({ error: "connect" })).toBe(5);
});

eachRow([
  ["3600", HOUR],
  ["Tue, 01 Jan 2030 02:00:00 GMT", 2 * HOUR],
  ["Mon, 31 Dec 2029 00:00:00 GMT", 5],
  ["1", 5],
  ["-1", 5],
  ["1000000000", 24 * HOUR],
  ["1e9", 24 * HOUR],
  ["soon", 5],
  ["", 5],
])("Retry-After %p leads to a wait of %d seconds", (retryAfter, seconds) => {
  expect(waitAfter({ statusCode: 503, retryAfter })).toBe(seconds);
});
