import { expect, onTestFinished, test } from "bun:test";
import { otherProcess } from "../../../tests/batches/playing.ts";
import { movableClock } from "../../../tests/clock.ts";
import { onBothEngines, startServer, type TestServer } from "../../../tests/harness.ts";
import { hourly } from "./hourly.ts";

const MINUTE = 60_000;
const { signal } = new AbortController();

/** Two processes whose clocks the test moves, and who of them did the job in which order. */
function twoProcesses(server: TestServer) {
  const done: string[] = [];
  const node = (name: string) => {
    const clock = movableClock(server.clock.now());
    const deps = { ...otherProcess(server), clock };
    onTestFinished(() => deps.store.engine.close());
    const tick = (work = async () => {}) =>
      hourly(deps, "housekeeping", signal, async () => {
        done.push(name);
        await work();
      });
    return { clock, tick };
  };
  return { done, one: node("one"), other: node("other") };
}

onBothEngines("What is done once an hour", (server) => {
  test("is done by one of two processes, though the other's clock ticks five minutes later", async () => {
    server().clock.moveBy(24 * 60 * MINUTE);
    const { done, one, other } = twoProcesses(server());

    expect(await one.tick()).toBe(true);
    other.clock.moveBy(5 * MINUTE);
    expect(await other.tick()).toBe(false);
    one.clock.moveBy(60 * MINUTE);
    expect(await one.tick()).toBe(true);

    expect(done).toEqual(["one", "one"]);
  });

  test("is done by a remaining node in the next hour", async () => {
    server().clock.moveBy(24 * 60 * MINUTE);
    const { done, one, other } = twoProcesses(server());

    await one.tick();
    other.clock.moveBy(60 * MINUTE);
    await other.tick();

    expect(done).toEqual(["one", "other"]);
  });

  test("is done again in the next hour when it failed", async () => {
    server().clock.moveBy(24 * 60 * MINUTE);
    const { one, done } = twoProcesses(server());
    const failing = one.tick(async () => {
      throw new Error("no room");
    });
    await expect(failing).rejects.toThrow("no room");

    one.clock.moveBy(60 * MINUTE);
    expect(await one.tick()).toBe(true);

    expect(done).toEqual(["one", "one"]);
  });

  test("is not put off by a time that a wrong clock wrote down", async () => {
    server().clock.moveBy(24 * 60 * MINUTE);
    const { one, other } = twoProcesses(server());
    one.clock.moveBy(365 * 24 * 60 * MINUTE);
    await one.tick();

    expect(await other.tick()).toBe(true);
  });
});

test("What takes longer than an hour is not started again while it runs", async () => {
  const server = await startServer("postgres");
  onTestFinished(server.stop);
  const { one, other, done } = twoProcesses(server);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const doing = one.tick(() => {
    begun.resolve();
    return ended.promise;
  });
  await begun.promise;

  other.clock.moveBy(61 * MINUTE);
  expect(await other.tick()).toBe(false);
  ended.resolve();
  await doing;
  expect(await other.tick()).toBe(true);

  expect(done).toEqual(["one", "other"]);
});
