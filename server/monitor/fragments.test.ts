import { expect } from "bun:test";
import { HOUR } from "../../tests/checker/ended.ts";
import { labCheck, untilTheEnd } from "../../tests/checker/prober.ts";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { hearChanges } from "../../tests/hearing.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { addLink } from "../../tests/rows.ts";
import { startSite } from "../../tests/site.ts";
import { startReading } from "../../tests/sources/reading.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";

/** More than a day, since checks are spread. */
const DAILY = 29 * HOUR;

const PROSE = Array.from({ length: 40 }, (_, n) => `<p>Sentence ${n} of this page.</p>`).join("");

onServer("The fragments of a link", (server, { test, testOnBoth }) => {
  /** A site whose page has this html, and an account that watches it. */
  async function watching(...fragments: string[]) {
    const page = { html: "" };
    const site = untilTheEnd(
      startSite({
        "/page": () =>
          new Response(page.html + PROSE, {
            headers: { "content-type": "text/html; charset=utf-8" },
          }),
      }),
    );
    const me = await server().account();
    const url = `${site.url}/page`;
    const [first, ...others] = fragments.map((each) => `${url}#${each}`);
    const id = first ? await addLink(me, { url: first, check_frequency: "daily" }) : "";
    for (const other of others) {
      const refused = await me.post("/api/v1/links", { url: other });
      expect(refused.body.error.details).toMatchObject({ existingId: id });
    }
    return { me, id, page, site, url };
  }

  async function look(ms = DAILY): Promise<void> {
    const { deps, clock } = server();
    const config = { ...deps.config, hostGapMs: 0, confirmDelaysMs: [0, 0, 0] };
    clock.moveBy(ms);
    await checkDueLinks({
      ...deps,
      check: labCheck({ config, clock, catalogue: catalogueWith([]) }),
    });
  }

  const fragmentsOf = async (me: Asker, id: string): Promise<Parsed[]> =>
    (await me.get(`/api/v1/links/${id}`)).body.data.fragments;
  const statesOf = async (me: Asker, id: string) =>
    Object.fromEntries((await fragmentsOf(me, id)).map((each) => [each.fragment, each.state]));
  const missingOf = async (me: Asker) =>
    (await me.get("/api/v1/links?fragment=missing")).body.data.items.map(({ id }: Parsed) => id);

  testOnBoth("are found, and missing after the second check without them", async () => {
    const { me, id, page } = await watching("install", "caf%C3%A9", "made");
    page.html = `<h2 id="install">x</h2><h2 id="user-content-café">x</h2>`;
    await look(0);
    expect(await statesOf(me, id)).toEqual({
      install: "found",
      "caf%C3%A9": "found",
      made: "missing",
    });
    const [{ found_at: foundAt }] = await fragmentsOf(me, id);

    page.html = `<h2 id="installation">x</h2><h2 id="café">x</h2>`;
    await look();
    expect(await statesOf(me, id)).toMatchObject({ install: "found" });
    expect(await missingOf(me)).toEqual([]);
    // The page has not changed since, so it is not read again.
    await look();

    const [install, cafe, made] = await fragmentsOf(me, id);
    expect(install).toEqual({
      fragment: "install",
      state: "missing",
      found_at: foundAt,
      missing_since: new Date(server().clock.now() - DAILY).toISOString(),
      alike: ["installation"],
    });
    expect([cafe.state, made.state, made.missing_since]).toEqual(["found", "missing", null]);
    expect(await missingOf(me)).toEqual([id]);
    const exported = await me.get("/api/v1/links/export?fragment=missing");
    expect(exported.body.split("\n")[1]).toContain(id);
    expect((await me.get(`/api/v1/links/${id}`)).body.data.status).toBe("active");

    page.html = `<h2 id="install">x</h2>`;
    await look();
    expect(await statesOf(me, id)).toMatchObject({ install: "found" });
    expect(await missingOf(me)).toEqual([]);
  });

  testOnBoth(
    "that are added later are looked for by the next check, in the same page",
    async () => {
      const { me, id, page, url } = await watching("a");
      page.html = `<h2 id="a">x</h2><h2 id="b">x</h2>`;
      await look(0);
      await look();
      expect((await me.get(`/api/v1/links/${id}`)).body.data.evidence.notes).toHaveLength(1);

      const batch = [
        { url: `${url}#b` },
        { url: `${url}#a` },
        { url: `${url}2#c` },
        { url: `${url}2#d` },
      ];
      const { results } = (await me.post("/api/v1/links/batch", { links: batch })).body.data;
      expect(await statesOf(me, id)).toEqual({ a: "found", b: "unknown" });
      await look();

      expect(await statesOf(me, id)).toEqual({ a: "found", b: "found" });
      expect(Object.keys(await statesOf(me, results[2].link.id))).toEqual(["c", "d"]);
    },
  );

  test("are those of a new URL once that has changed, and 20 at most", async () => {
    const { me, id, page, url } = await watching("a");
    page.html = `<h2 id="a">x</h2>`;
    await look(0);
    const links = Array.from({ length: 30 }, (_, n) => ({ url: `${url}#n${n}` }));
    await me.post("/api/v1/links/batch", { links });
    expect(await fragmentsOf(me, id)).toHaveLength(20);

    await me.post(`/api/v1/links/${id}/url`, { url: `${url}?new#b` });
    expect(await statesOf(me, id)).toEqual({ b: "unknown" });
    await me.post(`/api/v1/links/${id}/url`, { url: `${url}?new` });
    expect(await statesOf(me, id)).toEqual({});
  });

  test("of pages that scripts make, or that are too long, are unknown", async () => {
    const { me, id, page } = await watching("made", "L10", ":~:text=of%20this");
    page.html = `<script>tabs(["made"])</script>`;
    await look(0);
    const states = { L10: "unknown", made: "unknown" };
    expect(await statesOf(me, id)).toEqual({ ...states, ":~:text=of%20this": "found" });

    page.html = `<p>${"x ".repeat(600_000)}</p>`;
    await look();
    await look();
    expect(await statesOf(me, id)).toEqual({ ...states, ":~:text=of%20this": "unknown" });
  });

  test("give what is to be said once", async () => {
    const { me, id, page } = await watching("install");
    page.html = `<h2 id="install">x</h2>`;
    await look(0);
    const heard = await hearChanges(server(), me, ["fragment_missing", "fragment_found"]);
    const has = page.html;
    for (const html of ["", "", "", has, has]) {
      page.html = html;
      await look();
    }

    expect((await heard()).map(({ kind, sentence }) => [kind, sentence])).toEqual([
      ["fragment_missing", "The page no longer has the anchor “install”."],
      ["fragment_found", "The page has the anchor “install” again."],
    ]);
    expect(await statesOf(me, id)).toEqual({ install: "found" });
    const timeline = (await me.get(`/api/v1/links/${id}/timeline`)).body.data.items;
    expect(timeline.map(({ kind }: Parsed) => kind)).toEqual(["page_changed", "page_changed"]);
    const changes = (await me.get("/api/v1/changes")).body.data.items;
    expect(changes.map(({ kind }: Parsed) => kind)).toEqual(["changed", "changed"]);
  });

  testOnBoth("come from places too, which are marked, and leave with them", async () => {
    const { me, page, site, url } = await watching();
    page.html = `<h2 id="install">x</h2><h2 id="use">x</h2>`;
    let list = `${url}#install\n${url}#use\n${url}\n`;
    const lists = untilTheEnd(startSite({ "/list": () => new Response(list) }));
    const reading = startReading(server());
    try {
      const source = await reading.add(me, { kind: "list", url: `${lists.url}/list` });
      const [link] = (await me.get("/api/v1/links")).body.data.items;
      expect(link.url).toBe(url);
      await look(HOUR);
      expect(await statesOf(me, link.id)).toEqual({ install: "found", use: "found" });
      page.html = `<h2 id="installation">x</h2><h2 id="use">x</h2>`;
      await look();
      await look();

      const marks = async () => {
        const { items } = (await me.get(`/api/v1/links/${link.id}/occurrences`)).body.data;
        return items.map((each: Parsed) => [
          each.fragment,
          each.fragment_missing,
          each.fragment_alike,
        ]);
      };
      expect(await marks()).toEqual([
        ["install", true, ["installation"]],
        ["use", false, []],
        [null, false, []],
      ]);

      list = `${url}#use\n${url}#install\n`;
      // Once flags what is gone, and twice removes it.
      for (let n = 0; n < 2; n++) await reading.again(me, source.id);
      expect((await marks()).toSorted()).toEqual([
        ["install", true, ["installation"]],
        ["use", false, []],
      ]);
      list = `${url}#use\n`;
      for (let n = 0; n < 2; n++) await reading.again(me, source.id);
      expect(await statesOf(me, link.id)).toEqual({ use: "found" });
      expect(await missingOf(me)).toEqual([]);
      expect(site.requests.length).toBeGreaterThan(2);
    } finally {
      await reading.stop();
    }
  });
});
