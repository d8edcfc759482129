import { afterAll, beforeAll, expect } from "bun:test";
import { eq, notInArray } from "drizzle-orm";
import { KINDS } from "../../tests/checker/pages.ts";
import { playedOnline } from "../../tests/checker/played-online.ts";
import { cutEverywhere } from "../../tests/events/failing-store.ts";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { remember } from "../../tests/lookups.ts";
import { type Routes, type Site, startSite } from "../../tests/site.ts";
import { sleepBy } from "../../tests/sources/reading.ts";
import { LINKS, read } from "../../tests/triage/playing.ts";
import { untilIs } from "../../tests/until.ts";
import { deleteAccount } from "../accounts/delete.ts";
import { operatorOf } from "../accounts/users.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { links, replacementItems, replacements } from "../ground/db/tables.ts";
import { OPERATOR } from "../http/caller.ts";
import { writeSuggestions } from "../links/suggestions/rows.ts";
import type { Deps } from "../work/deps.ts";
import { applyReplacement } from "./apply-replacement.ts";
import { checkItems, claimNext, startReplacementLoop } from "./check-replacements.ts";

const REPLACEMENTS = "/api/v1/replacements";
const HOUR = 3_600_000;
const MANY = 300;

const GUIDE = KINDS.article("How to grow tomatoes in small gardens", { words: 400 });
const OTHER = KINDS.article("Best casino bonuses of the month", { words: 400 });

/** Checks all new URLs that are due. */
async function checkAll(deps: Deps): Promise<void> {
  const { signal } = new AbortController();
  for (let next = await claimNext(deps); typeof next !== "number"; next = await claimNext(deps))
    await checkItems(deps, next, signal);
}

