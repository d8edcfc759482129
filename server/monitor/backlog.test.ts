import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop, takes } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { onBothEngines } from "../../tests/harness.ts";
import { links } from "../ground/db/tables.ts";

const LINKS = 500;
const PLACES = 10;
/** Ten checks of two seconds each at once. */
const PER_SECOND = PLACES / 2;

onBothEngines("While more links are due than can be checked", (server) => {
  test("a manual check does not wait for all that was due before", async () => {
    const me = await server().account();
    const clock = movableClock(server().clock.now());
    const loop = playLoop(server(), {
      clock,
      check: takes(clock, 2000, saw("ok")),
      places: PLACES,
    });
    await loop.begins();
    await addMany(server(), me, { count: LINKS, url: "https://a.test/", dueAt: clock.now() });
    await loop.seconds(10);
    const asked = `https://a.test/${LINKS}`;
    expect(loop.begun.map(({ id }) => id)).not.toContain(asked);

    await server()
      .deps.store.update(links)
      .set({ nextCheckAt: clock.now(), nextTrigger: "manual" })
      .where(eq(links.id, asked));
    await loop.seconds(3);

    expect(loop.begun.map(({ id }) => id)).toContain(asked);
    expect(loop.begun.length).toBeLessThanOrEqual((13 + 2) * PER_SECOND + 1);
    await loop.stop();
  });
});
