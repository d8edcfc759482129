import { afterAll, beforeEach, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { and, eq } from "drizzle-orm";
import { type PlayedArchive, stampOf, startArchive } from "../../../tests/archive.ts";
import { check } from "../../../tests/checked.ts";
import { DAY, HOUR, saw } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { type Asker, onServer, type Parsed } from "../../../tests/harness.ts";
import { addLink } from "../../../tests/rows.ts";
import { newScratchFolder } from "../../../tests/scratch.ts";
import {
  accounts,
  archiveCopies,
  archiveHosts,
  archiveSaves,
  events,
} from "../../ground/db/tables.ts";
import { forgetOldCopies, keepNothing } from "./copies.ts";
import { createSaving, saveDue, startSaveLoop } from "./save-loop.ts";
import { noteSaves } from "./saves.ts";

const MINUTE = 60_000;
const KEY = "4cc3ss:s3cr3t";
const keyFile = join(newScratchFolder("stillup-key-"), "key");
writeFileSync(keyFile, KEY);

const archive: PlayedArchive = startArchive();
afterAll(() => archive.stop());

const GOOD = KINDS.article("How to grow tomatoes in small gardens", { words: 400 });
const SETTINGS = {
  STILLUP_ARCHIVE_URL: archive.url,
  STILLUP_ARCHIVE_KEY_FILE: keyFile,
  STILLUP_ARCHIVE_SAVES_PER_DAY: "20",
};

let pages = 0;
const freshUrl = () => `https://garden${++pages}.com/guide`;

onServer(
  "Pages that are saved in the archive while they are alive",
  (server, { test, testOnBoth }) => {
    let me: Asker;
    /** What Save Page Now answers, by what is asked. */
    let says: { limits: Parsed; begin: Parsed; status: Parsed };
    let saving: ReturnType<typeof createSaving>;
    beforeEach(async () => {
      const { store } = server().deps;
      for (const table of [archiveSaves, archiveCopies, archiveHosts]) await store.delete(table);
      archive.forget();
      archive.save = answer;
      says = {
        limits: { daily_captures: 0, daily_captures_limit: 40_000 },
        begin: { job_id: "spn2-1" },
        status: { status: "success" },
      };
      me = await server().account();
      await turnOn();
      saving = createSaving(server().deps, new AbortController().signal);
    });

    async function answer(request: Request): Promise<Response> {
      if (request.headers.get("authorization") !== `LOW ${KEY}`)
        return new Response(null, { status: 401 });
      const { pathname } = new URL(request.url);
      if (pathname === "/save/status/user") return Response.json(says.limits);
      if (pathname.startsWith("/save/status/")) return Response.json(says.status);
      const url = new URLSearchParams(await request.text()).get("url")!;
      if (says.begin.job_id) capture(url);
      return Response.json(says.begin);
    }
    const capture = (url: string, body = GOOD) =>
      archive.kept.push({ url, at: new Date(server().clock.now()).toISOString(), body });

    const turnOn = (settings = { archiveSave: true, archiveLookup: true }) =>
      server().deps.store.update(accounts).set(settings).where(eq(accounts.no, me.accountNo));
    /** A link that a check has found alive. */
    async function alive(url = freshUrl()) {
      const id = await addLink(me, { url });
      await check(server(), [id], "ok");
      return { id, url };
    }
    const save = () => saveDue(saving);
    async function saveAfter(ms: number) {
      server().clock.moveBy(ms);
      return save();
    }
    const rows = () => server().deps.store.select().from(archiveSaves);
    const states = async () => (await rows()).map(({ state }) => state);
    const asked = (path: string) => archive.asked().filter((each) => each === path).length;

    testOnBoth(
      "are saved once, and the copy is there in the second in which they die",
      async () => {
        const { id, url } = await alive();
        await save();
        expect(await states()).toEqual(["saving"]);
        const capturedAt = Date.parse(archive.kept[0]!.at);
        await saveAfter(30_000);
        expect(await states()).toEqual(["saved"]);
        expect(archive.asked()[0]).toBe("/save/status/user");
        await check(server(), [id], "ok");
        await me.post("/api/v1/webhooks", { url: "https://hook.test/", events: ["link.dead"] });
        server().clock.moveBy(200 * DAY);
        await check(server(), [id], "ok");
        const before = archive.requests.length;

        await check(server(), [id], "http_404");

        const suggestion = {
          kind: "archive",
          url: `${archive.url}/web/${stampOf(new Date(capturedAt).toISOString())}/${url}`,
          captured_at: new Date(Math.floor(capturedAt / 1000) * 1000).toISOString(),
        };
        const isDeath = and(eq(events.accountId, me.accountId), eq(events.type, "link.dead"));
        const [death] = await server().deps.store.select().from(events).where(isDeath);
        expect(JSON.parse(death!.data).suggestion).toMatchObject({ url: suggestion.url });
        expect((await me.get(`/api/v1/links/${id}`)).body.data.suggestion).toMatchObject(
          suggestion,
        );
        expect(archive.requests.length).toBe(before);
      },
    );

    testOnBoth("are kept for good, and other copies for 90 days", async () => {
      const { store, clock } = server().deps;
      await alive();
      await save();
      await saveAfter(MINUTE);
      const kept = { urlKey: "https://other.com/", now: clock.now(), latestAt: clock.now() };
      await keepNothing(store, kept, []);
      server().clock.moveBy(91 * DAY);

      await forgetOldCopies(server().deps);

      expect(await store.select().from(archiveCopies)).toMatchObject([{ isSaved: true }]);
    });

    test("are sent with the key, and as people would want them saved", async () => {
      const url = `${freshUrl()}#part`;
      let sent = "";
      archive.save = async (request) => {
        if (request.method === "POST") sent = await request.clone().text();
        return answer(request);
      };
      await alive(url);
      await save();

      expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
        url: url.replace("#part", ""),
        if_not_archived_within: "30d",
        skip_first_archive: "1",
      });
    });

    testOnBoth(
      "are only new ones, of accounts that want it, and none that are private",
      async () => {
        const { store } = server().deps;
        const dead = await addLink(me, { url: freshUrl() });
        await check(server(), [dead], "http_404");
        const inside = await addLink(me, { url: freshUrl() });
        const { evidence } = saw("ok");
        await check(server(), [inside], "ok", { evidence: { ...evidence, address: "10.0.0.5" } });
        await me.post("/api/v1/host-settings", { host: "*.secret.com", user_agent: "Test" });
        for (const url of [
          "https://www.secret.com/guide",
          `${freshUrl()}?token=1`,
          "https://wiki.lan/",
        ]) {
          await alive(url);
        }
        await turnOn({ archiveSave: false, archiveLookup: true });
        const { id } = await alive();
        await turnOn();
        await check(server(), [id], "ok");
        expect(await store.select().from(archiveSaves)).toEqual([]);

        await alive();
        await turnOn({ archiveSave: false, archiveLookup: true });
        await save();
        expect(await rows()).toEqual([]);
        expect(archive.asked()).toEqual(["/save/status/user"]);
      },
    );

    test("are looked for until the index has them", async () => {
      says.status = { status: "pending" };
      await alive();
      await save();
      archive.kept = [];
      for (const ms of [30_000, 2 * MINUTE]) await saveAfter(ms);
      expect(await states()).toEqual(["saving"]);
      says.status = { status: "success", original_url: "https://garden.com/favicon.ico" };
      await saveAfter(10 * MINUTE);
      expect(await states()).toEqual(["saving"]);
      const { url } = (await rows())[0]!;
      const jobs = asked("/save/status/spn2-1");
      capture(url);
      await saveAfter(HOUR);

      expect(await states()).toEqual(["saved"]);
      expect(jobs).toBe(3);
      expect(asked("/save/status/spn2-1")).toBe(3);
    });

    test("are given up where they never come, or are another page", async () => {
      await alive();
      await save();
      archive.kept = [];
      for (const ms of [MINUTE, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY]) await saveAfter(ms);
      expect(await states()).toEqual(["ended"]);

      await server().deps.store.delete(archiveSaves);
      await alive();
      await save();
      archive.kept[0]!.body = KINDS.headed("Page not found", {});
      await saveAfter(MINUTE);
      expect(await states()).toEqual(["ended"]);
      expect(await server().deps.store.select().from(archiveCopies)).toEqual([]);
    });

    eachRow<[string, "ended" | "waiting", number]>([
      ["error:blocked-url", "ended", 1],
      ["error:not-found", "ended", 1],
      ["error:no-access", "ended", 1],
      ["error:service-unavailable", "waiting", 2],
      ["error:job-failed", "waiting", 2],
    ])("are tried again if that may help", async (problem, state, begun) => {
      await server().deps.store.delete(archiveSaves);
      await server().deps.store.delete(archiveHosts);
      archive.requests.length = 0;
      saving = createSaving(server().deps, new AbortController().signal);
      says.status = { status: "error", status_ext: problem };
      await alive();
      await save();
      await saveAfter(MINUTE);
      expect(await states()).toEqual([state]);

      await saveAfter(HOUR);

      expect(asked("/save")).toBe(begun);
    });

    test("wait while the archive refuses the key, which is one trouble", async () => {
      archive.save = () => new Response(null, { status: 401 });
      for (let n = 0; n < 3; n++) await alive();
      await save();
      await save();
      const troubles = server().deps.troubles.all();
      expect(troubles).toMatchObject([{ name: "archive_key" }]);
      expect(JSON.stringify(troubles)).not.toContain("s3cr3t");
      expect(archive.asked()).toEqual(["/save/status/user"]);
      expect(await states()).toEqual(["waiting", "waiting", "waiting"]);

      archive.save = answer;
      await saveAfter(HOUR);
      expect(server().deps.troubles.all()).toEqual([]);
      expect(asked("/save")).toBe(3);
    });

    test("begin four times a minute, and as often a day as the settings allow", async () => {
      const starts: number[] = [];
      archive.save = (request) => {
        if (request.method === "POST") starts.push(server().clock.now());
        return answer(request);
      };
      for (let n = 0; n < 22; n++) await alive();
      await save();

      expect(starts).toHaveLength(20);
      const gaps = starts.slice(1).map((at, n) => at - starts[n]!);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15_000);
      for (let n = 0; n < 25; n++) await saveAfter(HOUR);
      expect(starts).toHaveLength(22);
    });

    test("leave a fifth of the day's captures to others who use the key", async () => {
      says.limits = { daily_captures: 32_001, daily_captures_limit: 40_000 };
      await alive();
      await save();
      await saveAfter(2 * HOUR);
      expect(archive.asked()).toEqual(["/save/status/user"]);

      says.limits.daily_captures = 0;
      await saveAfter(DAY);
      expect(asked("/save")).toBe(1);
    });

    test("wait while the archive wants no requests, also after a restart", async () => {
      archive.first = ({ url }) =>
        url.endsWith("/save") ? new Response(null, { status: 429 }) : undefined;
      await alive();
      await save();
      const before = archive.requests.length;
      saving = createSaving(server().deps, new AbortController().signal);
      await saveAfter(HOUR - MINUTE);
      expect(archive.requests.length).toBe(before);

      archive.first = null;
      await saveAfter(2 * MINUTE);
      expect(await states()).toEqual(["saving"]);
    });

    testOnBoth("are saved again once they have changed, but not within 180 days", async () => {
      await alive();
      await save();
      await saveAfter(MINUTE);
      const { url } = (await rows())[0]!;
      const { accountNo, accountId } = me;
      const found = { accountNo, accountId, url, at: server().clock.now(), address: null };
      await server().deps.store.transaction((tx) =>
        noteSaves(tx, server().deps, [{ ...found, isFirst: false }]),
      );
      await save();
      expect(asked("/save")).toBe(1);
      expect(await states()).toEqual(["waiting"]);

      await saveAfter(180 * DAY);

      expect(asked("/save")).toBe(2);
    });

    testOnBoth("are saved by a loop", async () => {
      await alive();
      const begun = Promise.withResolvers<void>();
      archive.save = (request) => {
        if (request.method === "POST") begun.resolve();
        return answer(request);
      };
      const loop = startSaveLoop(server().deps);
      await begun.promise;
      await loop.stop();
      expect(asked("/save")).toBe(1);
    });
  },
  SETTINGS,
);

onServer(
  "Without a key",
  (server, { test }) => {
    test("no pages are noted to be saved", async () => {
      const me = await server().account();
      await server().deps.store.update(accounts).set({ archiveSave: true });
      const id = await addLink(me, { url: freshUrl() });
      await check(server(), [id], "ok");

      expect(await server().deps.store.select().from(archiveSaves)).toEqual([]);
    });
  },
  { STILLUP_ARCHIVE_URL: archive.url },
);
