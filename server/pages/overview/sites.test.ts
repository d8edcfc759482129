import { expect, test } from "bun:test";
import { becomeUnknown, check } from "../../../tests/checked.ts";
import { DAY, HOUR, saw } from "../../../tests/checker/ended.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { addLink } from "../../../tests/rows.ts";
import { findAttention } from "../sites/attention.ts";

const add = (me: Asker, url: string) => addLink(me, { url });
const sites = async (me: Asker, query = "") => (await me.get(`/api/v1/sites${query}`)).body.data;
const names = async (me: Asker, query = "") =>
  (await sites(me, query)).items.map(({ site }: { site: string }) => site);
const attention = async (me: Asker, query = "") =>
  (await me.get(`/api/v1/attention${query}`)).body.data;

onServer("GET /sites", (server, { test, testOnBoth }) => {
  test("lists what is dead on each site and why, the worst first", async () => {
    const me = await server().account();
    const docs = [
      await add(me, "https://docs.a.example/1"),
      await add(me, "https://docs.a.example/2"),
    ];
    const www = await add(me, "https://www.a.example/");
    const quiet = await add(me, "https://b.example/");
    const locked = await add(me, "https://c.example/login");
    await add(me, "https://d.example/never-checked");
    const { evidence } = saw("ok");
    const expires = new Date(server().clock.now() + 6 * DAY).toISOString();
    await check(server(), [...docs, www, quiet, locked], "ok", {
      responseTimeMs: 120,
      evidence: { ...evidence, tls_expires_at: expires },
    });
    server().clock.moveBy(DAY);
    await check(server(), docs, "http_404", { statusCode: 404, responseTimeMs: 240 });
    await check(server(), [www], "dns_nxdomain");
    await becomeUnknown(server(), [locked], "login_required");

    const { items, pagination, next_cursor } = await sites(me);

    expect(pagination).toMatchObject({ page: 1, total: 4 });
    expect(next_cursor).toBeNull();
    expect(items).toMatchObject([
      {
        site: "a.example",
        hosts: 2,
        links: 3,
        active: 0,
        dead: 3,
        unknown: 0,
        open: 3,
        top_reason: {
          reason: "http_404",
          message: "The server returned 404: there is no such page.",
          stage: "response",
          links: 2,
        },
        response_ms: 240,
        expires_at: expires,
      },
      {
        site: "b.example",
        hosts: 1,
        links: 1,
        active: 1,
        dead: 0,
        top_reason: null,
        response_ms: 120,
      },
      { site: "c.example", unknown: 1, top_reason: { reason: "login_required", stage: "content" } },
      { site: "d.example", unknown: 1, top_reason: null, response_ms: null, expires_at: null },
    ]);
    expect(items[0].days.slice(-3)).toEqual([null, 0, 3]);
    expect(items[3].days.slice(-3)).toEqual([null, 0, 0]);
  });

  test("shows the dead links of thirty days, also those that nothing happened on", async () => {
    const me = await server().account();
    const [one, two] = [await add(me, "https://e.example/1"), await add(me, "https://e.example/2")];
    await check(server(), [one, two], "ok");
    server().clock.moveBy(40 * DAY);
    await check(server(), [one, two], "http_404");
    server().clock.moveBy(3 * DAY);
    await check(server(), [two], "ok");
    server().clock.moveBy(2 * DAY);

    const [{ days }] = (await sites(me)).items;

    expect(days).toHaveLength(30);
    expect(days.slice(0, 24)).toEqual(Array(24).fill(0));
    expect(days.slice(24)).toEqual([2, 2, 2, 1, 1, 1]);
    server().clock.moveBy(25 * DAY);
    expect((await sites(me)).items[0].days).toEqual([2, 2, ...Array(28).fill(1)].slice(0, 30));
  });

  testOnBoth("filters, searches and sorts", async () => {
    const me = await server().account();
    const dead = await add(me, "https://dead.example/");
    const big = [await add(me, "https://big.example/1"), await add(me, "https://big.example/2")];
    await add(me, "https://fresh.example/");
    await check(server(), big, "ok");
    await check(server(), [dead], "http_410");

    expect(await names(me)).toEqual(["dead.example", "big.example", "fresh.example"]);
    expect(await names(me, "?sort=-links")).toEqual([
      "big.example",
      "dead.example",
      "fresh.example",
    ]);
    expect(await names(me, "?sort=site")).toEqual(["big.example", "dead.example", "fresh.example"]);
    expect(await names(me, "?status=dead")).toEqual(["dead.example"]);
    expect(await names(me, "?status=unknown")).toEqual(["fresh.example"]);
    expect(await names(me, "?search=BIG.")).toEqual(["big.example"]);
    const { body } = await me.get("/api/v1/sites?status=alive&cursor=nonsense");
    expect(body.error.details.fields).toEqual({
      status: ["must be one of: dead, unknown"],
      cursor: ["must be the next_cursor of another page"],
    });
  });

  testOnBoth("goes on after any site, in every order, as the pages do", async () => {
    const me = await server().account();
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await add(me, `https://s${n % 7}.example/${n}`));
    await check(server(), ids.slice(0, 4), "http_404");

    for (const sort of ["-dead", "-links", "site"]) {
      const all = await names(me, `?sort=${sort}`);
      expect(all).toHaveLength(7);
      const walked: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await sites(me, `?sort=${sort}&per_page=2${cursor && `&cursor=${cursor}`}`);
        walked.push(...page.items.map(({ site }: { site: string }) => site));
        cursor = page.next_cursor;
      }
      expect(walked).toEqual(all);
      expect((await sites(me, `?sort=${sort}&per_page=7`)).next_cursor).toBeNull();
      expect(await names(me, `?sort=${sort}&per_page=2&page=3`)).toEqual(all.slice(4, 6));
    }
  });

  test("hides the sites of others", async () => {
    const [me, other] = [await server().account(), await server().account()];
    await add(other, "https://theirs.example/");

    expect((await sites(me)).items).toEqual([]);
    expect((await attention(me)).items).toEqual([]);
  });
});

