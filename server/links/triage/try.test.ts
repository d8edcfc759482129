import { afterAll, beforeEach, expect, test } from "bun:test";
import { type Asker, onServer, startServer } from "../../../tests/harness.ts";
import { startNameServer } from "../../../tests/name-server.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { startSite } from "../../../tests/site.ts";
import { eventsOf, newLink, read } from "../../../tests/triage/playing.ts";
import { createDeps, linkChecksApart } from "../../app/build.ts";
import { createStore } from "../../ground/db/store.ts";
import { links, siteHolds } from "../../ground/db/tables.ts";
import { systemClock } from "../../ground/lib/clock.ts";
import { NEVER_CHECKED } from "../../judge/attempt.ts";
import { bucketOf } from "../../work/nodes.ts";

const PAGE = `<title>A page</title><h1>A page</h1><p>${"Some words of it. ".repeat(60)}</p>`;
const html = (body: string) => new Response(body, { headers: { "content-type": "text/html" } });
const site = startSite({ "/page": () => html(PAGE) });
const nameServer = await startNameServer({ "docs.site.test": { A: ["127.0.0.1"] } });
const closed = startSite(
  {
    "/page": ({ headers }) =>
      html(`${PAGE}<p>words not said elsewhere ${headers.get("x-key")}</p>`),
  },
  { certificate: "good" },
);
afterAll(async () => {
  nameServer.stop();
  await Promise.all([site.stop(), closed.stop()]);
});

beforeEach(() => {
  site.requests.length = 0;
});

const KEY = "key-0123456789";
const MISSING = { must_contain: ["Handbook"] };