onServer("A replacement of many links", (server, { test, testOnBoth }) => {
  let site: Site;
  const pages: Routes = { "/new/a": GUIDE, "/new/b": OTHER, "/new/d": OTHER };
  beforeAll(() => {
    site = startSite(pages, {
      otherwise: (request) =>
        new URL(request.url).pathname.startsWith("/many/")
          ? new Response(OTHER, { headers: { "content-type": "text/html" } })
          : new Response("", { status: 404 }),
    });
  });
  afterAll(() => site.stop());

  const rule = (more: object = {}) => ({
    from: `${site.url}/old/`,
    to: `${site.url}/new/`,
    ...more,
  });
  const preview = async (me: Asker, body: object): Promise<Parsed> => {
    const { status, body: reply } = await me.post(REPLACEMENTS, body);
    if (status !== 201) throw new Error(JSON.stringify(reply));
    return reply.data;
  };
  const apply = (me: Asker, id: string, body: object = { selected: true }) =>
    me.post(`${REPLACEMENTS}/${id}/apply`, body);
  const add = async (me: Asker, ...urls: string[]): Promise<Parsed[]> => {
    await me.post(`${LINKS}/batch`, { links: urls.map((url) => ({ url })) });
    const { items } = await read(me, `${LINKS}?sort=url&per_page=100`);
    return items;
  };
  const urlsOf = async (me: Asker, query = ""): Promise<string[]> =>
    (await read(me, `${LINKS}?sort=url&per_page=100${query}`)).items.map(({ url }: Parsed) => url);
  const rowOf = async (id: string) =>
    (await server().deps.store.select().from(links).where(eq(links.id, id)))[0]!;

  testOnBoth(
    "is checked, shown and carried out as far as the new pages are the right ones",
    async () => {
      const me = await server().account();
      const of = (...names: string[]) => names.map((name) => `${site.url}/${name}`);
      const added = await add(me, ...of("old/a", "old/b", "old/c", "old/d", "elsewhere"));
      const [, a, b] = added;
      await remember(server(), a.id, { title: "Tomatoes grow in small gardens" });
      await remember(server(), b.id, { title: "Tomatoes grow in small gardens" });

      const made = await preview(me, rule({ filter: { status: "unknown" } }));
      expect(made).toMatchObject({
        state: "checking",
        ...rule(),
        counts: { total: 4, checked: 0, selected: 0 },
      });
      const early = await apply(me, made.id);
      expect([early.status, early.body.error.details.reason]).toEqual([409, "not_ready"]);

      await checkAll(server().deps);
      const ready = await read(me, `${REPLACEMENTS}/${made.id}`);
      expect(ready).toMatchObject({ state: "ready", counts: { checked: 4, selected: 2 } });
      expect(
        ready.items.map((item: Parsed) => [
          item.new_url.slice(site.url.length),
          item.verdict,
          item.matches,
          item.selected,
        ]),
      ).toEqual([
        ["/new/a", "active", "yes", true],
        ["/new/b", "active", "no", false],
        ["/new/c", "dead", "unknown", false],
        ["/new/d", "active", "unknown", true],
      ]);
      expect(site.requests.filter(({ url }) => url.endsWith("/new/a"))).toHaveLength(1);
      site.requests.length = 0;

      const { status, body } = await apply(me, made.id);
      expect([status, body.data.state]).toEqual([200, "applied"]);
      expect(body.data.counts).toMatchObject({ replaced: 2, failed: 0 });
      expect(body.data.results.map(({ result }: Parsed) => result)).toEqual([
        "replaced",
        "replaced",
      ]);
      expect(await urlsOf(me)).toEqual(of("elsewhere", "new/a", "new/d", "old/b", "old/c"));
      expect(await read(me, `${LINKS}/${a.id}`)).toMatchObject({
        previous_urls: [{ url: `${site.url}/old/a` }],
      });
      expect((await apply(me, made.id)).body.data).toEqual(body.data);

      const more = await apply(me, made.id, { link_ids: [a.id, b.id, added[0].id] });
      expect(more.body.data.results).toMatchObject([
        { link_id: a.id, result: "replaced" },
        { link_id: b.id, result: "replaced" },
        { link_id: added[0].id, result: "failed", error: { code: "NOT_FOUND" } },
      ]);
      const { items: entries } = await read(me, "/api/v1/audit?action=replacement.applied");
      expect(entries.map(({ count }: Parsed) => count)).toEqual([1, 2]);
      expect((await read(me, REPLACEMENTS)).items).toMatchObject([
        { id: made.id, state: "applied", counts: { replaced: 3 } },
      ]);
    },
  );

  testOnBoth("carries out 299 of 300 links, since another person has changed one", async () => {
    const me = await server().account();
    const urls = Array.from({ length: MANY }, (_, n) => `https://old.example/docs/${n}`);
    await add(me, ...urls);
    const { id } = await preview(me, {
      from: "https://old.example/docs/",
      to: `${site.url}/many/`,
    });
    await checkAll(server().deps);
    const [one] = (await read(me, `${LINKS}?search=docs/17&per_page=1`)).items;
    await me.post(`${LINKS}/${one.id}/url`, { url: "https://elsewhere.example/" });

    const { body } = await apply(me, id);
    expect(body.data.counts).toMatchObject({ total: MANY, replaced: MANY - 1, failed: 1 });
    const failed = body.data.results.filter(({ result }: Parsed) => result === "failed");
    expect(failed).toMatchObject([
      { link_id: one.id, error: { code: "CONFLICT", details: { reason: "changed" } } },
    ]);
    const again = await apply(me, id);
    expect(again.body.data.results).toEqual(body.data.results);
    const { items: entries } = await read(me, "/api/v1/audit?action=replacement.applied");
    expect(entries).toMatchObject([{ count: MANY - 1 }]);
  });

  testOnBoth("replaces each link once, however often it is cut short", async () => {
    const me = await server().account();
    const urls = Array.from({ length: MANY }, (_, n) => `https://cut.example/${n}`);
    await add(me, ...urls);
    const { id } = await preview(me, { from: "https://cut.example/", to: `${site.url}/many/` });
    await checkAll(server().deps);
    const { deps } = server();
    const caller = await operatorOf(deps, me.accountId);
    const wanted = { linkIds: null, merge: false };

    const seen = await cutEverywhere(
      deps,
      (cut) => applyReplacement(cut, caller, id, wanted, async () => {}),
      async () => (await read(me, `${REPLACEMENTS}/${id}`)).counts.replaced as number,
    );
    expect(seen.at(-1)).toBe(MANY);
    expect(new Set(seen).size).toBeGreaterThan(2);
    expect(await read(me, `${REPLACEMENTS}/${id}`)).toMatchObject({ state: "applied" });
    const changes = await deps.store.all<[number]>(
      `select count(*) from link_urls where url like 'https://cut.example/%' group by link_no` as never,
    );
    expect(changes.map(([count]) => Number(count))).toEqual(Array(MANY).fill(1));
  });

  testOnBoth(
    "stores the URLs of links that stand in sources, and merges where that is wanted",
    async () => {
      const me = await server().account();
      const { id: source } = await read(
        me,
        `/api/v1/sources/${(await me.post("/api/v1/sources", { kind: "push", name: "Docs" })).body.data.id}`,
      );
      const url = `${site.url}/old/in-source`;
      const items = [{ page_url: "https://docs.test/page", links: [{ url }] }];
      await me.post(`/api/v1/sources/${source}/items`, { items });
      await add(me, `${site.url}/old/taken`, `${site.url}/new/taken`);
      const { id } = await preview(me, rule());
      await checkAll(server().deps);
      const ids = (await read(me, `${REPLACEMENTS}/${id}`)).items.map(
        ({ link_id }: Parsed) => link_id,
      );

      const first = await apply(me, id, { link_ids: ids });
      expect(first.body.data.results).toMatchObject([
        { result: "stored" },
        { result: "failed", error: { details: { reason: "duplicate_url" } } },
      ]);
      const second = await apply(me, id, { link_ids: ids, merge: true });
      expect(second.body.data.results).toMatchObject([{ result: "stored" }, { result: "merged" }]);
      expect(await urlsOf(me)).toEqual([`${site.url}/new/taken`, url]);
      expect(await urlsOf(me, "&accepted=true")).toEqual([url]);
    },
  );

  testOnBoth("takes the best suggestion of each link, of the kinds that are wanted", async () => {
    const me = await server().account();
    const [a, b] = await add(me, "https://s.example/a", "https://s.example/b");
    const suggest = async (id: string, rank: number, kind: "variant" | "archive", url: string) => {
      const { no: linkNo, accountNo } = await rowOf(id);
      const confidence = kind === "archive" ? ("copy" as const) : ("likely" as const);
      const found = { kind, url, confidence, matches: "yes" as const, evidence: "[]", rank };
      const seen = { capturedAt: null, checkedAt: server().clock.now(), patternId: null };
      const row = { id: crypto.randomUUID(), linkNo, accountNo, ...found, ...seen };
      await writeSuggestions(server().deps.store, [row]);
      return row.id;
    };
    const variant = await suggest(a.id, 4, "variant", `${site.url}/new/a`);
    await suggest(a.id, 5, "archive", `${site.url}/copy/a`);
    await suggest(b.id, 5, "archive", `${site.url}/copy/b`);
    const pairs = ({ items }: Parsed) =>
      items.map(({ link_id, kind }: Parsed) => [link_id === a.id ? "a" : "b", kind]);

    const all = await preview(me, { suggestions: {} });
    expect(pairs(all)).toEqual([
      ["a", "variant"],
      ["b", "archive"],
    ]);
    const copies = await preview(me, { suggestions: { confidence: "copy" } });
    expect(pairs(copies)).toEqual([
      ["a", "archive"],
      ["b", "archive"],
    ]);
    const third = await me.post(REPLACEMENTS, { suggestions: { kinds: ["variant"] } });
    expect([third.status, third.body.error.details.reason]).toEqual([409, "too_many_replacements"]);
    expect((await me.delete(`${REPLACEMENTS}/${all.id}`)).status).toBe(204);
    expect(pairs(await preview(me, { suggestions: { kinds: ["variant"] } }))).toEqual([
      ["a", "variant"],
    ]);

    const gone = await suggest(b.id, 6, "variant", `${site.url}/gone`);
    server().clock.moveBy(8 * 24 * HOUR);
    const old = await me.post(`${LINKS}/${b.id}/replace`, { suggestion_id: gone });
    expect([old.status, old.body.error.details]).toMatchObject([
      409,
      { reason: "suggestion_outdated", verdict: { status: "dead" } },
    ]);
    const replaced = await me.post(`${LINKS}/${a.id}/replace`, { suggestion_id: variant });
    expect(replaced.body.data).toMatchObject({ mode: "link", url: `${site.url}/new/a` });
    const foreign = await me.post(`${LINKS}/${b.id}/replace`, { suggestion_id: variant });
    expect(foreign.status).toBe(404);
    expect(await server().deps.metrics.text()).toContain(
      'stillup_replacements_total{kind="variant"} 1',
    );
  });

  testOnBoth(
    "leads links that are alive to where they have moved, if that is asked for",
    async () => {
      const me = await server().account();
      const [a, b] = await add(me, `${site.url}/old/a`, "https://alive.example/b");
      const title = "Tomatoes grow in small gardens";
      await remember(server(), a.id, { title, way: `${site.url}/new/a`, moved: "safe" });
      await remember(server(), b.id, { title, way: `${site.url}/new/b`, moved: "likely" });
      await server().deps.store.update(links).set({ status: "active" }).where(eq(links.id, a.id));
      await server().deps.store.update(links).set({ status: "active" }).where(eq(links.id, b.id));

      const none = await me.post(REPLACEMENTS, { suggestions: {} });
      expect(none.body.error.details.fields).toEqual({ suggestions: ["No links match."] });
      const wanted = { kinds: ["moved"], confidence: "safe" };
      const { id, items } = await preview(me, { suggestions: wanted });
      expect(items).toMatchObject([{ link_id: a.id, new_url: `${site.url}/new/a`, kind: "moved" }]);
      await checkAll(server().deps);
      const { body } = await apply(me, id);
      expect(body.data).toMatchObject({ suggestions: wanted, from: null, counts: { replaced: 1 } });
    },
  );

  testOnBoth("is checked by a loop, also where a process was killed that checked it", async () => {
    const me = await server().account();
    await add(me, `${site.url}/old/a`, `${site.url}/old/d`);
    const { id } = await preview(me, rule());
    const { deps } = server();
    const killed = { ...deps, nodes: { ...deps.nodes, id: "killed" } };
    expect(await claimNext(killed)).toMatchObject({ id });
    expect(await claimNext(deps)).toBeNumber();

    const clock = { ...server().clock, sleep: sleepBy(server().clock) };
    const dead = () => (deps.store.engine.isShared ? ["killed"] : []);
    const loop = startReplacementLoop({ ...deps, clock, nodes: { ...deps.nodes, dead } });
    await untilIs(
      "the state",
      async () => (await read(me, `${REPLACEMENTS}/${id}`)).state,
      "ready",
    );
    await loop.stop();
  });

  test("waits half an hour for a monitor that is offline", async () => {
    const me = await server().account();
    await add(me, `${site.url}/old/a`);
    const { id } = await preview(me, rule());
    const { deps, clock } = server();
    const { online: offline } = playedOnline("offline");
    await offline.confirm(0);
    await checkAll({ ...deps, online: offline });
    const checked = async () => (await read(me, `${REPLACEMENTS}/${id}`)).counts.checked;
    expect([await checked(), await claimNext(deps)]).toEqual([0, clock.now() + 60_000]);

    clock.moveBy(HOUR);
    await checkAll({ ...deps, online: offline });
    expect(await read(me, `${REPLACEMENTS}/${id}`)).toMatchObject({
      state: "ready",
      items: [{ verdict: "unknown", reason: "monitor_offline", selected: false }],
    });
  });

  test("refuses rules that are none, that match nothing or too much, or lead where nothing may be requested", async () => {
    const me = await server().account();
    await add(me, `${site.url}/old/a`);
    const refused: [object, field: string, problem: string][] = [
      [{ to: rule().to }, "from", "is required, or `suggestions`"],
      [
        rule({ from: "old.example/" }),
        "from",
        "must have a scheme and a host, and end with a slash",
      ],
      [
        rule({ from: `${site.url}/old` }),
        "from",
        "must have a scheme and a host, and end with a slash",
      ],
      [rule({ to: "/new/" }), "to", "must have a scheme and a host, and end with a slash"],
      [rule({ to: `${site.url}/old/` }), "to", "must differ from `from`"],
      [rule({ from: "https://none.example/" }), "from", "No links match."],
      [rule({ suggestions: {} }), "suggestions", "cannot be given together with `from` and `to`"],
      [{ suggestions: { confidence: "safe" } }, "suggestions", "No links match."],
    ];
    for (const [body, field, problem] of refused) {
      const { status, body: reply } = await me.post(REPLACEMENTS, body);
      expect([status, reply.error?.details.fields]).toEqual([400, { [field]: [problem] }]);
    }
    const private_ = await me.post(REPLACEMENTS, rule({ to: "http://10.0.0.1/" }));
    expect([private_.status, Object.keys(private_.body.error.details.fields)]).toEqual([
      400,
      ["to"],
    ]);
    expect(await read(me, REPLACEMENTS)).toMatchObject({ items: [] });
  });

  test("is about a thousand links at most", async () => {
    const me = await server().account();
    const urls = Array.from({ length: 1240 }, (_, n) => `https://large.example/${n}`);
    await me.post(`${LINKS}/batch`, { links: urls.slice(0, 1000).map((url) => ({ url })) });
    await me.post(`${LINKS}/batch`, { links: urls.slice(1000).map((url) => ({ url })) });
    const body = { from: "https://large.example/", to: `${site.url}/many/` };

    const { body: reply } = await me.post(REPLACEMENTS, body);
    expect(reply.error.details.fields).toEqual({
      from: ["1,240 links match; narrow the filter."],
    });
    const some = await me.post(REPLACEMENTS, { ...body, filter: { search: "example/1" } });
    expect(some.body.data.counts.total).toBeLessThan(1000);
  });

  testOnBoth(
    "expires after a day, is forgotten after a week, and goes with its account",
    async () => {
      const me = await server().account();
      await add(me, `${site.url}/old/a`, `${site.url}/old/d`);
      const { id } = await preview(me, rule());
      await preview(me, rule());
      await checkAll(server().deps);
      server().clock.moveBy(24 * HOUR);

      expect(await read(me, `${REPLACEMENTS}/${id}`)).toMatchObject({ state: "expired" });
      const late = await apply(me, id);
      expect([late.status, late.body.error.details.reason]).toEqual([409, "expired"]);
      const fresh = await preview(me, rule());
      server().clock.moveBy(6 * 24 * HOUR);
      await housekeeping(server().deps);
      expect((await read(me, REPLACEMENTS)).items.map((row: Parsed) => row.id)).toContain(fresh.id);
      server().clock.moveBy(24 * HOUR + 1);
      await housekeeping(server().deps);
      expect((await read(me, REPLACEMENTS)).items).toEqual([]);

      await preview(me, rule());
      const { store } = server().deps;
      await deleteAccount(server().deps, me.accountId, OPERATOR);
      expect(await store.$count(replacements, eq(replacements.accountId, me.accountId))).toBe(0);
      const kept = store.select({ id: replacements.id }).from(replacements);
      expect(
        await store.$count(replacementItems, notInArray(replacementItems.replacementId, kept)),
      ).toBe(0);
    },
  );

  test("is only for those who may write, and for its own account", async () => {
    const me = await server().account();
    const other = await server().account();
    await add(me, `${site.url}/old/a`);
    const reader = { name: "r", permissions: { read: true, write: false } };
    const asReader = server().asker((await me.post("/api/v1/keys", reader)).body.data.key);
    const { id } = await preview(me, rule());

    expect((await asReader.get(`${REPLACEMENTS}/${id}`)).status).toBe(200);
    for (const { status } of [
      await asReader.post(REPLACEMENTS, rule()),
      await apply(asReader, id),
      await asReader.delete(`${REPLACEMENTS}/${id}`),
      await other.get(`${REPLACEMENTS}/${id}`),
      await apply(other, id),
      await other.delete(`${REPLACEMENTS}/${id}`),
    ])
      expect(status).toBe(403);
  });
});
