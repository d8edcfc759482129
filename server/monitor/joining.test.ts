import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { HOUR, saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { ALL_BUCKETS, type FixedNode, fixedNode } from "../../tests/nodes/fixed.ts";
import { links } from "../ground/db/tables.ts";

const LINKS = 300;
const PER_SECOND = 64;
const HALF = ALL_BUCKETS.length / 2;

describe("A node on PostgreSQL", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer("postgres");
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.deps.store.delete(links);
  });

  /** So many links in all buckets alike. */
  async function addDue(dueAt: number, { everyMs = 0, count = LINKS } = {}) {
    const me = await server.account("enterprise");
    await addMany(server, me, { count, url: "https://a.test/", dueAt, everyMs });
    await server.deps.store.update(links).set({ bucket: sql`(no * 7) % ${ALL_BUCKETS.length}` });
  }
  const play = (node: FixedNode) =>
    playLoop(server, {
      clock: movableClock(server.clock.now()),
      check: async () => saw("ok"),
      nodes: node,
    });

  test("that gets its share after its start works off what has gathered without a storm", async () => {
    await addDue(server.clock.now() - HOUR);
    const node = fixedNode("a", []);
    const loop = play(node);
    await loop.begins();
    await loop.seconds(30);
    expect(loop.begun).toEqual([]);

    node.gets(ALL_BUCKETS);
    await loop.seconds(1);
    expect(loop.begun).toHaveLength(PER_SECOND);
    await loop.seconds(6);

    expect(new Set(loop.begun.map(({ id }) => id)).size).toBe(LINKS);
    expect(loop.begun).toHaveLength(LINKS);
    await loop.stop();
  });

  test("that gets its share piece by piece makes no storm either", async () => {
    await addDue(server.clock.now() - HOUR, { count: 2 * LINKS });
    const node = fixedNode("a", []);
    const loop = play(node);
    await loop.begins();

    node.gets(ALL_BUCKETS.slice(0, HALF));
    await loop.seconds(1);
    node.gets(ALL_BUCKETS);
    await loop.seconds(6);

    expect(loop.begun.length).toBeLessThanOrEqual(8 * PER_SECOND);
    await loop.seconds(5);
    expect(loop.begun).toHaveLength(2 * LINKS);
    await loop.stop();
  });

  test("that takes over what is late by seconds checks it at once, and what is its own on time", async () => {
    await addDue(server.clock.now() + 60_000, { everyMs: 100 });
    const node = fixedNode("a", ALL_BUCKETS.slice(0, HALF));
    const loop = play(node);
    await loop.begins();
    await loop.seconds(85);
    const own = loop.begun.length;
    expect(own).toBeGreaterThan(LINKS / 4);

    node.gets(ALL_BUCKETS);
    await loop.seconds(1);
    expect(loop.begun.length - own).toBeGreaterThan(PER_SECOND);
    await loop.seconds(10);

    expect(loop.begun).toHaveLength(LINKS);
    await loop.stop();
  });
});
