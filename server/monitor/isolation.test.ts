import { expect, test } from "bun:test";
import { and, count, eq, like } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop, takes } from "../../tests/checker/played-loop.ts";
import { labCheck } from "../../tests/checker/prober.ts";
import { createUnderWay } from "../../tests/checker/under-way.ts";
import { movableClock } from "../../tests/clock.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { startSite } from "../../tests/site.ts";
import { links } from "../ground/db/tables.ts";
import type { Clock } from "../ground/lib/clock.ts";
import type { Outbound } from "../ground/net/request.ts";
import type { KnownLink } from "../judge/confirm.ts";

const MANY = sized(200, 1000);
/** What a check takes whose site never answers: two attempts until their time-outs. */
const SILENCE_MS = 60_000;
const MINUTE_MS = 60_000;

const isSilent = ({ url }: { url: string }) => url.startsWith("https://silent-");

/** Links of sites that never answer, and of sites that do. */
function playedCheck(clock: Clock) {
  const silent = takes(clock, SILENCE_MS, saw("conn_timeout"));
  return async (link: KnownLink, signal: AbortSignal) =>
    isSilent(link) ? silent(link, signal) : saw("ok");
}

/** How late the last of a hundred healthy checks was begun, in milliseconds, for links due at one moment. */
function latenessOf(begun: { id: string; at: number }[], dueAt: number) {
  const late = begun.filter(({ id }) => !isSilent({ url: id })).map(({ at }) => at - dueAt);
  return late.sort((a, b) => a - b)[Math.floor(late.length * 0.99)]!;
}

const makeAllDue = ({ deps: { store } }: TestServer, { accountId }: Asker, at: number) =>
  store.update(links).set({ nextCheckAt: at }).where(eq(links.accountId, accountId));

const countSeen = async ({ deps: { store } }: TestServer, me: Asker, url: string) => {
  const isSeen = and(eq(links.accountId, me.accountId), like(links.url, `${url}%`));
  const rows = await store
    .select({ reason: links.lastReason, count: count() })
    .from(links)
    .where(isSeen)
    .groupBy(links.lastReason);
  return Object.fromEntries(rows.map(({ reason, count: n }) => [reason, Number(n)]));
};

onServer("Next to many links whose sites never answer", (server) => {
  test("as many healthy ones are checked within a minute, and at once when that is known", async () => {
    const me = await server().account("enterprise");
    const clock = movableClock(server().clock.now());
    const loop = playLoop(server(), { clock, check: playedCheck(clock) });
    await loop.begins();
    const dueAt = clock.now();
    await addMany(server(), me, { count: MANY, url: "https://silent-", dueAt });
    await addMany(server(), me, { count: MANY, url: "https://healthy-", dueAt });

    await loop.seconds(60);
    expect(latenessOf(loop.begun, dueAt)).toBeLessThan(MINUTE_MS);
    expect(await countSeen(server(), me, "https://healthy-")).toEqual({ ok: MANY });
    // A hundred places are enough for a hundred of them a minute.
    await loop.seconds((MANY / 100 + 1) * (SILENCE_MS / 1000 + 1));
    expect(await countSeen(server(), me, "https://silent-")).toEqual({ conn_timeout: MANY });

    await makeAllDue(server(), me, clock.now());
    const again = { from: loop.begun.length, dueAt: clock.now() };
    await loop.seconds(20);
    await loop.stop();
    const begun = loop.begun.slice(again.from);
    expect(begun.filter(({ id }) => !isSilent({ url: id }))).toHaveLength(MANY);
    expect(latenessOf(begun, again.dueAt)).toBeLessThanOrEqual(2000);
  });
});

const CROWD = sized(1000, 50_000);
const OTHERS = 50;
/** Less than a second, so that the site is asked once in each of them. */
const GAP_MS = 900;

const PAGE = `<title>A page</title><h1>A page</h1><p>${"Words about something. ".repeat(40)}</p>`;
/** Its pages have numbers. */
const isPage = ({ url }: Request) => /^\/\d+$/.test(new URL(url).pathname);
const answer = (request: Request) =>
  new Response(PAGE, {
    status: isPage(request) ? 200 : 404,
    headers: { "Content-Type": "text/html" },
  });

/** Real checks of a site that is asked by everybody at once, and of some that are not. */
function crowdedCheck(server: TestServer, clock: Clock) {
  const underWay = createUnderWay();
  const names = ["crowd", ...Array.from({ length: OTHERS }, (_, i) => `other-${i + 1}`)];
  const known = Object.fromEntries(names.map((name) => [`${name}.test`, ["127.0.0.1"]]));
  const outbound = labOutbound({ clock, resolver: playedResolver(known) });
  const request: Outbound["request"] = (...input) => underWay.during(outbound.request(...input));
  const config = { ...server.config, hostGapMs: GAP_MS };
  const check = labCheck({ config, clock, outbound: { ...outbound, request } });
  return { check, underWay };
}

onServer("Next to very many links of one site", (server) => {
  test("those of other sites are on time, and the site is asked as fast as it may be", async () => {
    const site = startSite({}, { otherwise: answer });
    const me = await server().account("enterprise");
    const clock = movableClock(server().clock.now());
    const loop = playLoop(server(), {
      clock,
      ...crowdedCheck(server(), clock),
      places: 20,
    });
    await loop.begins();
    const dueAt = clock.now();
    const crowd = `http://crowd.test:${site.port}/`;
    await addMany(server(), me, { count: CROWD, url: crowd, dueAt });
    for (let i = 1; i <= OTHERS; i++) {
      const url = `http://other-${i}.test:${site.port}/`;
      await addMany(server(), me, { count: 1, url, dueAt });
    }

    await loop.seconds(30);
    await loop.stop();

    expect(await countSeen(server(), me, "http://other-")).toEqual({ ok: OTHERS });
    const { ok = 0 } = await countSeen(server(), me, crowd);
    expect(ok).toBeGreaterThan(20);
    expect(ok).toBeLessThanOrEqual(31);
    await site.stop();
  });
});
