import { afterAll, beforeAll, expect } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { untilIs } from "../../tests/until.ts";
import { deleteAccount } from "../accounts/delete.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { sourceRuns } from "../ground/db/tables.ts";
import { newId } from "../ground/lib/ids.ts";
import { OPERATOR } from "../http/caller.ts";

const LINKS = "/api/v1/links";
const DAY_MS = 86_400_000;

onServer("What sources have", (server, { testOnBoth }) => {
  let site: Site;
  let reading: ReturnType<typeof startReading>;
  const lists: Record<string, string[]> = {};
  beforeAll(() => {
    site = startSite(
      {},
      {
        otherwise: (request) => new Response(lists[new URL(request.url).pathname]!.join("\n")),
      },
    );
    reading = startReading(server());
  });
  afterAll(() => Promise.all([reading.stop(), site.stop()]));

  const addList = (me: Asker, path: string, lines: string[], more = {}) => {
    lists[path] = lines;
    return reading.add(me, { kind: "list", url: site.url + path, name: path, ...more });
  };
  const listed = async (me: Asker): Promise<Parsed[]> => (await me.get(LINKS)).body.data.items;
  const find = async (me: Asker, text: string): Promise<Parsed> =>
    (await listed(me)).find(({ url }) => url.includes(text));
  const count = async (table: string): Promise<number> =>
    Number(
      (
        (await server().deps.store.all(sql.raw(`select count(*) from ${table}`))) as [number][]
      )[0]![0],
    );

  testOnBoth("is created again without its history after it was deleted by hand", async () => {
    const me = await server().account();
    const source = await addList(me, "/again", ["https://a.test/", "https://b.test/"]);
    const { id } = await find(me, "a.test");

    expect((await me.delete(`${LINKS}/${id}`)).status).toBe(204);
    expect((await me.get(`${SOURCES}/${source.id}`)).body.data.counts.links).toBe(1);
    const pages = (await me.get(`${SOURCES}/${source.id}/pages`)).body.data.items;
    expect(pages[0].counts.places).toBe(1);

    // Though the list has not changed.
    const again = await reading.again(me, source.id);
    expect(again.run).toMatchObject({ status: "complete", links: { new: 1, missing: 0 } });
    expect(again.counts).toMatchObject({ links: 2, places: 2 });
    const made = await find(me, "a.test");
    expect(made.id).not.toBe(id);
    expect(made).toMatchObject({ sources: 1, places: 1, pinned: false });
    const same = await reading.again(me, source.id);
    expect(same.run).toMatchObject({ status: "complete", links: { new: 0, missing: 0 } });
  });

  testOnBoth(
    "stays as a person's own when its URL is changed, and the old URL gets a link of its own",
    async () => {
      const me = await server().account();
      const source = await addList(me, "/moved", ["https://old.test/", "https://b.test/"]);
      const { id } = await find(me, "old.test");
      await me.patch(`${LINKS}/${id}`, { external_id: "b" });
      await me.post(`${LINKS}/${id}/url`, { url: "https://new.test/" });
      expect(await find(me, "new.test")).toMatchObject({ id, pinned: true });

      const again = await reading.again(me, source.id);
      expect(again.run).toMatchObject({ status: "complete", links: { new: 1, missing: 1 } });
      expect(await find(me, "old.test")).toMatchObject({ sources: 1, pinned: false });
      expect(await find(me, "new.test")).toMatchObject({ sources: 1, places: 0, pinned: true });

      const b = await find(me, "b.test");
      const upsert = { links: [{ external_id: "b", url: "https://newer.test/" }] };
      expect((await me.post(`${LINKS}/upsert`, upsert)).body.data.summary.updated).toBe(1);
      const last = await reading.again(me, source.id);
      expect(last.run.status).toBe("complete");
      expect((await find(me, "b.test")).id).toBe(b.id);
    },
  );

  testOnBoth(
    "leaves the places of its old URL to a new link, even on thousands of pages",
    async () => {
      const me = await server().account("enterprise");
      const name = "Pushed";
      const { id } = (await me.post(SOURCES, { kind: "push", name })).body.data;
      const links = [{ url: "https://old.test/" }];
      const push = async (hundred: number) => {
        const items = Array.from({ length: 100 }, (_, n) => ({
          page_url: `https://blog.test/${hundred}/${n}`,
          links,
        }));
        expect((await me.post(`${SOURCES}/${id}/items`, { items })).status).toBe(200);
      };
      for (let hundred = 0; hundred < 21; hundred++) await push(hundred);
      const source = await addList(me, "/many", ["https://old.test/", "https://b.test/"]);
      const link = await find(me, "old.test");
      expect(link.places).toBe(2101);

      server().clock.moveBy(1000);
      await me.post(`${LINKS}/${link.id}/url`, { url: "https://new.test/" });
      await push(20);
      await reading.again(me, source.id);

      expect(await find(me, "new.test")).toMatchObject({ id: link.id, places: 2000, pinned: true });
      expect(await find(me, "old.test")).toMatchObject({ places: 101, pinned: false });
    },
  );

  testOnBoth("goes with the account, and nothing of others does", async () => {
    const me = await server().account();
    const other = await server().account();
    const lines = ["https://a.test/", "https://b.test/"];
    const theirs = await addList(other, "/theirs", lines);
    const tables = [
      ...["sources", "source_runs", "source_pages", "source_links", "occurrences"],
      ...["link_details", "link_tags", "link_counts", "links"],
    ];
    const before = await Promise.all(tables.map(count));
    const gone = await addList(me, "/gone", ["https://gone.test/"]);
    await me.delete(`${SOURCES}/${gone.id}?links=retire`);
    reading.wake();
    await untilIs("links", async () => (await listed(me)).length, 0);
    await addList(me, "/mine", lines);
    await me.patch(`${LINKS}/${(await find(me, "a.test")).id}`, { tags: ["mine"] });
    expect((await me.get("/api/v1/account")).body.data.limits).toMatchObject({
      sources: 100,
      sourcesUsed: 1,
    });

    await deleteAccount(server().deps, me.accountId, OPERATOR);

    expect(await Promise.all(tables.map(count))).toEqual(before);
    expect((await reading.again(other, theirs.id)).run).toMatchObject({ links: { kept: 2 } });
  });

  testOnBoth(
    "is forgotten by and by: retired links with the history, runs after 90 days but for the last",
    async () => {
      const { deps, clock } = server();
      const me = await server().account();
      const gone = await addList(me, "/old", ["https://old-one.test/"]);
      const { id } = await find(me, "old-one.test");
      await me.delete(`${SOURCES}/${gone.id}?links=retire`);
      reading.wake();
      await untilIs("links", async () => (await listed(me)).length, 0);
      const source = await addList(me, "/runs", ["https://a.test/"]);
      const [first] = await deps.store
        .select()
        .from(sourceRuns)
        .where(eq(sourceRuns.accountId, me.accountId));
      const runs = Array.from({ length: 150 }, (_, i) => ({
        ...first!,
        runNo: i + 2,
        id: newId(),
        queuedAt: clock.now() - 100 * DAY_MS,
      }));
      await deps.store.insert(sourceRuns).values(runs);
      await deps.store.run(sql`update sources set run_no = 151 where id = ${source.id}`);
      const of = async () =>
        (await me.get(`${SOURCES}/${source.id}/runs`)).body.data.pagination.total;

      await housekeeping(deps);
      // The last 100, and the last complete one.
      expect(await of()).toBe(101);
      expect((await me.get(`${LINKS}/${id}`)).status).toBe(200);

      clock.moveBy((deps.config.historyDays + 1) * DAY_MS);
      await housekeeping(deps);
      expect((await me.get(`${LINKS}/${id}`)).status).toBe(404);
    },
  );
});
