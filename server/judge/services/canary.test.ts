import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { json, startPlayedWeb, type Web } from "../../../tests/checker/services/played-web.ts";
import { checkerThrough } from "../../../tests/checker/services/prove.ts";
import { type KnownLink, NEVER_CHECKED } from "../attempt.ts";
import { checkUrl } from "../confirm.ts";
import type { Conclusion } from "../probe/conclusion.ts";
import { createCatalogue } from "./catalogue.ts";
import type { Service } from "./record.ts";

const HOST = "files.example.org";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const asked = (kind: string, path: string) => ({
  kind,
  path: `^/${path}/(?<id>\\w+)$`,
  ask: {
    url: `https://${HOST}/api/${path}/{id}`,
    rules: [
      { status: 200, json: { name: { exists: true } }, means: "ok_service" as const },
      { status: 404, means: "service_not_found" as const, class: "C1" as const },
    ],
  },
});

const FILES: Service = {
  id: "files",
  name: "Files",
  hosts: [HOST],
  confidence: "M",
  kinds: [asked("file", "f"), asked("folder", "d")],
  canary: [`https://${HOST}/f/old`, `https://${HOST}/f/older`, `https://${HOST}/d/oldest`],
};
/** No link of it is known that will always be there, and its rules may be out of date. */
const UNSURE: Service = { ...FILES, confidence: "L", canary: [] };

const THERE = json({ name: "A file" });
const GOOD: Web = { [`${HOST}/api/f/old`]: THERE, [`${HOST}/api/f/here`]: THERE };

let web: Awaited<ReturnType<typeof startPlayedWeb>>;
beforeAll(async () => {
  web = await startPlayedWeb([HOST]);
});
afterAll(() => web.stop());

/** A service as it is now: what is not played is gone. */
function service(played: Web = GOOD, record = FILES) {
  const { clock, checker } = checkerThrough(web, createCatalogue([record]));
  const becomes = (next: Web) => web.play({ ...anythingGone(), ...next });
  becomes(played);
  const check = (path: string, known: Partial<KnownLink> = {}): Promise<Conclusion> =>
    checkUrl(checker, { ...NEVER_CHECKED, url: `https://${HOST}/${path}`, ...known });
  const seen = async (path: string, known?: Partial<KnownLink>) => {
    const { status, reason } = await check(path, known);
    return `${status} ${reason}`;
  };
  return { clock, check, seen, becomes };
}

const anythingGone = (): Web =>
  Object.fromEntries(
    [
      "f/old",
      "f/older",
      "f/a",
      "f/b",
      "f/c",
      "f/here",
      "d/oldest",
      "d/a",
      ...Array.from({ length: 9 }, (_, i) => `f/gone${i}`),
    ].map((path) => [`${HOST}/api/${path}`, json({}, 404)]),
  );

/** How often each known-good link was asked for. */
const songs = () =>
  web.requests().flatMap(({ line }) => /\/(f\/old|f\/older|d\/oldest)$/.exec(line)?.[1] ?? []);

const GONE = "dead service_not_found";
const DOUBTED = "unknown service_unavailable";

