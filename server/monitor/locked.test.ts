import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { count, eq } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop, takes } from "../../tests/checker/played-loop.ts";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { ENGINES, onServer, startServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { lockIsAwaited } from "../../tests/postgres.ts";
import { checks, links } from "../ground/db/tables.ts";
import { claimDueLinks } from "./claim.ts";
import { createRecorder } from "./record.ts";

const LINKS = 300;
const LOCKED_S = 10;
/** What SQLite waits for a lock would pass on the clock of the machine. */
const NO_WAIT = 0;

/** Locks the database for another connection; returns what unlocks it. */
async function lock({ config, deps }: TestServer): Promise<() => Promise<void>> {
  if (deps.store.engine.name === "postgres") {
    const other = new SQL(config.databaseUrl, { max: 1 });
    const connection = await other.reserve();
    await connection.unsafe("begin; lock table links in exclusive mode").simple();
    return async () => {
      await connection.unsafe("commit").simple();
      connection.release();
      await other.close();
    };
  }
  const other = new Database(config.databaseUrl.replace("sqlite:", ""));
  other.run("BEGIN IMMEDIATE");
  return async () => {
    other.run("COMMIT");
    other.close();
  };
}

describe.each(ENGINES)("While the database is locked for ten seconds on %s", (engine) => {
  test("results wait for it: none is lost, none is wrong, and no link is checked twice", async () => {
    const server = await startServer(engine, {}, NO_WAIT);
    const me = await server.account();
    const clock = movableClock(server.clock.now());
    await addMany(server, me, { count: LINKS, url: "https://a.test/", dueAt: clock.now() });
    const check = takes(clock, 2000, saw("ok"));
    const loop = playLoop(server, { clock, check, places: 100 });
    await loop.begins();
    await loop.seconds(1);

    const unlock = await lock(server);
    const begunBefore = loop.begun.length;
    await (engine === "sqlite" ? loop.seconds(LOCKED_S) : pass(clock, server));
    // What was claimed before, and no more.
    expect(loop.begun.length - begunBefore).toBeLessThanOrEqual(50);
    await unlock();
    await loop.seconds(20);
    await loop.stop();

    expect(loop.begun).toHaveLength(LINKS);
    const { store } = server.deps;
    const seen = await store
      .select({ reason: links.lastReason, status: links.status, count: count() })
      .from(links)
      .groupBy(links.lastReason, links.status);
    expect(seen.map((row) => ({ ...row, count: Number(row.count) }))).toEqual([
      { reason: "ok", status: "active", count: LINKS },
    ]);
    expect(await store.$count(checks, eq(checks.accountNo, me.accountNo))).toBe(LINKS);
    await server.stop();
  });
});

/** The seconds in which PostgreSQL holds up the statement of the first. */
async function pass(clock: MovableClock, { config }: TestServer) {
  clock.moveBy(1000);
  await lockIsAwaited(config.databaseUrl);
  clock.moveBy(1000 * (LOCKED_S - 1));
}

/** A recorder with the results of so many checks, which it has not written. */
async function filled(server: TestServer, count: number, url: string) {
  const { deps } = server;
  const me = await server.account("enterprise");
  await addMany(server, me, { count, url, dueAt: deps.clock.now() });
  const claimed = await claimDueLinks(deps, count);
  const letGo: string[] = [];
  const recorder = createRecorder(deps, ({ id }) => letGo.push(id));
  for (const link of claimed) {
    // A bug of ours, which no database lets through.
    const redirectCount = link.id.includes("/bad5") ? (null as unknown as number) : 0;
    recorder.add({ link, conclusion: saw("ok", { redirectCount }), at: deps.clock.now() });
  }
  return { me, recorder, letGo };
}

onServer("While failed to record results", (server) => {
  test("no more is begun than can be kept, until they are written", async () => {
    const { recorder, letGo } = await filled(server(), 1200, "https://a.test/");
    expect(recorder.hasRoom()).toBe(false);

    await recorder.drain();

    expect(recorder.hasRoom()).toBe(true);
    expect(letGo).toHaveLength(1200);
  });
});

test("While the database takes nothing, nothing is begun", async () => {
  const server = await startServer("sqlite", {}, NO_WAIT);
  const { recorder, letGo } = await filled(server, 3, "https://b.test/");
  const lines = await logLines("info");
  const unlock = await lock(server);
  await recorder.flush();
  await recorder.flush();
  expect(recorder.hasRoom()).toBe(false);

  await unlock();
  await recorder.flush();

  expect(recorder.hasRoom()).toBe(true);
  expect(letGo).toHaveLength(3);
  expect(lines).toEqual([
    expect.stringContaining("failed to record results"),
    expect.stringContaining("results are recorded again"),
  ]);
  await server.stop();
});

test("A database that is well again is used again, whatever it cannot write", async () => {
  const server = await startServer("sqlite", {}, NO_WAIT);
  const { recorder } = await filled(server, 1, "https://d.test/bad5/");
  const unlock = await lock(server);
  await recorder.flush();
  expect(recorder.hasRoom()).toBe(false);

  await unlock();
  await recorder.flush();

  expect(recorder.hasRoom()).toBe(true);
  await server.stop();
});

onServer("A result that cannot be written", (server) => {
  test("keeps none of the others waiting, and its link is let go", async () => {
    const { store } = server().deps;
    const lines = await logLines("error");
    const { me, recorder, letGo } = await filled(server(), 8, "https://c.test/bad");

    await recorder.drain();

    expect(letGo).toHaveLength(8);
    const rows = await store.select().from(links).where(eq(links.accountId, me.accountId));
    const unseen = rows.filter(({ lastCheckedAt }) => lastCheckedAt === null);
    expect(unseen.map(({ id }) => id)).toEqual(["https://c.test/bad5"]);
    expect(lines).toEqual([expect.stringContaining("failed to record a result")]);
  });
});
