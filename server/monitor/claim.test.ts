import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { HOUR } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { onBothEngines } from "../../tests/harness.ts";
import { links } from "../ground/db/tables.ts";
import { countDueLinks } from "../work/due.ts";
import { claimDueLinks } from "./claim.ts";

/** Seven tenths are more than are counted one by one. */
const MANY = 16_000;

onBothEngines("Of very many links", (server) => {
  test("those that are due are counted exactly while they are few, and nearly when they are many", async () => {
    const me = await server().account("enterprise");
    const now = server().clock.now();
    await addMany(server(), me, { count: MANY, url: "https://a.test/", dueAt: now + HOUR });
    const makeDue = (share: number) =>
      server().deps.store.update(links).set({ nextCheckAt: now }).where(sql`no % 10 < ${share}`);
    expect(await countDueLinks(server().deps)).toBe(0);

    await makeDue(2);
    expect(await countDueLinks(server().deps)).toBe(MANY / 5);
    await makeDue(7);

    const about = await countDueLinks(server().deps);
    expect(about).toBeGreaterThan(0.6 * MANY);
    expect(about).toBeLessThan(0.8 * MANY);
  });

  test("those due first are taken first, with all that was known but what was seen last", async () => {
    const now = server().clock.now();
    const me = await server().account();
    const url = "https://b.test/";
    await addMany(server(), me, { count: 9, url, dueAt: now - HOUR, everyMs: 1000 });
    const [before] = await server()
      .deps.store.select()
      .from(links)
      .where(eq(links.id, `${url}1`));

    const taken = await claimDueLinks(server().deps, 3);

    const first = taken.find(({ id }) => id === `${url}1`)!;
    const { evidence: _, ...known } = before!;
    const { lease, nextCheckAt, checkingUntil } = first;
    expect(first).toEqual({ ...known, lease, nextCheckAt, checkingUntil });
    expect(taken.map(({ id }) => id).sort()).toEqual([`${url}1`, `${url}2`, `${url}3`]);
    expect(nextCheckAt).toBe(checkingUntil!);
    expect(lease).toBeString();
  });
});
