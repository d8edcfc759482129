import { expect, test } from "bun:test";
import { and, eq, sql } from "drizzle-orm";
import { addMany as addLinks } from "../../../tests/checker/many-links.ts";
import { failingDeps } from "../../../tests/events/failing-store.ts";
import { type Asker, onServer, type Parsed, type TestServer } from "../../../tests/harness.ts";
import { sized } from "../../../tests/long.ts";
import { newColleague, newOwner, openBrowser } from "../../../tests/session/browser.ts";
import { LINKS, newLink, read, sound, URL_A } from "../../../tests/triage/playing.ts";
import { operatorOf } from "../../accounts/users.ts";
import { DiskFull } from "../../ground/db/store.ts";
import { linkCounts, linkTags, tags } from "../../ground/db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { changeLinks } from "../change.ts";
import { createLinks } from "../create.ts";
import { deleteTag, renameTag } from "./tag-list.ts";

/** More than one step writes. */
const MANY = 600;

/** Adds many links that have the tags, and returns their ids. */
async function addMany(me: Asker, more: (i: number) => object = () => ({})): Promise<string[]> {
  const links = Array.from({ length: MANY }, (_, i) => ({
    url: `https://example.org/${i}`,
    ...more(i),
  }));
  const { body } = await me.post(`${LINKS}/batch`, { links });
  return body.data.results.map((result: Parsed) => result.link.id);
}

/** The same, where something is done before the transaction with the number, counted from 1. */
function before({ deps }: TestServer, number: number, act: () => Promise<unknown>): Deps {
  let begun = 0;
  return failingDeps(deps, async (queries) => {
    if (queries.length === 0 && ++begun === number) await act();
    return null;
  });
}

onServer("while a tag of many links is renamed or deleted", (server, { test, testOnBoth }) => {
  const countOf = async (me: Asker, tag: string) =>
    (await read(me, `${LINKS}?tag=${tag}`)).pagination.total as number;
  const asTagged = async () => {
    const me = await server().account();
    await addMany(me, () => ({ tags: ["docs"] }));
    return { me, caller: await operatorOf(server().deps, me.accountId) };
  };

  test("others write between its steps, and lists say what is left of it", async () => {
    const me = await server().account("enterprise");
    await newLink(me, { tags: ["docs"] });
    const count = sized(MANY, 100_000);
    await addLinks(server(), me, { count: count - 1, url: "https://example.org/", dueAt: 0 });
    const { store } = server().deps;
    const docs = sql`select tags.no, links.no from tags, links where tags.account_id = ${me.accountId}
      and links.account_id = ${me.accountId}`;
    await store.run(sql`insert into link_tags ${docs} on conflict do nothing`);
    const left: number[] = [];
    const deps = failingDeps(server().deps, async (queries) => {
      if (queries.length > 0) return null;
      // The account's rate limit rolls.
      server().clock.moveBy(20_000);
      await newLink(me, { url: `${URL_A}${left.length}` });
      left.push((await read(me, "/api/v1/tags")).items[0].counts.unknown);
      return null;
    });

    await deleteTag(deps, await operatorOf(server().deps, me.accountId), "docs");

    const steps = Math.floor(count / 250) + 1;
    expect(left).toEqual(Array.from({ length: steps }, (_, i) => count - i * 250));
    expect((await read(me, "/api/v1/tags")).items).toEqual([]);
    await sound(server());
  }, 600_000);

  test("links that get it meanwhile are not left with it", async () => {
    const { me, caller } = await asTagged();
    await newLink(me, { url: `${URL_A}1`, tags: ["manual"] });
    const deps = before(server(), 3, () => newLink(me, { tags: ["docs"] }));

    await renameTag(deps, caller, "docs", { to: "manual", merge: true });
    await newLink(me, { url: `${URL_A}2`, tags: ["docs"] });
    await renameTag(server().deps, caller, "docs", { to: "manual", merge: true });

    expect([await countOf(me, "docs"), await countOf(me, "manual")]).toEqual([0, MANY + 3]);
    await sound(server());
  });

  testOnBoth("two that are joined with each other become one", async () => {
    const me = await server().account();
    await addMany(me, (i) => ({ tags: [i % 2 === 0 ? "docs" : "manual"] }));
    const join = (from: string, name: string) =>
      me.patch(`/api/v1/tags/${from}?merge=true`, { name });

    const replies = await Promise.all([join("docs", "manual"), join("manual", "docs")]);

    // The second finds nothing to join if it meets the first, and renames what is left if it comes after it.
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect([200, 404]).toContain(statuses[1]!);
    const { items } = await read(me, "/api/v1/tags");
    expect(items.map(({ counts }: Parsed) => counts.unknown)).toEqual([MANY]);
    await sound(server());
  });

  testOnBoth(
    "the rest keep it where another node deletes the one that they should get",
    async () => {
      const { me, caller } = await asTagged();
      await newLink(me, { tags: ["manual"] });
      const { store } = server().deps;
      const isManual = and(eq(tags.accountId, me.accountId), eq(tags.name, "manual"));
      const deps = before(server(), 3, async () => {
        const [gone] = await store.delete(tags).where(isManual).returning();
        await store.delete(linkTags).where(eq(linkTags.tagNo, gone!.no));
        await store.delete(linkCounts).where(eq(linkCounts.subject, gone!.no));
      });

      const joining = renameTag(deps, caller, "docs", { to: "manual", merge: true });

      await expect(joining).rejects.toThrow("tag");
      expect(await countOf(me, "docs")).toBe(350);
      await sound(server());
    },
  );

  testOnBoth("links get another tag, by hundreds", async () => {
    const { me } = await asTagged();

    await Promise.all([
      me.patch("/api/v1/tags/docs?merge=true", { name: "manual" }),
      me.post(`${LINKS}/batch-change`, { filter: {}, change: { add_tags: ["docs", "press"] } }),
      me.delete("/api/v1/tags/press"),
    ]);

    await sound(server());
    const { items } = await read(me, "/api/v1/tags");
    for (const { name, counts } of items) expect(counts.unknown).toBe(await countOf(me, name));
  });
});

