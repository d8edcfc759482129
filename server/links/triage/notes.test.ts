import { expect } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { onServer, type Parsed } from "../../../tests/harness.ts";
import { ALIVE, check, GONE, LINKS, newLink, read, sound } from "../../../tests/triage/playing.ts";

onServer("what is noted about a link", (server, { test, testOnBoth }) => {
  test("is kept, merged and removed", async () => {
    const me = await server().account();
    const path = await newLink(me, {
      title: "Handbook",
      note: "Ask Ada.\nOr Ben.",
      external_id: "p-17",
      tags: ["Docs", " docs ", "Öl"],
      metadata: { cms_id: "1", old: "x" },
    });
    expect(await read(me, path)).toMatchObject({
      title: "Handbook",
      note: "Ask Ada.\nOr Ben.",
      external_id: "p-17",
      tags: ["docs", "öl"],
      metadata: { cms_id: "1", old: "x" },
    });

    await me.patch(path, {
      metadata: { cms_id: "2", old: null, more: "y" },
      title: null,
      tags: [],
    });
    expect(await read(me, path)).toMatchObject({
      title: null,
      note: "Ask Ada.\nOr Ben.",
      tags: [],
      metadata: { cms_id: "2", more: "y" },
    });
    await me.patch(path, { metadata: null, external_id: null, note: "" });
    expect(await read(me, path)).toMatchObject({ metadata: {}, external_id: null, note: null });
  });

  test("21 keys, one after another, are too many", async () => {
    const me = await server().account();
    const path = await newLink(me);
    for (let i = 0; i < 20; i++) await me.patch(path, { metadata: { [`k${i}`]: "x" } });
    const { status, body } = await me.patch(path, { metadata: { k20: "x" } });
    expect(status).toBe(400);
    expect(Object.keys(body.error.details.fields)).toEqual(["metadata"]);
    expect((await me.patch(path, { metadata: { k20: "x", k0: null } })).status).toBe(200);
  });

  test("goes into events, and tags narrow what a webhook gets", async () => {
    const me = await server().account();
    const events = ["link.dead", "link.changed"];
    const url = "https://hooks.example.com/";
    const all = await me.post("/api/v1/webhooks", { url, events });
    const filter = { tags: ["Press"] };
    const press = await me.post("/api/v1/webhooks", { url: `${url}2`, events, filter });
    expect(press.body.data.filter.tags).toEqual(["press"]);
    const path = await newLink(me, { title: "Handbook", tags: ["docs"], metadata: { a: "1" } });
    await check(server(), me, path, GONE);
    await me.patch(path, { tags: ["press"] });
    server().clock.moveBy(1000);
    await me.patch(path, { note: "x" });

    const typesOf = async ({ body }: Parsed) => {
      const { items } = (await me.get(`/api/v1/webhooks/${body.data.id}/deliveries`)).body.data;
      return items.map(({ event }: Parsed) => event).reverse();
    };
    expect(await typesOf(all)).toEqual(["link.dead", "link.changed", "link.changed"]);
    expect(await typesOf(press)).toEqual(["link.changed", "link.changed"]);
    const [last] = (await me.get(`/api/v1/webhooks/${all.body.data.id}/deliveries`)).body.data
      .items;
    const { body } = await me.get(`/api/v1/webhooks/${all.body.data.id}/deliveries/${last.id}`);
    expect(body.data.request_body).toContain('"metadata":{"a":"1"}');
    await sound(server());
  });

  eachRow([
    ["E\u0301t\u00e9", "\u00e9t\u00e9"],
    ["\u0130stanbul", "i\u0307stanbul"],
    ["STRASSE", "strasse"],
    ["  Two words  ", "two words"],
    ["\ud83d\udc69\u200d\ud83d\udcbb", "\ud83d\udc69\u200d\ud83d\udcbb"],
    ["100%_\\", "100%_\\"],
    ["__proto__", "__proto__"],
    ["a/b?c#d", "a/b?c#d"],
    ["%41", "%41"],
    // Only its lower case is one character.
    ["J\u030c", "\u01f0"],
    ["' or 1=1 --", "' or 1=1 --"],
  ])("the tag %j is kept and found as %j", async (given, kept) => {
    const me = await server().account();
    const path = await newLink(me, { tags: [given, kept, "other"] });
    await newLink(me, { url: "https://example.org/b", tags: ["100", "100%"] });
    const tag = encodeURIComponent(given);

    expect((await read(me, path)).tags).toEqual([kept, "other"].sort());
    expect((await read(me, `${LINKS}?tag=${tag}`)).pagination.total).toBe(1);
    const renamed = await me.patch(`/api/v1/tags/${tag}`, { name: "plain" });
    expect([renamed.status, renamed.body.data.name]).toEqual([200, "plain"]);
    expect((await read(me, path)).tags).toEqual(["other", "plain"]);
    await sound(server());
  });

  test("keys of metadata are only keys, and what is searched for is only text", async () => {
    const me = await server().account();
    const metadata = { constructor: "b", toString: "c" };
    const path = await newLink(me, { metadata, title: "100%_\\ sure" });
    await newLink(me, { url: "https://example.org/b", title: "100 percent sure" });

    const refused = await me.patch(path, { metadata: JSON.parse('{"__proto__":"x"}') });
    expect(refused.body.error.details.fields).toEqual({
      "metadata.__proto__": ["cannot be a key"],
    });
    expect((await read(me, path)).metadata).toEqual(metadata);
    for (const [text, found] of [
      ["100%", 1],
      ["%sure", 0],
      ["100__", 0],
      ["%_\\", 1],
      ["sure", 2],
    ]) {
      const query = new URLSearchParams({ search: String(text), search_in: "all" });
      const { pagination } = await read(me, `${LINKS}?${query}`);
      expect([text, pagination.total]).toEqual([text, found]);
    }
  });

  testOnBoth("tags are listed with their links, renamed, joined and deleted", async () => {
    const me = await server().account();
    const links = Array.from({ length: 300 }, (_, i) => ({
      url: `https://example.org/${i}`,
      tags: i % 2 === 0 ? ["docs"] : ["manual", "docs x"],
    }));
    await me.post(`${LINKS}/batch`, { links });
    const counts = async () =>
      Object.fromEntries(
        (await read(me, "/api/v1/tags")).items.map(({ name, counts }: Parsed) => [
          name,
          counts.unknown,
        ]),
      );
    expect(await counts()).toEqual({ docs: 150, "docs x": 150, manual: 150 });

    expect((await me.patch("/api/v1/tags/docs", { name: "manual" })).body.error.details).toEqual({
      reason: "duplicate_tag",
    });
    const joined = await me.patch("/api/v1/tags/docs?merge=true", { name: "Manual" });
    expect(joined.body.data).toMatchObject({ name: "manual", counts: { unknown: 300 } });
    expect((await me.patch("/api/v1/tags/docs%20x", { name: "docs" })).status).toBe(200);
    expect(await counts()).toEqual({ docs: 150, manual: 300 });
    expect((await me.delete("/api/v1/tags/manual")).status).toBe(204);
    expect(await counts()).toEqual({ docs: 150 });
    expect((await me.delete("/api/v1/tags/manual")).status).toBe(404);
    expect((await me.delete("/api/v1/tags/docs%00")).status).toBe(404);
    await sound(server());
  });

  test("deleting links leaves nothing of it", async () => {
    const me = await server().account();
    const path = await newLink(me, { title: "x", tags: ["docs"], metadata: { a: "1" } });
    await check(server(), me, path, ALIVE);
    await me.post(`${path}/url`, { url: "https://example.org/b" });
    await me.delete(path);
    expect((await read(me, "/api/v1/tags")).items[0].counts).toMatchObject({
      active: 0,
      unknown: 0,
    });
    expect((await me.get(`${LINKS}?tag=docs`)).body.data.pagination.total).toBe(0);
    await sound(server());
  });
});

