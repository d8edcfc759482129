import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { pathOf } from "../../tests/reading/crawl.ts";
import { type PlayedSite, startPlayedSite } from "../../tests/reading/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { allOf, expectWhole } from "../../tests/sources/whole.ts";
import { until } from "../../tests/until.ts";
import { sourcePages } from "../ground/db/tables.ts";

const HOUR_MS = 3_600_000;
const PAGES = sized(60, 300);
/** Where places and links are kept, and the number of each row. */
const WRITTEN = {
  source_pages: "no",
  occurrences: "page_no",
  source_links: "link_no",
  links: "no",
  link_details: "link_no",
  link_tags: "link_no",
};

/** Notes which rows are written from now on, with SQLite only. Returns how many of each table. */
async function noteWrites({ deps: { store } }: TestServer) {
  if (store.engine.name !== "sqlite") return async () => [];
  await store.run(sql`create table written (name text, no integer)`);
  for (const [table, no] of Object.entries(WRITTEN)) {
    for (const [verb, row] of [
      ["insert", "new"],
      ["update", "new"],
      ["delete", "old"],
    ]) {
      const note = `create trigger note_${table}_${verb} after ${verb} on ${table}
        begin insert into written values ('${table}', ${row}.${no}); end`;
      await store.run(sql.raw(note));
    }
  }
  return async (): Promise<[table: string, rows: number][]> => {
    const counted = "select name, count(distinct no) from written group by name";
    const counts = new Map(
      (await store.engine.run({ sql: counted, params: [] })) as [string, number][],
    );
    return Object.keys(WRITTEN).map((table) => [table, counts.get(table) ?? 0]);
  };
}

const NO_LIMIT = { STILLUP_RATE_LIMIT_PER_MINUTE: "0", STILLUP_RATE_LIMIT_PER_HOUR: "0" };

