import { describe, expect, test } from "bun:test";
import { movableClock } from "../../../tests/clock.ts";
import { createBatches } from "./requests.ts";
import type { Values } from "./templates.ts";

const GATHER_MS = 200;

/** Questions that are answered with the ids that went together, each with its place among them. */
function gathering({ most = 3 } = {}) {
  const clock = movableClock("2030-01-01T00:00:00Z");
  const batches = createBatches<string[]>(clock);
  const sent: string[][] = [];
  const send = async (all: Values[]) => {
    const ids = all.map(({ id }) => id!);
    sent.push(ids);
    return ids;
  };
  const times: number[] = [];
  const ask = (id: string, key = "files", leftMs = 1000) => {
    const sendIn = (all: Values[], ms: number) => {
      times.push(ms);
      return send(all);
    };
    return batches.send({ key, most, values: { id }, leftMs, send: sendIn });
  };
  return { clock, sent, times, ask };
}

describe("Questions to a service that takes many at once", () => {
  test("go together when they come within a moment", async () => {
    const { clock, sent, ask } = gathering();

    const asked = [ask("a"), ask("b")];
    clock.moveBy(GATHER_MS - 1);
    expect(sent).toEqual([]);
    clock.moveBy(1);

    expect(await Promise.all(asked)).toEqual([
      { result: ["a", "b"], place: 0, count: 2 },
      { result: ["a", "b"], place: 1, count: 2 },
    ]);
  });

  test("wait no longer when there are as many as fit, and the next begin again", async () => {
    const { clock, sent, ask } = gathering({ most: 2 });

    const asked = [ask("a"), ask("b"), ask("c")];
    await Promise.all(asked.slice(0, 2));
    expect(sent).toEqual([["a", "b"]]);
    clock.moveBy(GATHER_MS);

    expect(await asked[2]).toEqual({ result: ["c"], place: 0, count: 1 });
    expect(sent).toEqual([["a", "b"], ["c"]]);
  });

  test("to different addresses go alone", async () => {
    const { clock, sent, ask } = gathering();

    const asked = [ask("a"), ask("b", "folders")];
    clock.moveBy(GATHER_MS);
    await Promise.all(asked);

    expect(sent).toEqual([["a"], ["b"]]);
  });

  test("have as long as the most patient of those who ask", async () => {
    const { clock, times, ask } = gathering();

    const asked = [ask("a", "files", 150), ask("b", "files", 30_000)];
    clock.moveBy(GATHER_MS);
    await Promise.all(asked);

    expect(times).toEqual([30_000]);
  });

  test("that come while one is under way are the next", async () => {
    const { clock, sent, ask } = gathering();

    const first = ask("a");
    clock.moveBy(GATHER_MS);
    await first;
    const second = ask("b");
    clock.moveBy(GATHER_MS);
    await second;

    expect(sent).toEqual([["a"], ["b"]]);
  });
});