onServer("while a person is removed", (server, { test, testOnBoth }) => {
  const NO_SUCH = { details: { fields: { assignee_id: ["no such person"] } } };

  async function team() {
    const owner = await newOwner(server());
    const browser = openBrowser(server());
    await browser.signIn(owner.owner.email);
    const { id } = await newColleague(server(), owner, "editor");
    const caller = await operatorOf(server().deps, owner.owner.accountId);
    const count = async (assignee: string) =>
      (await browser.get(`/links?assignee=${assignee}`)).body.data.pagination.total as number;
    return { browser, id, caller, count, remove: () => browser.delete(`/people/${id}`) };
  }

  testOnBoth("no link is assigned to them, by hundreds neither", async () => {
    const { browser, id, caller, count, remove } = await team();
    const links = Array.from({ length: MANY }, (_, i) => ({ url: `https://example.org/${i}` }));
    const { body } = await browser.post("/links/batch", { links });
    const ids = body.data.results.map((result: Parsed) => result.link.id);
    // PostgreSQL writes all of them in one transaction.
    const deps = before(server(), server().deps.store.engine.isShared ? 1 : 2, remove);

    const assigning = changeLinks(deps, caller, ids, { assignee_id: id });

    await expect(assigning).rejects.toMatchObject(NO_SUCH);
    expect([await count(id), await count("none")]).toEqual([0, MANY]);
    await sound(server());
  });

  test("no new link is theirs", async () => {
    const { id, caller, remove } = await team();
    const deps = before(server(), 1, remove);

    const adding = createLinks(deps, caller, [{ url: URL_A, assignee_id: id }]);

    await expect(adding).rejects.toMatchObject(NO_SUCH);
    await sound(server());
  });
});

onServer("while the disk fills up", (server) => {
  test("a change of many links is left in pieces, and completed when it is asked for again", async () => {
    const me = await server().account();
    const { engine } = server().deps.store;
    const ids = await addMany(me);
    const caller = await operatorOf(server().deps, me.accountId);
    const pragma = (sql: string) => engine.run({ sql: `pragma ${sql}`, params: [] });
    const deps = before(server(), 2, async () => {
      const [[pages]] = (await pragma("page_count")) as [[number]];
      await pragma(`max_page_count = ${pages}`);
    });
    const add_tags = Array.from({ length: 20 }, (_, i) => `${i} ${"x".repeat(40)}`);

    await expect(changeLinks(deps, caller, ids, { add_tags })).rejects.toBeInstanceOf(DiskFull);

    const tagged = async () =>
      (await read(me, `${LINKS}?tag=${encodeURIComponent(add_tags[0]!)}`)).pagination.total;
    expect(await tagged()).toBe(250);
    await sound(server());
    await pragma("max_page_count = 4294967294");
    const again = await changeLinks(server().deps, caller, ids, { add_tags });
    expect(again.filter(({ status }) => status === "changed")).toHaveLength(350);
    expect(await tagged()).toBe(MANY);
    await sound(server());
  });
});
