import { afterAll, beforeAll, expect } from "bun:test";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { hearChanges } from "../../tests/hearing.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { startReading } from "../../tests/sources/reading.ts";
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
} from "../../tests/triage/playing.ts";
import { until } from "../../tests/until.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import { recordResults } from "../monitor/record.ts";

const OLD = "https://old.example/page";
const NEW = "https://new.example/page";
const PLACES = 14;
const HOUR_MS = 3_600_000;

onServer("A replaced link", (server, { test, testOnBoth }) => {
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

  /** A link that a list has, in as many places. */
  async function inList(me: Asker, name: string, places = PLACES) {
    lists[name] = Array.from({ length: places }, () => OLD);
    const source = await reading.add(me, { kind: "list", url: site.url + name, name });
    return { source, path: `${LINKS}/${(await find(me, OLD)).id}` };
  }
  const find = async (me: Asker, url: string): Promise<Parsed> =>
    (await me.get(`${LINKS}?search=${encodeURIComponent(url)}`)).body.data.items[0];
  const urls = async (me: Asker, query = "") =>
    (await me.get(`${LINKS}?sort=url${query}`)).body.data.items.map(({ url }: Parsed) => url);
  const replace = (me: Asker, path: string, body: object) => me.post(`${path}/replace`, body);

  testOnBoth("gets the URL where no source has it, and keeps its history", async () => {
    const me = await server().account();
    await me.post("/api/v1/webhooks", {
      url: "https://hook.example.org/",
      events: ["link.dead", "link.alive"],
    });
    const path = await newLink(me, { title: "Handbook", tags: ["docs"] });
    await check(server(), me, path, ALIVE);
    await check(server(), me, path, GONE);
    expect(await read(me, path)).toMatchObject({ status: "dead" });
    await me.patch(path, { handling: "acknowledged" });

    const { status, body } = await replace(me, path, { url: NEW, note: "Moved." });
    expect([status, body.data.mode]).toEqual([200, "link"]);
    expect(body.data).toMatchObject({
      url: NEW,
      status: "unknown",
      title: "Handbook",
      tags: ["docs"],
      handling: "open",
      accepted_url: null,
      previous_urls: [{ url: URL_A }],
    });
    await check(server(), me, path, { ...ALIVE, finalUrl: NEW });
    const history = (await read(me, `${path}/history`)).items;
    expect(history.map(({ url }: Parsed) => url)).toEqual([NEW, URL_A, URL_A]);
    expect(await eventsOf(server(), me)).toEqual([
      "link.alive ok",
      "link.dead http_404",
      "link.alive ok",
    ]);
    const [entry] = (await read(me, `${path}/timeline`)).items;
    expect(entry).toMatchObject({ kind: "url_changed", detail: "Moved.", previous_url: URL_A });
    await sound(server());
  });

  test("makes a check that is under way count for nothing", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const { deps, clock } = server();
    const [link] = await claimDueLinks(deps, 1);
    await replace(me, path, { url: NEW });
    await recordResults(deps, [{ link: link!, conclusion: GONE, at: clock.now() }]);
    expect(await read(me, path)).toMatchObject({ url: NEW, status: "unknown", last_check: null });
  });

  testOnBoth(
    "keeps its own URL while its sources have it, and leaves once they have the new one",
    async () => {
      const me = await server().account();
      const { source, path } = await inList(me, "/docs");
      const heard = await hearChanges(server(), me, ["edited"]);
      await check(server(), me, path, GONE);

      const { status, body } = await replace(me, path, { url: NEW });
      expect([status, body.data.mode, body.data.places]).toEqual([200, "places", PLACES]);
      expect(body.data).toMatchObject({
        url: OLD,
        status: "dead",
        handling: "acknowledged",
        accepted_url: NEW,
        accepted_by: body.data.handled_by,
      });
      expect(await heard()).toMatchObject([
        { url: OLD, fields: ["handling", "accepted_url"], handling: "acknowledged" },
      ]);
      await reading.again(me, source.id);
      await check(server(), me, path, GONE);
      expect(await urls(me)).toEqual([OLD]);
      expect(await urls(me, "&accepted=true")).toEqual([OLD]);
      expect(await eventsOf(server(), me)).toEqual(["link.changed"]);
      expect(String((await me.get(`${LINKS}/export`)).body)).toContain(`"${NEW}"`);

      lists["/docs"]!.splice(0, PLACES, ...Array.from({ length: PLACES }, () => NEW));
      const runs = [1, 2, 3];
      for (const _ of runs) await reading.again(me, source.id);
      expect(await urls(me)).toEqual([NEW, OLD]);
      server().clock.moveBy(72 * HOUR_MS);
      await until("the end of the old link", async () => {
        await reading.again(me, source.id);
        return (await urls(me)).length === 1;
      });
      expect(await urls(me)).toEqual([NEW]);
      const retired = await read(me, path);
      expect(retired).toMatchObject({ accepted_url: NEW });
      expect(retired.retired_at).not.toBeNull();
      expect(await urls(me, "&accepted=true")).toEqual([]);
    },
  );

  testOnBoth("is exported with each place that is to be edited", async () => {
    const me = await server().account();
    const { source, path } = await inList(me, "/places", 3);
    await newLink(me);
    await replace(me, path, { url: NEW });

    const { body: csv } = await me.get("/api/v1/exports/replacements");
    const lines = [1, 2, 3].map(
      (line) => `"/places","${site.url}/places","${line}","","${OLD}","","${NEW}"`,
    );
    expect(String(csv).trim().split("\r\n")).toEqual([
      `"source","page_url","line","column","url","fragment","accepted_url"`,
      ...lines,
    ]);
    const query = `?format=ndjson&source_id=${source.id}`;
    const { body: records } = await me.get(`/api/v1/exports/replacements${query}`);
    expect(JSON.parse(String(records).split("\n")[0]!)).toMatchObject({
      line: 1,
      url: OLD,
      accepted_url: NEW,
    });
    const stranger = await server().account();
    const foreign = await stranger.get(`/api/v1/exports/replacements${query}`);
    expect(foreign.body).toBeFalsy();
  });

  test("is open again when its accepted URL is taken back", async () => {
    const me = await server().account();
    const { path } = await inList(me, "/back", 1);
    await check(server(), me, path, GONE);
    await replace(me, path, { url: NEW });
    const again = await replace(me, path, { url: NEW });
    expect(again.body.data).toMatchObject({ mode: "places", accepted_url: NEW });

    expect((await me.delete(`${path}/replace`)).status).toBe(204);
    expect(await read(me, path)).toMatchObject({ handling: "open", accepted_url: null });
    expect((await me.delete(`${path}/replace`)).status).toBe(404);
    const kinds = (await read(me, `${path}/timeline`)).items.map(({ kind }: Parsed) => kind);
    expect(kinds.sort()).toEqual(["changed", "reopened", "replaced"]);

    await me.patch(path, { handling: "acknowledged" });
    server().clock.moveBy(1000);
    await replace(me, path, { url: NEW, note: "See the changelog." });
    await me.delete(`${path}/replace`);
    expect(await read(me, path)).toMatchObject({ handling: "acknowledged", accepted_url: null });
    const details = (await read(me, `${path}/timeline`)).items.map(({ detail }: Parsed) => detail);
    expect(details).toContain(`${NEW} (See the changelog.)`);
  });

  testOnBoth("is refused the URL of another link, unless they are merged", async () => {
    const me = await server().account();
    const other = (await me.post(LINKS, { url: NEW })).body.data;
    const path = await newLink(me);
    const standing = await inList(me, "/merged", 1);

    for (const each of [path, standing.path]) {
      const { status, body } = await replace(me, each, { url: NEW });
      expect([status, body.error.details]).toEqual([
        409,
        { reason: "duplicate_url", existingId: other.id },
      ]);
    }
    const merged = await replace(me, path, { url: NEW, merge: true });
    expect(merged.body.data).toMatchObject({ mode: "merged", url: URL_A, accepted_url: NEW });
    expect(await read(me, path)).toMatchObject({ accepted_url: NEW, url: URL_A });
    expect((await read(me, path)).retired_at).not.toBeNull();
    const stored = await replace(me, standing.path, { url: NEW, merge: true });
    expect(stored.body.data).toMatchObject({ mode: "places", url: OLD, accepted_url: NEW });
    expect(await urls(me)).toEqual([NEW, OLD]);
  });

  test("refuses what cannot stand in its place", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const reader = { name: "r", permissions: { read: true, write: false } };
    const { key } = (await me.post("/api/v1/keys", reader)).body.data;
    for (const [body, problem] of [
      [{ url: URL_A }, "is the link's URL already"],
      [{ url: "ftp://example.org/" }, "must be an http or https URL"],
      [{}, "either this or `suggestion_id` is required"],
    ] as const) {
      const { status, body: reply } = await replace(me, path, body);
      expect([status, reply.error.details.fields.url]).toEqual([400, [problem]]);
    }
    const asReader = server().asker(key);
    expect((await replace(asReader, path, { url: NEW })).status).toBe(403);
    expect((await asReader.delete(`${path}/replace`)).status).toBe(403);
    const stranger = await server().account();
    expect((await replace(stranger, path, { url: NEW })).status).toBe(403);
  });

  test("that gets another URL in place of its own is said to come back with its sources", async () => {
    const me = await server().account();
    const { path } = await inList(me, "/moved", 2);
    const { body } = await me.post(`${path}/url`, { url: NEW });
    expect(body.data).toMatchObject({
      url: NEW,
      places: 2,
      warning: "The sources still contain the old URL and will add it again.",
    });
    const alone = await newLink(me);
    expect((await me.post(`${alone}/url`, { url: `${NEW}/2` })).body.data.warning).toBeNull();
  });
});