describe("Before something is called gone", () => {
  test("a link of its service that has been there for years is asked for", async () => {
    const { check } = service();

    const { status, reason, evidence } = await check("f/a");

    expect(`${status} ${reason}`).toBe(GONE);
    expect(songs()).toEqual(["f/old"]);
    expect(evidence.probes).toContainEqual({
      asked: "canary",
      url: `https://${HOST}/f/old`,
      status: 200,
      reason: "ok_service",
      final_url: null,
    });
  });

  test("nothing is believed of a service that calls those gone as well", async () => {
    const { check } = service({});

    const conclusion = await check("f/a");

    expect(conclusion).toMatchObject({
      status: "unknown",
      reason: "service_unavailable",
      cause: "service_not_found",
    });
    expect(conclusion.evidence.notes).toEqual([
      "Files also reports known-good links as missing right now.",
    ]);
  });

  test("one of them is enough, of the same kind if there is one", async () => {
    const { seen } = service({ [`${HOST}/api/f/older`]: THERE, [`${HOST}/api/d/oldest`]: THERE });

    expect(await seen("f/a")).toBe(GONE);
    expect(songs()).toEqual(["f/old", "f/older"]);
    expect(await seen("d/a")).toBe(GONE);
    expect(songs()).toEqual(["f/old", "f/older", "d/oldest"]);
  });

  test("what was heard is good for a quarter of an hour", async () => {
    const { clock, seen } = service();

    await seen("f/a");
    clock.moveBy(14 * MINUTE_MS);
    await seen("f/b");
    expect(songs()).toHaveLength(1);
    clock.moveBy(2 * MINUTE_MS);
    await seen("f/c");
    expect(songs()).toHaveLength(2);
  });

  test("and so is what was heard of trouble", async () => {
    const { clock, seen, becomes } = service({});

    expect(await seen("f/a")).toBe(DOUBTED);
    becomes(GOOD);
    expect(await seen("f/a")).toBe(DOUBTED);
    clock.moveBy(16 * MINUTE_MS);
    expect(await seen("f/a")).toBe(GONE);
  });

  test("five within ten minutes have it asked again", async () => {
    const { seen, becomes } = service();
    await seen("f/gone0");
    becomes({});

    for (const i of [1, 2, 3, 4]) expect(await seen(`f/gone${i}`)).toBe(GONE);
    expect(songs()).toEqual([]);
    expect(await seen("f/gone5")).toBe(DOUBTED);
    expect(songs()).toEqual(["f/old", "f/older"]);
    expect(await seen("f/gone6")).toBe(DOUBTED);
  });

  test("links that were dead before do not count, however many", async () => {
    const { seen } = service();

    for (const i of [0, 1, 2, 3, 4, 5]) await seen(`f/gone${i}`, { lastDecided: "dead" });

    expect(songs()).toHaveLength(1);
  });

  test("five over a longer time do not", async () => {
    const { clock, seen } = service();

    for (const i of [0, 1, 2, 3, 4]) {
      await seen(`f/gone${i}`);
      clock.moveBy(2.9 * MINUTE_MS);
    }
    expect(songs()).toHaveLength(1);
  });

  test("a link that was alive just now proves as much", async () => {
    const { seen } = service();

    expect(await seen("f/here")).toBe("active ok_service");
    expect(await seen("f/a")).toBe(GONE);
    expect(songs()).toEqual([]);
  });

  test("several that come at once ask together", async () => {
    const { check } = service();

    const all = await Promise.all(["f/a", "f/b", "f/c"].map((path) => check(path)));

    expect(all.map(({ reason }) => reason)).toEqual(Array(3).fill("service_not_found"));
    expect(songs()).toEqual(["f/old"]);
  });
});

describe("A service of which no such link is known, and whose rules may be old,", () => {
  test("is believed at once only while it calls something alive, and else after a day", async () => {
    const { clock, check, seen } = service(GOOD, UNSURE);

    expect(await check("f/a")).toMatchObject({
      status: "unknown",
      reason: "unconfirmed",
      cause: "service_not_found",
      patienceMs: DAY_MS,
    });
    expect(await seen("f/here")).toBe("active ok_service");
    expect(await seen("f/a")).toBe(GONE);
    clock.moveBy(DAY_MS - MINUTE_MS);
    expect(await seen("f/a")).toBe(GONE);
    clock.moveBy(16 * MINUTE_MS);
    expect(await seen("f/a")).toBe("unknown unconfirmed");
  });

  test("is believed where its facts are sure", async () => {
    const { seen } = service({}, { ...UNSURE, confidence: "M" });

    expect(await seen("f/a")).toBe(GONE);
  });
});

// Last, since no test waits for the end of what it began.
test("a manual check does not wait for services that do not answer", async () => {
  const { seen } = service({ ...GOOD, [`${HOST}/api/f/old`]: () => new Promise(() => {}) });

  expect(await seen("f/a", { isRequested: true })).toBe(DOUBTED);
});
