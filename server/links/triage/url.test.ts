import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { batchOf } from "../../../tests/batches/playing.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import { onServer, type Parsed } from "../../../tests/harness.ts";
import {
  ALIVE,
  check,
  eventsOf,
  GONE,
  LINKS,
  newLink,
  read,
  sound,
  URL_A,
} from "../../../tests/triage/playing.ts";
import { links } from "../../ground/db/tables.ts";
import { claimDueLinks } from "../../monitor/claim.ts";
import { recordResults } from "../../monitor/record.ts";
import { bucketOfUrl } from "../../work/nodes.ts";

const URL_B = "https://docs.example.net/b";

onServer("a new URL", (server, { test, testOnBoth }) => {
  test("keeps the link's id, notes and history, which shows the old URL before", async () => {
    const me = await server().account();
    const path = await newLink(me, { title: "Handbook", tags: ["docs"], external_id: "p-17" });
    await check(server(), me, path, GONE);
    await me.patch(path, { handling: "acknowledged" });
    server().clock.moveBy(1000);

    const { status, body } = await me.post(`${path}/url`, { url: URL_B, note: "Moved." });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      url: URL_B,
      site: "example.net",
      status: "unknown",
      reason: null,
      last_check: null,
      title: "Handbook",
      tags: ["docs"],
      external_id: "p-17",
      handling: "open",
    });
    await check(server(), me, path, { ...ALIVE, finalUrl: URL_B });

    expect(await read(me, path)).toMatchObject({
      status: "active",
      previous_urls: [{ url: URL_A }],
    });
    const urls = (page: { items: { url: string; final_url: string }[] }) =>
      page.items.map(({ url, final_url }) => [url, final_url]);
    const seen = [
      [URL_B, URL_B],
      [URL_A, URL_A],
    ];
    const ofAccount = await read(me, "/api/v1/history");
    expect(urls(ofAccount)).toEqual(seen);
    const { body: csv } = await me.get("/api/v1/history/export");
    expect(String(csv)).toContain(`"${URL_A}"`);
    const [entry] = (await read(me, `${path}/timeline`)).items;
    expect(entry).toMatchObject({ kind: "url_changed", detail: "Moved.", previous_url: URL_A });
    expect(await read(me, "/api/v1/sites")).toMatchObject({
      items: [{ site: "example.net", links: 1 }],
    });
    await sound(server());
  });

  test("reports only what changes: a recovery, but no second death", async () => {
    const me = await server().account();
    const events = ["link.dead", "link.alive", "link.changed"];
    await me.post("/api/v1/webhooks", { url: "https://hooks.example.com/", events });
    const path = await newLink(me);
    await check(server(), me, path, GONE);
    await me.post(`${path}/url`, { url: URL_B });
    await check(server(), me, path, GONE);
    expect(await eventsOf(server(), me)).toEqual(["link.dead http_404", "link.changed"]);
    await me.post(`${path}/url`, { url: `${URL_B}2` });
    await check(server(), me, path, ALIVE);
    expect((await eventsOf(server(), me)).at(-1)).toBe("link.alive ok");
  });

  test("makes a check that is under way count for nothing", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const { deps, clock } = server();
    const [link] = await claimDueLinks(deps, 1);
    await me.post(`${path}/url`, { url: URL_B });
    await recordResults(deps, [{ link: link!, conclusion: GONE, at: clock.now() }]);
    expect(await read(me, path)).toMatchObject({ status: "unknown", last_check: null });
  });

  test("leaves the old one in history where the clock was set back meanwhile", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await check(server(), me, path, GONE);
    server().clock.moveBy(-365 * DAY);

    await me.post(`${path}/url`, { url: URL_B });
    await check(server(), me, path, { ...ALIVE, finalUrl: URL_B });

    const { items } = await read(me, "/api/v1/history");
    expect(items.map(({ url }: Parsed) => url)).toEqual([URL_B, URL_A]);
    const [entry] = (await read(me, `${path}/timeline`)).items;
    expect(entry).toMatchObject({ kind: "url_changed", previous_url: URL_A });
    server().clock.moveBy(366 * DAY);
  });

  testOnBoth("makes the link the work of the node that has its new site", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await me.post(`${path}/url`, { url: URL_B });

    const [row] = await server()
      .deps.store.select({ bucket: links.bucket })
      .from(links)
      .where(eq(links.id, path.slice(LINKS.length + 1)));

    expect(row!.bucket).toBe(bucketOfUrl(URL_B));
    expect(row!.bucket).not.toBe(bucketOfUrl(URL_A));
  });

  test("lets a batch that waits for the link go on", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const { body } = await me.post(`${LINKS}/check`, { link_ids: [path.split("/").at(-1)] });
    const { deps, clock } = server();
    const [link] = await claimDueLinks(deps, 1);
    await me.post(`${path}/url`, { url: URL_B });
    await recordResults(deps, [{ link: link!, conclusion: GONE, at: clock.now() }]);
    const batch = () => batchOf(me, body.data.batch_id);
    expect((await batch()).status).toBe("running");

    await check(server(), me, path, ALIVE);

    expect(await batch()).toMatchObject({ status: "complete", active: 1 });
  });

  test("is refused if another link has it, or it cannot be checked", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const other = await newLink(me, { url: URL_B });
    const taken = await me.post(`${path}/url`, { url: URL_B });
    expect(taken.status).toBe(409);
    expect(taken.body.error.details).toEqual({
      reason: "duplicate_url",
      existingId: other.slice(LINKS.length + 1),
    });
    const bad = await me.post(`${path}/url`, { url: "ftp://example.org/" });
    expect(Object.keys(bad.body.error.details.fields)).toEqual(["url"]);
    const same = await me.post(`${path}/url`, { url: URL_A });
    expect(same.status).toBe(200);
    expect((await read(me, path)).previous_urls).toEqual([]);
    const patched = await me.patch(path, { url: URL_B });
    expect(patched.body.error.details.fields.url[0]).toContain("POST /links/{id}/url");
  });

  test("keeps the last hundred", async () => {
    const me = await server().account();
    const path = await newLink(me);
    for (let i = 0; i < 103; i++) {
      server().clock.moveBy(1000);
      await me.post(`${path}/url`, { url: `https://example.org/${i}` });
    }
    const { previous_urls: urls } = await read(me, path);
    expect(urls).toHaveLength(100);
    expect(urls[0].url).toBe("https://example.org/101");
  });
});
