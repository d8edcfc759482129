import { afterAll, beforeAll, expect } from "bun:test";
import { onServer, type Parsed } from "../../tests/harness.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { untilIs } from "../../tests/until.ts";

const HOUR_MS = 3_600_000;

onServer("The links of a list at a URL", (server, { test, testOnBoth }) => {
  let site: Site;
  let lines: string[];
  let reading: ReturnType<typeof startReading>;
  let says: () => Response;
  beforeAll(() => {
    site = startSite({ "/list.txt": () => says() });
    reading = startReading(server());
  });
  afterAll(() => Promise.all([reading.stop(), site.stop()]));

  async function newList(first: string[]) {
    lines = first;
    says = () => new Response(lines.join("\n"));
    const me = await server().account();
    const source = await reading.add(me, { kind: "list", url: `${site.url}/list.txt` });
    const read = async (then: string[], body = {}) => {
      lines = then;
      return reading.again(me, source.id, body);
    };
    const urls = async () =>
      (await me.get("/api/v1/links")).body.data.items.map(({ url }: Parsed) => url).sort();
    return { me, source, read, urls };
  }

  const URLS = Array.from({ length: 10 }, (_, i) => `https://l${i}.test/`);

  test("are made, with the place of each", async () => {
    const { me, source, urls } = await newList(["https://a.test/", "https://b.test/x#y", "none"]);

    expect(source.run).toMatchObject({ status: "complete", links: { new: 2, refused: 1 } });
    const { data: run } = (await me.get(`${SOURCES}/${source.id}/runs/${source.run.id}`)).body;
    expect(run).toEqual(source.run);
    expect(source.run.errors).toMatchObject([{ url: "none", page_url: `${site.url}/list.txt` }]);
    expect(source.counts).toMatchObject({ pages: 1, links: 2, places: 2 });
    expect(await urls()).toEqual(["https://a.test/", "https://b.test/x"]);
    const { items } = (await me.get("/api/v1/links?search=b.test")).body.data;
    const found = (await me.get(`/api/v1/links/${items[0].id}/occurrences`)).body.data;
    expect(found.items).toMatchObject([
      { source_name: "Docs", page_url: `${site.url}/list.txt`, line: 2, fragment: "y" },
    ]);
    expect(found.pagination.total).toBe(1);
    const pages = (await me.get(`${SOURCES}/${source.id}/pages`)).body.data.items;
    expect(pages).toMatchObject([{ state: "read", status_code: 200, counts: { places: 2 } }]);
    const page = (await me.get(`${SOURCES}/${source.id}/pages/${pages[0].id}`)).body.data;
    expect(page.places.map(({ line, link }: Parsed) => [line, link.url])).toEqual([
      [1, "https://a.test/"],
      [2, "https://b.test/x"],
    ]);
  });

  testOnBoth(
    "leave after three complete runs and 72 hours without a place, and return with their history",
    async () => {
      const { me, source, read, urls } = await newList(URLS);
      const gone = URLS[3]!;
      const { items } = (await me.get("/api/v1/links?search=l3.test")).body.data;
      const left = URLS.filter((url) => url !== gone);

      const runs = [await read(left), await read(left), await read(left)];
      expect(runs.map(({ run }) => [run.status, run.links.missing, run.links.retired])).toEqual([
        ["complete", 1, 0],
        ["complete", 1, 0],
        ["complete", 1, 0],
      ]);
      expect(await urls()).toEqual(URLS);

      server().clock.moveBy(72 * HOUR_MS);
      expect((await read(left)).run.links).toMatchObject({ retired: 1 });
      expect(await urls()).toEqual(left);

      const back = await read(URLS);
      expect(back.run.links).toMatchObject({ returned: 1, new: 0, missing: 0 });
      const again = (await me.get("/api/v1/links?search=l3.test")).body.data.items;
      expect(again[0].id).toBe(items[0].id);
      expect(back.counts.links).toBe(URLS.length);
      expect(source.id).toBe(back.id);
    },
  );

  test("stay if the list cannot be read, is cut off, empty, or has become something else", async () => {
    const { me, source, urls } = await newList(URLS);
    const broken: [reason: string, status: string, () => Response][] = [
      ["not_found", "failed", () => new Response("", { status: 404 })],
      ["unauthorized", "failed", () => new Response("", { status: 401 })],
      ["unreachable", "failed", () => new Response("", { status: 500 })],
      ["cut_off", "failed", () => new Response("")],
      ["cut_off", "failed", () => new Response('[{"url": "https://l1.test/"},')],
    ];
    for (const [reason, status, response] of broken) {
      says = response;
      const { run, failing_since } = await reading.again(me, source.id);
      expect([reason, run.status, run.reason]).toEqual([reason, status, reason]);
      expect(failing_since).not.toBeNull();
    }
    expect(await urls()).toEqual(URLS);

    says = () => new Response(URLS.join("\n"));
    const whole = await reading.again(me, source.id);
    expect(whole).toMatchObject({ failing_since: null, run: { links: { new: 0, missing: 0 } } });
  });

  testOnBoth(
    "are not taken away from a list that has shrunk, until a person accepts it",
    async () => {
      const { read } = await newList([...URLS, ...URLS.map((url) => `${url}x`), "https://z.test/"]);
      const half = URLS.slice(5);

      const shrunken = await read(half);
      expect(shrunken.run).toMatchObject({ status: "incomplete", reason: "shrunken" });
      expect(shrunken.failing_since).not.toBeNull();
      expect(shrunken.counts).toMatchObject({ links: 21, places: 21 });

      const accepted = await read(half, { accept_shrink: true });
      expect(accepted.run).toMatchObject({ status: "complete", links: { missing: 16 } });
      expect(accepted.counts.places).toBe(5);
    },
  );

  testOnBoth("are pinned, or leave as well, when the source is deleted", async () => {
    const { me, source, urls } = await newList(URLS);
    await me.delete(`${SOURCES}/${source.id}?links=retire`);
    expect((await me.get(`${SOURCES}/${source.id}`)).status).toBe(404);
    reading.wake();
    await untilIs("links", async () => (await urls()).length, 0);

    const kept = await newList(URLS);
    await kept.me.delete(`${SOURCES}/${kept.source.id}`);
    reading.wake();
    await untilIs("sources", async () => (await kept.me.get(SOURCES)).body.data.items.length, 0);
    expect(await kept.urls()).toEqual(URLS);
  });

  test("that two sources have leave with the second", async () => {
    const { me, source, urls } = await newList(URLS);
    const other = await reading.add(me, {
      kind: "list",
      url: `${site.url}/list.txt`,
      name: "Other",
    });
    expect(other.run.links).toMatchObject({ new: 0, kept: URLS.length });

    await me.delete(`${SOURCES}/${source.id}?links=retire`);
    await reading.again(me, other.id);
    expect(await urls()).toEqual(URLS);
  });
});
