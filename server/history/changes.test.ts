import { describe, expect, test } from "bun:test";
import { and, asc, eq, sql } from "drizzle-orm";
import { becomeUnknown, check } from "../../tests/checked.ts";
import { DAY, HOUR, saw } from "../../tests/checker/ended.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { addGroup, setLink } from "../../tests/rows.ts";
import { changes, groups, siteHosts, sites, statusDays } from "../ground/db/tables.ts";
import { reclassify } from "../links/reclassify.ts";
import { forgetOldChecks } from "./forget-old.ts";
import { bucketOfTimeDead, closeYesterday, medianTimeDead } from "./status-days.ts";

async function add(me: Asker, url: string, group_id: string | null = null): Promise<string> {
  return (await me.post("/api/v1/links", { url, group_id })).body.data.id;
}

onServer("What is kept for the dashboard", (server, { test, testOnBoth }) => {
  const read = (me: Asker) => {
    const { store } = server().deps;
    return {
      sites: async () =>
        (
          await store
            .select()
            .from(sites)
            .where(eq(sites.accountNo, me.accountNo))
            .orderBy(asc(sites.site))
        ).map((row) => [row.site, row.links, row.active, row.dead, row.unknown]),
      hosts: async () =>
        (
          await store
            .select()
            .from(siteHosts)
            .where(eq(siteHosts.accountNo, me.accountNo))
            .orderBy(asc(siteHosts.host))
        ).map((row) => [row.host, row.links, row.tlsExpiresAt]),
      changes: async () =>
        (
          await store
            .select()
            .from(changes)
            .where(eq(changes.accountNo, me.accountNo))
            .orderBy(asc(changes.changedAt), asc(changes.linkNo))
        ).map((row) => [row.kind, row.site, row.previousStatus, row.lastedMs, row.reason]),
      /** Days of the account, or of the group or the site. */
      days: async ({ groupNo = 0, site = "" } = {}) =>
        (
          await store
            .select()
            .from(statusDays)
            .where(
              and(
                eq(statusDays.accountNo, me.accountNo),
                eq(statusDays.groupNo, groupNo),
                eq(statusDays.site, site),
              ),
            )
            .orderBy(asc(statusDays.day))
        ).map((row) => [row.day, row.active, row.dead, row.unknown, row.died, row.cameBack]),
    };
  };
  const today = () => Math.floor(server().clock.now() / DAY);
  const nextDay = () => server().clock.moveBy(DAY);

  test("a site counts its links and hosts, whichever way they come and go", async () => {
    const me = await server().account();
    const kept = read(me);
    const first = await add(me, "https://docs.northwind.example/a");
    await add(me, "https://docs.northwind.example:8443/a?b#c");
    await me.post("/api/v1/links/batch", {
      links: [
        { url: "https://www.northwind.co.uk/" },
        { url: "https://someone.github.io/x" },
        { url: "https://someone-else.github.io/x" },
        { url: "http://93.184.215.14/y" },
      ],
    });

    await check(server(), [first], "http_404");

    expect(await kept.sites()).toEqual([
      ["93.184.215.14", 1, 0, 0, 1],
      ["northwind.co.uk", 1, 0, 0, 1],
      ["northwind.example", 2, 0, 1, 1],
      ["someone-else.github.io", 1, 0, 0, 1],
      ["someone.github.io", 1, 0, 0, 1],
    ]);
    expect((await kept.hosts()).map(([host, n]) => [host, n])).toEqual([
      ["93.184.215.14", 1],
      ["docs.northwind.example", 1],
      ["docs.northwind.example:8443", 1],
      ["someone-else.github.io", 1],
      ["someone.github.io", 1],
      ["www.northwind.co.uk", 1],
    ]);
    const { items } = (await me.get("/api/v1/links")).body.data;
    await me.post("/api/v1/links/batch-delete", {
      link_ids: items.map(({ id }: { id: string }) => id).filter((id: string) => id !== first),
    });
    expect(await kept.sites()).toEqual([["northwind.example", 1, 0, 1, 0]]);
    expect(await kept.hosts()).toEqual([["docs.northwind.example", 1, null]]);
    await me.delete(`/api/v1/links/${first}`);
    expect([await kept.sites(), await kept.hosts()]).toEqual([[], []]);
    expect(await kept.days({ site: "northwind.example" })).toEqual([]);
  });

  test("links that have no site yet get one, and are counted from then on", async () => {
    const me = await server().account();
    const { store, catalogue } = server().deps;
    const id = await add(me, "https://a.contoso.example/");
    const counted = await read(me).sites();
    await setLink(server(), id, { site: "" });
    expect(await read(me).sites()).toEqual([]);

    await reclassify({ store, catalogue: { ...catalogue } });
    await store.run(sql`update classification set fingerprint = ''`);
    await reclassify({ store, catalogue });

    expect(await read(me).sites()).toEqual(counted);
    expect(await read(me).hosts()).toEqual([["a.contoso.example", 1, null]]);
  });

  test("a change of status is kept once, and a first verdict is not a change", async () => {
    const me = await server().account();
    const kept = read(me);
    const [dies, stays] = [
      await add(me, "https://a.example/1"),
      await add(me, "https://a.example/2"),
    ];
    await check(server(), [dies, stays], "ok");
    expect(await kept.changes()).toEqual([]);
    server().clock.moveBy(HOUR - 1000);

    await check(server(), [dies], "http_404");
    await check(server(), [dies], "http_404");
    await check(server(), [stays], "ok");
    server().clock.moveBy(3 * HOUR - 2000);
    await check(server(), [dies], "ok");

    expect(await kept.changes()).toEqual([
      ["died", "a.example", "active", HOUR, "http_404"],
      ["came_back", "a.example", "dead", 3 * HOUR + 1000, "ok"],
    ]);
  });

  testOnBoth("certificates and redirects are changes of their own kind", async () => {
    const me = await server().account();
    const [one, two, three] = [
      await add(me, "https://b.example/1"),
      await add(me, "https://b.example/2"),
      await add(me, "https://b.example/3"),
    ];
    await check(server(), [one, two, three], "ok");

    await check(server(), [one], "ok_redirected", { finalUrl: "https://b.example/winter" });
    await check(server(), [one], "ok_redirected", { finalUrl: "https://b.example/winter" });
    await becomeUnknown(server(), [two], "tls_expired");
    await becomeUnknown(server(), [three], "http_403");

    const rows = await read(me).changes();
    expect(rows.map(([kind, , , , reason]) => [kind, reason])).toEqual([
      ["moved", "ok_redirected"],
      ["certificate", "tls_expired"],
      ["became_unknown", "http_403"],
    ]);
    const { store } = server().deps;
    const [moved] = await store
      .select({ to: changes.finalUrl })
      .from(changes)
      .where(and(eq(changes.accountNo, me.accountNo), eq(changes.kind, "moved")));
    expect(moved!.to).toBe("https://b.example/winter");
  });

  testOnBoth(
    "a host keeps when its certificate expires, and not that of another host",
    async () => {
      const me = await server().account();
      const [own, other] = [
        await add(me, "https://c.example/1"),
        await add(me, "https://d.example/2"),
      ];
      const at = (day: number) => new Date(server().clock.now() + day * DAY).toISOString();
      const { evidence } = saw("ok");
      const sees = (expires: string, finalUrl: string) => ({
        finalUrl,
        evidence: { ...evidence, tls_expires_at: expires },
      });
      const [soon, later] = [at(6), at(90)];

      await check(server(), [own], "ok", sees(soon, "https://c.example/1"));
      await check(server(), [other], "ok_redirected", sees(soon, "https://elsewhere.example/"));
      expect(await read(me).hosts()).toEqual([
        ["c.example", 1, Date.parse(soon)],
        ["d.example", 1, null],
      ]);

      await check(server(), [own], "ok", sees(later, "https://c.example/1"));
      await check(server(), [own], "conn_refused");
      expect((await read(me).hosts())[0]).toEqual(["c.example", 1, Date.parse(later)]);
    },
  );

  test("each day ends with its counts, and says what happened on it", async () => {
    const me = await server().account();
    const kept = read(me);
    const group = await addGroup(me);
    const { store } = server().deps;
    const [row] = await store.select({ no: groups.no }).from(groups).where(eq(groups.id, group));
    const groupNo = row!.no;
    const [one, two, three] = [
      await add(me, "https://e.example/1", group),
      await add(me, "https://e.example/2", group),
      await add(me, "https://f.example/3"),
    ];
    await check(server(), [one, two, three], "ok");
    const first = today();
    nextDay();
    await check(server(), [one, three], "http_404");
    nextDay();
    nextDay();
    await check(server(), [one], "ok");
    await closeYesterday(server().deps);

    expect(await kept.days()).toEqual([
      [first, 3, 0, 0, 0, 0],
      [first + 1, 1, 2, 0, 2, 0],
      [first + 3, null, null, null, 0, 1],
    ]);
    expect(await kept.days({ groupNo })).toEqual([
      [first, 2, 0, 0, 0, 0],
      [first + 1, 1, 1, 0, 1, 0],
      [first + 3, null, null, null, 0, 1],
    ]);
    expect(await kept.days({ site: "e.example" })).toEqual([
      [first, 2, 0, 0, 0, 0],
      [first + 1, 1, 1, 0, 1, 0],
      [first + 3, 2, 0, 0, 0, 1],
    ]);

    // A death that ends by deletion is no longer counted.
    await me.delete(`/api/v1/links/${three}`);
    await add(me, "https://f.example/4");
    nextDay();
    await closeYesterday(server().deps);
    expect((await kept.days()).at(-1)).toEqual([first + 3, 2, 0, 1, 0, 1]);
    await me.delete(`/api/v1/groups/${group}`);
    expect(await kept.days({ groupNo })).toEqual([]);
  });

  test("a clock that was set back, or was ahead, closes no day twice and leaves none out", async () => {
    const me = await server().account();
    const id = await add(me, "https://g.example/1");
    await check(server(), [id], "ok");
    const first = today();
    server().clock.moveBy(400 * DAY);
    await closeYesterday(server().deps);
    server().clock.moveBy(-399 * DAY);

    await check(server(), [id], "http_404");
    nextDay();
    await closeYesterday(server().deps);
    await closeYesterday(server().deps);

    expect(await read(me).days()).toEqual([
      [first, 1, 0, 0, 0, 0],
      [first + 1, 0, 1, 0, 1, 0],
    ]);
  });

  test("the histogram has how long links were dead, also those that were unknown in between", async () => {
    const me = await server().account();
    const [short, long] = [
      await add(me, "https://h.example/1"),
      await add(me, "https://h.example/2"),
    ];
    await check(server(), [short, long], "ok");
    await check(server(), [short, long], "http_404");
    server().clock.moveBy(20 * 60_000);
    await check(server(), [short], "ok");
    await becomeUnknown(server(), [long], "http_403");
    server().clock.moveBy(2 * HOUR);
    await check(server(), [long], "ok");

    const buckets = await server().deps.store.all(sql`
      select sum(back_0), sum(back_1), sum(back_2), sum(back_3), sum(back_4), sum(came_back)
      from status_days where account_no = ${me.accountNo} and group_no = 0 and site = ''`);

    expect(buckets.map((cells) => (cells as unknown[]).map(Number))).toEqual([[0, 1, 0, 0, 1, 2]]);
  });

  testOnBoth(
    "changes and days of sites go with the history; those of the account stay",
    async () => {
      const me = await server().account();
      const { deps, clock } = server();
      const id = await add(me, "https://i.example/1");
      await check(server(), [id], "ok");
      await check(server(), [id], "http_404");
      clock.moveBy(deps.config.historyDays * DAY);
      await check(server(), [id], "ok");
      clock.moveBy(DAY);

      await forgetOldChecks(deps);

      const kept = read(me);
      expect((await kept.changes()).map(([kind]) => kind)).toEqual(["came_back"]);
      expect(await kept.days({ site: "i.example" })).toHaveLength(1);
      expect((await kept.days()).length).toBeGreaterThan(1);
      await me.delete(`/api/v1/links/${id}`);
      expect(await kept.changes()).toEqual([]);
    },
  );

  testOnBoth("all counts agree with the links after many changes", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const ids: string[] = [];
    for (let n = 0; n < 40; n++)
      ids.push(
        await add(me, `https://h${n % 7}.s${n % 5}.example/${n}`, n % 3 === 0 ? group : null),
      );
    const some = (by: number) => ids.filter((_, n) => n % by === 0);
    await check(server(), ids, "ok");
    await check(server(), some(2), "http_404");
    await becomeUnknown(server(), some(3), "http_403");
    await me.post("/api/v1/links/batch-delete", { link_ids: some(4) });
    nextDay();
    await closeYesterday(server().deps);

    const { store } = server().deps;
    const counted = await store.engine.run({
      sql: `select site, count(*), sum(case when status = 'active' then 1 else 0 end),
        sum(case when status = 'dead' then 1 else 0 end), sum(case when status = 'unknown' then 1 else 0 end)
        from links where account_no = ? group by site order by site`,
      params: [me.accountNo],
    });
    const expected = counted.map(([site, ...counts]) => [String(site), ...counts.map(Number)]);
    expect(await read(me).sites()).toEqual(expected as never);
    const sum = (i: number) => expected.reduce((total, cells) => total + Number(cells[i]), 0);
    expect((await read(me).days()).at(-1)!.slice(1, 4)).toEqual([sum(2), sum(3), sum(4)]);
    for (const [site, , ...counts] of expected) {
      const [last] = (await read(me).days({ site: String(site) })).slice(-1);
      expect(last!.slice(1, 4)).toEqual(counts.map(Number));
    }
  });
});

describe("the histogram of time dead", () => {
  const MINUTE = 60_000;

  test("has buckets that double from a quarter of an hour on", () => {
    const of = (minutes: number) => bucketOfTimeDead(minutes * MINUTE);

    expect([0, 14.9, 15, 29, 30, 60, 24 * 60].map(of)).toEqual([0, 0, 1, 1, 2, 3, 7]);
    expect([of(10_000_000), bucketOfTimeDead(-5)]).toEqual([15, 0]);
  });

  test("estimates the median within a factor of two", () => {
    const histogram = Array.from({ length: 16 }, () => 0);
    expect(medianTimeDead(histogram)).toBeNull();
    for (const hours of [1, 2, 3, 50, 60, 70, 800]) histogram[bucketOfTimeDead(hours * HOUR)]! += 1;

    const median = medianTimeDead(histogram)!;

    expect(median / (50 * HOUR)).toBeGreaterThan(0.5);
    expect(median / (50 * HOUR)).toBeLessThan(2);
  });
});
