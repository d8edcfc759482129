import { expect, test } from "bun:test";
import { saw } from "../../tests/checker/ended.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { onBothEngines } from "../../tests/harness.ts";
import { ALL_BUCKETS, type FixedNode, fixedNode } from "../../tests/nodes/fixed.ts";
import { siteHolds } from "../ground/db/tables.ts";
import { createSiteHolds } from "../monitor/site-holds.ts";
import { bucketOf } from "../work/nodes.ts";
import {
  cooldownOf,
  createPoliteness,
  type Politeness,
  withPoliteness,
} from "./politeness/politeness.ts";

const MINUTE = 60_000;
const ALL = fixedNode("a", ALL_BUCKETS).share("checks");

onBothEngines("What a site wants", (server) => {
  /** A process that asks sites, as long as it has run. */
  function asker(clock: MovableClock = movableClock(server().clock.now())) {
    const politeness = createPoliteness({ clock, hostConcurrency: 2, hostGapMs: 0 });
    return { clock, politeness, holds: createSiteHolds({ ...server().deps, clock }, politeness) };
  }
  const rows = () => server().deps.store.select().from(siteHolds);

  test("is known to the next node that asks, whatever time it has counted", async () => {
    const [one, next] = [asker(), asker(later(5 * MINUTE))];
    await answers(one.politeness, "busy.example", 429, { "Retry-After": "600" });
    await one.holds.save();

    await next.holds.learn(ALL);

    expect(cooldownOf(next.politeness, "www.busy.example")).toMatchObject({
      reason: "http_429",
      forMs: 5 * MINUTE,
    });
    expect(cooldownOf(next.politeness, "other.example")).toBeNull();
  });

  test("is learned with its bucket, and again when that comes back", async () => {
    const [one, next] = [asker(), asker()];
    const own = fixedNode("b", [bucketOf("held.example")]).share("checks");
    const none = fixedNode("b", []).share("checks");
    await next.holds.learn(own);
    await answers(one.politeness, "held.example", 503, { "Retry-After": "900" });
    await one.holds.save();

    await next.holds.learn(own);
    expect(cooldownOf(next.politeness, "held.example")).toBeNull();
    await next.holds.learn(none);
    await next.holds.learn(own);

    expect(cooldownOf(next.politeness, "held.example")).toMatchObject({ forMs: 15 * MINUTE });
  });

  test("is learned again while the former node of the site may still send requests", async () => {
    const [one, next] = [asker(), asker()];
    const share = fixedNode("b", [bucketOf("taken.example")]).share("checks");
    await next.holds.learn(share);
    await answers(one.politeness, "taken.example", 503, { "Retry-After": "900" });
    await one.holds.save();

    next.clock.moveBy(5000);
    await next.holds.learn(share);

    const { isShared } = server().deps.store.engine;
    expect(cooldownOf(next.politeness, "taken.example") !== null).toBe(isShared);
  });

  test("is written, of however many sites", async () => {
    const one = asker();
    const sites = Array.from({ length: 1200 }, (_, n) => `refusing-${n}.example`);
    for (const site of sites) await answers(one.politeness, site, 429, { "Retry-After": "600" });

    await one.holds.save();

    expect((await rows()).filter(({ site }) => sites.includes(site))).toHaveLength(sites.length);
  });

  test("is written once in a while only when its trouble lasts", async () => {
    const one = asker();
    for (let i = 0; i < 15; i++) await answers(one.politeness, "lasting.example", 500);
    await one.holds.save();
    const untilOf = async () =>
      (await rows()).find(({ site }) => site === "lasting.example")!.until;
    const before = await untilOf();
    await answers(one.politeness, "lasting.example", 500);
    await one.holds.save();
    expect(await untilOf()).toBe(before);

    one.clock.moveBy(MINUTE);
    await answers(one.politeness, "lasting.example", 500);
    await one.holds.save();

    expect(await untilOf()).toBe(before + MINUTE);
  });

  test("is its pace too when it was in trouble, until it is well again", async () => {
    const one = asker();
    for (let i = 0; i < 15; i++) await answers(one.politeness, "ill.example", 500);
    await one.holds.save();
    const next = asker();
    await next.holds.learn(ALL);
    expect(next.politeness.sites.get("ill.example")!.load).toMatchObject({
      penaltyMs: 3000,
      trouble: "http_500",
    });

    await answers(one.politeness, "ill.example", 200);
    await one.holds.save();

    expect((await rows()).map(({ site }) => site)).not.toContain("ill.example");
  });

  test("is not kept when it is over soon, and forgotten when it is over", async () => {
    const one = asker();
    await answers(one.politeness, "quick.example", 429, { "Retry-After": "5" });
    await answers(one.politeness, "slow.example", 429, { "Retry-After": "60" });
    await one.holds.save();
    const kept = (await rows()).map(({ site }) => site);
    expect(kept).not.toContain("quick.example");
    expect(kept).toContain("slow.example");

    one.clock.moveBy(20 * MINUTE);
    await one.holds.save();

    expect((await rows()).map(({ site }) => site)).not.toContain("slow.example");
  });

  test("is known to a node before it sends requests to a site that it got", async () => {
    const [one, next] = [asker(), asker()];
    const node = fixedNode("next", []);
    const loop = play(next, node);
    await loop.begins();
    await answers(one.politeness, "wary.example", 429, { "Retry-After": "600" });
    await one.holds.save();

    node.gets([bucketOf("wary.example")]);
    await loop.seconds(1);

    expect(cooldownOf(next.politeness, "wary.example")).toMatchObject({ reason: "http_429" });
    await loop.stop();
  });

  test("is written soon by the loop", async () => {
    const one = asker();
    const loop = play(one, fixedNode("one", ALL_BUCKETS));
    await loop.begins();
    await answers(one.politeness, "weary.example", 429, { "Retry-After": "600" });

    await loop.seconds(3);

    expect((await rows()).map(({ site }) => site)).toContain("weary.example");
    await loop.stop();
  });

  /** The loop of a node that heeds what sites want. */
  const play = ({ clock, holds }: ReturnType<typeof asker>, nodes: FixedNode) =>
    playLoop(server(), { clock, holds, nodes, check: async () => saw("ok") });

  const later = (ms: number) => {
    const clock = movableClock(server().clock.now());
    clock.moveBy(ms);
    return clock;
  };
});

/** What a request to the host came back with; it does not wait for its turn. */
const answers = (
  politeness: Politeness,
  host: string,
  status: number,
  headers: Record<string, string> = {},
) => {
  const answer = { kind: "response", status, headers: new Headers(headers) } as const;
  return withPoliteness(politeness, host, async () => answer, { signal: AbortSignal.abort() });
};
