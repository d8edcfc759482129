import { beforeEach, expect, test } from "bun:test";
import { HOUR } from "../../../tests/checker/ended.ts";
import { onBothEngines } from "../../../tests/harness.ts";
import { createStore } from "../../ground/db/store.ts";
import { archiveHosts } from "../../ground/db/tables.ts";
import { inTurn, type Kind, type Said } from "./pace.ts";

const MINUTE = 60_000;
const WORKS: Said = { archive: "works" };

onBothEngines("An archive", (server) => {
  beforeEach(async () => {
    await server().deps.store.delete(archiveHosts);
  });

  /** Another process that serves the same database. */
  const node = (id: string) => {
    const { deps } = server();
    return { ...deps, store: createStore(deps.store.engine), nodes: { ...deps.nodes, id } };
  };
  const now = () => server().clock.now();
  const ask = (deps = node("a"), kind: Kind = "index", said = WORKS) =>
    inTurn(deps, { host: "archive.example", kind }, async () => ({ value: now(), said }));
  /** How long it is left alone after an answer that says this. */
  async function heldAfter(said: Said) {
    const { clock } = server();
    for (;;) {
      const asked = await ask(node("a"), "other", said);
      if (asked.state === "done") return (asked.heldUntil ?? now()) - now();
      clock.moveBy(asked.retryAt - now());
    }
  }

  test("gets one request at a time, and 20 to its index and 30 others a minute, of all nodes", async () => {
    const starts: Record<string, number[]> = { index: [], other: [] };
    let underWay = 0;
    const work = async (deps: ReturnType<typeof node>, kind: Kind) => {
      for (let n = 0; n < 8; n++) {
        await inTurn(deps, { host: "archive.example", kind }, async () => {
          expect(++underWay).toBe(1);
          starts[kind]!.push(now());
          await new Promise(setImmediate);
          underWay--;
          return { value: null, said: WORKS };
        });
      }
    };

    await Promise.all(
      ["a", "b", "c", "d"].map(node).flatMap((deps) => [work(deps, "index"), work(deps, "other")]),
    );

    const gaps = (kind: string) => starts[kind]!.slice(1).map((at, n) => at - starts[kind]![n]!);
    expect(starts.index!.length + starts.other!.length).toBe(64);
    expect(Math.min(...gaps("index"))).toBeGreaterThanOrEqual(3000);
    expect(Math.min(...gaps("other"))).toBeGreaterThanOrEqual(2000);
  });

  test("is left alone for an hour after it refuses, then for twice as long, up to a day", async () => {
    const refused: Said = { archive: "refused" };
    const held: number[] = [];

    for (let n = 0; n < 7; n++) held.push((await heldAfter(refused)) / HOUR);

    expect(held).toEqual([1, 2, 4, 8, 16, 24, 24]);
    server().clock.moveBy(24 * HOUR);
    await ask();
    expect(await heldAfter(refused)).toBe(HOUR);
  });

  test("is left alone for 5 minutes after it fails, up to 6 hours, and longer if it asks for that", async () => {
    const down: Said = { archive: "down" };
    const held: number[] = [];

    for (let n = 0; n < 9; n++) held.push((await heldAfter(down)) / MINUTE);

    expect(held).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
    expect(await heldAfter({ ...down, wishedMs: 9 * HOUR })).toBe(9 * HOUR);
  });

  test("is left alone after three captures in a row that are none", async () => {
    const missing: Said = { archive: "missing" };
    const held: number[] = [];

    for (const said of [missing, missing, WORKS, missing, missing, missing]) {
      held.push((await heldAfter(said)) / MINUTE);
    }

    expect(held).toEqual([0, 0, 0, 0, 0, 5]);
  });

  test("is not asked before by a process that starts meanwhile", async () => {
    await ask(node("a"), "index", { archive: "refused" });
    const until = now() + HOUR;
    server().clock.moveBy(HOUR / 2);

    expect(await ask(node("b"))).toEqual({ state: "unavailable", retryAt: until });
    server().clock.moveBy(HOUR / 2);
    expect(await ask(node("b"))).toMatchObject({ state: "done" });
  });

  test("is asked again after a process that was killed during a request", async () => {
    const killed = node("a");
    await ask(killed);
    const [row] = await server().deps.store.select().from(archiveHosts);
    const dueAt = now() + 2 * MINUTE;
    await server().deps.store.update(archiveHosts).set({ lease: "a.1", dueAt });

    const asked = await ask(node("b"), "other");

    expect(row?.lease).toBeNull();
    expect(asked).toMatchObject({ state: "done", value: expect.any(Number) });
    expect(now()).toBeGreaterThanOrEqual(dueAt);
  });

  test("is asked although the clock was wrong when it refused", async () => {
    await ask(node("a"), "index", { archive: "refused" });
    server().clock.moveBy(-100 * 24 * HOUR);

    expect(await ask()).toMatchObject({ state: "done" });
  });

  test("gets no request that was given up while it waited", async () => {
    await ask();
    const ending = new AbortController();
    ending.abort();

    const asked = await inTurn(
      node("a"),
      { host: "archive.example", kind: "index", signal: ending.signal },
      async () => ({ value: null, said: WORKS }),
    );

    expect(asked.state).toBe("unavailable");
  });
});
