import { expect, test } from "bun:test";
import { addMany } from "../../tests/checker/many-links.ts";
import { onBothEngines } from "../../tests/harness.ts";
import { claimDueLinks, renewLeases } from "../monitor/claim.ts";

const TWO_MINUTES_MS = 120_000;

onBothEngines("A link whose check is under way", (server) => {
  test("is claimed by no one else, until two minutes later, as when the process was killed", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    await addMany(server(), me, { count: 1, url: "https://cut.test/", dueAt: clock.now() });
    const claimed = async () => (await claimDueLinks(deps, 10)).length;

    expect([await claimed(), await claimed()]).toEqual([1, 0]);
    clock.moveBy(TWO_MINUTES_MS - 1);
    expect(await claimed()).toBe(0);
    clock.moveBy(1);

    expect(await claimed()).toBe(1);
  });

  test("is held for two minutes more by a renewal, except by one that has lost it", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    const url = "https://renewed.test/";
    await addMany(server(), me, { count: 1, url, dueAt: clock.now() });
    const claim = async () =>
      (await claimDueLinks(deps, 10)).filter(({ id }) => id.startsWith(url));
    const lost = await claim();
    clock.moveBy(TWO_MINUTES_MS);
    const held = await claim();

    clock.moveBy(TWO_MINUTES_MS - 1);
    await renewLeases(deps, held);
    clock.moveBy(TWO_MINUTES_MS - 1);
    await renewLeases(deps, lost);

    expect(await claim()).toEqual([]);
    clock.moveBy(1);
    expect(await claim()).toHaveLength(1);
  });
});
