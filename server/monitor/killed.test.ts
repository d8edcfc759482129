import { expect, test } from "bun:test";
import { seed } from "../../bench/seed.ts";
import {
  type Kept,
  killOnce,
  newHome,
  openKept,
  passLeases,
  runUntil,
} from "../../tests/events/killed-program.ts";
import { IS_LONG, sized } from "../../tests/long.ts";
import { yieldToEventLoop } from "../ground/lib/steps.ts";

const LINKS = sized(60, 600);
/** Requests after which the program is killed, each time. */
const KILLED_AFTER = IS_LONG ? [40, 150, 260] : [20];

/** Sites at addresses of this machine, which notice when one is asked again while it is being asked. */
function startSites() {
  const seen = { requests: 0, overlaps: 0, reach: (_: number) => {} };
  const asked = new Set<string>();
  const server = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    async fetch({ url }) {
      if (asked.has(url)) seen.overlaps++;
      asked.add(url);
      seen.reach(++seen.requests);
      await yieldToEventLoop();
      asked.delete(url);
      return new Response("<title>A page</title><p>All is well here.</p>", {
        headers: { "content-type": "text/html" },
      });
    },
  });
  /** Resolves once so many more requests have come. */
  const requests = (more: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wanted = seen.requests + more;
    seen.reach = (count) => count >= wanted && resolve();
    return promise;
  };
  const urlOf = (n: number) => `http://127.1.${n >> 8}.${n & 255}:${server.port}/`;
  return { seen, requests, urlOf, stop: () => server.stop(true) };
}

const CHECKED = `select count(*) from links where exists (
  select 1 from checks where link_no = no and checked_at = last_checked_at)`;

/** What must be true at every moment: history, roll-ups and links tell the same. */
function look({ one }: Kept) {
  const rolledUp = "select coalesce(sum(active + dead + unknown), 0) from";
  return {
    integrity: one("pragma integrity_check"),
    checks: one("select count(*) from checks"),
    hours: one(`${rolledUp} history_hours where subject = 1`),
    days: one(`${rolledUp} history_days where subject = 1`),
    daysOfLinks: one(`${rolledUp} history_days where subject <> 1`),
    checked: one(CHECKED),
    usage: one("select coalesce(sum(checks), 0) from usage_days"),
  };
}

test("a program that is killed in the middle of its checks loses none and writes none by halves", async () => {
  const home = newHome();
  const sites = startSites();
  const links = { links: LINKS, urlOf: sites.urlOf, dueAt: Date.now, frequency: "hourly" as const };
  await seed(home, links);
  const kept = openKept(home);
  kept.change("update links set last_checked_at = null");

  for (const count of KILLED_AFTER) {
    await killOnce(home, sites.requests(count));

    const { integrity, checks, ...others } = look(kept);
    expect(integrity).toBe("ok");
    expect(Object.values(others)).toEqual(Array(5).fill(checks));
    passLeases(kept);
  }
  await runUntil(
    home,
    kept.when(() => kept.one(CHECKED) === LINKS),
  );

  const { integrity, checks, ...others } = look(kept);
  expect({ integrity, checks }).toEqual({ integrity: "ok", checks: LINKS });
  expect(Object.values(others)).toEqual(Array(5).fill(LINKS));
  expect(sites.seen.overlaps).toBe(0);
  sites.stop();
});
