import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { playedOnline } from "../../tests/checker/played-online.ts";
import { onServer, startServer } from "../../tests/harness.ts";
import { startSite } from "../../tests/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { until } from "../../tests/until.ts";
import { sources } from "../ground/db/tables.ts";
import { newId } from "../ground/lib/ids.ts";
import { newLease } from "../work/queue.ts";
import { limitWaits } from "./claim.ts";

const PAGES = Array.from({ length: 30 }, (_, i) => `/page-${String.fromCharCode(97 + i)}`);

/** A site behind a cable that can be pulled once the start page has arrived. */
async function startCable() {
  const cable = { isPulled: false, url: "", stop: () => server.close() };
  const server = createServer(({ url = "" }, response) => {
    if (url === "/robots.txt" || url === "/sitemap.xml") return response.writeHead(404).end();
    if (url !== "/" && cable.isPulled) return response.socket?.destroy();
    const links = url === "/" ? [...PAGES, "https://out.test/"] : [];
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(`<p>A page ${links.map((href) => `<a href="${href}">x</a>`).join("")}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cable.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return cable;
}

onServer("A crawl in which this monitor goes offline", (server) => {
  test("rests, and says nothing of the pages that it could not read meanwhile", async () => {
    const cable = await startCable();
    const { online, says, asked } = playedOnline("online");
    const reading = startReading(server(), online);
    afterAll(() => Promise.all([reading.stop(), cable.stop()]));
    const me = await server().account();
    const { id, counts } = await reading.add(me, { kind: "site", url: cable.url });
    expect(counts).toMatchObject({ pages: 31, links: 1 });

    cable.isPulled = true;
    says("offline");
    await me.post(`${SOURCES}/${id}/run`);
    reading.wake();
    const rests = async () => {
      server().clock.moveBy(100);
      const [row] = await server().deps.store.select().from(sources).where(eq(sources.id, id));
      return asked() > 0 && row!.lease === null;
    };
    await until(rests, { everyMs: 20 });

    const offline = (await me.get(`${SOURCES}/${id}`)).body.data;
    expect(offline).toMatchObject({
      failing_since: null,
      run: { status: "reading", reason: null },
    });
    expect(offline.run.pages.failed).toBe(0);
    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(1);

    cable.isPulled = false;
    says("online");
    await online.confirm(0);
    server().clock.moveBy(3_600_000);
    const back = await reading.ended(me, id);
    expect(back.run).toMatchObject({ status: "complete", links: { new: 0, missing: 0 } });
    expect(back.counts).toEqual(counts);
  });

  test("has no flood of links where the site itself breaks down", async () => {
    const cable = await startCable();
    const reading = startReading(server(), playedOnline("online").online);
    afterAll(() => Promise.all([reading.stop(), cable.stop()]));
    const me = await server().account();
    const { id, counts } = await reading.add(me, { kind: "site", url: cable.url });

    cable.isPulled = true;
    const broken = await reading.again(me, id);

    expect(broken.run).toMatchObject({ status: "incomplete", reason: "pages_failed" });
    expect(broken.run.links).toMatchObject({ new: 0, missing: 0 });
    expect(broken.counts).toEqual(counts);
  });
});

test("a source that an earlier process has left goes on at once where this one has the database to itself", async () => {
  const server = await startServer("sqlite");
  const site = startSite({ "/list": "https://a.test/" });
  const reading = startReading(server);
  let later: typeof reading | undefined;
  afterAll(async () => {
    await Promise.all([reading.stop(), later?.stop(), site.stop()]);
    await server.stop();
  });
  const me = await server.account();
  const { id } = await reading.add(me, { kind: "list", url: `${site.url}/list` });
  await reading.stop();
  await me.post(`${SOURCES}/${id}/run`);
  const { store, clock } = server.deps;
  const startedAt = clock.now();
  const left = { lease: newLease({ id: newId() }), dueAt: startedAt + 60_000 };
  await store.update(sources).set(left).where(eq(sources.id, id));

  later = startReading(server);

  const hasRun = async () => {
    const [row] = await store.select().from(sources).where(eq(sources.id, id));
    return row!.completeRun === row!.runNo;
  };
  await until(hasRun, { everyMs: 20 });
  expect(clock.now()).toBe(startedAt);
  expect(site.requests).toHaveLength(2);
});

onServer("After the clock was set back", (server, { testOnBoth }) => {
  testOnBoth("a source is read no later than its schedule says", async () => {
    const me = await server().account();
    const list = { kind: "list", name: "Ahead", url: "https://ahead.invalid/list.txt" };
    const { id } = (await me.post(SOURCES, list)).body.data;
    const { deps, clock } = server();
    const [now, hour] = [clock.now(), 3_600_000];
    const isIt = eq(sources.id, id);
    const waits = async (columns: Partial<typeof sources.$inferInsert>, hours: number) => {
      await deps.store
        .update(sources)
        .set({ ...columns, dueAt: now + hours * hour })
        .where(isIt);
      await limitWaits(deps, hours === 24);
      const [row] = await deps.store.select().from(sources).where(isIt);
      return (row!.dueAt! - now) / hour;
    };

    expect(await waits({ lease: null }, 24 * 365)).toBeLessThanOrEqual(24);
    expect(await waits({ lease: null }, 24)).toBe(24);
    expect(await waits({ lease: "a lease" }, 24 * 365)).toBe(1 / 60);
    expect(await waits({ lease: null, isPaused: true }, 24 * 365)).toBe(0);
    await deps.store.delete(sources).where(isIt);
  });
});
