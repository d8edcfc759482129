import { afterEach, describe, expect, test } from "bun:test";
import { renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { usageDays } from "../../server/ground/db/tables.ts";
import { createDeliverer } from "../../server/notify/deliverer.ts";
import { watchDisk } from "../../server/ops/upkeep/disk.ts";
import { readDisk } from "../../server/pages/metrics/process.ts";
import { createLoops } from "../../server/work/loops.ts";
import { saw } from "../checker/ended.ts";
import { addMany } from "../checker/many-links.ts";
import { playLoop } from "../checker/played-loop.ts";
import { movableClock } from "../clock.ts";
import { onBothEngines, startServer } from "../harness.ts";
import { exceptRequests, logLines } from "../log.ts";
import { makeMuchNews, startReceiver, subscribe } from "../receiver.ts";
import { addGroup, addLink } from "../rows.ts";
import { newOwner, openBrowser, PASSWORD } from "../session/browser.ts";

const LINKS = 100;
const PAUSE_S = 300;
const MIB = 1024 * 1024;

onBothEngines("While nothing may be written", (server) => {
  const troubles = () => server().deps.troubles;
  afterEach(() => {
    troubles().set("disk_full", null);
    troubles().set("database_damaged", null);
  });

  test("for want of room, one can read, delete, preview and sign in, and change nothing", async () => {
    const me = await server().account();
    const [link, group] = [await addLink(me), await addGroup(me)];
    const { owner } = await newOwner(server());
    troubles().set("disk_full", "The disk is full.");

    const refused = await me.post("/api/v1/groups", { name: "more" });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.body.error).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      details: { reason: "disk_full" },
    });
    expect((await me.patch(`/api/v1/groups/${group}`, { name: "other" })).status).toBe(503);
    const keyed = await me.post("/api/v1/groups", { name: "x" }, { "idempotency-key": "once" });
    expect(keyed.status).toBe(503);

    expect((await me.get("/api/v1/links")).status).toBe(200);
    expect((await me.post("/api/v1/links/preview", { links: ["https://a.test/"] })).status).toBe(
      200,
    );
    expect((await me.post("/api/v1/links/batch-delete", { link_ids: [link] })).status).toBe(200);
    expect((await me.delete(`/api/v1/groups/${group}`)).status).toBe(204);
    const browser = openBrowser(server());
    expect((await browser.signIn(owner.email, PASSWORD)).status).toBe(200);
    server().clock.moveBy(120_000);
    expect((await browser.get("/links")).status).toBe(200);

    troubles().set("disk_full", null);
    const again = await me.post("/api/v1/groups", { name: "x" }, { "idempotency-key": "once" });
    expect(again.status).toBe(201);
  });

  test("as the database is damaged, not even anything is deleted", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    troubles().set("disk_full", "The disk is full.");
    troubles().set("database_damaged", "The database is damaged.");

    const refused = await me.delete(`/api/v1/groups/${group}`);

    expect(refused.status).toBe(503);
    expect(refused.body.error.details).toEqual({ reason: "database_damaged" });
    expect((await me.get(`/api/v1/groups/${group}`)).status).toBe(200);
  });

  test("no link is checked; then each is, once, step by step", async () => {
    const me = await server().account();
    const clock = movableClock(server().clock.now());
    const url = "https://paused.test/";
    await addMany(server(), me, { count: LINKS, url, dueAt: clock.now() + 1000 });
    const loop = playLoop(server(), { clock, check: async () => saw("ok") });
    await loop.begins();
    const begun = () => loop.begun.filter(({ id }) => id.startsWith(url)).map(({ id }) => id);
    troubles().set("disk_full", "The disk is full.");
    const { loops } = server().deps;
    const before = loops.lookedAt("checks")!;

    await loop.seconds(PAUSE_S);
    expect(begun()).toEqual([]);
    // Else it would count as one that hangs.
    expect(loops.lookedAt("checks")!).toBeGreaterThan(before);
    troubles().set("disk_full", null);
    await loop.seconds(1);
    const inTheFirstSecond = begun().length;
    await loop.seconds(5);
    await loop.stop();

    expect(inTheFirstSecond).toBeLessThan(LINKS);
    expect([begun().length, new Set(begun()).size]).toEqual([LINKS, LINKS]);
  });

  test("nothing is delivered; then everything is, once", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    await makeMuchNews(me, 20);
    troubles().set("disk_full", "The disk is full.");
    const clock = movableClock(server().clock.now());
    const loops = createLoops();
    const deliverer = createDeliverer({ ...server().deps, clock, loops });
    const polls = async (count: number) => {
      for (const before = clock.slept.length; clock.slept.length < before + count; ) {
        clock.moveBy(1000);
        await Bun.sleep(1);
      }
    };

    await polls(5);
    expect(receiver.requests).toEqual([]);
    expect(loops.lookedAt("deliveries")).not.toBe(null);
    troubles().set("disk_full", null);
    deliverer.wake();
    await receiver.seen(20);
    await deliverer.stop();

    expect(receiver.requests).toHaveLength(20);
  });

  test("what was counted meanwhile is written when it can be", async () => {
    const me = await server().account();
    await me.get("/api/v1/links");
    const { engine } = server().deps.store;
    if (engine.name !== "sqlite") return;
    await engine.run({ sql: "pragma query_only = on", params: [] });
    await expect(server().flushMeter()).rejects.toThrow();
    await me.get("/api/v1/links");
    await engine.run({ sql: "pragma query_only = off", params: [] });

    await server().flushMeter();

    const [day] = await server()
      .deps.store.select({ requests: usageDays.requests })
      .from(usageDays)
      .where(eq(usageDays.accountId, me.accountId));
    expect(day?.requests).toBe(2);
  });
});

