import { beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY } from "../../tests/checker/ended.ts";
import { labCheck, untilTheEnd } from "../../tests/checker/prober.ts";
import { type Asker, onBothEngines, type Parsed } from "../../tests/harness.ts";
import { hearChanges } from "../../tests/hearing.ts";
import { labOutbound, playedResolver } from "../../tests/outbound/lab.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { addLink } from "../../tests/rows.ts";
import { type Says, startSite } from "../../tests/site.ts";
import { domains, events } from "../ground/db/tables.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";
import type { Deps } from "../work/deps.ts";

const html = (markup: string) =>
  new Response(markup, { headers: { "content-type": "text/html; charset=utf-8" } });

const sentences = (words: string) =>
  Array.from({ length: 12 }, (_, n) => `<p>${words} number ${"abcdefghijkl"[n]}.</p>`).join("\n");

/** About gardens, with a paragraph that is new each time. */
const ours = (news = "") =>
  html(`<!doctype html><html lang="en-GB"><title>Growing tomatoes in raised beds</title>
    <h1>Growing tomatoes</h1>${sentences("Tomatoes like deep soil in raised beds and much sun, with water at their roots")}<p>${news}</p>`);

const theirs = (news = "") =>
  html(`<!doctype html><html lang="id"><title>Agen slot gacor terpercaya</title>
    <h1>Slot gacor</h1>${sentences("Daftar sekarang juga untuk bonus besar setiap hari tanpa batas deposit")}<p>${news}</p>`);

/** Who has an address now. */
let names: Parameters<typeof playedResolver>[0] = {};
beforeEach(() => {
  names = { "tomatoes.net": ["127.0.0.1"], "plum.net": ["127.0.0.1"] };
});

