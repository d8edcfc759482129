import { expect, test } from "bun:test";
import { DAY } from "../../../tests/checker/ended.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { type Asker, onBothEngines, type Parsed } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { ALIVE, GONE, LINKS, sound } from "../../../tests/triage/playing.ts";
import { OPERATOR } from "../../http/caller.ts";
import { listLinks, nextMatching } from "../list.ts";
import { LinkQuery } from "../model.ts";

onBothEngines("links are found by what people decided and noted", (server) => {
  /** 40 links: every second dead, every fifth "docs", every third "press", some decided about. */
  async function many(): Promise<Asker> {
    const me = await server().account();
    const links = Array.from({ length: 40 }, (_, i) => ({
      url: `https://example.org/${i}`,
      title: i % 4 === 0 ? `Handbook ${i}` : null,
      external_id: i % 7 === 0 ? `p-${i}` : null,
      tags: [...(i % 5 === 0 ? ["docs"] : []), ...(i % 3 === 0 ? ["press"] : [])],
    }));
    const { body } = await me.post(`${LINKS}/batch`, { links });
    await checkAll();
    const ids = body.data.results.map((result: Parsed) => result.link.id);
    const change = (nos: number[], change: object) =>
      me.post(`${LINKS}/batch-change`, { link_ids: nos.map((i) => ids[i]), change });
    await change([0, 2, 4], { handling: "acknowledged" });
    const until = new Date(server().clock.now() + 30 * DAY).toISOString();
    await change([6, 7], { handling: "muted", muted_until: until });
    return me;
  }

  const checkAll = () =>
    checkDueLinks({
      ...server().deps,
      check: async ({ url }) => (Number(url.split("/").at(-1)) % 2 === 0 ? GONE : ALIVE),
    });
  /** Of all rows, which change nothing. */
  let withMany: Promise<Asker> | undefined;

  const numbersOf = (items: { url: string }[]) =>
    items.map(({ url }) => Number(url.split("/").at(-1)));
  const all = Array.from({ length: 40 }, (_, i) => 39 - i);
  const isDead = (i: number) => i % 2 === 0;
  const handled = new Set([0, 2, 4, 6, 7]);
  const isDocs = (i: number) => i % 5 === 0;
  const isPress = (i: number) => i % 3 === 0;

  const EXPECTED: [query: string, fits: (i: number) => boolean][] = [
    ["attention=true", (i) => isDead(i) && !handled.has(i)],
    ["attention=true&sort=-created_at", (i) => isDead(i) && !handled.has(i)],
    ["attention=true&tag=docs", (i) => isDead(i) && !handled.has(i) && isDocs(i)],
    ["handling=acknowledged", (i) => [0, 2, 4].includes(i)],
    ["handling=muted", (i) => [6, 7].includes(i)],
    ["handling=open", (i) => !handled.has(i)],
    ["handling=open&status=dead&tag=docs", (i) => isDead(i) && !handled.has(i) && isDocs(i)],
    ["tag=docs", isDocs],
    ["tag=Docs", isDocs],
    ["tag=docs&status=dead", (i) => isDocs(i) && isDead(i)],
    ["tag=docs,press", (i) => isDocs(i) && isPress(i)],
    ["tag=docs&group_id=none", isDocs],
    ["tag=docs,none", () => false],
    ["tag=none", () => false],
    ["assignee=none", () => true],
    ["assignee=0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b", () => false],
    ["external_id=p-14", (i) => i === 14],
    ["external_id=none", () => false],
    ["overridden=true", () => false],
    ["search=handbook", () => false],
    ["search=handbook&search_in=all", (i) => i % 4 === 0],
    ["search=P-2&search_in=all&tag=press", (i) => i === 21],
    ["search=org/1&search_in=all&tag=docs", (i) => isDocs(i) && String(i).startsWith("1")],
    [
      "site=example.org&tag=press&attention=true",
      (i) => isPress(i) && isDead(i) && !handled.has(i),
    ],
  ];

  eachRow(EXPECTED.map(([query, fits]) => ({ query, fits })))(
    "by $query",
    async ({ query, fits }) => {
      withMany ??= many();
      const me = await withMany;
      const expected = all.filter(fits);
      const { body } = await me.get(`${LINKS}?${query}&per_page=100`);
      expect(numbersOf(body.data.items).sort((a, b) => b - a)).toEqual(expected);
      expect(body.data.pagination.total).toBe(expected.length);
      // Pages one after another.
      const { accountId, accountNo } = me;
      const permissions = { read: true, write: true };
      const caller = { accountId, accountNo, tier: "business" as const, permissions, by: OPERATOR };
      const pages: number[] = [];
      for (let page = 1; page <= 8; page++) {
        const read = LinkQuery.parse({
          ...Object.fromEntries(new URLSearchParams(query)),
          page: String(page),
          per_page: "7",
        });
        pages.push(...numbersOf((await listLinks(server().deps, caller, read)).items));
      }
      expect(pages.sort((a, b) => b - a)).toEqual(expected);
      const {
        page: _,
        per_page: __,
        ...filter
      } = LinkQuery.parse(Object.fromEntries(new URLSearchParams(query)));
      const steps: number[] = [];
      for (let before: number | null | undefined; before !== null; ) {
        const step = await nextMatching(server().deps, caller, filter, {
          most: 5,
          ...(before !== undefined && { before }),
        });
        steps.push(...step.nos);
        before = step.next;
      }
      expect(steps).toHaveLength(expected.length);
      const { body: csv } = await me.get(`${LINKS}/export?${query}`);
      expect(String(csv).trim().split("\n").length - 1).toBe(expected.length);
      const batch = await me.post("/api/v1/links/check", {
        filter: Object.fromEntries(
          [...new URLSearchParams(query)].filter(([name]) => name !== "sort"),
        ),
      });
      expect(batch.body.data.summary.total).toBe(expected.length);
      await checkAll();
      await sound(server());
    },
  );

  test("`me` is for people only, and names are checked", async () => {
    const me = await server().account();
    const { status, body } = await me.get(`${LINKS}?assignee=me`);
    expect(status).toBe(400);
    expect(Object.keys(body.error.details.fields)).toEqual(["assignee"]);
    expect((await me.get(`${LINKS}?attention=perhaps`)).status).toBe(400);
    expect((await me.get(`${LINKS}?tag=a,b,c,d,e,f`)).status).toBe(400);
  });
});
