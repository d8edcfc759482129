import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { isNull, like } from "drizzle-orm";
import { HOUR, saw } from "../../tests/checker/ended.ts";
import { playLoop, takes } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { type Asker, startServer, type TestServer } from "../../tests/harness.ts";
import { ALL_BUCKETS, type FixedNode, fixedNode } from "../../tests/nodes/fixed.ts";
import { checks, links } from "../ground/db/tables.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import { countDueLinks, countOwnDueLinks } from "../work/due.ts";
import { bucketOfUrl, leasesOf } from "../work/nodes.ts";
import { claimDueLinks } from "./claim.ts";
import { recordResults } from "./record.ts";

const EVEN = ALL_BUCKETS.filter((bucket) => bucket % 2 === 0);
const ODD = ALL_BUCKETS.filter((bucket) => bucket % 2 === 1);
const SITES = 24;
const PAGES = 5;
const LINKS = SITES * PAGES;

describe("Several nodes on one PostgreSQL", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer("postgres");
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.deps.store.delete(links);
    await server.deps.store.delete(checks);
  });

  const as = (nodes: FixedNode) => ({ ...server.deps, nodes });
  const addPages = (me: Asker, urls: string[]) =>
    me.post("/api/v1/links/batch", { links: urls.map((url) => ({ url })) });
  const addSites = async () => addPages(await server.account("enterprise"), pages(SITES, PAGES));
  /** How many links were checked so often. */
  const linksByChecks = async () => {
    const rows = await server.deps.store.select({ no: checks.linkNo }).from(checks);
    const times = [...Map.groupBy(rows, ({ no }) => no).values()].map(({ length }) => length);
    return Object.fromEntries([...Map.groupBy(times, (n) => n)].map(([n, all]) => [n, all.length]));
  };
  const heldBy = ({ id }: FixedNode) =>
    server.deps.store
      .select({ id: links.id, bucket: links.bucket })
      .from(links)
      .where(like(links.lease, leasesOf(id)));
  const play = (node: FixedNode, { places = 20, checkMs = 1000 } = {}) => {
    const clock = movableClock(server.clock.now());
    const check = takes(clock, checkMs, saw("ok"));
    return playLoop(server, { clock, check, places, nodes: node });
  };

  test("claim what is due of their own buckets alone, all of it and none of it twice", async () => {
    await addSites();
    const nodes = [fixedNode("a", EVEN), fixedNode("b", ODD)];

    const taken = await Promise.all(nodes.map((node) => claimDueLinks(as(node), LINKS)));

    for (const [i, own] of taken.entries()) {
      expect(own.every(({ bucket, url }) => bucket === bucketOfUrl(url))).toBe(true);
      expect(own.every(({ bucket }) => bucket % 2 === i)).toBe(true);
      expect(own.every(({ lease }) => lease.startsWith(`${nodes[i]!.id}.`))).toBe(true);
    }
    expect(new Set(taken.flat().map(({ no }) => no)).size).toBe(LINKS);
    expect(taken.flat()).toHaveLength(LINKS);
  });

  test("claim as much as there is, also when one site has all of it", async () => {
    await addPages(await server.account("enterprise"), pages(1, LINKS));
    const node = fixedNode("a", ALL_BUCKETS);

    expect(await claimDueLinks(as(node), 100)).toHaveLength(100);
    expect(await claimDueLinks(as(node), 100)).toHaveLength(LINKS - 100);
  });

  test("count what is due of their own buckets", async () => {
    await addSites();
    const [all, even, odd] = await Promise.all([
      countDueLinks(server.deps),
      countOwnDueLinks(as(fixedNode("a", EVEN))),
      countOwnDueLinks(as(fixedNode("b", ODD))),
    ]);

    expect(all).toBe(LINKS);
    expect(even! + odd!).toBe(LINKS);
    expect(Math.min(even!, odd!)).toBeGreaterThan(LINKS / 4);
  });

  test("check each link once, and each site from one of them", async () => {
    await addSites();
    const loops = [play(fixedNode("a", EVEN)), play(fixedNode("b", ODD))];
    for (const loop of loops) await loop.begins();

    for (let second = 0; second < 8; second++) for (const loop of loops) await loop.seconds(1);

    expect(await linksByChecks()).toEqual({ 1: LINKS });
    expect(loops.every(({ begun }) => begun.length > LINKS / 4)).toBe(true);
    expect(loops[0]!.begun.length + loops[1]!.begun.length).toBe(LINKS);
    for (const loop of loops) await loop.stop();
  });

  test("hand over at once what has not begun, and finish what has", async () => {
    await addSites();
    const [a, b] = [fixedNode("a", ALL_BUCKETS), fixedNode("b", [])];
    const loops = [play(a, { checkMs: 3000 }), play(b)];
    for (const loop of loops) await loop.begins();
    await loops[0]!.seconds(1);
    const begun = loops[0]!.begun.map(({ id }) => id);

    a.gets(EVEN);
    b.gets(ODD);
    await loops[0]!.seconds(1);
    const oddHeld = (await heldBy(a)).filter(({ bucket }) => bucket % 2 === 1);
    expect(oddHeld.length).toBeGreaterThan(0);
    expect(oddHeld.filter(({ id }) => !begun.includes(id))).toEqual([]);
    for (let second = 0; second < 12; second++) for (const loop of loops) await loop.seconds(1);

    expect(await linksByChecks()).toEqual({ 1: LINKS });
    expect(loops[0]!.begun.length + loops[1]!.begun.length).toBe(LINKS);
    for (const loop of loops) await loop.stop();
  });

  test("check what a dead one held, whose results no longer count", async () => {
    await addSites();
    const dead = fixedNode("a", EVEN);
    const other = fixedNode("b", ODD);
    const heir = fixedNode("c", EVEN);
    const held = await claimDueLinks(as(dead), LINKS);
    const others = await claimDueLinks(as(other), LINKS);
    const loop = play(heir);
    await loop.begins();
    expect(loop.begun).toEqual([]);

    heir.losesNode(dead.id);
    await loop.seconds(1);
    const late = held.map((link) => ({
      link,
      conclusion: saw("http_404"),
      at: server.clock.now(),
    }));
    await recordResults(server.deps, late);
    await loop.seconds(10);

    expect(await linksByChecks()).toEqual({ 1: held.length });
    expect(loop.begun).toHaveLength(held.length);
    const rows = await server.deps.store.select().from(links).where(isNull(links.lease));
    expect(rows).toHaveLength(LINKS - others.length);
    expect(rows.every(({ status }) => status === "active")).toBe(true);
    await loop.stop();
  });

  test("begin nothing from the moment at which they have no share any more", async () => {
    await addSites();
    const node = fixedNode("a", ALL_BUCKETS);
    const ended = Promise.withResolvers<Conclusion>();
    const check = (_: unknown, signal: AbortSignal) => {
      signal.addEventListener("abort", () => ended.resolve(saw("check_aborted")));
      return ended.promise;
    };
    const clock = movableClock(server.clock.now());
    const loop = playLoop(server, { clock, check, places: 20, nodes: node });
    await loop.begins();
    const underWay = loop.begun.length;

    node.gets([]);
    ended.resolve(saw("ok"));
    await loop.rests();

    expect(loop.begun).toHaveLength(underWay);
    await loop.stop();
  });

  test("ask no site any more once they may have been given up for dead", async () => {
    await addSites();
    const node = fixedNode("a", ALL_BUCKETS);
    const loop = play(node, { checkMs: HOUR });
    await loop.begins();
    await loop.seconds(1);
    const begun = loop.begun.length;
    expect(await heldBy(node)).not.toEqual([]);

    node.gets([]);
    await loop.seconds(2);

    expect(loop.begun).toHaveLength(begun);
    expect(await heldBy(node)).toEqual([]);
    expect(await countDueLinks({ ...server.deps, clock: loop.clock })).toBe(LINKS);
    expect(await linksByChecks()).toEqual({});
    await loop.stop();
  });
});

/** So many pages on each of so many sites. */
const pages = (sites: number, count: number) =>
  Array.from({ length: sites * count }, (_, i) => `https://site${i % sites}.example/${i}`);
