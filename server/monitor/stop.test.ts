import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { onServer } from "../../tests/harness.ts";
import { links } from "../ground/db/tables.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";

const LINKS = 100;
const PLACES = 20;

onServer("A checker that stops", (server) => {
  test("gives back what it was checking and what it had ready, to be checked by the next process", async () => {
    const me = await server().account();
    const clock = movableClock(server().clock.now());
    const dueAt = clock.now();
    await addMany(server(), me, { count: LINKS, url: "https://a.test/", dueAt });
    const untilStopped = (_: unknown, signal: AbortSignal) =>
      new Promise<Conclusion>((resolve) =>
        signal.addEventListener("abort", () => resolve(saw("check_aborted"))),
      );
    const loop = playLoop(server(), { clock, check: untilStopped, places: PLACES });
    await loop.begins();
    const held = async () =>
      (
        await server().deps.store.select().from(links).where(eq(links.accountId, me.accountId))
      ).filter(({ lease }) => lease !== null).length;
    expect(loop.begun).toHaveLength(PLACES);
    expect(await held()).toBeGreaterThan(PLACES);

    await loop.stop();

    const rows = await server()
      .deps.store.select()
      .from(links)
      .where(eq(links.accountId, me.accountId));
    expect(rows).toHaveLength(LINKS);
    for (const { lease, checkingUntil, nextCheckAt, lastCheckedAt } of rows) {
      expect([lease, checkingUntil, lastCheckedAt]).toEqual([null, null, null]);
      expect(nextCheckAt).toBeLessThanOrEqual(clock.now());
    }
  });
});
