import { afterEach, expect, test } from "bun:test";
import { CHECK } from "../../tests/batches/playing.ts";
import { DAY, saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop, takes } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { onBothEngines, type TestServer } from "../../tests/harness.ts";
import { batches, links } from "../ground/db/tables.ts";

const LARGE = 2000;
const CHECK_MS = 2000;

onBothEngines("While a large batch is being checked", (server) => {
  // Nothing of one test is due in the next.
  afterEach(async () => {
    await server().deps.store.write([
      server().deps.store.delete(batches),
      server().deps.store.delete(links),
    ]);
  });

  test("what comes due is not late, in any account", async () => {
    const { loop, clock } = await startLarge(server(), { places: 20 });
    const other = await server().account();
    await loop.seconds(5);
    await addMany(server(), other, {
      count: 20,
      url: "https://due.test/",
      dueAt: clock.now() + 1,
      everyMs: 500,
    });

    await loop.seconds(15);

    expect(loop.begun.filter(({ id }) => id.includes("due.test"))).toHaveLength(20);
    expect(loop.begun.filter(({ id }) => id.includes("large.test")).length).toBeGreaterThan(100);
    await loop.stop();
  });

  test("it uses all slots that no one else needs", async () => {
    const { loop } = await startLarge(server(), { places: 200 });

    await loop.seconds(10);

    // A hundred a second.
    expect(loop.begun.length).toBeGreaterThanOrEqual(1000);
    await loop.stop();
  });
});

/** A batch of very many links that were to be checked tomorrow, and the program that checks them. */
async function startLarge(server: TestServer, { places }: { places: number }) {
  const me = await server.account("enterprise");
  const clock = movableClock(server.clock.now());
  const check = takes(clock, CHECK_MS, saw("ok"));
  await addMany(server, me, {
    count: LARGE,
    url: `https://large.test/${me.accountNo}/`,
    dueAt: clock.now() + DAY,
  });
  const loop = playLoop(server, { clock, check, places });
  await loop.begins();
  await me.post(CHECK, { status: "unknown" });
  return { loop, clock };
}
