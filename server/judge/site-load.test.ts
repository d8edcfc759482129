import { describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { afterResponse, NO_LOAD, type SiteLoad } from "./politeness/site-load.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");

type Said = { status?: number; headers?: Record<string, string> };

const response = ({ status = 200, headers = {} }: Said = {}) => ({
  status,
  headers: new Headers(headers),
});

const REFUSED: Said = { status: 429 };

const after = (seconds: string | number, status = 429): Said => ({
  status,
  headers: { "Retry-After": `${seconds}` },
});

describe("the answers of a site slow us down:", () => {
  const penalties = (statuses: number[]) => {
    let load: SiteLoad = NO_LOAD;
    return statuses.map((status) => {
      load = afterResponse(load, response({ status }), { now: NOW, elapsed: 0 });
      return load.penaltyMs;
    });
  };

  eachRow([
    ["half a second after 429, then twice as long", [429, 429, 429], [500, 1000, 2000]],
    [
      "up to half a minute",
      Array(8).fill(429),
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
    ],
    ["a fifth of a second more for each error", [500, 502, 503, 599], [200, 400, 600, 800]],
    [
      "up to ten seconds",
      Array(60).fill(500),
      Array.from({ length: 60 }, (_, i) => Math.min(200 * (i + 1), 10_000)),
    ],
    [
      "an error never speeds up",
      [...Array(6).fill(429), 500],
      [500, 1000, 2000, 4000, 8000, 16_000, 16_000],
    ],
    ["a success ends it", [429, 429, 200, 429, 500, 204], [500, 1000, 0, 500, 700, 0]],
    ["other answers change nothing", [429, 404, 301, 403, 429], [500, 500, 500, 500, 1000]],
    ["our own network's 511 is not an error of the site", [511, 511], [0, 0]],
    ["usual answers", [200, 301, 404, 410, 403, 999], [0, 0, 0, 0, 0, 0]],
  ])("the more, the more often they refuse", (_, statuses, expected) => {
    expect(penalties(statuses)).toEqual(expected);
  });
});

describe("a site is left alone", () => {
  const holdOf = (said: Said, load = NO_LOAD) => {
    const { hold } = afterResponse(load, response(said), { now: NOW, elapsed: 1000 });
    return hold && `${hold.reason} ${hold.until - 1000}`;
  };
  eachRow([
    ["for the seconds that a 429 asks for", after(45), "http_429 45000"],
    ["for those that a 503 asks for", after(45, 503), "maintenance 45000"],
    ["until a date", after("Tue, 01 Jan 2030 00:10:00 GMT"), "http_429 600000"],
    ["as long as careless servers ask", after("1m30s"), "http_429 90000"],
    ["for a day at most", after(30 * 86_400), "http_429 86400000"],
    [
      "until its rate limit is renewed, even when it answers well",
      { headers: { "RateLimit-Remaining": "0", "RateLimit-Reset": "60" } },
      "http_429 60000",
    ],
    [
      "for a rate limit a quarter of an hour at most",
      { headers: { RateLimit: '"day";r=0;t=86400' } },
      "http_429 900000",
    ],
    [
      "for the longer of two wishes",
      { status: 429, headers: { "Retry-After": "5", RateLimit: '"a";r=0;t=60' } },
      "http_429 60000",
    ],
  ])("for as long as its answers ask", (_, said, hold) => {
    expect(holdOf(said)).toBe(hold);
  });

  eachRow([
    ["without Retry-After, a first time", REFUSED],
    ["with an unreadable Retry-After", after("soon")],
    ["with one that is over", after("Tue, 01 Jan 2019 00:00:00 GMT")],
    ["with one of no seconds", after(0)],
    ["when a redirect asks for it", after(45, 301)],
    ["when a 200 asks for it", after(45, 200)],
    ["when a 500 asks for it", after(45, 500)],
    ["while something of the limit is left", { headers: { RateLimit: '"a";r=1;t=60' } }],
  ])("not for what asks for nothing", (_, said) => {
    expect(holdOf(said)).toBeNull();
  });

  const loadAfter = (statuses: number[]) =>
    statuses.reduce(
      (load, status) => afterResponse(load, response({ status }), { now: NOW, elapsed: 1000 }),
      NO_LOAD,
    );

  test("for a quarter of an hour after three 429 in a row, and after each further one", () => {
    expect(loadAfter([429, 429]).hold).toBeNull();
    expect(holdOf(REFUSED, loadAfter([429, 429]))).toBe("http_429 900000");
    const later = { ...loadAfter([429, 429, 429]), hold: null };
    expect(holdOf(REFUSED, later)).toBe("http_429 900000");
  });

  eachRow([200, 404, 500])("not when it gave another answer between them", (status) => {
    expect(loadAfter([429, 429, status, 429]).hold).toBeNull();
  });

  test("no shorter than it asked before, whatever it says then", () => {
    const held = afterResponse(NO_LOAD, response(after(3600)), { now: NOW, elapsed: 0 });
    const next = afterResponse(held, response(after(5)), { now: NOW, elapsed: 1000 });
    const well = afterResponse(next, response(), { now: NOW, elapsed: 2000 });

    expect([next.hold, well.hold]).toEqual([held.hold, held.hold]);
  });
});
