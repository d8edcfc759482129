import { expect } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../tests/rows.ts";

const path = "/api/v1/links";
const idsIn = (body: { data: { items: { id: string }[] } }) => body.data.items.map(({ id }) => id);

onServer("GET /links", (server, { test, testOnBoth }) => {
  test("lists links newest first, as records without evidence", async () => {
    const me = await server().account();
    const first = await addLink(me);
    server().clock.moveBy(1000);
    const second = await addLink(me);

    const { status, body } = await me.get(path);

    expect(status).toBe(200);
    expect(idsIn(body)).toEqual([second, first]);
    expect(body.data.items[0]).not.toHaveProperty("evidence");
  });

  test("links of one moment keep one order over all pages", async () => {
    const me = await server().account();
    const links = Array.from({ length: 25 }, (_, i) => ({ url: `https://example.org/${i}` }));
    await me.post(`${path}/batch`, { links });

    const seen: string[] = [];
    for (let page = 1; page <= 4; page++)
      seen.push(...idsIn((await me.get(`${path}?per_page=7&page=${page}`)).body));

    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  test("can be narrowed to a status; a running check hides the settled one", async () => {
    const me = await server().account();
    const [dead, active, checking] = [await addLink(me), await addLink(me), await addLink(me)];
    await setLink(server(), dead, { status: "dead" });
    await setLink(server(), active, { status: "active" });
    await setLink(server(), checking, { status: "dead" });
    await me.post(`${path}/${checking}/check`);

    for (const [status, id] of [
      ["dead", dead],
      ["active", active],
      ["checking", checking],
    ]) {
      const { body } = await me.get(`${path}?status=${status}`);
      expect([idsIn(body), body.data.pagination.total]).toEqual([[id], 1]);
    }
  });

  test("a check that never ended hides nothing for longer than its lease", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await me.post(`${path}/${link}/check`);
    server().clock.moveBy(120_000);

    expect(idsIn((await me.get(`${path}?status=checking`)).body)).toEqual([]);
    expect(idsIn((await me.get(`${path}?status=unknown`)).body)).toEqual([link]);
  });

  test("can be narrowed to a group; an unknown or foreign one is empty", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { group_id: group });
    await addLink(me);
    const foreign = await addGroup(await server().account());

    const found = await me.get(`${path}?group_id=${group.toUpperCase()}`);

    expect([idsIn(found.body), found.body.data.pagination.total]).toEqual([[link], 1]);
    for (const id of [NO_ID, foreign]) {
      const { status, body } = await me.get(`${path}?group_id=${id}`);
      expect([status, idsIn(body), body.data.pagination.total]).toEqual([200, [], 0]);
    }
  });

  test("can be narrowed to the links in no group, and to those checked so often", async () => {
    const me = await server().account();
    const link = await addLink(me, { check_frequency: "weekly" });
    const grouped = await addLink(me, { group_id: await addGroup(me) });

    expect(idsIn((await me.get(`${path}?group_id=none`)).body)).toEqual([link]);
    expect(idsIn((await me.get(`${path}?check_frequency=weekly`)).body)).toEqual([link]);
    expect(idsIn((await me.get(`${path}?check_frequency=daily`)).body)).toEqual([grouped]);
    expect(idsIn((await me.get(`${path}?check_frequency=hourly`)).body)).toEqual([]);
  });

  test("can be sorted by when they were made, by when they changed, and by URL", async () => {
    const me = await server().account();
    const [b, c, a] = [
      await addLink(me, { url: "https://b.test/" }),
      await addLink(me, { url: "https://c.test/" }),
      await addLink(me, { url: "https://a.test/" }),
    ];
    await setLink(server(), c, { statusChangedAt: 1, status: "dead" });
    await setLink(server(), a, { statusChangedAt: 2, status: "active" });

    for (const [sort, rising] of [
      ["created_at", [b, c, a]],
      ["status_changed_at", [c, a, b]],
      ["url", [a, b, c]],
    ] as const) {
      expect(idsIn((await me.get(`${path}?sort=${sort}`)).body)).toEqual([...rising]);
      expect(idsIn((await me.get(`${path}?sort=-${sort}`)).body)).toEqual(rising.toReversed());
      const second = await me.get(`${path}?sort=${sort}&per_page=1&page=2`);
      expect([idsIn(second.body), second.body.data.pagination.total]).toEqual([[rising[1]], 3]);
    }
  });

  test("can list dead links first, then unknown ones, each by the latest change", async () => {
    const me = await server().account();
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push(await addLink(me));
    const statuses = ["active", "dead", "unknown", "dead", "active", "unknown", "dead"] as const;
    for (const [n, status] of statuses.entries())
      await setLink(server(), ids[n]!, { status, statusChangedAt: n % 4 });
    const expected = [3, 6, 1, 2, 5, 4, 0].map((n) => ids[n]!);

    expect(idsIn((await me.get(`${path}?sort=dead_first`)).body)).toEqual(expected);
    for (const page of [1, 2, 3]) {
      const { body } = await me.get(`${path}?sort=dead_first&per_page=3&page=${page}`);
      expect(idsIn(body)).toEqual(expected.slice(3 * page - 3, 3 * page));
      expect(body.data.pagination.total).toBe(7);
    }
    const { body } = await me.get(`${path}?sort=dead_first&status=dead`);
    expect(idsIn(body)).toEqual(expected.slice(0, 3));
  });

  test("can be narrowed to a site and to a reason, also to change, check or delete them", async () => {
    const me = await server().account();
    const [a, b, c] = [
      await addLink(me, { url: "https://docs.a.test/1" }),
      await addLink(me, { url: "https://www.a.test/2" }),
      await addLink(me, { url: "https://docs.b.test/3" }),
    ];
    const dead = { status: "dead", reason: "http_404" } as const;
    for (const id of [a, c]) await setLink(server(), id, dead);
    const found = async (query: string) => idsIn((await me.get(`${path}?${query}`)).body);

    expect(await found("site=A.test")).toEqual([b, a]);
    expect(await found("site=docs.a.test")).toEqual([]);
    expect(await found("reason=http_404")).toEqual([c, a]);
    expect(await found("site=a.test&reason=http_404&sort=dead_first")).toEqual([a]);
    expect(await found("site=a.test&status=dead")).toEqual([a]);
    const { error } = (await me.get(`${path}?reason=no-such`)).body;
    expect(error.details.fields).toEqual({ reason: ["must be a reason: a-z, 0-9 and _"] });

    const filter = { site: "a.test", reason: "http_404" };
    const change = { check_frequency: "weekly" };
    const changed = await me.post(`${path}/batch-change`, { filter, change });
    expect(changed.body.data.summary.changed).toBe(1);
    expect((await me.post(`${path}/check`, { filter })).body.data.summary.started).toBe(1);
    expect((await me.get(`${path}/export?site=a.test&reason=http_404`)).status).toBe(200);
    const deleted = await me.post(`${path}/batch-delete`, { filter });
    expect(deleted.body.data.summary.deleted).toBe(1);
    expect(await found("")).toEqual([c, b]);
  });

  test("can be narrowed to those created between two links, which may be deleted by then", async () => {
    const me = await server().account();
    const other = await server().account();
    const next = async () => {
      await addLink(other);
      return addLink(me);
    };
    const [a, b, c] = [await next(), await next(), await next()];
    const [d, e] = [await next(), await next()];
    const range = `created_from=${b}&created_to=${d.toUpperCase()}`;
    const found = async (query: string) => idsIn((await me.get(`${path}?${query}`)).body);

    expect(await found(range)).toEqual([d, c, b]);
    expect(await found(`created_from=${d}`)).toEqual([e, d]);
    expect(await found(`created_to=${a}&sort=dead_first`)).toEqual([a]);
    expect(await found(`${range}&status=dead`)).toEqual([]);
    expect(await found(`${range}&handling=open&per_page=1&page=2`)).toEqual([c]);
    expect(await found(`created_from=${e}&created_to=${a}`)).toEqual([]);
    await me.delete(`${path}/${b}`);
    expect(await found(range)).toEqual([d, c]);
    const { error } = (await me.get(`${path}?created_from=yesterday`)).body;
    expect(error.details.fields).toEqual({ created_from: ["must be the id of a link"] });

    const filter = { created_from: b, created_to: d };
    const deleted = await me.post(`${path}/batch-delete`, { filter });
    expect(deleted.body.data.summary.deleted).toBe(2);
    expect(await found("")).toEqual([e, a]);
  });

  testOnBoth("can be narrowed to those whose status is as old as wanted", async () => {
    const me = await server().account();
    const [old, late, alive] = [await addLink(me), await addLink(me), await addLink(me)];
    const at = (day: number) => Date.UTC(2030, 0, day, 12);
    await setLink(server(), old, { status: "dead", statusChangedAt: at(3) });
    await setLink(server(), late, { status: "dead", statusChangedAt: at(5) });
    await setLink(server(), alive, { status: "active", statusChangedAt: at(5) });
    const found = async (query: string) => idsIn((await me.get(`${path}?${query}`)).body);

    expect(await found("changed_after=2030-01-05")).toEqual([alive, late]);
    expect(await found("changed_after=2030-01-04&status=dead")).toEqual([late]);
    expect(await found("changed_before=2030-01-03&sort=dead_first")).toEqual([old]);
    expect(await found("changed_before=2030-01-03T11:59:59Z")).toEqual([]);
    expect(await found("changed_after=2030-01-03&changed_before=2030-01-05&handling=open")).toEqual(
      [alive, late, old],
    );
    const { error } = (await me.get(`${path}?changed_after=yesterday`)).body;
    expect(error.details.fields.changed_after[0]).toContain("RFC 3339");

    const view = { name: "Died in May", filter: { changed_after: "2030-05-01", status: "dead" } };
    const saved = (await me.post("/api/v1/views", { ...view, is_shared: true })).body.data;
    expect(saved.filter).toEqual({ status: "dead", changed_after: "2030-05-01T00:00:00.000Z" });
    const filter = { changed_before: "2030-01-04" };
    const deleted = await me.post(`${path}/batch-delete`, { filter });
    expect(deleted.body.data.summary.deleted).toBe(1);
  });

  test("can be narrowed to a service; one that is unknown is empty", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, { service: "youtube" });
    await addLink(me);

    expect(idsIn((await me.get(`${path}?service=youtube`)).body)).toEqual([link]);
    expect(idsIn((await me.get(`${path}?service=not-yet-made`)).body)).toEqual([]);
  });

  eachRow([
    ["ONE", ["https://example.org/one"]],
    ["%25_x", ["https://example.org/100%_x"]],
    ["a,b", ["https://example.org/a,b"]],
    ["[1]", ["https://example.org/[1]"]],
    ["q=1%2B1", ["https://example.org/?q=1+1"]],
    ["nowhere", []],
    ["\\", []],
  ])("searches the URL for %p as it stands", async (search, expected) => {
    const me = await server().account();
    for (const end of ["one", "100%_x", "100ax", "a,b", "[1]", "?q=1+1"])
      await me.post(path, { url: `https://example.org/${end}` });

    const { body } = await me.get(`${path}?search=${search}`);

    expect(body.data.items.map((link: { url: string }) => link.url)).toEqual(expected);
    expect(body.data.pagination.total).toBe(expected.length);
  });

  test("an empty search is none, and all filters must hold", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const both = await addLink(me, { url: "https://example.org/both", group_id: group });
    await addLink(me, { url: "https://example.org/both-not" });
    await addLink(me, { group_id: group });

    expect(idsIn((await me.get(`${path}?search=`)).body)).toHaveLength(3);
    const query = `search=both&group_id=${group}&status=unknown&service=generic`;
    expect(idsIn((await me.get(`${path}?${query}`)).body)).toEqual([both]);
  });

  test("a search has at most 255 characters, of any kind", async () => {
    const me = await server().account();
    const search = (text: string) => me.get(`${path}?search=${encodeURIComponent(text)}`);

    expect((await search("😀".repeat(255))).status).toBe(200);
    for (const text of ["x".repeat(256), "😀".repeat(256), "a\u0000b", "a\u0007b"])
      expect((await search(text)).status).toBe(400);
  });
});
