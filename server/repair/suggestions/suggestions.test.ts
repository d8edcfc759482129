import { afterAll, beforeEach, expect } from "bun:test";
import { and, eq } from "drizzle-orm";
import { type PlayedArchive, stampOf, startArchive } from "../../../tests/archive.ts";
import { check } from "../../../tests/checked.ts";
import { DAY, HOUR } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import { type Asker, onServer, type Parsed } from "../../../tests/harness.ts";
import { hearChanges } from "../../../tests/hearing.ts";
import { remember, startLookups } from "../../../tests/lookups.ts";
import { enter, newTeam } from "../../../tests/people/people.ts";
import { addLink } from "../../../tests/rows.ts";
import { type Routes, startSite } from "../../../tests/site.ts";
import {
  accounts,
  archiveCopies,
  archiveHosts,
  events,
  linkLookups,
  links,
  sourcePages,
  sources,
  urlPatterns,
} from "../../ground/db/tables.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { PageState } from "../../ground/lib/vocabulary.ts";
import type { Reason } from "../../judge/reasons/reasons.ts";
import { EVENT_DEFINITIONS } from "../../notify/event-types.ts";
import { currentSuggestion } from "./current.ts";
import { limitWaits } from "./lookups.ts";

const TITLE = "How to grow tomatoes in small gardens";
const GOOD = KINDS.article(TITLE, { words: 400 });
const page =
  (html = GOOD) =>
  () =>
    new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
const OTHER = page(KINDS.article("Best casino bonuses of the month", { words: 400 }));

const archive: PlayedArchive = startArchive();
const routes: Routes = {};
const site = startSite(routes);
afterAll(() => Promise.all([archive, site].map((each) => each.stop())));

const NAMES = ["garden.com", "www.garden.com", "plants.net"];
const at = (path: string, host = "garden.com") => `http://${host}:${site.port}${path}`;