onServer(
  "POST /links/{id}/try",
  (server, { test, testOnBoth }) => {
    const pageOf = (me: Asker, more = {}) => newLink(me, { url: `${site.url}/page`, ...more });

    test("shows the verdict with what was typed and keeps nothing of it", async () => {
      const me = await server().account();
      const path = await pageOf(me);
      const before = await read(me, path);
      const rows = await server().deps.store.select().from(links);

      const { status, body } = await me.post(`${path}/try`, { expect: MISSING });

      expect([status, body.data]).toMatchObject([
        200,
        {
          status: "dead",
          reason: "text_missing",
          status_code: 200,
          final_url: `${site.url}/page`,
          response_time_ms: expect.any(Number),
          message: "The page does not contain a text that it must contain.",
          evidence: {
            attempts: [{ status: 200 }, { status: 200 }],
            signals: [{ text: "The page does not contain “Handbook”." }],
            monitor: null,
          },
        },
      ]);
      expect(await read(me, path)).toEqual(before);
      expect(await server().deps.store.select().from(links)).toEqual(rows);
      expect((await me.get(`${path}/history`)).body.data.pagination.total).toBe(0);
      expect(await eventsOf(server(), me)).toEqual([]);
    });

    test("says what checks say then, which two accounts with one URL do not share", async () => {
      const [me, other] = [await server().account(), await server().account()];
      const [mine, theirs] = [
        await pageOf(me, { expect: MISSING }),
        await pageOf(other, { expect: { must_contain: ["Some words of it."] } }),
      ];
      const tried = await me.post(`${mine}/try`, {});
      site.requests.length = 0;

      await checkDueLinks({ ...server().deps, check: server().check });

      const reasonOf = async (of: Asker, path: string) => (await read(of, path)).last_check.reason;
      expect(await reasonOf(me, mine)).toBe(tried.body.data.reason);
      expect(tried.body.data.reason).toBe("text_missing");
      expect(await reasonOf(other, theirs)).toBe("ok");
      expect(site.requests.filter(({ url }) => url.endsWith("/page")).length).toBeGreaterThan(2);
    });

    test("uses the link's own expectations if none are sent, and none for null", async () => {
      const me = await server().account();
      const path = await pageOf(me, { expect: MISSING });

      const [own, none] = [
        await me.post(`${path}/try`, {}),
        await me.post(`${path}/try`, { expect: null }),
      ];

      expect([own.body.data.reason, none.body.data.reason]).toEqual(["text_missing", "ok"]);
    });

    test("sends what is set for the host, and masks it", async () => {
      const me = await server().account();
      const path = await newLink(me, { url: `https://docs.site.test:${closed.port}/page` });
      const headers = [{ name: "X-Key", value: KEY }];
      await me.post("/api/v1/host-settings", { host: `docs.site.test:${closed.port}`, headers });

      const { body } = await me.post(`${path}/try`, {
        expect: { must_not_contain: ["words not said elsewhere"] },
      });

      expect(closed.requests.some((request) => request.headers.get("x-key") === KEY)).toBe(true);
      expect(body.data.evidence.signals[0].text).toContain("words not said elsewhere ***");
      expect(JSON.stringify(body)).not.toContain(KEY);
    });

    test("refuses bad expectations, and the links of others", async () => {
      const [me, other] = [await server().account(), await server().account()];
      const path = await pageOf(me);

      const bad = await me.post(`${path}/try`, { expect: {} });
      const foreign = await other.post(`${path}/try`, {});

      expect([bad.status, Object.keys(bad.body.error.details.fields)]).toEqual([400, ["expect"]]);
      expect(foreign.status).toBe(403);
      expect(site.requests).toEqual([]);
    });

    test("is allowed ten times a minute for an account", async () => {
      const [me, other] = [await server().account(), await server().account()];
      const [path, theirs] = [await pageOf(me), await pageOf(other)];

      for (let n = 0; n < 10; n++) expect((await me.post(`${path}/try`, {})).status).toBe(200);
      const refused = await me.post(`${path}/try`, {});

      expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([
        429,
        expect.any(Number),
      ]);
      expect((await other.post(`${theirs}/try`, {})).status).toBe(200);
      server().clock.moveBy(60_000);
      expect((await me.post(`${path}/try`, {})).status).toBe(200);
    });

    testOnBoth("respects the cooldown of a site that another process knows", async () => {
      const { config, clock, deps } = server();
      const apiOnly = { ...config, role: ["api" as const], checkProcesses: 0 };
      const { tryLink } = createDeps(apiOnly, createStore(deps.store.engine), clock);
      const link = { ...NEVER_CHECKED, url: `${site.url}/page`, isRequested: true, isTrial: true };
      const key = new URL(site.url).host;
      const until = clock.now() + 60_000;
      const load = JSON.stringify({
        hold: { reason: "http_429", until, lengthMs: 60_000 },
      });
      await deps.store.insert(siteHolds).values({ site: key, bucket: bucketOf(key), until, load });

      const seen = await tryLink(link, new AbortController().signal);

      expect([seen.reason, site.requests]).toEqual(["http_429", []]);
    });
  },
  { STILLUP_DNS_SERVERS: nameServer.address, STILLUP_EXTRA_CA_FILE: "tests/certs/ca.pem" },
);

test("a process that checks judges with what each account expects, and shares no evidence", async () => {
  const server = await startServer("sqlite", { STILLUP_CHECK_PROCESSES: "1" });
  const checks = linkChecksApart({ ...server.deps, clock: systemClock });
  const [me, other] = [await server.account(), await server.account()];
  const url = `${site.url}/page`;
  const mine = await newLink(me, { url, expect: MISSING });
  const theirs = await newLink(other, { url, expect: { must_contain: ["Glossary"] } });

  await checkDueLinks({ ...server.deps, check: checks.check });

  const seen = async (of: Asker, path: string) => {
    const { reason, evidence } = (await of.get(`${path}/history`)).body.data.items[0];
    return [reason, evidence.signals.map(({ text }: { text: string }) => text)];
  };
  const [first, second] = [await seen(me, mine), await seen(other, theirs)];
  checks.stop();
  await server.stop();
  expect(first).toEqual(["text_missing", ["The page does not contain “Handbook”."]]);
  expect(second).toEqual(["text_missing", ["The page does not contain “Glossary”."]]);
  // Each link has its page asked twice.
  expect(site.requests.filter((request) => request.url === url)).toHaveLength(4);
});
