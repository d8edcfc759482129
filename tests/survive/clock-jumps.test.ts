import { expect, test } from "bun:test";
import { createService } from "../../server/app/app.ts";
import { followDatabase } from "../../server/work/membership.ts";
import { saw } from "../checker/ended.ts";
import { addMany } from "../checker/many-links.ts";
import { playLoop, setClock } from "../checker/played-loop.ts";
import { onBothEngines, onServer } from "../harness.ts";
import { BEHIND_PROXY, newOwner, openBrowser } from "../session/browser.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LINKS = 200;

const JUMPS: [string, (now: number) => number][] = [
  ["back by an hour", () => -HOUR],
  ["forward by an hour", () => HOUR],
  ["forward by a year", () => 365 * DAY],
  ["back to 1970", (now) => -now],
];

onServer(
  "A clock that is set",
  (server) => {
    test.each(JUMPS)("%s and right again checks no link twice as often as usual", async (_, by) => {
      const me = await server().account();
      const clock = setClock(server().clock.now());
      const [url, now] = [`https://jump${by(1)}.test/`, clock.now()];
      const soon = { count: LINKS, url, dueAt: now + 1000, everyMs: (HOUR - 60_000) / LINKS };
      await addMany(server(), me, soon);
      const loop = playLoop(server(), { clock, check: async () => saw("ok") });
      await loop.begins();

      const jumpMs = by(now);
      clock.setBy(jumpMs);
      await loop.seconds(20);
      clock.setBy(-jumpMs);
      await loop.seconds(20);
      await loop.stop();

      const begun = loop.begun.filter(({ id }) => id.startsWith(url)).map(({ id }) => id);
      expect(begun.length).toBeLessThanOrEqual(2 * LINKS);
      expect(begun.length - new Set(begun).size).toBeLessThanOrEqual(LINKS);
      for (let second = 1; second <= 40; second++) expect(loop.countOf(second)).toBeLessThan(130);
    });

    test.each(JUMPS.filter(([name]) => !name.includes("year")))(
      "%s signs no one out",
      async (_, by) => {
        const { owner } = await newOwner(server());
        const browser = openBrowser(server());
        await browser.signIn(owner.email);
        const clock = setClock(server().clock.now());
        const { front } = await createService({ ...server().deps, clock });
        const ask = async () => {
          const headers = { cookie: browser.cookie()!, "sec-fetch-site": "same-origin" };
          return (await front(new Request("http://localhost/dashboard/api/links", { headers })))
            .status;
        };
        expect(await ask()).toBe(200);

        const jumpMs = by(clock.now());
        clock.setBy(jumpMs);
        expect(await ask()).toBe(200);
        clock.setBy(-jumpMs);
        expect(await ask()).toBe(200);
      },
    );
  },
  BEHIND_PROXY,
);

onBothEngines("A clock that is set", (server) => {
  test.each(JUMPS)("%s changes no one's requests a minute", async (_, by) => {
    const { deps } = server();
    const clock = setClock(server().clock.now());
    // As it is served: several nodes use the clock of their database.
    const { engine } = deps.store;
    const common = engine.isShared ? await followDatabase(engine, clock) : clock;
    const { front } = await createService({ ...deps, clock: common });
    const { key } = await server().account();
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await front(new Request("http://localhost/api/v1/account", { headers }))).status;
    };
    for (let n = 0; n < 100; n++) expect(await ask()).toBe(200);

    clock.setBy(by(clock.now()));
    for (let n = 0; n < 20; n++) expect(await ask()).toBe(200);
    expect(await ask()).toBe(429);
    clock.moveBy(60_000);
    expect(await ask()).toBe(200);
  });
});