onServer(
  "What could stand in the place of a dead link",
  (server, { test, testOnBoth }) => {
    let me: Asker;
    let lookups: ReturnType<typeof startLookups>;
    beforeEach(async () => {
      const { store } = server().deps;
      for (const table of [archiveCopies, archiveHosts, linkLookups]) await store.delete(table);
      for (const path of Object.keys(routes)) delete routes[path];
      site.requests.length = 0;
      archive.forget();
      me = await server().account();
      lookups = startLookups(server(), NAMES);
    });

    const turnOn = (who = me) =>
      server()
        .deps.store.update(accounts)
        .set({ archiveLookup: true })
        .where(eq(accounts.no, who.accountNo));
    /** A link that has been alive. */
    async function watching(path: string, who = me, host = "garden.com") {
      const id = await addLink(who, { url: at(path, host) });
      await check(server(), [id], "ok");
      return id;
    }
    async function dies(id: string, reason: Reason = "http_404", finalUrl: string | null = null) {
      server().clock.moveBy(DAY);
      await check(server(), [id], reason, { finalUrl });
    }
    const suggestionsOf = async (id: string, who = me) =>
      (await who.get(`/api/v1/links/${id}/suggestions`)).body.data;
    const linkOf = async (id: string, who = me) => (await who.get(`/api/v1/links/${id}`)).body.data;
    const listed = async (suggestion: string) =>
      (await me.get(`/api/v1/links?suggestion=${suggestion}&sort=url`)).body.data.items.map(
        ({ id }: Parsed) => id,
      );
    const subscribe = (who = me) =>
      who.post("/api/v1/webhooks", { url: "https://hook.test/", events: ["link.dead"] });
    const deaths = async (who = me): Promise<Parsed[]> => {
      const isDeath = and(eq(events.accountId, who.accountId), eq(events.type, "link.dead"));
      const rows = await server().deps.store.select().from(events).where(isDeath);
      return rows.map(({ data }) => JSON.parse(data));
    };
    const asked = () => site.requests.map(({ url }) => new URL(url).pathname);
    const daysAgo = (days: number) => new Date(server().clock.now() - days * DAY).toISOString();
    const keep = (path: string, days: number, body = GOOD) =>
      archive.kept.push({ url: at(path), at: daysAgo(days), body });

    testOnBoth("is another form of its address, where the page is", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      const hear = await hearChanges(server(), me, ["suggestion"]);
      routes["/a/"] = page();
      await dies(id);
      expect(await suggestionsOf(id)).toMatchObject({ items: [], lookup: { state: "waiting" } });
      expect((await linkOf(id)).suggestion).toBeNull();

      await lookups.all();

      const suggestion = { kind: "variant", url: at("/a/"), confidence: "likely" };
      expect(await suggestionsOf(id)).toMatchObject({
        items: [{ ...suggestion, matches: "yes", captured_at: null }],
        lookup: { state: "done", retry_at: null, reasons: [] },
      });
      expect((await linkOf(id)).suggestion).toEqual({ ...suggestion, captured_at: null });
      expect(await hear()).toMatchObject([
        { linkId: id, kind: "suggestion", before: at("/a"), after: at("/a/") },
      ]);
    });

    testOnBoth("is where it had moved, which its death says in the same moment", async () => {
      await subscribe();
      const id = await watching("/a");
      const way = at("/new", "plants.net");
      await remember(server(), id, { title: TITLE, way, moved: "likely" });
      routes["/new"] = page();
      expect(await linkOf(id)).toMatchObject({ status: "active", suggestion: null });
      const moved = { kind: "moved", url: way, confidence: "likely" };
      expect(await suggestionsOf(id)).toMatchObject({ items: [moved], lookup: null });
      expect([await listed("moved"), await listed("any"), await listed("none")]).toEqual([
        [id],
        [],
        [],
      ]);

      await dies(id);
      expect(await deaths()).toMatchObject([{ suggestion: { ...moved, capturedAt: null } }]);
      expect(asked()).toEqual([]);
      const hear = await hearChanges(server(), me, ["suggestion"]);
      await lookups.all();

      expect(await suggestionsOf(id)).toMatchObject({ items: [{ ...moved, matches: "yes" }] });
      expect(asked()).toContain("/new");
      expect(await hear()).toEqual([]);
      expect([await listed("moved"), await listed("any"), await listed("archive")]).toEqual([
        [id],
        [id],
        [],
      ]);
    });

    test("is not where it had moved if that has died, or shows another page now", async () => {
      await subscribe();
      const [same, other] = [await watching("/a"), await watching("/b")];
      const way = at("/new", "plants.net");
      for (const id of [same, other])
        await remember(server(), id, { title: TITLE, way, moved: "likely" });
      await dies(same, "http_404", way);
      await dies(other);
      const kinds = (await deaths()).map(({ suggestion }) => suggestion?.kind ?? "nothing");
      expect(kinds.sort()).toEqual(["moved", "nothing"]);
      routes["/new"] = OTHER;

      await lookups.all();

      for (const id of [same, other])
        expect(await suggestionsOf(id)).toMatchObject({ items: [], lookup: { state: "done" } });
      expect((await listed("none")).sort()).toEqual([same, other].sort());
    });

    test("is what a learned rule says, unless the page there is another one", async () => {
      const { store, clock } = lookups.deps;
      const rule = { id: newId(), accountNo: me.accountNo, pairs: 28, tried: 0, failed: 0 };
      const prefixes = { oldPrefix: at("/"), newPrefix: at("/guide/", "plants.net") };
      const none = { triedToday: 0, triedDay: 0, restsUntil: null, learnedAt: clock.now() };
      await store.insert(urlPatterns).values({ ...rule, ...prefixes, ...none });
      const right = await watching("/a");
      const wrong = await watching("/b");
      const unknown = await watching("/c");
      for (const id of [right, wrong]) await remember(server(), id, { title: TITLE });
      Object.assign(routes, { "/guide/a": page(), "/guide/b": OTHER, "/guide/c": OTHER });

      for (const id of [right, wrong, unknown]) await dies(id);
      await lookups.all();

      const found = { kind: "pattern", confidence: "likely" };
      const to = at("/guide/", "plants.net");
      expect((await suggestionsOf(right)).items).toMatchObject([
        {
          ...found,
          url: `${to}a`,
          matches: "yes",
          evidence: [`28 links moved from ${at("/")} to ${to} the same way.`],
        },
      ]);
      expect((await suggestionsOf(wrong)).items).toEqual([]);
      expect((await suggestionsOf(unknown)).items).toMatchObject([
        { ...found, matches: "unknown" },
      ]);
      const [counted] = await store.select().from(urlPatterns).where(eq(urlPatterns.id, rule.id));
      expect(counted).toMatchObject({ tried: 3, failed: 1 });
    });

    testOnBoth("is hidden while the link is alive again", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      routes["/a/"] = page();
      await dies(id);
      await lookups.all();
      const batch = { filter: { suggestion: "variant" }, change: { check_frequency: "weekly" } };
      const changed = await me.post("/api/v1/links/batch-change", batch);
      expect(changed.body).toMatchObject({ data: { summary: { changed: 1 } } });
      const csv = await me.get("/api/v1/links/export?format=json&suggestion=any");
      expect(JSON.stringify(csv.body)).toContain(at("/a/"));

      await check(server(), [id], "ok");

      expect(await linkOf(id)).toMatchObject({ status: "active", suggestion: null });
      expect(await suggestionsOf(id)).toEqual({ items: [], lookup: null });
      expect([await listed("any"), await listed("none")]).toEqual([[], []]);
    });

    test("is forgotten with the URL that it was for", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      routes["/a/"] = page();
      await dies(id);
      await lookups.all();

      await me.post(`/api/v1/links/${id}/url`, { url: at("/b") });
      expect(await suggestionsOf(id)).toEqual({ items: [], lookup: null });

      await check(server(), [id], "http_404");
      expect((await suggestionsOf(id)).lookup).toMatchObject({ state: "waiting" });
    });

    test("is looked for before others where a person asks, ten times a minute", async () => {
      const [first, second] = [await watching("/a"), await watching("/b")];
      const asks = (body: object) => me.post(`/api/v1/links/${first}/suggestions`, body);
      expect((await asks({})).body.error.details).toEqual({ reason: "not_dead" });
      await dies(first);
      await dies(second);
      expect((await asks({ archive: true })).body.error).toMatchObject({
        message: "Ask an owner to turn on archive lookups.",
        details: { reason: "archive_off" },
      });
      server().clock.moveBy(60_000);
      expect((await asks({})).body.data).toMatchObject({ items: [], lookup: { state: "waiting" } });
      const [row] = await lookups.deps.store.select().from(linkLookups).orderBy(linkLookups.rank);
      const [link] = await lookups.deps.store.select().from(links).where(eq(links.id, first));
      expect(row).toMatchObject({ linkNo: link!.no, rank: 0 });

      for (let n = 0; n < 9; n++) expect((await asks({})).status).toBe(200);
      expect((await asks({})).status).toBe(429);
    });

    testOnBoth("is asked for many URLs at once with a key that may only read", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      routes["/a/"] = page();
      const moved = await watching("/b");
      const way = at("/new", "plants.net");
      await remember(server(), moved, { title: TITLE, way, moved: "likely" });
      await dies(id);
      await lookups.all();
      const made = await me.post("/api/v1/keys", { name: "ci", permissions: { read: true } });
      const reader = server().asker(made.body.data.key);

      const urls = [at("/a"), at("/b"), at("/none"), "mailto:me@example.org"];
      const { status, body } = await reader.post("/api/v1/links/suggestions", { urls });

      expect(status).toBe(200);
      expect(body.data.results).toMatchObject([
        {
          url: at("/a"),
          known: true,
          link_id: id,
          status: "dead",
          accepted_url: null,
          suggestion: { kind: "variant", url: at("/a/") },
          error: null,
        },
        { status: "active", suggestion: { kind: "moved", url: way } },
        { known: false, link_id: null, status: null, suggestion: null },
        { known: false, error: { code: "VALIDATION_ERROR" } },
      ]);
      for (const wrong of [{}, { urls: [] }, { urls: Array.from({ length: 1001 }, () => at("/")) }])
        expect((await reader.post("/api/v1/links/suggestions", wrong)).status).toBe(400);
    });

    test("is requested again before it is used, if it is older than a week", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      routes["/a/"] = page();
      await dies(id);
      await lookups.all();
      const [{ id: suggestion }] = (await suggestionsOf(id)).items;
      const [link] = await lookups.deps.store.select().from(links).where(eq(links.id, id));
      const { signal } = new AbortController();
      const take = (suggestionId = suggestion) =>
        currentSuggestion(lookups.deps, { link: link!, suggestionId, signal });
      site.requests.length = 0;
      expect(await take()).toMatchObject({ url: at("/a/") });
      expect(asked()).toEqual([]);

      server().clock.moveBy(8 * DAY);
      expect((await take()).checkedAt).toBe(server().clock.now());
      expect(asked()).toContain("/a/");

      server().clock.moveBy(8 * DAY);
      delete routes["/a/"];
      await expect(take()).rejects.toMatchObject({
        code: "CONFLICT",
        details: { reason: "suggestion_outdated", verdict: { status: "dead", reason: "http_404" } },
      });
      expect((await suggestionsOf(id)).items).toEqual([]);
      await expect(take(newId())).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    testOnBoth("is an archived copy where the owners want that", async () => {
      await turnOn();
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      keep("/a", 20);
      const hear = await hearChanges(server(), me, ["suggestion"]);
      await dies(id);
      await lookups.all();

      const url = `${archive.url}/web/${stampOf(archive.kept[0]!.at)}/${at("/a")}`;
      const copy = { kind: "archive", url, confidence: "copy" };
      const { items, lookup } = await suggestionsOf(id);
      expect(lookup).toEqual({ state: "done", retry_at: null, reasons: [] });
      expect(items).toMatchObject([{ ...copy, matches: "yes" }]);
      expect(stampOf(items[0].captured_at)).toBe(stampOf(archive.kept[0]!.at));
      expect(await listed("archive")).toEqual([id]);
      expect(await hear()).toMatchObject([{ kind: "suggestion", after: url }]);
    });

    test("is a copy that is known in the moment of death, for those who want copies", async () => {
      const other = await server().account();
      await turnOn();
      const first = await watching("/a");
      keep("/a", 20);
      await dies(first);
      await lookups.all();
      const mine = await watching("/a", other);
      await subscribe();
      await subscribe(other);
      await check(server(), [first], "ok");

      await dies(first);
      await dies(mine);

      expect(await deaths()).toMatchObject([{ suggestion: { kind: "archive" } }]);
      // A webhook of today goes on to work.
      expect(await deaths(other)).toMatchObject([{ reason: "http_404", suggestion: null }]);
      await lookups.all();
      expect((await suggestionsOf(mine, other)).items).toEqual([]);
      await turnOn(other);
      await lookups.all();
      expect((await suggestionsOf(mine, other)).items).toMatchObject([{ kind: "archive" }]);
    });

    test("leaves no trace at the archive where it may not know", async () => {
      const off = await watching("/off");
      await dies(off);
      await lookups.all();
      expect((await suggestionsOf(off)).lookup).toMatchObject({ state: "done" });
      await me.delete(`/api/v1/links/${off}`);
      await turnOn();
      const secret = await watching("/reset?token=abc");
      const inside = await watching("/wiki", me, "wiki.internal");
      for (const each of [secret, inside]) await dies(each);
      await lookups.all();

      for (const each of [secret, inside])
        expect((await suggestionsOf(each)).lookup).toMatchObject({ state: "not_asked" });
      expect(archive.asked()).toEqual([]);

      keep("/reset?token=abc", 20);
      for (const each of [secret, inside])
        await me.post(`/api/v1/links/${each}/suggestions`, { archive: true });
      await lookups.all();
      expect((await suggestionsOf(secret)).items).toMatchObject([{ kind: "archive" }]);
      expect((await suggestionsOf(inside)).lookup).toMatchObject({ state: "not_asked" });
      expect(archive.asked().every((path) => path.includes("token"))).toBe(true);
    });

    testOnBoth("is found once an archive that was down for a week is back", async () => {
      await turnOn();
      await subscribe();
      archive.first = () => new Response(null, { status: 503 });
      const ids: string[] = [];
      for (const path of ["/a", "/b", "/c"]) {
        ids.push(await watching(path));
        keep(path, 20);
      }
      for (const id of ids) await dies(id);
      expect((await deaths()).length).toBe(3);
      for (let hour = 0; hour < 7 * 24; hour++) {
        await lookups.all();
        server().clock.moveBy(HOUR);
      }
      for (const id of ids) {
        const { state, retry_at: retryAt } = (await suggestionsOf(id)).lookup;
        expect(state).toBe("unavailable");
        expect(Date.parse(retryAt)).toBeLessThan(server().clock.now() + 7 * HOUR);
      }
      expect(archive.asked().length).toBeLessThan(60);

      archive.first = null;
      server().clock.moveBy(7 * HOUR);
      await lookups.all();

      for (const id of ids)
        expect((await suggestionsOf(id)).items).toMatchObject([{ kind: "archive" }]);
    });

    test("is nothing good where no capture is, with the reason of each", async () => {
      await turnOn();
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      keep("/a", 20, KINDS.headed("Page not found", {}));
      await dies(id);
      await lookups.all();

      expect((await suggestionsOf(id)).lookup).toMatchObject({
        state: "nothing_good",
        reasons: [{ reason: "soft404_body" }],
      });
      const before = archive.asked().length;
      server().clock.moveBy(6 * DAY);
      await lookups.all();
      expect(archive.asked().length).toBe(before);
      archive.kept[0]!.body = GOOD;
      server().clock.moveBy(2 * DAY);
      await lookups.all();
      expect((await suggestionsOf(id)).items).toMatchObject([{ kind: "archive" }]);
    });

    testOnBoth("is looked for by another node when one has died", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      routes["/a/"] = page();
      await dies(id);
      const {
        deps: { store },
        clock,
      } = server();
      await store.update(linkLookups).set({ lease: "dead.1", dueAt: clock.now() + HOUR });
      await lookups.all();
      expect((await suggestionsOf(id)).items).toEqual([]);

      clock.moveBy(HOUR);
      await lookups.all();
      expect((await suggestionsOf(id)).items).toMatchObject([{ kind: "variant" }]);
    });

    testOnBoth("is looked for at once when the clock was set back by a year", async () => {
      const id = await watching("/a");
      await remember(server(), id, { title: TITLE });
      routes["/a/"] = page();
      await dies(id);
      server().clock.moveBy(-365 * DAY);
      await lookups.all();
      expect((await suggestionsOf(id)).items).toEqual([]);

      expect(await limitWaits(server().deps)).toBe(1);
      await lookups.all();
      expect((await suggestionsOf(id)).items).toMatchObject([{ kind: "variant" }]);
    });

    test("is the page of a source that has the same title, if there is only one", async () => {
      const { store } = server().deps;
      const [one, two] = [await watching("/a"), await watching("/b")];
      await remember(server(), one, { title: TITLE });
      await remember(server(), two, { title: "Home" });
      const made = await me.post("/api/v1/sources", { kind: "push", name: "Docs" });
      const [source] = await store.select().from(sources).where(eq(sources.id, made.body.data.id));
      let no = 900_000_000;
      const add = (path: string, title: string, state: PageState = "read") => {
        no += 1;
        return store.insert(sourcePages).values({
          no,
          sourceNo: source!.no,
          url: at(path, "www.garden.com"),
          urlKey: path,
          part: "",
          lineOffset: 0,
          title,
          state,
          depth: 0,
          seenRun: 1,
          wantedRun: 1,
          places: 0,
          flagged: 0,
          isGone: false,
          refused: 0,
        });
      };
      await add("/guide", TITLE.toUpperCase());
      await add("/old", TITLE, "gone");
      await add("/home", "Home");
      Object.assign(routes, { "/guide": page(), "/home": page() });

      for (const id of [one, two]) await dies(id);
      await lookups.all();

      const found = { kind: "same_title", url: at("/guide", "www.garden.com"), matches: "yes" };
      expect((await suggestionsOf(one)).items).toMatchObject([found]);
      expect((await suggestionsOf(two)).items).toEqual([]);

      await add("/other", TITLE);
      await me.post(`/api/v1/links/${one}/suggestions`, {});
      await lookups.all();
      expect((await suggestionsOf(one)).items).toEqual([]);
    });

    testOnBoth(
      "is looked for first, and again after a week, where a person opens the link",
      async () => {
        const { browsers, viewer } = await newTeam(server());
        let browser = browsers.viewer;
        const { body } = await browsers.owner.post("/links", { url: at("/a") });
        const { id } = body.data;
        await check(server(), [id], "ok");
        const opened = async () => (await browser.get(`/links/${id}/suggestions`)).body.data;
        const rank = async () =>
          (await server().deps.store.select().from(linkLookups)).map((row) => row.rank);
        await remember(server(), id, { title: TITLE });
        routes["/a/"] = page();
        await dies(id);
        expect(await rank()).not.toEqual([0]);
        expect(await opened()).toMatchObject({ items: [], lookup: { state: "waiting" } });
        expect(await rank()).toEqual([0]);
        await lookups.all();
        expect(await opened()).toMatchObject({ items: [{}], lookup: { state: "done" } });
        expect(await opened()).toMatchObject({ lookup: { state: "done" } });

        server().clock.moveBy(8 * DAY);
        // The session has ended by then.
        browser = await enter(server(), viewer.id);
        await opened();
        expect((await opened()).lookup).toMatchObject({ state: "waiting" });
      },
    );

    test("is one line of messages, and in mails a link only to an archive", () => {
      const { sample, toText } = EVENT_DEFINITIONS["link.dead"];
      const base = sample(new Date(server().clock.now()).toISOString());
      const lineOf = (suggestion: typeof base.suggestion) =>
        toText({ ...base, suggestion }).details.filter((line) =>
          JSON.stringify(line).includes(suggestion!.url),
        );
      const url = at("/new");
      expect(lineOf({ kind: "moved", url, confidence: "likely", capturedAt: null })).toEqual([
        { name: "May be replaced with", said: url },
      ]);
      const copy = `${archive.url}/web/20290101000000/${at("/a")}`;
      const capturedAt = "2029-01-01T00:00:00.000Z";
      expect(lineOf({ kind: "archive", url: copy, confidence: "copy", capturedAt })).toEqual([
        {
          text: "Archived copy",
          url: copy,
          cause: null,
          rest: "Captured on 2029-01-01.",
          linkId: null,
        },
      ]);
    });
  },
  { STILLUP_ARCHIVE_URL: archive.url },
);
