import { describe, expect, test } from "bun:test";
import { NEW_LINK, saw } from "../../tests/checker/ended.ts";
import { movableClock } from "../../tests/clock.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import type { ClaimedLink } from "./claim.ts";
import { createSlots } from "./slots.ts";

const PLACES = 10;
const HALF = PLACES / 2;
/** A check that takes longer is slow. */
const SLOW_MS = 4000;

/** Ten places whose checks end when the test says so. */
function tenPlaces() {
  const clock = movableClock("2030-01-01T00:00:00Z");
  const underWay = new Map<number, (conclusion: Conclusion) => void>();
  const waits = new Map<number, (isWaiting: boolean) => void>();
  const begun: number[] = [];
  const ended: [no: number, reason: string][] = [];
  const putOff: [no: number, forMs: number][] = [];
  const released = new Set<number>();
  const machine = { isLate: false };
  const slots = createSlots({
    clock,
    size: PLACES,
    check: ({ no }, signal, onWait) =>
      new Promise((resolve) => {
        begun.push(no);
        waits.set(no, onWait);
        const end = (conclusion: Conclusion) => {
          underWay.delete(no);
          resolve(conclusion);
        };
        underWay.set(no, end);
        signal.addEventListener("abort", () => end(saw("check_aborted")));
      }),
    ended: ({ no }, { reason }) => ended.push([no, reason]),
    defer: ({ no }, forMs) => putOff.push([no, forMs]),
    isOpen: () => true,
    isHeld: ({ no }) => !released.has(no),
    isLate: () => machine.isLate,
  });
  return {
    slots,
    begun,
    ended,
    putOff,
    released,
    machine,
    underWay: () => [...underWay.keys()],
    waitAtSite: (no: number) => waits.get(no)!(true),
    goOn: (no: number) => waits.get(no)!(false),
    async end(no: number) {
      underWay.get(no)!(saw("ok"));
      await yieldToEventLoop();
    },
    async after(ms: number) {
      clock.moveBy(ms);
      slots.tick();
      await yieldToEventLoop();
    },
  };
}

/** Links from one number to another. */
const links = (from: number, to: number, more: Partial<ClaimedLink> = {}): ClaimedLink[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ ...NEW_LINK, no: from + i, ...more }));

const SLOW: Partial<ClaimedLink> = { lastReason: "read_timeout" };
const ASKED: Partial<ClaimedLink> = { nextTrigger: "manual" };

describe("Checks that become slow", () => {
  test("keep half of the places, and the others are restarted when one of those is free", async () => {
    const { slots, after, underWay, begun, ended, end } = tenPlaces();
    slots.take(links(1, 15));
    expect(underWay()).toHaveLength(PLACES);

    await after(SLOW_MS);

    // The last five were cut short, and links whose sites may answer have their places.
    expect(underWay()).toEqual([1, 2, 3, 4, 5, 11, 12, 13, 14, 15]);
    expect(ended).toEqual([]);
    await end(11);
    expect(begun).not.toContain(16);
    await end(1);
    expect(underWay()).toEqual([2, 3, 4, 5, 12, 13, 14, 15, 6]);
    expect(ended).toEqual([
      [11, "ok"],
      [1, "ok"],
    ]);
  });

  test("are known, and wait for one of the slow places the next time", async () => {
    const { slots, after, underWay, end } = tenPlaces();
    slots.take(links(1, HALF));
    await after(SLOW_MS);
    for (const no of underWay()) await end(no);

    slots.take(links(1, HALF));
    slots.take(links(21, 30, SLOW));

    expect(underWay()).toEqual([1, 2, 3, 4, 5]);
  });

  test("because this machine has no time for them are neither cut off nor remembered", async () => {
    const { slots, machine, after, underWay, end } = tenPlaces();
    machine.isLate = true;
    slots.take(links(1, PLACES));

    await after(SLOW_MS);
    expect(underWay()).toHaveLength(PLACES);
    for (const no of underWay()) await end(no);
    machine.isLate = false;
    slots.take(links(1, PLACES));

    expect(underWay()).toHaveLength(PLACES);
  });

  test("take no more than their places for long, however late this machine is", async () => {
    const { slots, machine, after, underWay } = tenPlaces();
    machine.isLate = true;
    slots.take(links(1, 15));

    await after(4 * SLOW_MS);

    expect(underWay()).toEqual([1, 2, 3, 4, 5, 11, 12, 13, 14, 15]);
  });

  test("and turn quick again are known as quick", async () => {
    const { slots, underWay, end } = tenPlaces();
    slots.take(links(1, HALF, SLOW));
    for (const no of underWay()) await end(no);

    slots.take(links(1, HALF, SLOW));
    slots.take(links(21, 25, SLOW));

    expect(underWay()).toHaveLength(PLACES);
  });
});