onServer("saved views", (server, { testOnBoth }) => {
  testOnBoth("are of the account if they are shared, and keep the filter of a list", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const own = await me.post("/api/v1/views", { name: "Press", filter: { tag: "press" } });
    expect(own.body.error.details.fields).toHaveProperty("is_shared");
    const { status, body } = await me.post("/api/v1/views", {
      name: "Press",
      filter: { attention: true, tag: "Press,docs" },
      is_shared: true,
      sort: "-status_changed_at",
    });
    expect(status).toBe(201);
    expect(body.data.filter).toEqual({ attention: "true", tag: "docs,press" });
    const path = `/api/v1/views/${body.data.id}`;
    expect((await me.patch(path, { name: "The press" })).body.data.name).toBe("The press");
    expect((await me.post("/api/v1/views", { name: "x", filter: { taag: "x" } })).status).toBe(400);
    expect((await read(me, "/api/v1/views")).items).toHaveLength(1);
    expect((await read(stranger, "/api/v1/views")).items).toHaveLength(0);
    expect((await stranger.patch(path, { name: "x" })).status).toBe(404);
    expect((await me.delete(path)).status).toBe(204);
    for (let i = 0; i < 50; i++)
      await me.post("/api/v1/views", { name: `${i}`, filter: {}, is_shared: true });
    expect(
      (await me.post("/api/v1/views", { name: "x", filter: {}, is_shared: true })).status,
    ).toBe(409);
  });
});
