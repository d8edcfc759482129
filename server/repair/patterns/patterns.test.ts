import { afterAll, beforeEach, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { check } from "../../../tests/checked.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import { movableClock } from "../../../tests/clock.ts";
import { type Asker, onBothEngines, type Parsed } from "../../../tests/harness.ts";
import { remember, startLookups } from "../../../tests/lookups.ts";
import { addAll, addDead, addMoved, NEW, OLD } from "../../../tests/patterns.ts";
import { setLink } from "../../../tests/rows.ts";
import { type Routes, startSite } from "../../../tests/site.ts";
import { until } from "../../../tests/until.ts";
import { linkLookups, patternRuns, suggestions, urlPatterns } from "../../ground/db/tables.ts";
import { newId } from "../../ground/lib/ids.ts";
import { computeDue, startPatternLoop } from "./loop.ts";
import { candidatesOf, countTried, noteAccepted, notePatternDeath } from "./patterns.ts";

const TITLE = "How to grow tomatoes in small gardens";
const GOOD = KINDS.article(TITLE, { words: 400 });
const OTHER = KINDS.article("Best casino bonuses of the month", { words: 400 });
const routes: Routes = {};
const site = startSite(routes);
afterAll(() => site.stop());

const PATTERNS = "/api/v1/patterns";

/** Pages of a site, and where they are now. */
const pages = (count: number, first = 0, to = NEW) =>
  Array.from({ length: count }, (_, n): [string, string] => [
    `${OLD}page/${first + n}`,
    `${to}page/${first + n}`,
  ]);
const oldUrls = (count: number, first = 0) => pages(count, first).map(([from]) => from);

onBothEngines("How the addresses of a site changed", (server) => {
  let me: Asker;
  beforeEach(async () => {
    me = await server().account();
    await server().deps.store.delete(patternRuns);
  });

  const now = () => server().clock.now();
  const compute = () => computeDue(server().deps);
  const die = async (urls: string[]) => {
    for (const url of urls)
      await notePatternDeath(server().deps.store, { accountNo: me.accountNo, url, now: now() });
  };
  const candidates = (url: string, of = me) =>
    candidatesOf(server().deps.store, { accountNo: of.accountNo, url, now: now() });
  const urlsFor = async (url: string) => (await candidates(url)).map((each) => each.url);
  const listed = async () => (await me.get(PATTERNS)).body.data.items;
  /** A rule that 28 links prove, and the numbers of the dead links that it is about. */
  async function learnOne(dead = 12) {
    await addMoved(server(), me, pages(28));
    const nos = await addDead(server(), me, oldUrls(dead, 28));
    await die(oldUrls(dead, 28));
    await compute();
    const [pattern] = await listed();
    return { pattern, nos };
  }
  async function tryAll(patternId: string, count: number, isRight = false) {
    for (let n = 0; n < count; n++)
      await countTried(server().deps.store, { patternId, isRight, now: now() });
  }
  const lookupsOf = async (nos: number[]) =>
    (await server().deps.store.select().from(linkLookups)).filter(({ linkNo }) =>
      nos.includes(linkNo),
    );

  test("is learned from 28 of 40 links that redirect, and proposes an address for the 12 that died", async () => {
    const { pattern, nos } = await learnOne();

    expect(pattern).toEqual({
      id: expect.any(String),
      from: OLD,
      to: NEW,
      pairs: 28,
      tried: 0,
      failed: 0,
      rests_until: null,
      learned_at: new Date(now()).toISOString(),
    });
    expect(await candidates(`${OLD}page/30?a=1#part`)).toEqual([
      { url: `${NEW}page/30?a=1#part`, patternId: pattern.id, pairs: 28, from: OLD, to: NEW },
    ]);
    expect(await candidates("https://docs.old.example.com/page/30")).toEqual([]);
    expect(await candidates(`${OLD}page/30`, await server().account())).toEqual([]);
    const lookups = await lookupsOf(nos);
    expect(lookups.length).toBe(12);
    for (const each of lookups)
      expect(each).toMatchObject({ state: "waiting", step: "own", dueAt: now() });
  });

  test("leads to suggestions where the page is there, and is the remembered one", async () => {
    const lookups = startLookups(server(), ["old.garden.com", "new.garden.com"]);
    const at = (n: number) => `http://old.garden.com:${site.port}/page/${n}`;
    const to = (n: number) => `http://new.garden.com:${site.port}/guide/page/${n}`;
    await addMoved(
      server(),
      me,
      Array.from({ length: 28 }, (_, n) => [at(n), to(n)]),
    );
    const dying = Array.from({ length: 12 }, (_, n) => 28 + n);
    const ids = await addAll(me, dying.map(at));
    await check(server(), ids, "ok");
    for (const id of ids) await remember(server(), id, { title: TITLE });
    for (const n of dying) {
      routes[new URL(to(n)).pathname] = () =>
        new Response(n < 31 ? OTHER : GOOD, { headers: { "content-type": "text/html" } });
    }
    server().clock.moveBy(DAY);
    await check(server(), ids, "http_404");
    await lookups.all();
    await compute();
    site.requests.length = 0;

    await lookups.all();

    const found = await me.get("/api/v1/links?suggestion=pattern&sort=url");
    const urls = found.body.data.items.map(({ suggestion }: Parsed) => suggestion.url);
    expect(urls).toEqual(dying.slice(3).map(to));
    const asked = new Set(site.requests.map(({ url }) => new URL(url).pathname));
    expect(dying.filter((n) => !asked.has(new URL(to(n)).pathname))).toEqual([]);
    expect(await listed()).toMatchObject([{ pairs: 28, tried: 12, failed: 3 }]);
    lookups.stop();
  });

  test("is not learned from 3 of 40, nor from links that are dead, nor where two contradict each other", async () => {
    await addMoved(server(), me, pages(3));
    const nos = await addDead(server(), me, oldUrls(37, 3));
    await die(oldUrls(12, 3));
    await compute();
    expect(await listed()).toEqual([]);

    await addMoved(server(), me, pages(10, 100));
    await addMoved(server(), me, pages(10, 200, "https://other.example/"));
    await noteAccepted(server().deps.store, {
      accountNo: me.accountNo,
      from: OLD,
      to: NEW,
      now: now(),
    });
    await compute();
    expect(await listed()).toEqual([]);
    expect((await lookupsOf(nos)).every(({ dueAt }) => dueAt === null)).toBe(true);
  });

  test("is learned from what people put in the place of URLs", async () => {
    const ids = await addAll(me, oldUrls(5));
    await addDead(server(), me, [`${OLD}page/9`]);
    for (const [n, [, url]] of pages(5).entries()) {
      expect((await me.post(`/api/v1/links/${ids[n]}/url`, { url })).status).toBe(200);
    }
    await noteAccepted(server().deps.store, {
      accountNo: me.accountNo,
      from: OLD,
      to: NEW,
      now: now(),
    });
    await compute();
    const [link] = await addAll(me, [`${OLD}page/10`]);
    await server().deps.store.run(sql`
      insert into link_details (link_no, account_no, accepted_url)
      select no, account_no, cast(${`${NEW}page/10`} as text) from links where id = ${link}`);
    server().clock.moveBy(DAY);
    await compute();

    expect(await listed()).toMatchObject([{ pairs: 6 }]);
    expect(await urlsFor(`${OLD}page/9`)).toEqual([`${NEW}page/9`]);
  });

  test("is computed at the first death, at the tenth, and once a day while links are dead", async () => {
    const runs = () => server().deps.store.select().from(patternRuns);
    await addDead(server(), me, oldUrls(1));
    await die(oldUrls(1));
    expect(await compute()).toBe(now() + DAY);
    await addMoved(server(), me, pages(5, 1));
    await die(oldUrls(9, 1));
    await compute();
    expect(await listed()).toEqual([]);
    await die(oldUrls(1, 10));
    await compute();
    expect(await listed()).toHaveLength(1);

    await addMoved(server(), me, pages(1, 20));
    server().clock.moveBy(DAY);
    await compute();
    expect(await listed()).toMatchObject([{ pairs: 6 }]);

    const [link] = (await me.get("/api/v1/links?status=dead")).body.data.items;
    await setLink(server(), link.id, { status: "active", lastStatus: "active" });
    server().clock.moveBy(DAY);
    await compute();
    expect(await runs()).toEqual([]);
  });

  test("is forgotten when it is not true any more", async () => {
    await learnOne();
    await addMoved(server(), me, pages(10, 100, "https://other.example/"));
    server().clock.moveBy(DAY);

    await compute();

    expect(await listed()).toEqual([]);
    expect(await candidates(`${OLD}page/30`)).toEqual([]);
  });

  test("proposes nothing for 30 days once its first 20 addresses were wrong", async () => {
    const { pattern, nos } = await learnOne();
    await tryAll(pattern.id, 19);
    expect(await candidates(`${OLD}page/30`)).toHaveLength(1);
    await tryAll(pattern.id, 1);
    expect(await candidates(`${OLD}page/30`)).toEqual([]);
    const until = new Date(now() + 30 * DAY).toISOString();
    expect(await listed()).toMatchObject([{ tried: 20, failed: 20, rests_until: until }]);

    server().clock.moveBy(29 * DAY);
    await compute();
    expect(await candidates(`${OLD}page/30`)).toEqual([]);
    await server().deps.store.update(linkLookups).set({ dueAt: null });
    server().clock.moveBy(DAY);
    await compute();
    expect(await candidates(`${OLD}page/30`)).toHaveLength(1);
    expect(await listed()).toMatchObject([{ tried: 0, failed: 0, rests_until: null }]);
    expect((await lookupsOf(nos)).map(({ dueAt }) => dueAt)).toEqual(nos.map(() => now()));
  });

  test("goes on if one of its addresses was right", async () => {
    const { pattern } = await learnOne();
    await tryAll(pattern.id, 1, true);
    await tryAll(pattern.id, 50);

    expect(await candidates(`${OLD}page/30`)).toHaveLength(1);
    expect(await listed()).toMatchObject([{ tried: 51, failed: 50, rests_until: null }]);
  });

  test("proposes 1,000 addresses a day", async () => {
    const { pattern } = await learnOne();
    const isFull = { triedToday: 999, triedDay: Math.floor(now() / DAY) };
    await server().deps.store.update(urlPatterns).set(isFull);
    await tryAll(pattern.id, 1, true);
    expect(await candidates(`${OLD}page/30`)).toEqual([]);

    server().clock.moveBy(DAY);
    expect(await candidates(`${OLD}page/30`)).toHaveLength(1);
  });

  test("is not learned again for 90 days when a person deletes it, and its suggestions go", async () => {
    const { pattern, nos } = await learnOne();
    const [linkNo] = nos;
    const row = { linkNo: linkNo!, accountNo: me.accountNo, rank: 2, kind: "pattern" as const };
    await server()
      .deps.store.insert(suggestions)
      .values({
        ...row,
        id: newId(),
        url: `${NEW}page/28`,
        confidence: "likely",
        matches: "yes",
        evidence: "[]",
        checkedAt: now(),
        patternId: pattern.id,
      });
    const you = await server().account();
    expect((await you.delete(`${PATTERNS}/${pattern.id}`)).status).toBe(403);
    expect((await me.delete(`${PATTERNS}/${newId()}`)).status).toBe(404);

    expect((await me.delete(`${PATTERNS}/${pattern.id}`)).status).toBe(204);

    expect(await listed()).toEqual([]);
    expect((await me.delete(`${PATTERNS}/${pattern.id}`)).status).toBe(404);
    expect(await candidates(`${OLD}page/30`)).toEqual([]);
    const left = await server()
      .deps.store.select()
      .from(suggestions)
      .where(eq(suggestions.accountNo, me.accountNo));
    expect(left).toEqual([]);
    server().clock.moveBy(89 * DAY);
    await compute();
    expect(await listed()).toEqual([]);
    server().clock.moveBy(DAY);
    await compute();
    expect(await listed()).toMatchObject([{ from: OLD, pairs: 28 }]);
  });

  test("is computed again where the process that did it has ended, or its clock was ahead", async () => {
    await addMoved(server(), me, pages(5));
    await addDead(server(), me, oldUrls(1, 5));
    await die(oldUrls(1, 5));
    const { store } = server().deps;
    await store.update(patternRuns).set({ dueAt: now() + 5 * 60_000, lease: "killed.1" });
    await compute();
    expect(await listed()).toEqual([]);
    server().clock.moveBy(5 * 60_000);
    await compute();
    expect(await listed()).toHaveLength(1);

    await store.update(patternRuns).set({ dueAt: now() + 100 * DAY });
    const loop = startPatternLoop({ ...server().deps, clock: movableClock(now()) });
    await until("the end of the wait", async () => {
      const [run] = await store.select().from(patternRuns);
      return run!.dueAt === now() + DAY;
    });
    await loop.stop();
  });
});
