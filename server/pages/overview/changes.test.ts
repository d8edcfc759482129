import { expect } from "bun:test";
import { eq, inArray } from "drizzle-orm";
import { check } from "../../../tests/checked.ts";
import { DAY, HOUR } from "../../../tests/checker/ended.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { addLink } from "../../../tests/rows.ts";
import { changes, links, webhooks } from "../../ground/db/tables.ts";
import { chunksOf } from "../../ground/lib/steps.ts";
import { sealedUrl } from "../../notify/secrets.ts";

const PATH = "/api/v1/changes";

onServer("GET /changes", (server, { test, testOnBoth }) => {
  const add = (me: Asker, url: string) => addLink(me, { url });
  const addAll = (me: Asker, host: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => add(me, `https://${host}/${n}`)));
  const changesOf = async (me: Asker, query = "") => (await me.get(`${PATH}${query}`)).body.data;

  test("shows links of a site that died together as one entry, and no first verdicts", async () => {
    const me = await server().account();
    const docs = await addAll(me, "docs.example.com", 14);
    const other = await add(me, "https://example.org/");
    await check(server(), [...docs, other], "ok");
    server().clock.moveBy(DAY);
    const at = new Date(server().clock.now()).toISOString();
    await check(server(), docs.slice(0, 13), "http_404");
    server().clock.moveBy(9 * 60_000);
    await check(server(), [...docs.slice(13), other], "http_404");

    const { items, next } = await changesOf(me);

    expect(next).toBeNull();
    expect(items).toHaveLength(2);
    const entry = items.find(({ count }: { count: number }) => count === 14);
    expect(entry).toMatchObject({ kind: "died", site: "example.com", host: "docs.example.com" });
    expect(entry.links).toHaveLength(3);
    expect(Date.parse(entry.changed_at)).toBeGreaterThan(Date.parse(at));
  });

  test("counts all links of an entry, also if a page could be filled before its last one", async () => {
    const me = await server().account();
    const [docs, other] = [await addAll(me, "example.com", 9), await addAll(me, "example.org", 4)];
    await check(server(), [...docs, ...other], "ok");
    await check(server(), docs.slice(0, 3), "http_404");
    await check(server(), other, "http_404");
    await check(server(), docs.slice(3), "http_404");

    const { items } = await changesOf(me, "?per_page=1");

    expect(items).toMatchObject([
      { site: "example.com", count: 9 },
      { site: "example.org", count: 4 },
    ]);
  });

  test("begins another entry after ten minutes, for another reason, and for another kind", async () => {
    const me = await server().account();
    const ids = await addAll(me, "example.com", 4);
    await check(server(), ids, "ok");
    await check(server(), ids.slice(0, 1), "http_404");
    server().clock.moveBy(11 * 60_000);
    await check(server(), ids.slice(1, 2), "http_404");
    await check(server(), ids.slice(2, 3), "http_410");
    server().clock.moveBy(2 * HOUR);
    await check(server(), ids.slice(1, 2), "ok");

    const { items } = await changesOf(me);

    expect(items.map((item: { kind: string; reason: string }) => [item.kind, item.reason])).toEqual(
      [
        ["came_back", "ok"],
        ["died", "http_410"],
        ["died", "http_404"],
        ["died", "http_404"],
      ],
    );
    expect(items[0].lasted_ms).toBeGreaterThan(2 * HOUR);
  });

  testOnBoth("is narrowed by kind, group, site and time, and shows nothing of others", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const { data: group } = (await me.post("/api/v1/groups", { name: "Docs" })).body;
    const grouped = await addLink(me, { url: "https://example.com/", group_id: group.id });
    const loose = await add(me, "https://example.org/");
    await check(server(), [grouped, loose], "ok");
    await check(server(), [grouped], "http_404");
    const between = new Date(server().clock.now()).toISOString();
    await check(server(), [loose], "http_404");
    await check(server(), [loose], "ok");
    const sitesOf = async (query: string) =>
      (await changesOf(me, query)).items.map(({ site }: { site: string }) => site);

    expect(await sitesOf("?kind=came_back")).toEqual(["example.org"]);
    expect(await sitesOf(`?group_id=${group.id}`)).toEqual(["example.com"]);
    expect(await sitesOf("?site=example.com")).toEqual(["example.com"]);
    expect(await sitesOf(`?since=${between}`)).toEqual(["example.org", "example.org"]);
    expect(await sitesOf(`?before=${between}&kind=died`)).toContain("example.com");
    expect((await changesOf(other)).items).toEqual([]);
  });

  test("goes on where the page before ended", async () => {
    const me = await server().account();
    const ids = await addAll(me, "example.com", 1);
    await check(server(), ids, "ok");
    for (const reason of ["http_404", "ok", "http_410", "ok"] as const) {
      server().clock.moveBy(DAY);
      await check(server(), ids, reason);
    }

    const first = await changesOf(me, "?per_page=3");
    const second = await changesOf(me, `?per_page=3&before=${first.next}`);

    const kinds = [...first.items, ...second.items].map(({ kind }) => kind);
    expect(kinds).toEqual(["came_back", "died", "came_back", "died"]);
    expect(second.next).toBeNull();
  });

  testOnBoth("lists each of very many changes once, also those of one moment", async () => {
    const me = await server().account();
    const id = await add(me, "https://example.com/");
    await check(server(), [id], "ok");
    const { store, clock } = server().deps;
    const [link] = await store.select({ no: links.no }).from(links).where(eq(links.id, id));
    const ids = await addAll(me, "example.com", 20);
    const others = await store.select({ no: links.no }).from(links).where(inArray(links.id, ids));
    const change = (no: number, at: number): typeof changes.$inferInsert => ({
      accountNo: me.accountNo,
      linkNo: no,
      changedAt: clock.now() - at,
      kind: "died",
      site: "example.com",
      previousStatus: "active",
      lastedMs: 1,
      reason: "http_404",
    });
    // The page of 2,000 ends among the twenty of one moment.
    const single = Array.from({ length: 2100 }, (_, at) => at).filter((at) => at !== 1990);
    const rows = [
      ...single.map((at) => change(link!.no, at)),
      ...others.map(({ no }) => change(no, 1990)),
    ];
    for (const some of chunksOf(50, rows)) await store.insert(changes).values(some);

    const first = await changesOf(me);
    const second = await changesOf(me, `?before=${first.next}`);

    const counts = [...first.items, ...second.items].map(({ count }) => count);
    expect(counts).toEqual([1990, rows.length - 1990]);
    expect(second.next).toBeNull();
  });

  test("says which webhooks are notified", async () => {
    const me = await server().account();
    const input = { name: "Docs", url: "https://hooks.example/a", events: ["link.dead"] };
    const { id } = (await me.post("/api/v1/webhooks", input)).body.data;
    const ids = await addAll(me, "example.com", 2);
    await check(server(), ids, "ok");
    await check(server(), ids, "http_404");

    const { items } = await changesOf(me);

    expect(items[0].messages).toEqual([
      {
        webhook_id: id,
        name: "Docs",
        host: "hooks.example",
        format: "standard",
        state: "pending",
        count: 2,
      },
    ]);
  });

  test("names the recipient of a mail as far as everyone may see it", async () => {
    const me = await server().account();
    const input = { url: "https://hooks.example/a", events: ["link.dead"] };
    const { id } = (await me.post("/api/v1/webhooks", input)).body.data;
    const { store, secrets } = server().deps;
    const mail = { format: "email", ...sealedUrl("mailto:ann@mail.example", secrets) } as const;
    await store.update(webhooks).set(mail).where(eq(webhooks.id, id));
    const ids = await addAll(me, "example.com", 1);
    await check(server(), ids, "ok");
    await check(server(), ids, "http_404");

    const { items } = await changesOf(me);

    expect(items[0].messages).toMatchObject([
      { webhook_id: id, host: "…@mail.example", format: "email", count: 1 },
    ]);
  });
});
