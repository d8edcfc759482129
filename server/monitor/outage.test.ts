import { expect, test } from "bun:test";
import { and, eq, isNotNull, isNull, lte, notInArray } from "drizzle-orm";
import { saw } from "../../tests/checker/ended.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { playedOnline } from "../../tests/checker/played-online.ts";
import { labCheck } from "../../tests/checker/prober.ts";
import { createUnderWay } from "../../tests/checker/under-way.ts";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { sized } from "../../tests/long.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { startSentinel } from "../../tests/sentinel.ts";
import { checks, events, linkCounts, links, usageDays } from "../ground/db/tables.ts";
import type { Outbound } from "../ground/net/request.ts";
import type { Resolver } from "../ground/net/resolve.ts";
import { answersTcp } from "../ground/net/send.ts";
import { createOnline } from "../judge/online/online.ts";
import { startCheckLoop } from "./checker.ts";
import { logOutage } from "./dispatch.ts";

const LINKS = sized(150, 1000);
const NAMES = 50;
const SENTINELS = 3;

const nameOf = (n: number) => `site-${n % NAMES}.test`;
const namesWhere = (isThere: (n: number) => boolean) =>
  playedResolver(
    Object.fromEntries(
      Array.from({ length: NAMES }, (_, n) => n)
        .filter(isThere)
        .map((n) => [nameOf(n), ["127.0.0.1"]]),
    ),
  );

const PAGE = `<title>A page</title><h1>A page</h1><p>${"Words about something. ".repeat(40)}</p>`;

/** All that lies beyond this machine: sites and sentinels, and a cable that can be pulled. */
async function startInternet(clock: MovableClock) {
  const open = namesWhere(() => true);
  // While the line is down, some routers say that no name exists.
  const cut = namesWhere((n) => n % 2 === 0);
  let names: Resolver = open;
  let lookups = 0;
  let isHolding = false;
  const serve = (port: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      fetch: (request) => {
        if (isHolding) return new Promise<Response>(() => {});
        const isPage = new URL(request.url).pathname.startsWith("/page-");
        return new Response(PAGE, {
          status: isPage ? 200 : 404,
          headers: { "Content-Type": "text/html", Date: new Date(clock.now()).toUTCString() },
        });
      },
    });
  let site = serve(0);
  const sitePort = site.port!;
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, startSentinel));

  return {
    clock,
    sitePort,
    sentinels: sentinels.map(({ address }) => address),
    resolver: following(() => {
      lookups += 1;
      return names;
    }),
    lookups: () => lookups,
    isHolding: () => isHolding,
    /** From now on requests are taken and never answered. */
    hold: () => {
      isHolding = true;
    },
    pull: async () => {
      names = cut;
      isHolding = false;
      await Promise.all([site.stop(true), ...sentinels.map(({ stop }) => stop())]);
    },
    plug: async () => {
      names = open;
      site = serve(sitePort);
      await Promise.all(sentinels.map(({ start }) => start()));
    },
    stop: () => Promise.all([site.stop(true), ...sentinels.map(({ stop }) => stop())]),
  };
}

/** A resolver that is another one from time to time. */
const following = (current: () => Resolver): Resolver => ({
  resolve: (name) => current().resolve(name),
  askEach: (name) => current().askEach(name),
  isChosen: false,
  namesOf: (name) => current().namesOf(name),
  answersFor: (all) => current().answersFor(all),
});

