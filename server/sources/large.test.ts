import { expect, test } from "bun:test";
import { startServer } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { startPlayedSite } from "../../tests/reading/site.ts";
import { startReading } from "../../tests/sources/reading.ts";
import { expectWhole } from "../../tests/sources/whole.ts";

/** In all traps together, in a run without interruption. */
const MOST_IN_TRAPS = 200;

test("A large site is read whole: each page once, and few pages of its traps", async () => {
  const site = startPlayedSite(sized(300, 5000));
  const server = await startServer("sqlite", {
    STILLUP_RATE_LIMIT_PER_MINUTE: "0",
    STILLUP_RATE_LIMIT_PER_HOUR: "0",
  });
  const reading = startReading(server);
  const me = await server.account("enterprise");

  const settings = { scope: "host", max_pages: 20_000 };
  const source = await reading.add(me, { kind: "site", url: site.url, settings });

  await expectWhole(me, source, site);
  const requested = [...site.requests];
  const twice = requested.filter(([path, n]) => n > 1 && site.readable.has(path));
  expect(twice.filter(([path]) => path !== "/")).toEqual([]);
  expect(requested.filter(([path]) => site.isTrap(path)).length).toBeLessThanOrEqual(MOST_IN_TRAPS);
  await reading.stop();
  await server.stop();
  await site.stop();
}, 600_000);
