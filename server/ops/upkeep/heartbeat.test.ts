import { expect, test } from "bun:test";
import { movableClock } from "../../../tests/clock.ts";
import { failingDeps } from "../../../tests/events/failing-store.ts";
import { onServer, type TestServer } from "../../../tests/harness.ts";
import { logLines } from "../../../tests/log.ts";
import { type Answer, startReceiver } from "../../../tests/receiver.ts";
import { heartbeatOutbound } from "../../ground/config/outbound.ts";
import { WORKS } from "../../ground/lib/vocabulary.ts";
import { createLoops } from "../../work/loops.ts";
import { keepHeartbeat } from "./heartbeat.ts";

const MINUTE_MS = 60_000;

onServer("The heartbeat", (server, { test, testOnBoth }) => {
  testOnBoth("is asked each minute while all is well", async () => {
    const heart = startHeart(server());

    await heart.beats(3);

    expect(heart.asked().map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...["GET /ping/secret?a=b", "GET /ping/secret?a=b", "GET /ping/secret?a=b"],
    ]);
    expect(heart.clock.slept.filter((ms) => ms === MINUTE_MS)).toHaveLength(4);
  });

  test("is not asked while a trouble fails the health, and again after it", async () => {
    const heart = startHeart(server());
    const { troubles } = server().deps;
    const lines = await logLines("info");

    troubles.set("disk_full", "The disk is full.");
    await heart.beats(3);
    const during = heart.asked().length;
    troubles.set("disk_full", null);
    await heart.beats(1);

    expect([during, heart.asked().length]).toEqual([0, 1]);
    expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "error no heartbeat because of disk_full",
      "info heartbeat works again",
    ]);
  });

  test("goes on while only a backup failed", async () => {
    const heart = startHeart(server());
    server().deps.troubles.set("backup_failed", "There is no room.");

    await heart.beats(1);

    server().deps.troubles.set("backup_failed", null);
    expect(heart.asked()).toHaveLength(1);
  });

  test.each(["checks", "deliveries"] as const)("stops when a loop hangs: %s", async (loop) => {
    const heart = startHeart(server());
    heart.hangs(loop);

    await heart.beats(4);

    expect(heart.asked().length).toBe(2);
  });

  test.each([
    ["checker", "deliveries"],
    ["delivery", "checks"],
  ] as const)("goes on at a node that is only %s, without the other loop", async (role, other) => {
    const { deps } = server();
    const only = { ...deps, config: { ...deps.config, role: [role] } };
    const heart = startHeart(server(), { deps: only });
    heart.hangs(other);

    await heart.beats(4);

    expect(heart.asked()).toHaveLength(4);
  });

  test("is not asked when the database takes no writes", async () => {
    const deps = failingDeps(server().deps, () => new Error("read-only"));
    const lines = await logLines("info");
    const heart = startHeart(server(), { deps });

    await heart.beats(1);

    expect(heart.asked()).toHaveLength(0);
    expect(lines.join()).toContain(
      "no heartbeat because the database cannot be written: read-only",
    );
  });

  test("says once that it is not heard, and never the URL", async () => {
    const lines = await logLines("debug");
    const heart = startHeart(server(), { answer: 404 });

    await heart.beats(3);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toEndWith("error heartbeat failed: status 404");
    expect(lines.join()).not.toContain("secret");
  });

  test("says nothing of a beat that was given up because the program stops", async () => {
    const lines = await logLines("debug");
    const heart = startHeart(server());
    heart.answers(() => heart.stop().then(() => new Response("too late")));

    heart.clock.moveBy(MINUTE_MS);
    await heart.hasEnded;

    expect(heart.asked()).toHaveLength(1);
    expect(lines).toEqual([]);
  });
});

test("without a URL there is none", async () => {
  const clock = movableClock(0);
  const config = { heartbeatUrl: null };

  await keepHeartbeat({ clock, config } as never, new AbortController().signal);

  expect(clock.slept).toEqual([]);
});

type Options = { answer?: Answer; deps?: TestServer["deps"] };

/** A heart on a clock of its own, whose loops look for work whenever it beats. */
function startHeart(server: TestServer, { answer = 200, deps = server.deps }: Options = {}) {
  const clock = movableClock(server.clock.now());
  const receiver = startReceiver(answer);
  const config = {
    ...deps.config,
    heartbeatUrl: `${receiver.url.replace(/\/hook$/, "")}/ping/secret?a=b`,
  };
  const loops = createLoops();
  const hanging = new Set<string>();
  const ended = new AbortController();
  const look = () => {
    for (const work of WORKS) if (!hanging.has(work)) loops.noteLook(work, clock.elapsed());
  };
  look();
  const outbound = heartbeatOutbound(config, clock);
  const hasEnded = keepHeartbeat({ ...deps, clock, config, loops, outbound }, ended.signal);
  return {
    clock,
    hasEnded,
    stop() {
      ended.abort();
      return hasEnded;
    },
    answers: receiver.answers,
    asked: () => receiver.requests,
    hangs: (loop: string) => hanging.add(loop),
    /** Lets so many minutes pass, each until what it brings about is done. */
    async beats(count: number) {
      for (let i = 0; i < count; i++) {
        look();
        clock.moveBy(MINUTE_MS);
        await clock.sleeping(MINUTE_MS);
      }
    },
  };
}