/** The check loop of a monitor in that internet, whose clock stands until it is moved. */
function startMonitor(server: TestServer, internet: Awaited<ReturnType<typeof startInternet>>) {
  const { clock } = internet;
  let asks = 0;
  const online = createOnline({
    clock,
    sentinels: internet.sentinels,
    ask: (sentinel, timeoutMs) => {
      asks += 1;
      return answersTcp(sentinel, timeoutMs);
    },
    onChange: (change) => logOutage({ ...server.deps, clock }, change),
  });
  const underWay = createUnderWay();
  const outbound = labOutbound({ clock, resolver: internet.resolver });
  const request: Outbound["request"] = (...input) => {
    const answer = outbound.request(...input);
    return internet.isHolding() ? answer : underWay.during(answer);
  };
  const { config } = server;
  const check = labCheck({ config, clock, online, outbound: { ...outbound, request } });
  const loop = playLoop(server, { clock, online, check, underWay });
  // `asks` is how often a sentinel was asked.
  return { clock, online, loop, asks: () => asks };
}

const addLinks = (me: Asker, count: number, port: number) =>
  me.post("/api/v1/links/batch", {
    links: Array.from({ length: count }, (_, n) => ({
      url: `http://${nameOf(n)}:${port}/page-${n}`,
    })),
  });

const countChecks = async ({ deps: { store } }: TestServer, { accountNo }: Asker) =>
  store.$count(checks, eq(checks.accountNo, accountNo));

const makeAllDue = ({ deps: { store } }: TestServer, { accountId }: Asker, at: number) =>
  store.update(links).set({ nextCheckAt: at }).where(eq(links.accountId, accountId));

const countHeld = async ({ deps: { store } }: TestServer, { accountId }: Asker) =>
  store.$count(links, and(eq(links.accountId, accountId), isNotNull(links.lease)));

/** All that a check may change, except when each link is due; the links as one number. */
async function everything({ deps: { store } }: TestServer, { accountId, accountNo }: Asker) {
  const [rows, counts, usage, history, sent] = await Promise.all([
    store.select().from(links).where(eq(links.accountId, accountId)).orderBy(links.id),
    store.select().from(linkCounts).where(eq(linkCounts.subject, accountNo)),
    store.select().from(usageDays).where(eq(usageDays.accountId, accountId)),
    store.$count(checks, eq(checks.accountNo, accountNo)),
    store.$count(events, eq(events.accountId, accountId)),
  ]);
  const all = Bun.hash(JSON.stringify(rows.map((row) => ({ ...row, nextCheckAt: 0 }))));
  return { all, counts, usage, history, sent };
}