describe("The room on the disk", () => {
  onBothEngines("is judged", (server) => {
    /** A watch of a disk that has as much room as is said. */
    async function watchOf(sizeMib: number, freeMib: number) {
      let free = freeMib * MIB;
      const { deps } = server();
      const roomAt = async () => ({ free, size: sizeMib * MIB });
      const watch = watchDisk({ ...deps, clock: movableClock(0) }, { roomAt });
      const stoppedAt = async (mib: number) => {
        free = mib * MIB;
        await watch.look();
        return deps.troubles.stoppingWrites()?.name ?? null;
      };
      // PostgreSQL looks after its own disk.
      const full = deps.store.engine.name === "sqlite" ? ("disk_full" as const) : null;
      return { watch, stoppedAt, full };
    }

    test("by 256 MiB, with a margin before it counts as enough again", async () => {
      const { deps } = server();
      rmSync(join(deps.config.dataDir, "reserve"), { force: true });
      const { watch, stoppedAt, full } = await watchOf(100_000, 1000);

      expect(await stoppedAt(257)).toBe(null);
      expect(await stoppedAt(255)).toBe(full);
      expect(await stoppedAt(260)).toBe(full);
      expect(await stoppedAt(289)).toBe(null);
      if (full) expect(statSync(join(deps.config.dataDir, "reserve")).size).toBe(16 * MIB);
      await watch.stop();
    });

    test("by a tenth where a disk is small", async () => {
      const { watch, stoppedAt, full } = await watchOf(1000, 500);

      expect(await stoppedAt(101)).toBe(null);
      expect(await stoppedAt(99)).toBe(full);
      expect(await stoppedAt(140)).toBe(null);
      await watch.stop();
    });

    test("by the disk of the database where that is nearer to its floor than the folder's", async () => {
      const { deps } = server();
      if (deps.store.engine.name !== "sqlite") return;
      const config = { ...deps.config, dataDir: "/small" };
      let ofDatabase = 255 * MIB;
      const roomAt = async (folder: string) =>
        folder === "/small"
          ? { free: 150 * MIB, size: 1000 * MIB }
          : { free: ofDatabase, size: 100_000 * MIB };
      const watch = watchDisk({ ...deps, config, clock: movableClock(0) }, { roomAt });

      await watch.look();
      const stopped = deps.troubles.stoppingWrites()?.name;
      deps.troubles.set("disk_full", null);
      const measured = await readDisk(config, roomAt);
      ofDatabase = 1000 * MIB;
      const later = await readDisk(config, roomAt);
      await watch.stop();

      expect(stopped).toBe("disk_full");
      expect(measured).toMatchObject({ disk_free_bytes: 255 * MIB, disk_floor_bytes: 256 * MIB });
      expect(later).toMatchObject({ disk_free_bytes: 150 * MIB, disk_floor_bytes: 100 * MIB });
    });

    test("and where it cannot be measured, that is logged once, and once that it can be again", async () => {
      const { deps } = server();
      const lines = await logLines("info");
      let isMeasurable = false;
      const roomAt = async () => {
        if (!isMeasurable) throw new Error("stale handle");
        return { free: 1000 * MIB, size: 100_000 * MIB };
      };
      const watch = watchDisk({ ...deps, clock: movableClock(0) }, { roomAt });

      for (let i = 0; i < 3; i++) await watch.look();
      isMeasurable = true;
      for (let i = 0; i < 3; i++) await watch.look();
      await watch.stop();

      const isWatched = deps.store.engine.name === "sqlite";
      expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual(
        isWatched
          ? [
              expect.stringMatching(/^error failed to check the disk.*stale handle/),
              "info disk checks work again",
            ]
          : [],
      );
    });
  });
});