onBothEngines("what a link leads to", (server) => {
  async function watching(says: Says) {
    const site = untilTheEnd(startSite({ "/page": says }));
    return watchingAt(await server().account(), `${site.url}/page`);
  }

  async function watchingAt(me: Asker, url: string) {
    const id = await addLink(me, { url, check_frequency: "daily" });
    untilTheEnd({ stop: async () => void (await me.delete(`/api/v1/links/${id}`)) });
    const { deps, clock } = server();
    const look = async (ms = 1.2 * DAY, settings: Partial<Deps["config"]> = {}) => {
      const own = { hostGapMs: 0, confirmDelaysMs: [0, 0, 0], ...settings };
      const config = { ...deps.config, ...own };
      const outbound = labOutbound({ clock, resolver: playedResolver(names) });
      const check = labCheck({ config, clock, outbound, catalogue: catalogueWith([]) });
      clock.moveBy(ms);
      await checkDueLinks({ ...deps, config, check });
    };
    await look(0);
    return { me, id, look };
  }

  const linkOf = async (me: Asker, id: string) => (await me.get(`/api/v1/links/${id}`)).body.data;
  const kindsOf = async (me: Asker) =>
    (await me.get("/api/v1/changes")).body.data.items.map(({ kind }: Parsed) => kind);

  test("is remembered at the second look, and small changes are noticed without a word", async () => {
    let news = "";
    const { me, id, look } = await watching(() => ours(news));
    expect((await linkOf(me, id)).identity).toMatchObject({
      state: "learning",
      title: "Growing tomatoes in raised beds",
      language: "en",
    });
    const early = await me.post(`/api/v1/links/${id}/identity`, { accept: true });
    expect([early.status, early.body.error.details]).toEqual([
      409,
      { reason: "nothing_remembered" },
    ]);

    await look();
    expect((await linkOf(me, id)).identity.state).toBe("known");
    for (let n = 0; n < 3; n++) {
      news = `Today there is news about beetroot of the year ${n}.`;
      await look();
    }

    const { identity, evidence } = await linkOf(me, id);
    expect(identity).toMatchObject({ state: "known", doubt: null });
    expect(evidence.signals).toEqual([]);
    expect(await kindsOf(me)).toEqual([]);
  });

  test("is doubted in the evidence when it shows something else, until a person says that it is right", async () => {
    let page = ours;
    const { me, id, look } = await watching(() => page());
    await look();

    page = theirs;
    await look();

    const doubted = await linkOf(me, id);
    expect(doubted).toMatchObject({
      status: "active",
      identity: {
        state: "doubted",
        title: "Growing tomatoes in raised beds",
        title_now: "Agen slot gacor terpercaya",
        doubt: { seen: 1, signs: [{ rule: "title_gone" }, { rule: "other_text" }] },
      },
    });
    expect(doubted.evidence.signals.map(({ rule }: Parsed) => rule)).toEqual([
      "title_gone",
      "other_text",
    ]);
    const listed = await me.get("/api/v1/links?identity=doubted");
    expect(listed.body.data.items.map((link: Parsed) => link.id)).toEqual([id]);
    expect((await me.get("/api/v1/links?identity=lost")).body.data.items).toEqual([]);
    expect((await me.get("/api/v1/links?identity=gone")).status).toBe(400);

    for (const body of [{}, { accept: false }]) {
      expect((await me.post(`/api/v1/links/${id}/identity`, body)).status).toBe(400);
    }
    const accepted = await me.post(`/api/v1/links/${id}/identity`, { accept: true });
    expect(accepted.body.data.identity).toMatchObject({
      state: "known",
      title: "Agen slot gacor terpercaya",
      first_title: "Growing tomatoes in raised beds",
      doubt: null,
    });
    await look();
    expect((await linkOf(me, id)).identity.state).toBe("known");
    const timeline = (await me.get(`/api/v1/links/${id}/timeline`)).body.data.items;
    expect(timeline.map(({ kind }: Parsed) => kind)).toEqual(["page_accepted"]);
  });

  test("is looked at again a day later when it is doubted, however seldom the link is checked", async () => {
    let page = ours;
    const { me, id, look } = await watching(() => page());
    await look();
    await me.patch(`/api/v1/links/${id}`, { check_frequency: "monthly" });
    page = theirs;
    await look(40 * DAY);

    const { last_check, next_check_at } = await linkOf(me, id);
    const again = Date.parse(next_check_at) - Date.parse(last_check.checked_at);
    expect(again).toBe(DAY);
  });

  test("that is another page for good is said once, to those who asked for it", async () => {
    let page = ours;
    const { me, id, look } = await watching(() => page());
    await look();
    const hear = async (filter: object | null) =>
      (
        await me.post("/api/v1/webhooks", {
          url: `${untilTheEnd(startSite({ "/hook": () => new Response() })).url}/hook`,
          events: ["link.changed"],
          filter,
        })
      ).body.data.id;
    const [usual, asking] = [await hear(null), await hear({ kinds: ["content_changed"] })];

    page = theirs;
    for (let n = 0; n < 9; n++) await look();

    expect(await linkOf(me, id)).toMatchObject({
      status: "active",
      identity: { state: "changed" },
    });
    expect(await kindsOf(me)).toEqual(["changed"]);
    const sent = async (hook: string) =>
      (await me.get(`/api/v1/webhooks/${hook}/deliveries`)).body.data.items;
    expect(await sent(usual)).toEqual([]);
    expect(await sent(asking)).toHaveLength(1);
    const unknown = await me.post("/api/v1/webhooks", {
      url: "https://example.org/hook",
      events: ["link.changed"],
      filter: { kinds: ["content_changd"] },
    });
    expect(JSON.stringify(unknown.body.error.details)).toContain("did you mean");
  });

  test("is said when the link begins to redirect at the same check, which is one change", async () => {
    let [page, hasMoved] = [ours, false];
    const me = await server().account();
    const site = untilTheEnd(
      startSite({
        "/page": ({ url }) =>
          hasMoved ? Response.redirect(new URL("/other", url).href, 302) : page(),
        "/other": () => page(),
      }),
    );
    const { id, look } = await watchingAt(me, `${site.url}/page`);
    await look();
    page = theirs;
    for (let n = 0; n < 6; n++) await look();
    hasMoved = true;

    await look();

    expect((await linkOf(me, id)).identity.state).toBe("changed");
    expect(await kindsOf(me)).toEqual(["moved"]);
  });

  test("is right for a selection of links at once, and refused where nothing is remembered", async () => {
    let page = ours;
    const { me, id, look } = await watching(() => page());
    await look();
    page = theirs;
    await look();
    const other = await addLink(me, { url: "https://example.org/never-checked" });

    const named = await me.post("/api/v1/links/batch-accept", { link_ids: [id, other] });
    const matching = await me.post("/api/v1/links/batch-accept", { filter: {} });

    expect(named.body.data.summary).toMatchObject({ changed: 1, failed: 1 });
    expect(named.body.data.results[1].error).toMatchObject({
      details: { reason: "nothing_remembered" },
    });
    expect(matching.body.data.summary).toMatchObject({ total: 2, changed: 1, failed: 1 });
    expect((await linkOf(me, id)).identity).toMatchObject({ state: "known", doubt: null });
  });

  test("is forgotten when the link gets another URL", async () => {
    const { me, id, look } = await watching(() => ours());
    await look();

    await me.post(`/api/v1/links/${id}/url`, { url: "https://example.org/other" });

    expect((await linkOf(me, id)).identity).toBeNull();
  });

  test("is read in full again while it is doubted, although its server says that it has not changed", async () => {
    let tag = '"v1"';
    const page = () => (tag === '"v1"' ? ours() : theirs());
    const { me, id, look } = await watching((request) => {
      const isSame = request.headers.get("if-none-match") === tag;
      const answer = isSame ? new Response(null, { status: 304 }) : page();
      answer.headers.set("etag", tag);
      return answer;
    });
    for (let n = 0; n < 4; n++) await look();
    tag = '"v2"';
    for (let n = 0; n < 3; n++) await look();
    expect((await linkOf(me, id)).identity.doubt.seen).toBe(3);
  });

  test("is remembered of a page that is too thin only by its title and way", async () => {
    const { me, id, look } = await watching(() => html("<title>Soon</title><p>Coming soon.</p>"));
    for (let n = 0; n < 3; n++) await look();
    expect((await linkOf(me, id)).identity).toMatchObject({ state: "thin", doubt: null });
  });

  /** What the registry says of a domain, by two answers a day apart. */
  async function registered(domain: string, registeredAt: number): Promise<void> {
    const { store } = server().deps;
    const now = server().clock.now();
    const times = { notedAt: now, seenAt: now, nextAt: now, answeredAt: now };
    const registration = { registeredAt, registrationConfirmedAt: now };
    await store.delete(domains).where(eq(domains.domain, domain));
    await store
      .insert(domains)
      .values({ domain, state: "known", isUrgent: false, ...times, ...registration });
  }

  const eventsOf = async (me: Asker) => {
    const { store } = server().deps;
    const rows = await store.select().from(events).where(eq(events.accountId, me.accountId));
    return rows.map(({ type, data }) => ({ type, ...JSON.parse(data) }));
  };

  test("is dead when its domain was registered again and shows a stranger for three days, until its page is back", async () => {
    let page = ours;
    const site = untilTheEnd(startSite({ "/page": () => page() }));
    const me = await server().account();
    await me.post("/api/v1/webhooks", { url: "https://hook.test/", events: ["link.dead"] });
    await registered("tomatoes.net", Date.UTC(2009, 4, 3));
    const { id, look } = await watchingAt(
      me,
      `${site.url.replace("127.0.0.1", "tomatoes.net")}/page`,
    );
    for (let n = 0; n < 14; n++) await look();
    page = theirs;
    await registered("tomatoes.net", server().clock.now());
    const statuses: string[] = [];
    for (let n = 0; n < 5; n++) {
      await look();
      statuses.push((await linkOf(me, id)).status);
    }

    expect(statuses).toEqual(["active", "active", "active", "dead", "dead"]);
    const dead = await linkOf(me, id);
    expect(dead).toMatchObject({ reason: "domain_changed_hands", identity: { state: "lost" } });
    const rules = dead.evidence.signals.map(({ rule }: Parsed) => rule);
    expect(rules).toEqual(["title_gone", "other_text", "registered_again"]);
    expect(await eventsOf(me)).toMatchObject([
      {
        type: "link.dead",
        pageTitles: {
          before: "Growing tomatoes in raised beds",
          after: "Agen slot gacor terpercaya",
        },
      },
    ]);
    page = ours;
    await look();
    expect(await linkOf(me, id)).toMatchObject({ status: "active", identity: { state: "known" } });
  });

  test("is alive when its owner lets the domain lapse for a day and brings the same page back", async () => {
    const site = untilTheEnd(startSite({ "/page": () => ours() }));
    const me = await server().account();
    const { id, look } = await watchingAt(me, `${site.url.replace("127.0.0.1", "plum.net")}/page`);
    for (let n = 0; n < 14; n++) await look();
    names = {};
    for (let n = 0; n < 4; n++) await look();
    const missing = (await linkOf(me, id)).reason;
    names = { "plum.net": ["127.0.0.1"] };
    await registered("plum.net", server().clock.now());
    for (let n = 0; n < 5; n++) await look();

    expect(missing).toBe("dns_nxdomain");
    expect(await linkOf(me, id)).toMatchObject({
      status: "active",
      identity: { state: "known", doubt: null },
    });
  });

  test("that has another name since its company has one is doubted on its whole site, and dead nowhere", async () => {
    let hasMoved = false;
    const page = (n: number) => (request: Request) => {
      const isOld = request.headers.get("host")?.startsWith("tomatoes.net");
      if (hasMoved && isOld) {
        return Response.redirect(request.url.replace("tomatoes.net", "plum.net"), 301);
      }
      return hasMoved ? theirs(`Page ${n}`) : ours(`Page ${n}`);
    };
    const pages = Array.from({ length: 5 }, (_, n) => [`/page${n}`, page(n)]);
    const site = untilTheEnd(startSite(Object.fromEntries(pages)));
    const me = await server().account();
    await server().deps.store.delete(domains);
    const at = site.url.replace("127.0.0.1", "tomatoes.net");
    const { look } = await watchingAt(me, `${at}/page0`);
    for (let n = 1; n < 5; n++) {
      await addLink(me, { url: `${at}/page${n}`, check_frequency: "daily" });
    }
    for (let n = 0; n < 14; n++) await look();
    const heard = await hearChanges(server(), me, ["identity_lost"]);
    hasMoved = true;
    await registered("plum.net", server().clock.now());
    for (let n = 0; n < 6; n++) await look();

    const lost = (await me.get("/api/v1/links?identity=lost")).body.data.items;
    expect(lost.map(({ status }: Parsed) => status)).toEqual(Array(5).fill("active"));
    expect(await heard()).toHaveLength(5);
    const accepted = await me.post("/api/v1/links/batch-accept", { filter: { identity: "lost" } });
    expect(accepted.body.data.summary).toMatchObject({ changed: 5 });
    expect((await me.get("/api/v1/links?identity=lost")).body.data.items).toEqual([]);
  });

  test("is not compared with what was shown while pages were not remembered", async () => {
    let page = ours;
    const { me, id, look } = await watching(() => page());
    await look();
    page = theirs;
    for (let n = 0; n < 5; n++) await look(1.2 * DAY, { identity: false });
    expect(await linkOf(me, id)).toMatchObject({ status: "active", identity: { state: "known" } });
    expect((await linkOf(me, id)).evidence.signals).toEqual([]);
  });
});