describe("A check that waits for its turn at a site", () => {
  test("leaves its place to another, and ends like any other", async () => {
    const { slots, underWay, waitAtSite, goOn, end, ended } = tenPlaces();
    slots.take(links(1, 12));

    waitAtSite(1);
    expect(underWay().slice(PLACES)).toEqual([11]);
    goOn(1);
    await end(1);
    expect(underWay()).not.toContain(12);
    await end(2);

    expect(underWay()).toContain(12);
    expect(ended).toHaveLength(2);
  });

  test("does so only while no more wait than there are places", () => {
    const { slots, underWay, waitAtSite } = tenPlaces();
    slots.take(links(1, 40));

    for (let no = 1; no <= 20; no++) waitAtSite(no);

    expect(underWay()).toHaveLength(2 * PLACES);
    expect(slots.room()).toBe(0);
  });

  test("is not slow because of it", async () => {
    const { slots, underWay, waitAtSite, goOn, after, end } = tenPlaces();
    slots.take(links(1, PLACES));
    for (const no of underWay()) waitAtSite(no);
    await after(2 * SLOW_MS);
    expect(underWay()).toHaveLength(PLACES);
    for (const no of underWay()) goOn(no);
    await after(SLOW_MS - 1);
    expect(underWay()).toHaveLength(PLACES);
    for (const no of underWay()) await end(no);

    slots.take(links(1, PLACES));

    expect(underWay()).toHaveLength(PLACES);
  });
});

describe("Links known to be slow", () => {
  test("leave half of the places to the others", () => {
    const { slots, underWay } = tenPlaces();

    slots.take(links(1, HALF, SLOW));
    slots.take(links(HALF + 1, PLACES, SLOW));
    slots.take(links(21, 40));

    expect(underWay()).toEqual([1, 2, 3, 4, 5, 21, 22, 23, 24, 25]);
  });

  test("come back at the pace at which slow places become free, when too many wait", () => {
    const { slots, putOff } = tenPlaces();

    slots.take(links(1, 2 * HALF + 1 + 200, SLOW));

    expect(putOff.slice(0, 3)).toEqual([
      [6, 36_000],
      [7, 42_000],
      [8, 48_000],
    ]);
    expect(Math.max(...putOff.map(([, forMs]) => forMs))).toBeLessThanOrEqual(610_000);
  });

  test("go first when requested by hand", async () => {
    const { slots, underWay, end } = tenPlaces();
    slots.take(links(1, 10, SLOW));
    slots.take(links(50, 51, { ...SLOW, ...ASKED }));

    await end(1);

    expect(underWay()).toEqual([2, 3, 4, 5, 50]);
  });
});

test("Who asked by hand goes before those who wait", async () => {
  const { slots, begun, end } = tenPlaces();
  slots.take(links(1, 15));
  slots.take(links(50, 51, ASKED));

  for (const no of [1, 2, 3]) await end(no);

  expect(begun.slice(PLACES)).toEqual([50, 51, 11]);
});

test("A link that is no longer ours is not begun", async () => {
  const { slots, begun, released, end } = tenPlaces();
  slots.take(links(1, 12));
  released.add(11);

  await end(1);

  expect(begun.slice(PLACES)).toEqual([12]);
});

test("As many links are taken on as there are places, and half of that to have some ready", () => {
  const { slots } = tenPlaces();
  expect(slots.room()).toBe(PLACES + HALF);

  slots.take(links(1, 14));

  expect(slots.room()).toBe(1);
  expect(slots.isLow()).toBe(false);
});

test("At the end all checks under way are stopped, and reported as they are", async () => {
  const { slots, ended, underWay } = tenPlaces();
  slots.take(links(1, 15));

  await slots.stop();

  expect(underWay()).toEqual([]);
  expect(ended).toHaveLength(PLACES);
  expect(new Set(ended.map(([, reason]) => reason))).toEqual(new Set(["check_aborted"]));
});
