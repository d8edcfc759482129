import { afterAll, beforeEach, expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { echoesOf } from "../../tests/hosts/echoes.ts";
import { logLines } from "../../tests/log.ts";
import { IS_LONG, sized } from "../../tests/long.ts";
import { startNameServer } from "../../tests/name-server.ts";
import { startReceiver, subscribe } from "../../tests/receiver.ts";
import { checkDueLinks, deliverDue } from "../../tests/rounds.ts";
import { startSite } from "../../tests/site.ts";
import { createDeps } from "../app/build.ts";
import { createStore, Unavailable } from "../ground/db/store.ts";
import { hostSettings, links } from "../ground/db/tables.ts";
import { newId } from "../ground/lib/ids.ts";
import { NEVER_CHECKED } from "../judge/attempt.ts";
import { unpack } from "../judge/probe/response.ts";
import { checkOne } from "../monitor/checker.ts";
import { claimDueLinks } from "../monitor/claim.ts";

const HOSTS = "/api/v1/host-settings";
const LINKS = "/api/v1/links";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const HERE = { A: ["127.0.0.1"] };
const nameServer = await startNameServer({ "docs.site.test": HERE, "wiki.site.test": HERE });
afterAll(nameServer.stop);

/** What the site says now, by path; any other path is missing. */
let says: (request: Request) => Response | Promise<Response>;
const isMadeUp = (url: string) =>
  /^\/(robots\.txt|([a-z]+\/)?[a-z]{16})$/.test(new URL(url).pathname);
const site = startSite(
  {},
  {
    certificate: "good",
    otherwise: (request) => (isMadeUp(request.url) ? missing() : says(request)),
  },
);
afterAll(site.stop);
/** What settings name. */
const HOST = `docs.site.test:${site.port}`;
const at = (path: string, host = "docs") => `https://${host}.site.test:${site.port}${path}`;

beforeEach(() => {
  site.requests.length = 0;
});

const html = (body: string, init: ResponseInit = {}) =>
  new Response(body, { ...init, headers: { "content-type": "text/html", ...init.headers } });
const PAGE = `<title>A page</title><h1>A page</h1><p>${"Some words of it. ".repeat(60)}</p>`;
const missing = () => html("<title>Not found</title>", { status: 404 });

const KEY = `Zq7/w+X9%k&2 vB'<5>"\\e`;
const PASSWORD = "p@55: word/9";

/** Lets all that is due be checked, again and again. */
async function checkAll(server: TestServer, deps = server.deps) {
  while ((await checkDueLinks({ ...deps, check: server.check })) > 0);
}

async function addLinks(me: Asker, urls: string[]): Promise<string[]> {
  const { body } = await me.post(`${LINKS}/batch`, { links: urls.map((url) => ({ url })) });
  return body.data.results.map(({ link }: Parsed) => link.id);
}

const linkOf = async (me: Asker, id: string) => (await me.get(`${LINKS}/${id}`)).body.data;

async function settingOf(me: Asker, more: object) {
  const { status, body } = await me.post(HOSTS, { host: HOST, ...more });
  expect(status).toBe(201);
  return body.data.id as string;
}

/** Everything that the database and its files contain, with stored responses unpacked. */
async function kept({ deps: { store }, config }: TestServer): Promise<string> {
  const isSqlite = store.engine.name === "sqlite";
  const tables: [string][] = await store.all(
    isSqlite
      ? sql.raw("select name from sqlite_master where type = 'table'")
      : sql.raw("select table_name from information_schema.tables where table_schema = 'public'"),
  );
  const rows = tables.map(async ([name]) => store.all<unknown[]>(sql.raw(`select * from ${name}`)));
  const responses: [string][] = await store.all(sql.raw("select content from link_responses"));
  const files = readdirSync(config.dataDir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
  return [
    JSON.stringify(await Promise.all(rows)),
    ...responses.map(([content]) => JSON.stringify(unpack(content))),
    ...files,
  ].join("\n");
}

onServer(
  "With settings for a host",
  (server, { test, testOnBoth }) => {
    /** The links of earlier tests wait. */
    beforeEach(async () => {
      const nextCheckAt = server().clock.now() + 1000 * DAY;
      await server().deps.store.update(links).set({ nextCheckAt });
    });

    /** Of each way in which a server repeats what it got, a page that is alive and one that is not. */
    function echo(request: Request): Response {
      const { pathname, searchParams } = new URL(request.url);
      const sent = [...request.headers].flatMap(([name, value]) =>
        /^(x-key|authorization)$/.test(name) ? [value.replace(/^Basic /, "")] : [],
      );
      const basic = sent.find((value) => value !== KEY) ?? "";
      const all = [...sent, atob(basic), PASSWORD].flatMap(echoesOf);
      const text = all[Number(searchParams.get("n"))] ?? "";
      const plain = text.replace(/[^\x21-\x7e ]/g, "").trim();
      const status = pathname.startsWith("/dead") ? 410 : 200;
      const cut = "x".repeat(Number(searchParams.get("cut") ?? 0));
      switch (pathname.split("/")[2]) {
        case "body":
          return html(`<p>${cut}${text}</p>${PAGE}`, { status });
        case "title":
          return html(`<title>${cut}${text}</title><h1>${text}</h1>${PAGE}`, { status });
        case "header":
          return html(PAGE, { status, headers: { server: plain, "x-echo": plain } });
        case "to":
          return Response.redirect(at(`/${status}/end?k=${encodeURIComponent(plain)}`), 302);
        case "away":
          return html("", {
            status: 302,
            headers: { location: `https://elsewhere.test/${plain}` },
          });
        case "end":
          return html(PAGE, { status: pathname.startsWith("/410") ? 410 : 200 });
        default:
          return missing();
      }
    }

    test("nothing that a server repeats is kept or shown", async () => {
      const lines = await logLines("debug");
      says = echo;
      const me = await server().account("enterprise");
      const receiver = startReceiver();
      const events = ["link.dead", "link.alive", "check.complete"];
      await subscribe(me, receiver.url, events);
      const auth = { type: "basic" as const, user: "monitor", password: PASSWORD };
      await settingOf(me, { headers: [{ name: "X-Key", value: KEY }], auth });
      const both = ["body", "title", "header"].flatMap((way) => [`/alive/${way}`, `/dead/${way}`]);
      const ways = [...both, "/dead/to", "/alive/away"];
      const count = 4 * echoesOf(KEY).length;
      const echoes = Array.from({ length: count }, (_, n) => n);
      // Each echo in one of the ways, or in all of them.
      const paths = ways.flatMap((way, w) =>
        echoes.filter((n) => IS_LONG || n % ways.length === w).map((n) => `${way}?n=${n}`),
      );
      const cuts = [175, 190, 195, 4080].flatMap((cut) => [0, 11].map((n) => `?n=${n}&cut=${cut}`));
      const cutPaths = cuts.flatMap((cut) => [`/dead/body${cut}`, `/alive/title${cut}`]);
      const ids = await addLinks(
        me,
        [...paths, ...cutPaths].map((path) => at(path)),
      );

      await checkAll(server());
      await deliverDue(server().deps);

      const seen = site.requests.filter(({ headers }) => headers.get("x-key") === KEY);
      expect(seen.length).toBeGreaterThan(ids.length - 1);
      const replies: string[] = [];
      for (const id of ids) {
        for (const part of ["", "/history", "/raw", "/events", "/runs"]) {
          replies.push(JSON.stringify((await me.get(`${LINKS}/${id}${part}`)).body));
        }
      }
      for (const path of ["/links/export?format=csv", "/history/export?format=csv"]) {
        replies.push(JSON.stringify((await me.get(`/api/v1${path}`)).body));
      }
      expect(receiver.requests.length).toBeGreaterThan(0);
      const sent = receiver.requests.map(({ body }) => body.toString());
      const conclusions: unknown[] = [];
      const host = {
        id: newId(),
        version: 1,
        host: HOST,
        allowHttp: false,
        userAgent: null,
        headers: [["X-Key", KEY]] as [string, string][],
        auth,
        isProven: true,
      };
      for (const path of [...paths, ...cutPaths].filter((path) => path.startsWith("/dead/"))) {
        const known = { ...NEVER_CHECKED, url: at(path), host };
        const responses = { alive: null, dead: null };
        const seen = await server().check({ ...known, responses }, new AbortController().signal);
        conclusions.push(seen, seen.response && unpack(seen.response.content));
      }
      expect(JSON.stringify(conclusions)).toContain("excerpt");
      const places = {
        conclusions: JSON.stringify(conclusions),
        kept: await kept(server()),
        replies: replies.join("\n"),
        sent: sent.join("\n"),
        log: lines.join("\n"),
      };
      expect(places.replies).toContain("***");
      // The first characters too, as of a text that was cut.
      const forms = [KEY, KEY.slice(0, 6), PASSWORD, PASSWORD.slice(0, 6)].flatMap(echoesOf);
      const all = [...forms, btoa(`monitor:${PASSWORD}`)];
      for (const [place, text] of Object.entries(places)) {
        const found = all.filter((form) =>
          [form, JSON.stringify(form).slice(1, -1)].some((each) => text.includes(each)),
        );
        expect({ place, found }).toEqual({ place, found: [] });
      }
    }, 120_000);

    test("two accounts with one URL get their own requests, verdicts and evidence", async () => {
      says = ({ headers }) =>
        headers.get("x-key") === "for ann only"
          ? html(`<title>Welcome, Ann</title>${PAGE}`)
          : new Response("no", { status: 401 });
      const [ann, ben] = [await server().account(), await server().account()];
      await settingOf(ann, { headers: [{ name: "X-Key", value: "for ann only" }] });
      const url = at("/shared");
      const [[hers], [his]] = [await addLinks(ann, [url]), await addLinks(ben, [url])];

      await checkAll(server());

      const [of, other] = [await linkOf(ann, hers!), await linkOf(ben, his!)];
      expect([of.status, of.reason]).toEqual(["active", "ok"]);
      expect([other.status, other.last_check.reason]).toEqual(["unknown", "http_401"]);
      const keys = site.requests.map(({ headers }) => headers.get("x-key"));
      expect(new Set(keys)).toEqual(new Set(["for ann only", null]));
      expect(JSON.stringify(other)).not.toContain("Ann");
      const shown = (await ann.get(HOSTS)).body.data.items[0];
      expect(shown.last_success_at).not.toBeNull();
    });

    const MANY = sized(12, 60);

    test("a host that says 404 to expired credentials makes no link dead, and a missing page is dead once they work", async () => {
      let isExpired = false;
      const gone = at("/handbook/7");
      let isGone = false;
      says = ({ headers, url }) => {
        const isIn = !isExpired && headers.get("authorization") === "Bearer works for now";
        return isIn && !(isGone && url === gone) ? html(PAGE) : missing();
      };
      const me = await server().account("enterprise");
      await settingOf(me, { auth: { type: "bearer", token: "works for now" } });
      const urls = Array.from({ length: MANY }, (_, i) => at(`/handbook/${i}`));
      const ids = await addLinks(me, urls);
      const statuses = async () => {
        const { counts } = (await me.get("/api/v1/overview")).body.data;
        return { active: counts.active, dead: counts.dead, unknown: counts.unknown };
      };
      let mostDead = 0;
      const pass = async (days: number) => {
        for (let hours = 0; hours < days * 24; hours += 3) {
          server().clock.moveBy(3 * HOUR);
          await checkAll(server());
          mostDead = Math.max(mostDead, (await statuses()).dead);
        }
      };
      await checkAll(server());
      await pass(1);
      expect(await statuses()).toEqual({ active: MANY, dead: 0, unknown: 0 });

      isExpired = true;
      await pass(4);
      expect(await statuses()).toEqual({ active: 0, dead: 0, unknown: MANY });
      expect((await linkOf(me, ids[0]!)).last_check).toMatchObject({
        reason: "credentials_unproven",
        status_code: 404,
      });

      expect(mostDead).toBe(0);

      isExpired = false;
      isGone = true;
      await pass(6);
      expect(await statuses()).toEqual({ active: MANY - 1, dead: 1, unknown: 0 });
      const { id } = await linkOf(me, ids[7]!);
      const { items } = (await me.get(`${LINKS}/${id}/history`)).body.data;
      const latest = items.slice(0, 3).map(({ reason }: Parsed) => reason);
      // It stays dead.
      expect(latest).toEqual(["http_404", "http_404", "http_404"]);
    }, 300_000);

    test.each([
      ["no success", null, "credentials_unproven"],
      ["a success before it was missing", -1, "credentials_unproven"],
      ["a success of a check that may have begun before", 14, "credentials_unproven"],
      ["a success after it was missing", 20, "http_404"],
      ["a success long ago", 60, "credentials_unproven"],
    ])("a missing page after %s (%p minutes) is %p", async (what, minutes, reason) => {
      says = missing;
      const me = await server().account();
      const id = await settingOf(me, { headers: [{ name: "X-Key", value: "works or not" }] });
      const [link] = await addLinks(me, [at("/proof")]);
      await checkAll(server());
      const { clock, deps } = server();
      const lastSuccessAt = minutes === null ? null : clock.now() + minutes * 60_000;
      const isSetting = eq(hostSettings.id, id);
      await deps.store.update(hostSettings).set({ lastSuccessAt }).where(isSetting);

      clock.moveBy(what.endsWith("long ago") ? 26 * HOUR : 7 * HOUR);
      await checkAll(server());

      expect((await linkOf(me, link!)).last_check.reason).toBe(reason);
    });

    test("refused credentials are trouble of the account until they are accepted again", async () => {
      let status = 403;
      says = () => html(PAGE, { status });
      const me = await server().account();
      const id = await settingOf(me, { headers: [{ name: "X-Key", value: "does not work" }] });
      const [link] = await addLinks(me, [at("/refused")]);
      const setting = async () => (await me.get(`${HOSTS}/${id}`)).body.data;
      const failing = async () => (await me.get("/api/v1/overview")).body.data.hostSettings;

      await checkAll(server());
      const since = (await setting()).failing_since;
      expect(since).not.toBeNull();
      expect((await linkOf(me, link!)).last_check.reason).toBe("credentials_refused");
      expect(await failing()).toEqual({
        total: 1,
        items: [{ id, host: HOST, since }],
      });
      server().clock.moveBy(2 * DAY);
      await checkAll(server());
      expect((await setting()).failing_since).toBe(since);

      status = 200;
      server().clock.moveBy(2 * DAY);
      await checkAll(server());
      expect(await setting()).toMatchObject({ failing_since: null });
      expect((await setting()).last_success_at).not.toBeNull();
      expect(await failing()).toEqual({ total: 0, items: [] });
    });

    test("without the key that sealed them nothing is sent", async () => {
      says = () => html(PAGE);
      const me = await server().account();
      await settingOf(me, { headers: [{ name: "X-Key", value: "sealed before" }] });
      const [link] = await addLinks(me, [at("/sealed")]);
      const { config, deps, clock } = server();
      const store = createStore(deps.store.engine);
      const restarted = createDeps(config, store, clock, new Uint8Array(32));

      await checkAll(server(), restarted);

      expect(site.requests).toEqual([]);
      expect((await linkOf(me, link!)).last_check.reason).toBe("credentials_unreadable");
    });

    test("nothing is sent while the database cannot be read", async () => {
      says = () => html(PAGE);
      const me = await server().account();
      await settingOf(me, { headers: [{ name: "X-Key", value: "not read" }] });
      await addLinks(me, [at("/unread")]);
      const { deps, check } = server();
      const [claimed] = await claimDueLinks(deps, 1);
      const run = () => Promise.reject(new Unavailable("gone"));
      const store = createStore({ ...deps.store.engine, run });

      const seen = await checkOne(
        { ...deps, store, check },
        claimed!,
        new AbortController().signal,
      );

      expect(seen.reason).toBe("check_aborted");
      expect(site.requests).toEqual([]);
    });

    testOnBoth("a change counts at once here, and within ten seconds on another node", async () => {
      says = () => html(PAGE);
      const me = await server().account();
      const id = await settingOf(me, { headers: [{ name: "X-Key", value: "the first" }] });
      const [link] = await addLinks(me, [at("/changed")]);
      const { deps, clock } = server();
      const elsewhere = { ...deps, store: createStore(deps.store.engine) };
      const sent = async (from: typeof deps) => {
        site.requests.length = 0;
        await me.post(`${LINKS}/${link}/check`);
        await checkAll(server(), from);
        return site.requests.find(({ url }) => url === at("/changed"))?.headers.get("x-key");
      };

      expect([await sent(deps), await sent(elsewhere)]).toEqual(["the first", "the first"]);
      const headers = [{ name: "X-Key", value: "the second" }];
      await me.patch(`${HOSTS}/${id}`, { headers });
      expect(await sent(deps)).toBe("the second");
      clock.moveBy(10_000);
      expect(await sent(elsewhere)).toBe("the second");
      await me.delete(`${HOSTS}/${id}`);
      expect(await sent(deps)).toBeNull();
    });
  },
  {
    STILLUP_DNS_SERVERS: nameServer.address,
    STILLUP_EXTRA_CA_FILE: "tests/certs/ca.pem",
    // One after the other, since each moves the clock on which the time of the others runs out.
    STILLUP_CHECK_CONCURRENCY: "1",
  },
);