onServer("A monitor whose line is cut for five minutes", (server) => {
  test("changes nothing about many links, and checks them all when it is back", async () => {
    const internet = await startInternet(movableClock(server().clock.now()));
    const me = await server().account();
    await me.post("/api/v1/webhooks", { url: "https://hooks.test/", events: ["link.dead"] });
    await addLinks(me, LINKS, internet.sitePort);
    const lines = await logLines("info");
    const { clock, online, loop, asks } = startMonitor(server(), internet);
    const checked = (count: number) =>
      loop.until(`${count} checks`, async () => (await countChecks(server(), me)) === count);
    await checked(LINKS);
    const before = await everything(server(), me);
    expect(before.counts.reduce((sum, { active }) => sum + active, 0)).toBe(LINKS);

    internet.hold();
    await makeAllDue(server(), me, clock.now());
    await loop.until("held links", async () => (await countHeld(server(), me)) > 0);
    await internet.pull();
    await loop.until("offline, without held links", async () => {
      return online.known().state === "offline" && (await countHeld(server(), me)) === 0;
    });
    const quiet = { lookups: internet.lookups(), asks: asks() };
    await loop.seconds(300);

    expect(internet.lookups()).toBe(quiet.lookups);
    // Every ten seconds.
    expect(asks() - quiet.asks).toBeLessThanOrEqual(31 * SENTINELS);
    expect(await everything(server(), me)).toEqual(before);
    expect(lines).toEqual([expect.stringContaining(" warning offline: no sentinel answers")]);

    // None of the sentinels is back before all of them are: a round that is under way ends first.
    await online.confirm(0);
    await internet.plug();
    await checked(2 * LINKS);
    await loop.stop();

    expect(lines).toHaveLength(2);
    // Links are claimed while they are counted.
    const [, due] = / info online again after="offline" lasted_s=\d+ due=(\d+)$/.exec(lines[1]!)!;
    expect(Number(due)).toBeGreaterThan(0);
    expect(Number(due)).toBeLessThanOrEqual(LINKS);
    const after = await everything(server(), me);
    expect(after.counts).toEqual(before.counts);
    expect(after.sent).toBe(before.sent);
    await internet.stop();
  });

  test("ends a check by hand at once, and leaves the link as it was", async () => {
    const internet = await startInternet(movableClock(server().clock.now()));
    const me = await server().account();
    await addLinks(me, 2, internet.sitePort);
    const { loop, online, clock } = startMonitor(server(), internet);
    const checked = (count: number) =>
      loop.until(`${count} checks`, async () => (await countChecks(server(), me)) === count);
    await checked(2);
    await internet.pull();
    await online.confirm(clock.elapsed());
    const [link, other] = (await me.get("/api/v1/links")).body.data.items;
    await makeAllDue(server(), me, clock.now());

    await me.post(`/api/v1/links/${link.id}/check`);
    const lookups = internet.lookups();
    await checked(3);

    expect(internet.lookups()).toBe(lookups);
    const [newest] = (await me.get(`/api/v1/links/${link.id}/history`)).body.data.items;
    expect(newest).toMatchObject({
      status: "unknown",
      reason: "monitor_offline",
      trigger: "manual",
      status_changed: false,
    });
    expect((await me.get(`/api/v1/links/${link.id}`)).body.data.status).toBe("active");
    await loop.seconds(30);
    expect(await countChecks(server(), me)).toBe(3);
    const { store } = server().deps;
    const isWaiting = and(eq(links.id, other.id), eq(links.nextTrigger, "scheduled"));
    expect(await store.$count(links, isWaiting)).toBe(1);

    await internet.plug();
    await checked(5);
    await loop.stop();
    await internet.stop();
  });

  test("takes on 64 links a second when it is back, after those requested by hand", async () => {
    const me = await server().account();
    await addLinks(me, 300, 8080);
    const clock = movableClock(server().clock.now());
    const { online, says } = playedOnline("offline");
    await online.confirm(0);
    const loop = playLoop(server(), { clock, online, check: async () => saw("ok") });
    const begun = () => loop.begun.map(({ id }) => id);
    await loop.begins();
    expect(begun()).toEqual([]);

    says("online");
    await loop.seconds(1);
    expect(begun()).toHaveLength(64);
    await loop.seconds(1);
    expect(begun()).toHaveLength(128);
    const { store } = server().deps;
    const waiting = and(eq(links.accountId, me.accountId), notInArray(links.id, begun()));
    const [asked] = await store.select().from(links).where(waiting).limit(1);
    await store.update(links).set({ nextTrigger: "manual" }).where(eq(links.id, asked!.id));
    await loop.seconds(1);

    expect(begun()).toHaveLength(128 + 1 + 64);
    expect(begun()[128]).toBe(asked!.id);
    await loop.stop();
  });

  test("gives back at once what it took on while it was stopping", async () => {
    const me = await server().account();
    await addLinks(me, 3, 8080);
    const clock = movableClock(server().clock.now());
    const { online } = playedOnline("degraded");
    await online.confirm(0);
    const answered = Promise.withResolvers<void>();
    const loop = startCheckLoop({
      ...server().deps,
      clock,
      online: { ...online, confirm: () => answered.promise.then(() => online.confirm(0)) },
      check: async () => saw("internal_error"),
    });

    const stopping = loop.stop();
    answered.resolve();
    await stopping;

    const mine = eq(links.accountId, me.accountId);
    const isDue = and(mine, isNull(links.lease), lte(links.nextCheckAt, clock.now()));
    expect(await server().deps.store.$count(links, isDue)).toBe(3);
  });
});