onServer("GET /attention", (server) => {
  test("makes one cause of what died together, the largest first", async () => {
    const me = await server().account();
    const docs: string[] = [];
    for (let n = 0; n < 5; n++) docs.push(await add(me, `https://docs.a.example/${n}`));
    const [www, blog] = [
      await add(me, "https://www.a.example/x"),
      await add(me, "https://blog.b.example/y"),
    ];
    await check(server(), [...docs, www, blog], "ok");
    const died = server().clock.now();
    await check(server(), docs.slice(0, 4), "http_404", { statusCode: 404 });
    server().clock.moveBy(HOUR);
    await check(server(), [docs[4]!], "http_404", { statusCode: 404 });
    await check(server(), [www, blog], "dns_nxdomain");

    const { items, pagination } = await attention(me);

    expect(pagination.total).toBe(3);
    expect(items[0]).toEqual({
      site: "a.example",
      host: "docs.a.example",
      reason: "http_404",
      message: "The server returned 404: there is no such page.",
      cause: null,
      stage: "response",
      reasons: 1,
      count: 5,
      since: new Date(died).toISOString(),
      latest: new Date(died + HOUR + 1000).toISOString(),
      links: [4, 3, 2].map((n) => ({ id: docs[n], url: `https://docs.a.example/${n}` })),
    });
    expect(items.slice(1)).toMatchObject([
      { site: "a.example", host: "www.a.example", reason: "dns_nxdomain", stage: "dns", count: 1 },
      { site: "b.example", host: "blog.b.example", count: 1 },
    ]);
    expect((await attention(me, "?per_page=1&page=2")).items).toMatchObject([
      { reason: "dns_nxdomain" },
    ]);
    expect((await attention(me, "?page=9")).pagination.total).toBe(3);

    expect((await attention(me, "?by=site")).items).toMatchObject([
      { site: "a.example", host: null, reason: "http_404", reasons: 2, count: 6 },
      { site: "b.example", host: "blog.b.example", reason: "dns_nxdomain", reasons: 1, count: 1 },
    ]);
    expect(await attention(me, "?by=page")).toMatchObject({ items: [], pagination: { total: 0 } });
    await check(server(), [...docs, www, blog], "ok");
    expect((await attention(me)).items).toEqual([]);
  });

  test("is read again after a change, however slow that is", async () => {
    const me = await server().account();
    const [a, b] = [await add(me, "https://a.example/"), await add(me, "https://b.example/")];
    await check(server(), [a, b], "ok");
    await check(server(), [a], "http_404");
    let elapsed = 0;
    const clock = { ...server().clock, elapsed: () => (elapsed += 1000) };
    const query = { by: "cause" as const, page: 1, per_page: 20 };
    const find = () => findAttention({ ...server().deps, clock }, me, query);

    const first = await find();
    expect(await find()).toBe(first);
    await check(server(), [b], "http_410");

    expect((await find()).items.map(({ site }) => site).sort()).toEqual(["a.example", "b.example"]);
    await me.delete(`/api/v1/links/${a}`);
    expect((await find()).items.map(({ site }) => site)).toEqual(["b.example"]);
  });

  test("names the failure behind a persistent one", async () => {
    const me = await server().account();
    const id = await add(me, "https://f.example/");
    await check(server(), [id], "ok");
    for (let n = 0; n < 5; n++) {
      await check(server(), [id], "http_503", { statusCode: 503 });
      server().clock.moveBy(3 * DAY);
    }

    expect((await attention(me)).items).toMatchObject([
      { site: "f.example", reason: "persistent_failure", cause: "http_503", stage: "response" },
    ]);
    expect((await attention(me)).items[0].message).toContain("503");
  });
});
