import { describe, expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import { cooldownOf, createPoliteness, withPoliteness } from "./politeness/politeness.ts";
import type { WaitOptions } from "./politeness/site-line.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Said = { status?: number; headers?: Record<string, string> };

const response = ({ status = 200, headers = {} }: Said = {}) => ({
  kind: "response" as const,
  status,
  headers: new Headers(headers),
});

type Options = { hostConcurrency?: number; hostGapMs?: number };
type Waiting = Partial<WaitOptions>;

/** Visits that last until they are ended. Notes when each began, or that it was sent away. */
function visits(options: Options = {}) {
  const clock = movableClock(NOW);
  const politeness = createPoliteness({ clock, hostConcurrency: 2, hostGapMs: 0, ...options });
  const began: string[] = [];
  const away: Record<string, string> = {};
  const waited: Record<string, number> = {};
  const ends = new Map<string, (said: Said) => void>();

  async function visit(name: string, host = "site.test", waiting: Waiting = {}) {
    const request = (waitedMs: number) => {
      began.push(name);
      waited[name] = waitedMs;
      return new Promise<ReturnType<typeof response>>((resolve) =>
        ends.set(name, (said) => resolve(response(said))),
      );
    };
    const outcome = await withPoliteness(politeness, host, request, waiting);
    if (outcome.kind === "held") away[name] = `${outcome.reason} ${outcome.forMs}`;
  }

  async function end(name: string, said: Said = {}) {
    ends.get(name)?.(said);
    await settle();
  }

  /** A visit that is over at once. */
  async function visited(said: Said, host = "site.test") {
    await withPoliteness(politeness, host, async () => response(said));
    await settle();
  }

  async function moveBy(ms: number) {
    clock.moveBy(ms);
    await settle();
  }

  return { clock, politeness, began, away, waited, visit, visited, end, moveBy };
}

const settle = yieldToEventLoop;

const REFUSED: Said = { status: 429 };
const busy = (seconds: number): Said => ({ status: 429, headers: { "Retry-After": `${seconds}` } });

test("a site that wants a longer gap has it, and others have the usual one", async () => {
  const clock = movableClock(NOW);
  const rules = { clock, hostConcurrency: 2, hostGapMs: 250 };
  const politeness = createPoliteness(
    rules,
    new Map([
      ["api.slow.test", 2000],
      ["fast.test", 10],
    ]),
  );
  const began: string[] = [];
  const visit = (host: string) =>
    void withPoliteness(politeness, host, async () => {
      began.push(host);
      return response();
    });

  for (const host of ["slow.test", "www.slow.test", "fast.test", "www.fast.test"]) visit(host);

  await settle();
  expect(began).toEqual(["slow.test", "fast.test"]);
  clock.moveBy(250);
  await settle();
  expect(began).toEqual(["slow.test", "fast.test", "www.fast.test"]);
  clock.moveBy(1750);
  await settle();
  expect(began).toContain("www.slow.test");
});

test("a host of the operator takes as many requests as they say, and has a line of its own", async () => {
  const clock = movableClock(NOW);
  const rules = { clock, hostConcurrency: 1, hostGapMs: 250, ownSites: { "docs.site.test": 10 } };
  const politeness = createPoliteness(rules);
  const began: string[] = [];
  for (const host of ["docs.site.test", "docs.site.test:81", "docs.site.test", "www.site.test"]) {
    void withPoliteness(politeness, host, async () => {
      began.push(host);
      return new Promise<ReturnType<typeof response>>(() => {});
    });
  }
  await settle();
  expect(began).toEqual(["docs.site.test", "docs.site.test:81", "www.site.test"]);

  clock.moveBy(100);
  await settle();
  expect(began.at(-1)).toBe("docs.site.test");
});

describe("the site of a host", () => {
  eachRow([
    ["www.site.test", "other.site.test", false],
    ["site.test", "site.test:8080", true],
    ["127.0.0.1:8080", "127.0.0.1:8081", true],
    ["[::1]:8080", "[::1]:8080", false],
    ["[::1]", "[::2]", true],
    ["site.test", "other.test", true],
  ])("is what one owner has: its names share their places", async (busy, asked, isFree) => {
    const politeness = createPoliteness({
      clock: movableClock(NOW),
      hostConcurrency: 1,
      hostGapMs: 0,
    });
    const began: string[] = [];
    const never = new Promise<never>(() => {});
    const begin = (host: string) =>
      void withPoliteness(politeness, host, () => {
        began.push(host);
        return never;
      });

    begin(busy);
    begin(asked);
    await Promise.resolve();

    expect(began.length === 2).toBe(isFree);
  });
});

describe("in line", () => {
  test("a site is asked two things at once, the rest wait", async () => {
    const { began, visit, end } = visits();
    for (const name of ["a", "b", "c", "d"]) void visit(name, "www.site.test");
    await settle();

    expect(began).toEqual(["a", "b"]);
    await end("b");
    expect(began).toEqual(["a", "b", "c"]);
    await end("a");
    expect(began).toEqual(["a", "b", "c", "d"]);
  });

  test("the names of one owner stand together, other sites and addresses have their own", async () => {
    const { began, visit } = visits({ hostConcurrency: 1 });
    for (const host of [
      "a.site.test",
      "b.site.test",
      "other.test",
      "127.0.0.1",
      "127.0.0.2",
      "x.co.uk",
      "y.co.uk",
    ]) {
      void visit(host, host);
    }
    await settle();

    expect(began).toEqual([
      "a.site.test",
      "other.test",
      "127.0.0.1",
      "127.0.0.2",
      "x.co.uk",
      "y.co.uk",
    ]);
  });

  test("two requests to a site do not start in the same quarter of a second", async () => {
    const { began, waited, visit, moveBy } = visits({ hostGapMs: 250 });
    for (const name of ["a", "b", "c"]) void visit(name);
    await settle();

    expect(began).toEqual(["a"]);
    await moveBy(249);
    expect(began).toEqual(["a"]);
    await moveBy(1);
    expect(began).toEqual(["a", "b"]);
    expect(waited).toEqual({ a: 0, b: 250 });
  });

  test("only a request that cannot be sent at once says that it waits, and until when", async () => {
    const { visit, moveBy, end } = visits({ hostConcurrency: 1, hostGapMs: 250 });
    const said: string[] = [];
    const onWait = (name: string) => (isWaiting: boolean) => void said.push(`${name} ${isWaiting}`);
    void visit("first", "site.test", { onWait: onWait("first") });
    void visit("second", "site.test", { onWait: onWait("second") });
    const givingUp = new AbortController();
    const { signal } = givingUp;
    void visit("third", "site.test", { onWait: onWait("third"), signal });
    expect(said).toEqual(["second true", "third true"]);

    givingUp.abort();
    await settle();
    await end("third");
    expect(said.slice(2)).toEqual(["third false"]);
    await end("first");
    await moveBy(250);

    expect(said.slice(3)).toEqual(["second false"]);
  });

  test("manual checks go first, in their own order", async () => {
    const { visit, end, began } = visits({ hostConcurrency: 1 });
    void visit("a");
    void visit("b");
    void visit("c", "site.test", { isUrgent: true });
    void visit("d");
    void visit("e", "site.test", { isUrgent: true });
    await settle();

    for (const name of ["a", "c", "e", "b", "d"]) await end(name);

    expect(began.join("")).toBe("acebd");
  });

  test("a visit that fails makes room all the same", async () => {
    const politeness = createPoliteness({
      clock: movableClock(NOW),
      hostConcurrency: 1,
      hostGapMs: 0,
    });

    await expect(
      withPoliteness(politeness, "site.test", () => Promise.reject(new Error("no"))),
    ).rejects.toThrow("no");

    expect(await withPoliteness(politeness, "site.test", async () => response())).toMatchObject({
      status: 200,
    });
  });

  test("a request that gives up leaves the line, and delays no other", async () => {
    const { began, visit, end, moveBy } = visits({ hostConcurrency: 1, hostGapMs: 250 });
    const giving = new AbortController();
    for (const name of ["a", "b", "c"]) {
      void visit(name, "site.test", name === "b" ? { signal: giving.signal } : {});
    }

    giving.abort();
    await settle();

    expect(began).toEqual(["a", "b"]);
    await end("b");
    await end("a");
    await moveBy(250);
    expect(began).toEqual(["a", "b", "c"]);
  });

  test("all together need one timer, which is stopped in the end", async () => {
    const lab = movableClock(NOW);
    const timers: (AbortSignal | undefined)[] = [];
    const sleep = (ms: number, signal?: AbortSignal) => {
      timers.push(signal);
      return lab.sleep(ms, signal);
    };
    const clock = { ...lab, sleep };
    const politeness = createPoliteness({ clock, hostConcurrency: 1, hostGapMs: 250 });
    const giving = new AbortController();
    await withPoliteness(politeness, "site.test", async () => response());
    const { signal } = giving;
    const visit = () => withPoliteness(politeness, "site.test", async () => response(), { signal });
    const all = Promise.all([visit(), visit(), visit()]);
    const running = () => timers.filter((timer) => !timer?.aborted).length;
    expect(running()).toBe(1);

    giving.abort();
    await all;

    expect(running()).toBe(0);
  });

  test("who had given up before is let through at once", async () => {
    const { began, visit } = visits({ hostConcurrency: 1 });
    void visit("a");

    void visit("b", "site.test", { signal: AbortSignal.abort() });
    await settle();

    expect(began).toEqual(["a", "b"]);
  });
});

describe("after a refusal", () => {
  test("the next request waits for it", async () => {
    const { began, waited, visit, visited, moveBy } = visits({ hostGapMs: 250 });
    await visited(REFUSED);
    void visit("next");

    await moveBy(749);
    expect(began).toEqual([]);
    await moveBy(1);
    expect(began).toEqual(["next"]);
    expect(waited).toEqual({ next: 750 });
  });

  test("and when another request succeeds meanwhile, it waits no longer", async () => {
    const { began, visit, visited, end } = visits();
    void visit("slow");
    await visited(REFUSED);
    void visit("next");
    await settle();
    expect(began).toEqual(["slow"]);

    await end("slow", { status: 200 });

    expect(began).toEqual(["slow", "next"]);
  });

  test("other sites are as fast as before", async () => {
    const { began, visit, visited } = visits();
    await visited(REFUSED);

    void visit("other", "other.test");
    await settle();

    expect(began).toEqual(["other"]);
  });
});

describe("while a site is left alone", () => {
  test("a request waits up to half a minute, and that does not count as queueing", async () => {
    const { began, waited, visit, visited, moveBy } = visits();
    await visited(busy(30));
    void visit("next");

    await moveBy(29_999);
    expect(began).toEqual([]);
    await moveBy(1);
    expect(began).toEqual(["next"]);
    expect(waited).toEqual({ next: 0 });
  });

  test("a request that would have to wait longer is not made", async () => {
    const { began, away, visit, visited } = visits();
    await visited(busy(31));

    await visit("next");
    await visit("subdomain", "www.site.test");

    expect(began).toEqual([]);
    expect(away).toEqual({ next: "http_429 31000", subdomain: "http_429 31000" });
  });

  test("a request with less time than that is not made either", async () => {
    const { began, away, visit, visited } = visits();
    await visited(busy(20));

    await visit("hurried", "site.test", { maxHoldMs: 19_000 });

    expect(began).toEqual([]);
    expect(away).toEqual({ hurried: "http_429 20000" });
  });

  test("a request that is in line already is refused at once", async () => {
    const { began, away, visit, end } = visits({ hostConcurrency: 1 });
    for (const name of ["a", "b", "c"]) void visit(name);
    await settle();

    await end("a", busy(60));

    expect(began).toEqual(["a"]);
    expect(away).toEqual({ b: "http_429 60000", c: "http_429 60000" });
  });

  test("a moment after another, no request waits for longer than half a minute in all", async () => {
    const { began, away, visit, end, moveBy } = visits({ hostConcurrency: 1 });
    for (const name of ["a", "b", "c"]) void visit(name);
    await settle();
    await end("a", busy(20));
    await moveBy(20_000);
    expect(began).toEqual(["a", "b"]);

    await end("b", busy(11));

    expect(away).toEqual({ c: "http_429 11000" });
  });

  test("queueing before and after it does not count as part of it", async () => {
    const { waited, visit, end, moveBy } = visits({ hostConcurrency: 1 });
    for (const name of ["a", "b", "c"]) void visit(name);
    await moveBy(1000);
    await end("a", { status: 503, headers: { "Retry-After": "20" } });
    await moveBy(20_000);
    await moveBy(4000);
    await end("b");

    expect(waited).toEqual({ a: 0, b: 1000, c: 5000 });
  });

  test("a request that gives up waits no longer", async () => {
    const { began, visit, visited } = visits();
    const giving = new AbortController();
    await visited(busy(30));
    void visit("next", "site.test", { signal: giving.signal });

    giving.abort();
    await settle();

    expect(began).toEqual(["next"]);
  });

  test("a request under way is not disturbed, and others go where they will", async () => {
    const { began, visit, visited, end } = visits();
    void visit("early");
    await visited(busy(3600));
    void visit("other", "other.test");
    await end("early");

    expect(began).toEqual(["early", "other"]);
  });

  test("it is known why and for how long", async () => {
    const { politeness, visited, moveBy } = visits();
    await visited({ status: 503, headers: { "Retry-After": "3600" } });
    await moveBy(10 * MINUTE);

    expect(cooldownOf(politeness, "www.site.test")).toEqual({
      reason: "maintenance",
      forMs: 50 * MINUTE,
      lengthMs: HOUR,
    });
    expect(cooldownOf(politeness, "other.test")).toBeNull();
    await moveBy(50 * MINUTE - 30_000);
    expect(cooldownOf(politeness, "site.test")).toBeNull();
  });
});

describe("a site in trouble that many wait for", () => {
  const troubled = async (statuses: number[]) => {
    const lab = visits();
    for (const status of statuses) {
      const done = lab.visited({ status });
      await lab.moveBy(10_000);
      await done;
    }
    return lab;
  };
  const line = async ({ visit }: Awaited<ReturnType<typeof troubled>>, length: number) => {
    for (let i = 0; i < length; i++) void visit(`${i}`);
    await settle();
  };

  test("is left alone by those who would wait longer than half a minute", async () => {
    const lab = await troubled(Array(50).fill(500));
    await line(lab, 3);
    expect(cooldownOf(lab.politeness, "site.test")).toBeNull();

    await line(lab, 1);

    expect(cooldownOf(lab.politeness, "site.test")).toMatchObject({
      reason: "http_500",
      forMs: 40_000,
    });
  });

  test("and a long line alone does not mean trouble", async () => {
    const lab = visits({ hostGapMs: 250 });

    await line(lab, 500);

    expect(cooldownOf(lab.politeness, "site.test")).toBeNull();
  });
});

describe("sites that were left alone", () => {
  const passBy = async ({ visited, clock }: ReturnType<typeof visits>, sites: number) => {
    for (let i = 0; i < sites; i++) {
      await visited({}, `site-${i}.test`);
      clock.moveBy(20);
    }
  };

  test("are forgotten", async () => {
    const lab = visits({ hostGapMs: 10 });

    await passBy(lab, 3000);

    expect(lab.politeness.sites.size).toBeLessThan(1001);
  });

  test("are not forgotten while they want to be left alone, nor soon after trouble", async () => {
    const lab = visits({ hostGapMs: 10 });
    await lab.visited(busy(3600), "held.test");
    await lab.moveBy(16 * MINUTE);
    await lab.visited({ status: 500 }, "ill.test");

    await passBy(lab, 3000);

    expect(cooldownOf(lab.politeness, "held.test")).not.toBeNull();
    expect(lab.politeness.sites.get("ill.test")?.load.penaltyMs).toBe(200);
  });

  test("are forgotten in the end, whatever they said", async () => {
    const lab = visits({ hostGapMs: 10 });
    for (let i = 0; i < 999; i++) await lab.visited(busy(60), `held-${i}.test`);
    lab.clock.moveBy(HOUR);

    await passBy(lab, 3000);

    expect(lab.politeness.sites.has("held-1.test")).toBeFalse();
  });
});