/** links.test.ts and tests/cluster test on PostgreSQL what SQL decides of it. */
onServer(
  "The links of a site",
  (server) => {
    let site: PlayedSite;
    let me: Asker;
    let source: Parsed;
    let reading: ReturnType<typeof startReading>;
    beforeAll(() => {
      site = startPlayedSite(PAGES);
      reading = startReading(server());
    });
    afterAll(() => Promise.all([reading.stop(), site.stop()]));

    const all = (path: string) => allOf(me, path);

    test("are found on each of its pages, with exactly their places", async () => {
      me = await server().account("enterprise");
      source = await reading.add(me, { kind: "site", url: site.url, settings: { scope: "host" } });

      await expectWhole(me, source, site);
    });

    test("are as before after a second run, for which each page says that it has not changed", async () => {
      const before = await all("/api/v1/links");
      const pages = source.counts;
      site.unchanged = 0;
      const written = await noteWrites(server());

      source = await reading.again(me, source.id);

      const known = await server().deps.store.$count(sourcePages);
      for (const [table, rows] of await written()) {
        expect([table, rows > 0]).toEqual([table, table === "source_pages"]);
        expect(rows).toBeLessThanOrEqual(known);
      }
      expect(source.run).toMatchObject({ status: "complete", links: { new: 0, missing: 0 } });
      expect(source.counts).toEqual(pages);
      expect(site.unchanged).toBeGreaterThan(site.readable.size * 0.9);
      expect((await all("/api/v1/links")).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    });

    test("have a page that breaks, with all the places that lead to it on pages that have not changed", async () => {
      const path = [...site.readable].find(
        (each) => /^\/[a-z]+\/[a-z]+/.test(each) && !each.includes("?"),
      )!;
      site.say(path, () => new Response("gone", { status: 404 }));

      source = await reading.again(me, source.id);

      expect(source.run).toMatchObject({ status: "complete", links: { new: 1 } });
      const [link] = (await me.get(`/api/v1/links?search=${encodeURIComponent(path)}`)).body.data
        .items;
      expect(pathOf(link.url)).toBe(path);
      const found = await all(`/api/v1/links/${link.id}/occurrences`);
      expect(found.length).toBeGreaterThan(0);
      for (const place of found) expect(pathOf(place.url)).toBe(path);

      site.say(path, null);
      const runs = [];
      for (let i = 0; i < 3; i++) runs.push((await reading.again(me, source.id)).run.links.missing);
      expect(runs).toEqual([1, 1, 1]);
      server().clock.moveBy(72 * HOUR_MS);
      expect((await reading.again(me, source.id)).run.links).toMatchObject({ retired: 1 });
      expect(
        (await me.get(`/api/v1/links?search=${encodeURIComponent(path)}`)).body.data.items,
      ).toEqual([]);
    });

    test("stay where every page answers with a wall of consent", async () => {
      const { counts } = (await me.get(`${SOURCES}/${source.id}`)).body.data;
      site.sayEverywhere(
        () =>
          new Response("<p>We value your privacy", { headers: { "Content-Type": "text/html" } }),
      );
      for (let i = 0; i < 2; i++) {
        source = await reading.again(me, source.id);
        expect(source.run).toMatchObject({ status: "incomplete", reason: "shrunken" });
      }
      expect(source.counts).toEqual(counts);

      site.sayEverywhere(null);
      source = await reading.again(me, source.id);
      expect(source.run).toMatchObject({ status: "complete", links: { new: 0 } });
      expect(source.counts).toEqual(counts);
    });

    test("are read once by two processes, and on to the end when one of them stops", async () => {
      const wanted = (await me.get(`${SOURCES}/${source.id}`)).body.data.counts;
      const other = startReading(server());
      const own = await server().account("enterprise");
      const { id } = (
        await own.post(SOURCES, {
          kind: "site",
          name: "Docs",
          url: site.url,
          settings: { scope: "host" },
        })
      ).body.data;
      site.requests.clear();
      reading.wake();
      other.wake();
      const hasBegun = async () =>
        (await own.get(`${SOURCES}/${id}`)).body.data.run.pages.read > PAGES / 6;
      await until("the first pages", hasBegun, { everyMs: 20 });
      await reading.stop();
      const { run, counts } = await other.ended(own, id);
      await other.stop();
      reading = startReading(server());

      expect(run).toMatchObject({ status: "complete", reason: null });
      expect(counts.links).toBe(wanted.links);
      // The other process has to learn again what leads to nothing new.
      expect(counts.pages - wanted.pages).toBeGreaterThanOrEqual(0);
      expect(counts.pages - wanted.pages).toBeLessThan(100);
      const twice = [...site.requests].filter(
        ([path, times]) => times > 1 && site.readable.has(path),
      );
      // What a step had read and not written is read again.
      expect(twice.length).toBeLessThanOrEqual(20);
      expect(Math.max(...twice.map(([, times]) => times), 1)).toBeLessThanOrEqual(2);
    });

    test("stay where the site forbids, refuses, fails or moves away", async () => {
      const { counts } = (await me.get(`${SOURCES}/${source.id}`)).body.data;
      const broken: [reason: string, status: string, path: string, () => Response][] = [
        ["robots_unreachable", "failed", "/robots.txt", () => new Response("", { status: 503 })],
        [
          "robots_refused",
          "failed",
          "/robots.txt",
          () => new Response("User-agent: *\nDisallow: /"),
        ],
        ["unauthorized", "failed", "/", () => new Response("", { status: 403 })],
        ["not_found", "failed", "/", () => new Response("", { status: 404 })],
        ["moved_away", "failed", "/", () => Response.redirect("https://elsewhere.test/", 301)],
      ];
      for (const [reason, status, path, says] of broken) {
        site.say(path, says);
        source = await reading.again(me, source.id);
        expect([reason, source.run.status, source.run.reason]).toEqual([reason, status, reason]);
        site.say(path, null);
      }
      expect(source.counts).toEqual(counts);
      expect(source.failing_since).not.toBeNull();
    });
  },
  NO_LIMIT,
);
