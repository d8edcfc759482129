import { afterAll, beforeAll, expect } from "bun:test";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { until, untilIs } from "../../tests/until.ts";
import { newId } from "../ground/lib/ids.ts";

const LINKS = "/api/v1/links";
const HOUR_MS = 3_600_000;

onServer("A link of a source", (server, { test, testOnBoth }) => {
  let site: Site;
  let reading: ReturnType<typeof startReading>;
  const lists: Record<string, string[]> = {};
  beforeAll(() => {
    site = startSite(
      {},
      { otherwise: (request) => new Response(lists[new URL(request.url).pathname]!.join("\n")) },
    );
    reading = startReading(server());
  });
  afterAll(() => Promise.all([reading.stop(), site.stop()]));

  const addList = (me: Asker, path: string, lines: string[], more = {}) => {
    lists[path] = lines;
    return reading.add(me, { kind: "list", url: site.url + path, name: path, ...more });
  };

  const find = async (me: Asker, url: string): Promise<Parsed> =>
    (await me.get(`${LINKS}?search=${encodeURIComponent(url)}`)).body.data.items[0];

  /** Retires all links that only the source has. */
  async function retire(me: Asker, id: string) {
    await me.delete(`${SOURCES}/${id}?links=retire`);
    reading.wake();
    await untilIs("sources", async () => (await me.get(SOURCES)).body.data.items.length, 0);
    await until("pinned links", async () => (await me.get(LINKS)).body.data.items.every(isPinned));
  }
  const isPinned = ({ pinned }: Parsed) => pinned;

  test("says how many sources have it, in how many places, and whether it stays without them", async () => {
    const me = await server().account();
    const own = (await me.post(LINKS, { url: "https://own.test/" })).body.data;
    expect(own).toMatchObject({ pinned: true, sources: 0, places: 0, retired_at: null });
    await addList(me, "/one", ["https://own.test/", "https://a.test/", "https://a.test/#b"]);
    await addList(me, "/two", ["https://a.test/"]);

    expect(await find(me, "own.test")).toMatchObject({ pinned: true, sources: 1, places: 1 });
    const found = await find(me, "a.test");
    expect(found).toMatchObject({ pinned: false, sources: 2, places: 3, tags: [] });
    expect((await me.get(`${LINKS}/${found.id}`)).body.data).toMatchObject({
      pinned: false,
      sources: 2,
      places: 3,
      retired_at: null,
      tags: [],
    });
    expect((await me.get("/api/v1/tags")).body.data.items).toEqual([]);
  });

  testOnBoth(
    "is pinned by a person, alone or with others, and by an upsert that names it",
    async () => {
      const me = await server().account();
      const urls = ["https://a.test/", "https://b.test/", "https://c.test/"];
      const source = await addList(me, "/pins", urls);
      const [a, b, c] = await Promise.all(urls.map((url) => find(me, url)));

      const pinned = await me.patch(`${LINKS}/${a.id}`, { pinned: true });
      expect(pinned.body.data).toMatchObject({ pinned: true, sources: 1, places: 1 });
      const change = { link_ids: [b.id], change: { pinned: true } };
      await me.post(`${LINKS}/batch-change`, change);
      await me.patch(`${LINKS}/${c.id}`, { external_id: "c", pinned: false });
      const named = await me.post(`${LINKS}/upsert`, { links: [{ external_id: "c" }] });
      expect(named.body.data.results).toMatchObject([{ status: "updated" }]);
      const again = await me.post(`${LINKS}/upsert`, { links: [{ external_id: "c" }] });
      expect(again.body.data.results).toMatchObject([{ status: "unchanged" }]);
      const bad = await me.patch(`${LINKS}/${a.id}`, { pinned: "yes" });
      expect([bad.status, Object.keys(bad.body.error.details.fields)]).toEqual([400, ["pinned"]]);

      await retire(me, source.id);
      // All of them are pinned before the source has let go of them.
      await untilIs("its sources", async () => (await find(me, "a.test")).sources, 0, {
        everyMs: 20,
      });
      expect((await me.get(LINKS)).body.data.items.map(({ url }: Parsed) => url).sort()).toEqual(
        urls,
      );
      expect(await find(me, "a.test")).toMatchObject({ pinned: true, sources: 0, places: 0 });
    },
  );

  testOnBoth("is only read once it is retired", async () => {
    const me = await server().account();
    const other = await server().account();
    const group = (await me.post("/api/v1/groups", { name: "Docs" })).body.data;
    const source = await addList(me, "/retired", ["https://r.test/"], { group_id: group.id });
    const { id } = await find(me, "r.test");
    await me.patch(`${LINKS}/${id}`, { note: "ours", tags: ["docs"], external_id: "r" });
    await retire(me, source.id);
    await me.delete(`/api/v1/groups/${group.id}`);

    const path = `${LINKS}/${id}`;
    const shown = (await me.get(path)).body.data;
    expect(shown).toMatchObject({ id, url: "https://r.test/", note: "ours", tags: ["docs"] });
    expect(shown).toMatchObject({ sources: 0, places: 0, group_id: null });
    expect(shown.retired_at).toBe(new Date(server().clock.now()).toISOString());
    for (const part of ["history", "runs", "stats", "events", "timeline", "raw", "occurrences"])
      expect([part, (await me.get(`${path}/${part}`)).status]).toEqual([part, 200]);
    expect((await me.get(`/api/v1/history?link_id=${id}`)).status).toBe(200);
    expect((await other.get(path)).status).toBe(403);

    const refused = [
      await me.patch(path, { note: "x" }),
      await me.post(`${path}/check`),
      await me.post(`${path}/url`, { url: "https://new.test/" }),
    ];
    for (const { status, body } of refused)
      expect([status, body.error.details.reason]).toEqual([409, "retired"]);
    const named = { link_ids: [id] };
    const change = await me.post(`${LINKS}/batch-change`, { ...named, change: { pinned: true } });
    expect(change.body.data.results).toMatchObject([
      { status: "failed", error: { status: 409, details: { reason: "retired" } } },
    ]);
    expect((await other.patch(path, { note: "x" })).status).toBe(403);

    expect((await me.delete(path)).status).toBe(204);
    expect((await me.get(path)).status).toBe(404);
    const made = (await me.post(LINKS, { url: "https://r.test/" })).body.data;
    expect(made.id).not.toBe(id);
  });

  testOnBoth("returns under its id when it is added by hand, and is pinned then", async () => {
    const me = await server().account();
    const group = (await me.post("/api/v1/groups", { name: "Gone" })).body.data;
    const hook = { url: "https://ops.example.org/hook", events: ["link.created", "link.deleted"] };
    await me.post("/api/v1/webhooks", hook);
    const source = await addList(me, "/returns", ["https://r.test/"], { group_id: group.id });
    const { id, created_at } = await find(me, "r.test");
    await me.patch(`${LINKS}/${id}`, { note: "ours", tags: ["docs"], external_id: "r" });
    await retire(me, source.id);
    await me.delete(`/api/v1/groups/${group.id}`);
    server().clock.moveBy(40 * 24 * HOUR_MS);

    const back = await me.post(LINKS, { url: "https://r.test/#part", title: "Back" });
    expect(back.status).toBe(201);
    expect(back.body.data).toMatchObject({
      id,
      created_at,
      pinned: true,
      sources: 0,
      title: "Back",
    });
    const shown = (await me.get(`${LINKS}/${id}`)).body.data;
    expect(shown).toMatchObject({ note: "ours", tags: ["docs"], external_id: "r" });
    expect(shown).toMatchObject({ retired_at: null, group_id: null });
    const { items } = (await me.get(`${LINKS}/${id}/events`)).body.data;
    expect(items.map(({ event }: Parsed) => event)).toEqual([
      ...["link.created", "link.deleted", "link.created"],
    ]);
    const now = new Date(server().clock.now()).toISOString();
    expect(items[0].created_at.slice(0, 10)).toBe(now.slice(0, 10));
    expect((await me.get("/api/v1/tags")).body.data.items).toMatchObject([
      { counts: { unknown: 1 } },
    ]);
  });

  test("returns with a source in no group if its group is gone", async () => {
    const me = await server().account();
    const group = (await me.post("/api/v1/groups", { name: "Gone" })).body.data;
    const first = await addList(me, "/first", ["https://g.test/"], { group_id: group.id });
    const { id } = await find(me, "g.test");
    await retire(me, first.id);
    await me.delete(`/api/v1/groups/${group.id}`);

    const second = await addList(me, "/second", ["https://g.test/"]);
    expect(second.run).toMatchObject({ status: "complete", links: { returned: 1 } });
    expect(await find(me, "g.test")).toMatchObject({ id, group_id: null, pinned: false });
  });

  testOnBoth("returns as the link that was retired last, if several had its URL", async () => {
    const me = await server().account();
    const first = await addList(me, "/had-first", ["https://same.test/"]);
    const { id: old } = await find(me, "same.test");
    await retire(me, first.id);
    server().clock.moveBy(1000);
    const second = await addList(me, "/had-second", ["https://other.test/"]);
    const { id } = await find(me, "other.test");
    await me.post(`${LINKS}/${id}/url`, { url: "https://same.test/" });
    await me.patch(`${LINKS}/${id}`, { pinned: false });
    await retire(me, second.id);
    expect((await me.get(LINKS)).body.data.items).toEqual([]);
    expect((await me.get("/api/v1/sites")).body.data.items).toEqual([]);

    expect((await me.post(LINKS, { url: "https://same.test/" })).body.data.id).toBe(id);
    expect((await me.get(LINKS)).body.data.pagination.total).toBe(1);
    expect((await me.get(`${LINKS}/${old}`)).body.data.retired_at).not.toBeNull();
  });

  testOnBoth("is found by its source in lists, exports, batches and changes of many", async () => {
    const me = await server().account();
    const other = await server().account();
    await me.post(LINKS, { url: "https://own.test/" });
    const lines = Array.from({ length: 5 }, (_, i) => `https://s${i}.test/`);
    const one = await addList(me, "/filter", lines);
    const two = await addList(me, "/filtered", ["https://s0.test/", "https://t.test/"]);
    const urls = (items: Parsed[]) => items.map(({ url }) => url).sort();
    const list = async (query: string) => {
      const { status, body } = await me.get(`${LINKS}?${query}`);
      expect(status).toBe(200);
      const { items, pagination } = body.data;
      expect(pagination.total).toBe(items.length);
      return urls(items);
    };

    expect(await list(`source_id=${one.id}`)).toEqual(lines);
    expect(await list(`source_id=${one.id}&sort=url`)).toEqual(lines);
    expect(await list(`source_id=${one.id}&search=s3`)).toEqual(["https://s3.test/"]);
    expect(await list(`source_id=${one.id}&status=dead`)).toEqual([]);
    expect(await list(`source_id=${two.id}&status=unknown&sort=dead_first`)).toEqual([
      ...["https://s0.test/", "https://t.test/"],
    ]);
    expect(await list("source_id=none")).toEqual(["https://own.test/"]);
    expect(await list("source_id=none&search=t.test")).toEqual([]);
    expect(await list(`source_id=${newId()}`)).toEqual([]);
    expect((await other.get(`${LINKS}?source_id=${one.id}`)).body.data.items).toEqual([]);
    expect((await me.get(`${LINKS}?source_id=x`)).status).toBe(400);

    const csv = (await me.get(`/api/v1/links/export?source_id=${two.id}`)).body as string;
    expect(csv.trim().split("\r\n")).toHaveLength(3);
    const none = (await me.get("/api/v1/links/export?source_id=none")).body as string;
    expect(none).toContain("https://own.test/");
    expect(none.trim().split("\r\n")).toHaveLength(2);

    const filter = { source_id: two.id };
    const batch = await me.post(`${LINKS}/check`, { filter });
    expect(batch.body.data.summary).toMatchObject({ total: 2, started: 2 });
    const change = { filter, change: { add_tags: ["two"] } };
    expect((await me.post(`${LINKS}/batch-change`, change)).body.data.summary.changed).toBe(2);
    expect(await list(`tag=two&source_id=${one.id}`)).toEqual(["https://s0.test/"]);
    const gone = await me.post(`${LINKS}/batch-delete`, { filter: { source_id: one.id } });
    expect(gone.body.data.summary.deleted).toBe(5);
    expect(await list("")).toEqual(["https://own.test/", "https://t.test/"]);
  });

  test("is nothing where its source is unknown, or is another account's", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const mine = await addList(me, "/mine", ["https://shared.test/", "https://mine.test/"]);
    const theirs = await addList(other, "/theirs", [
      "https://shared.test/",
      "https://theirs.test/",
    ]);
    const shared = await find(me, "shared.test");
    const rowsAt = async (path: string) => {
      const { status, body } = await me.get(path);
      return [status, (body as string).trimEnd().split("\r\n").length - 1];
    };
    const itemsAt = async (path: string) => {
      const { status, body } = await me.get(path);
      return [status, body.data.items.length, body.data.pagination.total];
    };
    const summaryOf = async (path: string, more: object, id: string) => {
      const { status, body } = await me.post(path, { filter: { source_id: id }, ...more });
      return [status < 300, body.data.summary];
    };
    const seen = async (id: string) => ({
      list: await itemsAt(`${LINKS}?source_id=${id}`),
      found: await itemsAt(`${LINKS}?source_id=${id}&search=test`),
      export: await rowsAt(`${LINKS}/export?source_id=${id}`),
      occurrences: await itemsAt(`${LINKS}/${shared.id}/occurrences?source_id=${id}`),
      places: await rowsAt(`/api/v1/exports/occurrences?source_id=${id}`),
    });

    expect(await seen(mine.id)).toEqual({
      list: [200, 2, 2],
      found: [200, 2, 2],
      export: [200, 2],
      occurrences: [200, 1, 1],
      places: [200, 2],
    });
    const before = (await other.get(LINKS)).body.data.items;
    for (const id of [newId(), theirs.id]) {
      expect(await seen(id)).toEqual({
        list: [200, 0, 0],
        found: [200, 0, 0],
        export: [200, 0],
        occurrences: [200, 0, 0],
        places: [200, 0],
      });
      const checked = await summaryOf(`${LINKS}/check`, {}, id);
      expect(checked).toEqual([true, expect.objectContaining({ total: 0, started: 0 })]);
      const change = { change: { add_tags: ["x"] } };
      const changed = await summaryOf(`${LINKS}/batch-change`, change, id);
      expect(changed).toEqual([true, expect.objectContaining({ changed: 0, failed: 0 })]);
      const deleted = await summaryOf(`${LINKS}/batch-delete`, {}, id);
      expect(deleted).toEqual([true, expect.objectContaining({ deleted: 0 })]);
    }
    expect((await other.get(LINKS)).body.data.items).toEqual(before);
    expect((await me.get(LINKS)).body.data.pagination.total).toBe(2);
  });
});
