import { afterAll, beforeEach, expect, test } from "bun:test";
import { eq, isNotNull, ne, sql } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../../tests/checker/ended.ts";
import { movableClock } from "../../../tests/clock.ts";
import { type Asker, onBothEngines, type Parsed } from "../../../tests/harness.ts";
import { hearChanges } from "../../../tests/hearing.ts";
import { METRICS_TOKEN, readMetrics } from "../../../tests/metrics/reading.ts";
import { addAlive, listOf, rdap, registrySettings, startAsking } from "../../../tests/registry.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { startSite } from "../../../tests/site.ts";
import { until } from "../../../tests/until.ts";
import {
  domainSites,
  domains,
  facts,
  links,
  registryServers,
  siteHosts,
} from "../../ground/db/tables.ts";
import { ASKED_EVERY_MS } from "../../judge/identity/registry.ts";
import { hurryDomains, readDomainFacts } from "../../links/domains/facts.ts";
import { forgetOldDomains } from "../note-domains.ts";
import { startDomainLoop } from "./loop.ts";
import { reportDomains } from "./notices.ts";

const MINUTE = 60_000;
const WEEK = 7 * DAY;

/** What each domain's server says; those that are not named do not exist. */
let says: Record<string, () => Response | Promise<Response>> = {};
const answer = async ({ url }: Request): Promise<Response> =>
  says[url.replace(/^.*\/domain\//, "")]?.() ?? new Response(null, { status: 404 });
const net = startSite({}, { certificate: "good", otherwise: answer });
const org = startSite({}, { certificate: "good", otherwise: answer });
const notAsked = startSite({}, { certificate: "good" });
const plain = startSite({});
let list = "";
const iana = startSite(
  {
    "/dns.json": ({ headers }) =>
      headers.get("if-none-match") === `"${Bun.hash(list)}"`
        ? new Response(null, { status: 304 })
        : new Response(list, { headers: { etag: `"${Bun.hash(list)}"` } }),
  },
  { certificate: "good" },
);
const ALL = [net, org, notAsked, plain, iana];
afterAll(() => Promise.all(ALL.map((site) => site.stop())));

const LIST = listOf([
  [["net"], [`${net.url}/net/`]],
  [["org"], [`${org.url}/`]],
]);

const json = (body: string, status = 200) =>
  new Response(body, { status, headers: { "content-type": "application/rdap+json" } });
const registered = (domain: string, registration: string, expiration?: string) => () =>
  json(rdap(domain, { registration, ...(expiration !== undefined && { expiration }) }));
const askedOf = (site: { requests: { url: string }[] }) =>
  site.requests.map(({ url }) => new URL(url).pathname);

onBothEngines(
  "Registries are asked about the domains of links",
  (server) => {
    let me: Asker;
    let ask: ReturnType<typeof startAsking>;
    beforeEach(async () => {
      me = await server().account();
      await server().deps.store.delete(domains);
      await server().deps.store.delete(domainSites);
      // Links of earlier tests are not checked again.
      await server().deps.store.update(links).set({ nextCheckAt: Number.MAX_SAFE_INTEGER });
      await server().deps.store.update(registryServers).set({ dueAt: 0, lease: null });
      // What the process noted before is old.
      server().clock.moveBy(2 * DAY);
      for (const { requests } of ALL) requests.length = 0;
      [says, list] = [{}, LIST];
      ask = startAsking(server());
    });

    const row = async (domain: string) =>
      (await server().deps.store.select().from(domains)).find((each) => each.domain === domain);
    const factsOf = async (domain: string) =>
      (await readDomainFacts(server().deps.store, [domain])).get(domain);
    /** Asks in rounds a minute apart. */
    async function minutes(count: number) {
      for (let n = 0; n < count; n++) {
        await ask.once();
        server().clock.moveBy(MINUTE);
      }
    }

    test("once a week for all accounts, and first a week after a link was active", async () => {
      const at = (days: number) => new Date(server().clock.now() + days * DAY).toISOString();
      const expiry = at(60);
      says["example.net"] = registered("example.net", "2009-05-03T00:00:00Z", expiry);
      const others = await Promise.all(Array.from({ length: 3 }, () => server().account()));
      const [id] = await addAlive(server(), me, ["https://www.example.net/a"]);
      for (const each of others) await addAlive(server(), each, ["https://docs.example.net/"]);
      await minutes(3);
      expect([askedOf(iana), askedOf(net)]).toEqual([["/dns.json"], []]);
      const before = (await me.get(`/api/v1/links/${id}`)).body.data.domain;

      server().clock.moveBy(WEEK);
      await minutes(3);
      const checkedAt = (await row("example.net"))!.answeredAt!;
      await addAlive(server(), me, ["https://example.net/b"]);
      server().clock.moveBy(WEEK - HOUR);
      await minutes(3);

      expect(askedOf(net)).toEqual(["/net/domain/example.net"]);
      expect(net.requests[0]!.headers.get("accept")).toBe("application/rdap+json");
      expect(before).toEqual({
        name: "example.net",
        state: "unasked",
        registered_at: null,
        expires_at: null,
        checked_at: null,
      });
      const known = {
        name: "example.net",
        state: "known",
        registered_at: "2009-05-03T00:00:00.000Z",
        expires_at: expiry,
        checked_at: new Date(checkedAt).toISOString(),
      };
      expect((await me.get(`/api/v1/links/${id}`)).body.data.domain).toEqual(known);
      const listed = await me.get("/api/v1/domains?expiring=365&search=EXAMPLE");
      expect(listed.body.data.items).toEqual([{ ...known, links: 2 }]);
      expect((await others[0]!.get("/api/v1/domains")).body.data.items).toEqual([
        { ...known, links: 1 },
      ]);
      expect((await me.get("/api/v1/domains?expiring=1")).body.data.items).toEqual([]);

      server().clock.moveBy(HOUR);
      await minutes(3);
      expect(askedOf(net)).toHaveLength(2);
    });

    test("by the registry's name of them, and not by that of a private suffix", async () => {
      await addAlive(server(), me, [
        "https://me.github.io/",
        "https://you.github.io/",
        "https://a.b.example.org/",
        "http://93.184.215.14/",
        "https://wiki.corp/",
      ]);

      const { items } = (await me.get("/api/v1/domains")).body.data;

      expect(
        items.map(({ name, links }: { name: string; links: number }) => [name, links]),
      ).toEqual([
        ["example.org", 1],
        ["github.io", 2],
      ]);
    });

    test("but not those of hosts with settings, nor those at internal addresses", async () => {
      const set = await me.post("/api/v1/host-settings", {
        host: "*.secret.net",
        headers: [{ name: "x-key", value: "a secret" }],
      });
      expect(set.status).toBe(201);
      for (const url of ["https://a.secret.net/", "https://inside.net/"])
        await me.post("/api/v1/links", { url });
      await checkDueLinks({
        ...server().deps,
        check: async ({ url }) => saw("ok", url.includes("inside") ? { isInside: true } : {}),
      });
      await me.post("/api/v1/links", { url: "https://dead.net/" });
      await checkDueLinks({ ...server().deps, check: async () => saw("http_404") });
      await addAlive(server(), me, ["https://open.net/"]);

      expect((await me.get("/api/v1/domains")).body.data.items).toMatchObject([
        { name: "open.net" },
      ]);
    });

    test("one after another, at most ten a minute, and none twice by two nodes", async () => {
      const urls = Array.from({ length: 15 }, (_, n) => `https://n${n}.net/`);
      await addAlive(server(), me, urls);
      server().clock.moveBy(WEEK);
      await ask.once();
      let [now, most] = [0, 0];
      for (let n = 0; n < 15; n++)
        says[`n${n}.net`] = async () => {
          most = Math.max(most, ++now);
          await new Promise(setImmediate);
          now--;
          return registered(`n${n}.net`, "2009-05-03T00:00:00Z")();
        };
      const other = startAsking(server());

      const ends: (() => Promise<unknown>)[] = [];
      for (let second = 0; second < 60; second++) {
        ends.push(...(await Promise.all([ask.begin(), other.begin()])));
        await Promise.all(ends.map((end) => end()));
        server().clock.moveBy(1000);
      }

      expect([askedOf(net).length, new Set(askedOf(net)).size, most]).toEqual([10, 10, 1]);
    });

    test("those in doubt first, though once a day", async () => {
      await addAlive(server(), me, ["https://a.net/", "https://b.net/", "https://c.net/"]);
      for (const name of ["a.net", "b.net", "c.net"])
        says[name] = registered(name, "2009-05-03T00:00:00Z");
      await ask.once();
      const hurry = (isUrgent: boolean) =>
        server().deps.store.transaction((tx) =>
          hurryDomains(tx, ["c.net", "never.net"], { now: server().clock.now(), isUrgent }),
        );
      await hurry(true);
      await minutes(3);
      await hurry(true);
      await minutes(3);
      server().clock.moveBy(DAY);
      await minutes(3);
      await hurry(false);
      await minutes(3);
      expect(askedOf(net)).toEqual(["/net/domain/c.net", "/net/domain/c.net"]);

      server().clock.moveBy(WEEK);
      await hurry(true);
      await minutes(4);

      expect(askedOf(net).slice(2).toSorted()).toEqual(
        ["a", "b", "c"].map((name) => `/net/domain/${name}.net`),
      );
      expect(askedOf(net)[2]).toBe("/net/domain/c.net");
    });

    test("again after a day if it was registered since, or is missing", async () => {
      await addAlive(server(), me, ["https://taken.net/", "https://gone.org/"]);
      server().clock.moveBy(WEEK);
      const since = new Date(server().clock.now() - DAY).toISOString();
      says["taken.net"] = registered("taken.net", since);
      await minutes(3);
      const first = [await factsOf("taken.net"), await factsOf("gone.org")];
      server().clock.moveBy(DAY);
      await minutes(3);
      const second = [await factsOf("taken.net"), await factsOf("gone.org")];
      says["taken.net"] = registered("taken.net", "2009-05-03T00:00:00Z");
      says["gone.org"] = registered("gone.org", since);
      server().clock.moveBy(WEEK);
      await minutes(3);

      expect(first).toMatchObject([
        { state: "known", registrationConfirmedAt: null },
        { state: "absent", absentConfirmedAt: null },
      ]);
      expect(second).toMatchObject([
        { state: "known", registeredAt: Date.parse(since) },
        { state: "absent", registeredAt: null },
      ]);
      expect(
        second.map((facts) => facts!.registrationConfirmedAt ?? facts!.absentConfirmedAt),
      ).toEqual(second.map((facts) => facts!.checkedAt));
      // A date that goes back is a correction, and shows no new registration.
      expect([await factsOf("taken.net"), await factsOf("gone.org")]).toMatchObject([
        { registeredAt: Date.parse("2009-05-03"), registrationConfirmedAt: null },
        { state: "known", absentConfirmedAt: second[1]!.absentConfirmedAt },
      ]);
    });

    test("where the list names a server, which is read weekly", async () => {
      await addAlive(server(), me, ["https://example.de/", "https://example.net/"]);
      await ask.once();
      await ask.once();
      expect(await row("example.de")).toMatchObject({ server: "", state: "not_available" });
      says["example.de"] = registered("example.de", "2009-05-03T00:00:00Z");
      list = "<html>";
      server().clock.moveBy(WEEK);
      await minutes(2);
      expect(askedOf(net)).toHaveLength(1);

      list = LIST.replace('["org"]', '["org","de"]');
      server().clock.moveBy(HOUR);
      await minutes(3);

      expect(await row("example.de")).toMatchObject({ state: "known" });
      expect(await row("example.net")).toMatchObject({ state: "absent" });
      server().clock.moveBy(WEEK);
      await minutes(1);
      expect(iana.requests.at(-1)!.headers.get("if-none-match")).toBe(`"${Bun.hash(list)}"`);
    });

    test("late if there are too many, which shows", async () => {
      await addDue("https://a.net/");
      server().clock.moveBy(3 * DAY);

      expect(await readMetrics(server())).toContain("stillup_rdap_lag_seconds 259200");
    });

    test("until no link of them was active for 30 days", async () => {
      await addAlive(server(), me, ["https://example.net/"]);
      server().clock.moveBy(29 * DAY);
      await forgetOldDomains(server().deps);
      expect(await row("example.net")).toBeDefined();

      server().clock.moveBy(2 * DAY);
      await forgetOldDomains(server().deps);

      expect((await me.get("/api/v1/domains")).body.data.items).toEqual([]);
      expect(await server().deps.store.$count(domainSites)).toBe(0);
    });

    test("and what expires soon is reported once, about the oldest link of each account", async () => {
      const soon = server().clock.now() + WEEK + 10 * DAY;
      says["soon.net"] = registered(
        "soon.net",
        "2009-05-03T00:00:00Z",
        new Date(soon).toISOString(),
      );
      const [oldest] = await addAlive(server(), me, ["https://a.soon.net/1", "https://soon.net/2"]);
      server().clock.moveBy(WEEK);
      await minutes(2);
      await server()
        .deps.store.update(siteHosts)
        .set({ tlsExpiresAt: soon, tlsLifetimeMs: 90 * DAY })
        .where(sql`host = 'soon.net'`);
      await server().deps.store.run(
        sql`update links set tls_expires_at = ${soon} where url like 'https://soon.net/%'`,
      );
      const heard = await hearChanges(server(), me, ["domain_expiring", "certificate_expiring"]);

      await reportDomains(server().deps);
      const first = await heard();
      await reportDomains(server().deps);
      const again = await heard();
      server().clock.moveBy(7 * DAY);
      await reportDomains(server().deps);

      const kindsOf = (reports: Parsed[]) => reports.map(({ kind }) => kind).toSorted();
      expect(kindsOf(first)).toEqual(["certificate_expiring", "domain_expiring"]);
      expect(first.find(({ kind }) => kind === "domain_expiring").linkId).toBe(oldest);
      expect(again).toHaveLength(2);
      const [last] = (await heard()).slice(2);
      expect(last.sentence).toMatch(/^The certificate of soon.net expires on \d+ \w+ 2030/);
      expect((await me.get("/api/v1/changes")).body.data.items).toEqual([]);
    });

    test("and one that was registered again is reported once to each account that remembers its page", async () => {
      says["again.net"] = registered("again.net", "2009-05-03T00:00:00Z");
      const [other, late] = [await server().account(), await server().account()];
      const [oldest] = await remembered(me, "https://again.net/1", "https://again.net/2");
      await remembered(other, "https://www.again.net/");
      const heard = await Promise.all(
        [me, other, late].map((each) => hearChanges(server(), each, ["domain_registered_again"])),
      );
      const at = new Date(server().clock.now() + 3 * DAY).toISOString();
      says["again.net"] = registered("again.net", at);
      server().clock.moveBy(WEEK);
      await remembered(late, "https://again.net/3");
      await minutes(3);
      await reportDomains(server().deps);
      const unconfirmed = await heard[0]!();

      server().clock.moveBy(DAY);
      await minutes(2);
      for (let n = 0; n < 2; n++) await reportDomains(server().deps);

      expect(unconfirmed).toEqual([]);
      const reports = await Promise.all(heard.map((read) => read()));
      expect(reports.map((all) => all.length)).toEqual([1, 1, 0]);
      expect(reports[0]![0]).toMatchObject({
        linkId: oldest,
        sentence: expect.stringMatching(/^again.net was registered on \d+ \w+ 203\d, after this/),
      });
      const [change] = (await me.get("/api/v1/changes")).body.data.items;
      expect([change.kind, change.count]).toEqual(["changed_hands", 1]);
    });

    /** Links whose pages are remembered from now on. */
    async function remembered(account: Asker, ...urls: string[]): Promise<string[]> {
      const ids = await addAlive(server(), account, urls);
      const now = server().clock.now();
      await server().deps.store.run(sql`
        insert into page_memories (link_no, account_no, state, version, since, compared_at)
        select no, account_no, 'known', 1, ${now}, ${now} from links where id in ${ids}`);
      return ids;
    }

    /** Notes a domain that is due now, with the list of servers read. */
    async function addDue(url: string) {
      await addAlive(server(), me, [url]);
      await ask.once();
      await ask.once();
      server().clock.moveBy(ASKED_EVERY_MS);
      await server()
        .deps.store.update(registryServers)
        .set({ dueAt: server().clock.now() + DAY })
        .where(eq(registryServers.host, ""));
    }

    test("by a loop, which a stop ends in the middle of a request", async () => {
      await addDue("https://a.net/");
      const clock = movableClock(server().clock.now());
      const deps = { ...server().deps, clock };
      const asked = Promise.withResolvers<void>();
      says["a.net"] = () => {
        asked.resolve();
        return new Promise<Response>(() => {});
      };
      const stopped = startDomainLoop(deps);
      await asked.promise;
      await stopped.stop();
      const [held] = await server()
        .deps.store.select()
        .from(registryServers)
        .where(eq(registryServers.host, new URL(net.url).host));
      const before = await row("a.net");

      says["a.net"] = registered("a.net", "2009-05-03T00:00:00Z");
      clock.moveBy(6000);
      const loop = startDomainLoop(deps);
      await until("the answer", async () => (await row("a.net"))!.state === "known");
      await loop.stop();

      expect(held).toMatchObject({ lease: null, dueAt: clock.now() });
      expect(before).toMatchObject({ state: "unasked", askedAt: null });
    });

    test("by a loop that finds a list from elsewhere, and rows of a clock that was ahead", async () => {
      await addDue("https://a.net/");
      const { store } = server().deps;
      await store
        .update(facts)
        .set({ value: JSON.stringify({ url: "https://other/", servers: {} }) });
      const far = server().clock.now() + 100 * DAY;
      await store.update(domains).set({ nextAt: far });
      await store.update(registryServers).set({ dueAt: far }).where(ne(registryServers.host, ""));
      iana.requests.length = 0;

      const loop = startDomainLoop({ ...server().deps, clock: movableClock(server().clock.now()) });
      await until("the list", () => iana.requests.length === 1);
      await until("the end of the wait", async () => (await row("a.net"))!.nextAt < far);
      await loop.stop();

      const latest = server().clock.now() + ASKED_EVERY_MS;
      expect((await row("a.net"))!.nextAt).toBe(latest);
      const waiting = await store.select().from(registryServers);
      expect(waiting.every(({ dueAt }) => dueAt <= latest)).toBe(true);
    });

    test("again when the node that asked is dead, and without what comes after its lease", async () => {
      await addDue("https://a.net/");
      const { store, nodes } = server().deps;
      const answered = Promise.withResolvers<void>();
      says["a.net"] = async () => {
        await answered.promise;
        return registered("a.net", "2009-05-03T00:00:00Z")();
      };
      const end = await ask.begin();
      await store
        .update(registryServers)
        .set({ lease: "gone.1" })
        .where(isNotNull(registryServers.lease));
      answered.resolve();
      await end();
      expect(await row("a.net")).toMatchObject({ state: "unasked" });

      await ask.once();
      expect(askedOf(net)).toHaveLength(1);
      const others = { ...server().deps, nodes: { ...nodes, dead: () => ["gone"] } };
      await startAsking({ deps: others }).once();

      expect(askedOf(net)).toHaveLength(2);
      expect(await row("a.net")).toMatchObject({ state: "known" });
    });

    test.each<[string, () => Response, string, number]>([
      [
        "a limit, for as long as it says",
        () => new Response(null, { status: 429, headers: { "retry-after": "7200" } }),
        "rate_limited",
        2 * HOUR,
      ],
      ["a limit that ends soon", () => new Response(null, { status: 429 }), "rate_limited", HOUR],
      ["an error", () => new Response(null, { status: 500 }), "refused", DAY],
      ["a page", () => new Response("<html>"), "not_rdap", WEEK],
      ["another domain", registered("b.net", "2009-05-03T00:00:00Z"), "other_domain", WEEK],
      ["a long text", () => json(rdap("a.net", {}, { x: "x".repeat(300_000) })), "too_long", WEEK],
      ["a redirect to plain http", () => Response.redirect(`${plain.url}/`), "forbidden", WEEK],
      ["a redirect inwards", () => Response.redirect(`${notAsked.url}/`), "forbidden", WEEK],
      [
        "a redirect to itself",
        () => Response.redirect(`${net.url}/domain/a.net`),
        "forbidden",
        WEEK,
      ],
      ["a redirect elsewhere", () => Response.redirect(`${org.url}/none`), "not_rdap", WEEK],
    ])("without believing %s", async (_, response, result, waits) => {
      await addAlive(server(), me, ["https://a.net/"]);
      says["a.net"] = response;
      await ask.once();
      server().clock.moveBy(WEEK);
      const counted = async () =>
        (await readMetrics(server()))
          .filter((line) => line.includes(`{result="${result}"}`))
          .join();
      const before = Number((await counted()).split(" ")[1] ?? 0);

      await ask.once();
      const { length } = askedOf(net);
      const askedAt = server().clock.now();
      const after = await row("a.net");
      server().clock.moveBy(waits - 1);
      await ask.once();
      const early = askedOf(net).length;
      server().clock.moveBy(1);
      await ask.once();

      expect(after).toMatchObject({ state: "unasked", registeredAt: null, answeredAt: null });
      expect([plain.requests.length, notAsked.requests.length]).toEqual([0, 0]);
      expect(early).toBe(length);
      expect(askedOf(net).length).toBeGreaterThan(length);
      expect(await counted()).toBe(`stillup_rdap_requests_total{result="${result}"} ${before + 2}`);
      expect(server().clock.now()).toBe(askedAt + waits);
    });
  },
  {
    ...registrySettings(iana),
    STILLUP_METRICS_TOKEN: METRICS_TOKEN,
    STILLUP_RDAP_PER_MINUTE: "600",
  },
);
