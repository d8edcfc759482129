import { afterAll, beforeAll, expect } from "bun:test";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { untilIs } from "../../tests/until.ts";

const PAGE = "https://blog.test/p/1";
const DAY_MS = 86_400_000;

onServer("A source that is pushed to", (server, { test, testOnBoth }) => {
  let reading: ReturnType<typeof startReading>;
  beforeAll(() => {
    reading = startReading(server());
  });
  afterAll(() => reading.stop());

  async function newPush() {
    const me = await server().account();
    const { id } = (await me.post(SOURCES, { kind: "push", name: "Blog" })).body.data;
    return { me, id, path: `${SOURCES}/${id}` };
  }
  const push = async (me: Asker, path: string, items: object[]): Promise<Parsed[]> =>
    (await me.post(`${path}/items`, { items })).body.data.results;
  const statuses = (results: Parsed[]) => results.map(({ status }) => status);
  const urls = async (me: Asker) =>
    (await me.get("/api/v1/links")).body.data.items.map(({ url }: Parsed) => url).sort();
  const links = (...hrefs: string[]) => hrefs.map((url, i) => ({ url, text: "a", line: i + 1 }));

  testOnBoth(
    "stores what stands on each page, and the same a second time without a change",
    async () => {
      const { me, path } = await newPush();
      const items = [
        { page_url: PAGE, title: "One", links: links("https://a.test/", "/b", "mailto:x@a.test") },
        {
          page_url: "https://blog.test/p/2",
          content_type: "text/html",
          content: '<title>Two</title><p><a href="../c#d">words</a>',
        },
        { page_url: "ftp://blog.test/", links: [] },
      ];

      const first = await push(me, path, items);
      const second = await push(me, path, items);

      expect(statuses(first)).toEqual(["stored", "stored", "failed"]);
      expect(first[2].error).toMatchObject({ code: "VALIDATION_ERROR" });
      expect(statuses(second)).toEqual(["unchanged", "unchanged", "failed"]);
      expect(await urls(me)).toEqual([
        "https://a.test/",
        "https://blog.test/b",
        "https://blog.test/c",
      ]);
      const { counts, run } = (await me.get(path)).body.data;
      expect({ counts, run }).toEqual({
        counts: { pages: 2, links: 3, dead: 0, places: 3 },
        run: null,
      });
      const { items: pages } = (await me.get(`${path}/pages`)).body.data;
      expect(pages.map(({ title }: Parsed) => title)).toEqual(["One", "Two"]);
      const { places } = (await me.get(`${path}/pages/${pages[1].id}`)).body.data;
      expect(places).toMatchObject([{ line: 1, text: "words", fragment: "d" }]);
    },
  );

  testOnBoth(
    "replaces what stood on a page; a link without a place leaves after 7 days",
    async () => {
      const { me, path } = await newPush();
      await push(me, path, [
        { page_url: PAGE, links: links("https://a.test/", "https://b.test/") },
      ]);

      await push(me, path, [{ page_url: PAGE, links: links("https://b.test/") }]);
      expect((await me.get(path)).body.data.counts).toMatchObject({ links: 2, places: 1 });
      server().clock.moveBy(6 * DAY_MS);
      reading.wake();
      expect(await urls(me)).toHaveLength(2);
      server().clock.moveBy(DAY_MS);
      reading.wake();
      await untilIs("links", async () => (await urls(me)).length, 1);

      const removed = (
        await me.post(`${path}/items/delete`, { page_urls: [PAGE, "https://blog.test/none"] })
      ).body.data.results;
      expect(statuses(removed)).toEqual(["deleted", "missing"]);
      expect((await me.get(path)).body.data.counts).toMatchObject({
        pages: 0,
        places: 0,
        links: 1,
      });
      server().clock.moveBy(7 * DAY_MS);
      reading.wake();
      await untilIs("links", async () => (await urls(me)).length, 0);
    },
  );

  testOnBoth("keeps one of a hundred pushes to the same page at once", async () => {
    const { me, path } = await newPush();
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        push(me, path, [{ page_url: PAGE, links: links(`https://l${i % 7}.test/`) }]),
      ),
    );
    const { counts } = (await me.get(path)).body.data;
    expect(counts).toMatchObject({ pages: 1, places: 1 });
  });

  test("refuses what is not right, and pushes to a source that is read", async () => {
    const { me, path } = await newPush();
    const list = { kind: "list", name: "List", url: "https://docs.test/l", paused: true };
    const { id } = (await me.post(SOURCES, list)).body.data;
    const wrong = await me.post(`${SOURCES}/${id}/items`, {
      items: [{ page_url: PAGE, links: [] }],
    });
    expect(wrong.body.error.details).toMatchObject({ reason: "wrong_kind" });
    const neither = await me.post(`${path}/items`, { items: [{ page_url: PAGE }] });
    expect(neither.body.error.details.fields).toHaveProperty(["items[0].links"]);
    expect((await me.post(`${path}/run`)).body.error.details).toMatchObject({
      reason: "wrong_kind",
    });
    const stranger = await server().account();
    expect((await stranger.post(`${path}/items`, { items: [] })).status).toBe(400);
    const items = [{ page_url: PAGE, links: [] }];
    expect((await stranger.post(`${path}/items`, { items })).status).toBe(403);
  });
});