test("The disk and the database file are watched by looking every two seconds", async () => {
  const { deps, config, stop } = await startServer("sqlite");
  const room = { free: 1000 * MIB, size: 100_000 * MIB };
  const clock = movableClock(0);
  let hasLooked = Promise.withResolvers<void>();
  const sleep: typeof clock.sleep = (ms, signal) => {
    hasLooked.resolve();
    return clock.sleep(ms, signal);
  };
  const watch = watchDisk({ ...deps, clock: { ...clock, sleep } }, { roomAt: async () => room });
  /** The trouble that there is after two seconds. */
  const later = async () => {
    hasLooked = Promise.withResolvers();
    clock.moveBy(2000);
    await hasLooked.promise;
    return deps.troubles.stoppingWrites()?.name ?? null;
  };
  await hasLooked.promise;
  expect(clock.slept).toEqual([2000]);

  room.free = 0;
  expect(await later()).toBe("disk_full");
  room.free = 1000 * MIB;
  expect(await later()).toBeNull();
  renameSync(config.dataDir, `${config.dataDir}.moved`);
  expect(await later()).toBe("data_folder_gone");
  renameSync(`${config.dataDir}.moved`, config.dataDir);
  expect(await later()).toBeNull();

  await watch.stop();
  await stop();
});

test("While the data folder is away nothing is written, and the server is not ready", async () => {
  const server = await startServer("sqlite");
  const { deps, config, url } = server;
  const lines = await logLines("info");
  const watch = watchDisk({ ...deps, clock: movableClock(0) });
  const statusOf = async (path: string) => {
    await watch.look();
    return (await fetch(url + path)).status;
  };
  const me = await server.account();
  deps.loops.setChecking(true);
  expect(await statusOf("/ready")).toBe(200);

  renameSync(config.dataDir, `${config.dataDir}.moved`);
  expect([await statusOf("/ready"), await statusOf("/health")]).toEqual([503, 200]);
  const refused = await me.post("/api/v1/groups", { name: "lost" });
  renameSync(`${config.dataDir}.moved`, config.dataDir);

  expect(refused.body.error.details).toEqual({ reason: "data_folder_gone" });
  expect(await statusOf("/ready")).toBe(200);
  expect((await me.post("/api/v1/groups", { name: "kept" })).status).toBe(201);
  expect(exceptRequests(lines).map((line) => line.replace(/^\S+ /, ""))).toEqual([
    expect.stringMatching(/^error data folder gone: no writes allowed/),
    "info data folder is back",
  ]);
  await watch.stop();
  await server.stop();
});
