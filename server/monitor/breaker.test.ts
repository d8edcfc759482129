import { describe, expect, test } from "bun:test";
import { saw } from "../../tests/checker/ended.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { playedOnline } from "../../tests/checker/played-online.ts";
import { movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import type { OnlineState } from "../judge/online/online.ts";
import { createBreaker } from "../judge/own-fault.ts";
import type { Reason } from "../judge/reasons/reasons.ts";

/** A breaker after checks of as many sites in turn, the first of which failed in the given way. */
function breakerAfter(checks: { failed: number; fine: number; sites: number; as?: Reason }) {
  const { failed, fine, sites, as = "conn_timeout" } = checks;
  const breaker = createBreaker();
  for (let n = 0; n < failed + fine; n++) {
    breaker.note(`https://www.site-${n % sites}.test/${n}`, saw(n < failed ? as : "ok"));
  }
  return breaker;
}

describe("The circuit breaker trips", () => {
  eachRow([
    "dns_timeout",
    "dns_servfail",
    "dns_nxdomain",
    "conn_refused",
    "conn_unreachable",
    "conn_reset",
    "conn_timeout",
    "read_timeout",
    "tls_handshake_reset",
  ] as const)(
    "when half of the latest twenty checks end the way that an outage of ours does",
    (as) => {
      expect(breakerAfter({ failed: 10, fine: 10, sites: 5, as }).isTripped()).toBe(true);
    },
  );

  test("when what is behind an open verdict is a failure on the way", () => {
    const breaker = createBreaker();

    for (let n = 0; n < 20; n++) {
      breaker.note(`https://site-${n}.test/`, saw("unconfirmed", { cause: "dns_nxdomain" }));
    }

    expect(breaker.isTripped()).toBe(true);
  });
});

describe("The circuit breaker holds", () => {
  eachRow([
    ["nine of twenty fail", { failed: 9, fine: 11, sites: 20 }],
    ["no more than nineteen checks have ended", { failed: 19, fine: 0, sites: 19 }],
    ["all failures are of four sites", { failed: 20, fine: 0, sites: 4 }],
    ["pages are gone", { failed: 20, fine: 0, sites: 20, as: "http_404" }],
    ["servers are in trouble", { failed: 20, fine: 0, sites: 20, as: "http_503" }],
    ["twenty checks went well since", { failed: 20, fine: 20, sites: 20 }],
  ] as const)("when too little speaks for an outage of ours", (_, checks) => {
    expect(breakerAfter(checks).isTripped()).toBe(false);
  });

  test("when hosts asked to be left alone", () => {
    const breaker = createBreaker();

    for (let n = 0; n < 20; n++) {
      breaker.note(`https://site-${n}.test/`, saw("conn_timeout", { deferMs: 60_000 }));
    }

    expect(breaker.isTripped()).toBe(false);
  });

  test("from zero after it was reset", () => {
    const breaker = breakerAfter({ failed: 20, fine: 0, sites: 20 });

    breaker.reset();

    expect(breaker.isTripped()).toBe(false);
  });
});

const LINKS = 60;
const PLACES = 10;

onServer("A loop whose checks of many sites fail on the way", (server) => {
  const addLinks = (me: Asker) =>
    me.post("/api/v1/links/batch", {
      links: Array.from({ length: LINKS }, (_, n) => ({ url: `https://site-${n}.test/` })),
    });

  type Run = {
    answer: OnlineState | null;
    failing?: number;
    isEnough: (seen: { begun: number; asked: number }) => boolean;
  };

  /** Runs the loop with ten places until enough was seen of it, second after second. */
  async function run({ answer, failing = LINKS, isEnough }: Run) {
    const clock = movableClock(server().clock.now());
    const { online, asked } = playedOnline(answer);
    let begun = 0;
    const check = async () => saw(++begun > failing ? "ok" : "conn_timeout");
    const loop = playLoop(server(), { clock, online, check, places: PLACES });
    await loop.until("enough checks", () => isEnough({ begun, asked: asked() }));
    await loop.stop();
    return { begun, asked: asked() };
  }

  test("asks the sentinels once, and goes on when they answer", async () => {
    await addLinks(await server().account());

    const { asked } = await run({
      answer: "online",
      failing: 20,
      isEnough: ({ begun }) => begun >= LINKS,
    });

    expect(asked).toBe(1);
  });

  test("stops when no sentinel answers, and asks again", async () => {
    await addLinks(await server().account());

    const { begun } = await run({
      answer: "offline",
      isEnough: ({ asked }) => asked >= 5,
    });

    // Those that were under way when the twentieth failed.
    expect(begun).toBeGreaterThanOrEqual(20);
    expect(begun).toBeLessThan(20 + PLACES);
  });

  test("goes on with one line of warning where there are no sentinels", async () => {
    await addLinks(await server().account());
    const lines = await logLines("warning");

    await run({ answer: null, isEnough: ({ begun }) => begun >= LINKS });

    expect(lines).toEqual([expect.stringContaining("there are no sentinels to ask why")]);
  });
});
