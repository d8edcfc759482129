import { expect } from "bun:test";
import { and, eq } from "drizzle-orm";
import { eachRow } from "../../../tests/each-row.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { addLink } from "../../../tests/rows.ts";
import { siteHosts, sources } from "../../ground/db/tables.ts";

const PATH = "/api/v1/overview/upcoming";
const DAY = 86_400_000;

onServer("GET /overview/upcoming", (server, { test, testOnBoth }) => {
  /** A link to a host whose certificate expires in so many days. */
  async function addHost(me: Asker, host: string, days: number) {
    await addLink(me, { url: `https://${host}/${crypto.randomUUID()}` });
    const { deps, clock } = server();
    await deps.store
      .update(siteHosts)
      .set({ tlsExpiresAt: clock.now() + days * DAY })
      .where(and(eq(siteHosts.accountNo, me.accountNo), eq(siteHosts.host, host)));
  }

  testOnBoth("lists the certificates that expire within 30 days, soonest first", async () => {
    const me = await server().account();
    await addHost(me, "later.example.org", 30);
    await addHost(me, "soon.example.net", 6);
    await addHost(me, "soon.example.net", 6);
    await addHost(me, "fine.example.com", 31);
    await addHost(me, "expired.example.com", -1);
    await addLink(me, { url: "http://plain.example.com/" });

    const { status, body } = await me.get(PATH);

    expect(status).toBe(200);
    expect(body.data).toEqual({
      total: 2,
      items: [
        {
          kind: "certificate",
          site: "example.net",
          host: "soon.example.net",
          hosts: 1,
          links: 2,
          expiresAt: "2030-01-07T00:00:00.000Z",
        },
        {
          kind: "certificate",
          site: "example.org",
          host: "later.example.org",
          hosts: 1,
          links: 1,
          expiresAt: "2030-01-31T00:00:00.000Z",
        },
      ],
      failing_sources: { total: 0, items: [] },
    });
  });

  test("names the sources that fail, but for those that are paused or of others", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const { deps, clock } = server();
    const add = async (owner: Asker, name: string, daysAgo: number | null, paused = false) => {
      const given = { name, kind: "list", url: "https://a.test/", paused };
      const { id } = (await owner.post("/api/v1/sources", given)).body.data;
      const failingSince = daysAgo === null ? null : clock.now() - daysAgo * DAY;
      await deps.store.update(sources).set({ failingSince }).where(eq(sources.id, id));
      return id;
    };
    await add(me, "new", 1);
    const oldest = await add(me, "old", 3);
    await add(me, "well", null);
    await add(me, "paused", 2, true);
    await add(other, "of others", 2);

    const { failing_sources: failing } = (await me.get(PATH)).body.data;

    expect(failing.total).toBe(2);
    expect(failing.items.map(({ name }: { name: string }) => name)).toEqual(["old", "new"]);
    expect(failing.items[0]).toEqual({
      id: oldest,
      name: "old",
      since: "2029-12-29T00:00:00.000Z",
    });
  });

  testOnBoth("shows a certificate of several hosts of a site once", async () => {
    const me = await server().account();
    for (const name of ["www", "docs", "api"]) await addHost(me, `${name}.example.org`, 6);
    await addHost(me, "blog.example.org", 7);

    const { data } = (await me.get(PATH)).body;

    expect(data).toMatchObject({
      total: 2,
      items: [
        { host: "api.example.org", hosts: 3, links: 3 },
        { host: "blog.example.org", hosts: 1, links: 1 },
      ],
    });
  });

  test("lists ten of them, as far ahead as asked, and none of other accounts", async () => {
    const [me, other] = [await server().account(), await server().account()];
    for (let i = 0; i < 12; i++) await addHost(me, `example-${i}.org`, 100 + i);

    expect((await me.get(PATH)).body.data).toMatchObject({ total: 0, items: [] });
    const { data } = (await me.get(`${PATH}?days=365`)).body;
    expect([data.total, data.items.length, data.items[0].site]).toEqual([12, 10, "example-0.org"]);
    expect((await other.get(`${PATH}?days=365`)).body.data.total).toBe(0);
  });

  eachRow([
    ["0", "must be a whole number above 0"],
    ["366", "must be at most 365"],
  ])("refuses %p days", async (days, problem) => {
    const me = await server().account();

    const { status, body } = await me.get(`${PATH}?days=${days}`);

    expect([status, body.error.details.fields]).toEqual([400, { days: [problem] }]);
  });
});
