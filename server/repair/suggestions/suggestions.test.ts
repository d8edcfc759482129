import { afterAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type PlayedArchive, startArchive } from "../../../tests/archive.ts";
import { check } from "../../../tests/checked.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import { type Asker, onServer, type Parsed, START } from "../../../tests/harness.ts";
import { hearChanges } from "../../../tests/hearing.ts";
import { remember, startLookups } from "../../../tests/lookups.ts";
import { addLink } from "../../../tests/rows.ts";
import { type Routes, startSite } from "../../../tests/site.ts";
import { accounts, archiveCopies, archiveHosts, linkLookups } from "../../ground/db/tables.ts";

const TITLE = "How to grow tomatoes in small gardens";
const page =
  (title = TITLE) =>
  () =>
    new Response(KINDS.article(title, { words: 400 }), {
      headers: { "content-type": "text/html; charset=utf-8" },
    });

const archive: PlayedArchive = startArchive();
const routes: Routes = {};
const site = startSite(routes);
afterAll(() => Promise.all([archive, site].map((each) => each.stop())));

const NAMES = ["garden.com", "www.garden.com", "plants.net"];
const at = (path: string, host = "garden.com") => `http://${host}:${site.port}${path}`;

onServer(
  "What could stand in the place of a dead link",
  (server, { test, testOnBoth }) => {
    let me: Asker;
    let lookups: ReturnType<typeof startLookups>;
    beforeEach(async () => {
      me = await server().account();
      const { store } = server().deps;
      for (const table of [archiveCopies, archiveHosts, linkLookups]) await store.delete(table);
      for (const path of Object.keys(routes)) delete routes[path];
      site.requests.length = 0;
      archive.forget();
      lookups = startLookups(server(), NAMES);
    });

    const turnOn = (who = me) =>
      server()
        .deps.store.update(accounts)
        .set({ archiveLookup: true })
        .where(eq(accounts.no, who.accountNo));
    async function watching(path: string, who = me) {
      const id = await addLink(who, { url: at(path) });
      await check(server(), [id], "ok");
      return id;
    }
    const dies = async (id: string, reason = "http_404" as const) => {
      server().clock.moveBy(DAY);
      await check(server(), [id], reason);
    };
    const suggestionsOf = async (id: string, who = me) =>
      (await who.get(`/api/v1/links/${id}/suggestions`)).body.data;
    const linkOf = async (id: string, who = me) => (await who.get(`/api/v1/links/${id}`)).body.data;

    testOnBoth(
      "is another form of its address, which is requested and shows the page",
      async () => {
        const id = await watching("/a");
        await remember(server(), me, id, { title: TITLE });
        const hear = await hearChanges(server(), me, ["suggestion"]);
        routes["/a/"] = page();
        await dies(id);
        expect(await suggestionsOf(id)).toMatchObject({ items: [], lookup: { state: "waiting" } });
        expect((await linkOf(id)).suggestion).toBeNull();

        await lookups.all();

        const suggestion = { kind: "variant", url: at("/a/"), confidence: "likely" };
        expect(await suggestionsOf(id)).toMatchObject({
          items: [{ ...suggestion, matches: "yes", captured_at: null }],
          lookup: { state: "done", retry_at: null, reasons: [] },
        });
        expect((await linkOf(id)).suggestion).toEqual({ ...suggestion, captured_at: null });
        expect(await hear()).toMatchObject([
          { linkId: id, kind: "suggestion", before: at("/a"), after: at("/a/") },
        ]);
      },
    );
  },
  { STILLUP_ARCHIVE_URL: archive.url },
);
