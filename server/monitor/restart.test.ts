import { expect, test } from "bun:test";
import { and, count, eq, lte } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { onServer } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { checks, links } from "../ground/db/tables.ts";

const PER_SECOND = 64;
const SECONDS = sized(40, 300);
const GATHERED = PER_SECOND * SECONDS;
/** Each of them due in a second of its own. */
const ON_TIME = 20;

onServer("A start with very many links that missed turns for two days", (server) => {
  test("begins at once, spreads them over minutes and checks each of them once", async () => {
    const me = await server().account("enterprise");
    const clock = movableClock(server().clock.now());
    const dueAt = clock.now() - 2 * DAY;
    await addMany(server(), me, { count: GATHERED, url: "https://late.test/", dueAt });
    const soon = {
      count: ON_TIME,
      url: "https://soon.test/",
      dueAt: clock.now() + 1,
      everyMs: 1000,
    };
    await addMany(server(), me, soon);

    const loop = playLoop(server(), { clock, check: async () => saw("ok") });
    await loop.begins();
    expect(loop.begun).toHaveLength(PER_SECOND);
    await loop.seconds(ON_TIME);
    const onTime = loop.begun.filter(({ id }) => id.startsWith("https://soon.test/"));
    expect(onTime).toHaveLength(ON_TIME);
    for (const [i, { at }] of onTime.entries()) {
      expect(at - (soon.dueAt + i * 1000)).toBeLessThanOrEqual(1000);
    }
    await loop.seconds(SECONDS - ON_TIME);
    await loop.stop();

    expect(loop.countOf(SECONDS - 5)).toBe(PER_SECOND);
    expect(loop.begun).toHaveLength(GATHERED + ON_TIME);
    expect(new Set(loop.begun.map(({ id }) => id)).size).toBe(GATHERED + ON_TIME);
    const { store } = server().deps;
    const [written] = await store
      .select({ count: count() })
      .from(checks)
      .where(eq(checks.accountNo, me.accountNo));
    expect(Number(written!.count)).toBe(GATHERED + ON_TIME);
    const isSoon = and(
      eq(links.accountId, me.accountId),
      lte(links.nextCheckAt, clock.now() + HOUR / 2),
    );
    expect(await store.$count(links, isSoon)).toBe(0);
  });
});
