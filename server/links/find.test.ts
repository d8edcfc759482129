import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { onBothEngines, type TestServer } from "../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../tests/rows.ts";
import { operatorOf } from "../accounts/users.ts";
import { type LinkRow, links, numbers } from "../ground/db/tables.ts";
import { FREQUENCIES, LINK_SORTS, type LinkSort, VERDICTS } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { makeChange } from "../work/unit.ts";
import { changeLinks } from "./change.ts";
import { createLinks } from "./create.ts";
import { deleteLinks } from "./delete.ts";
import { listGroups, moveLinks } from "./groups/groups.ts";
import { startCheck } from "./links.ts";
import { listLinks, nextMatching } from "./list.ts";
import type { LinkQuery } from "./model.ts";
import { retireLinks } from "./retire.ts";

const HOUR_MS = 3_600_000;
const ROUNDS = 8;
const QUERIES = 40;
const SERVICES = ["youtube", "vimeo"];
const REASONS = { active: "ok_redirected", dead: "http_404", unknown: "http_403" };
const ENDS = ["a", "A%41", "?q=100%", "?x_Y", "?back\\slash", "b/c.d", "?i=ß", "#Frag"];

/** The same numbers every time, from 0 to below `below`. */
function createDice() {
  let state = 1;
  const roll = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const oneOf = <T>(all: readonly T[]): T => all[roll(all.length)]!;
  return { roll, oneOf };
}

type Dice = ReturnType<typeof createDice>;

/** In the order that the database has for URLs. */
const rowsOf = ({ deps }: TestServer, { accountId }: Caller): Promise<LinkRow[]> =>
  deps.store.select().from(links).where(eq(links.accountId, accountId)).orderBy(links.urlKey);

/** By `sort`, where the rows are in the order of their URLs. */
function plainlySorted(rows: LinkRow[], sort: LinkSort): LinkRow[] {
  const byNumber = (a: LinkRow, b: LinkRow) => a.no - b.no;
  const byChange = (a: LinkRow, b: LinkRow) =>
    a.statusChangedAt - b.statusChangedAt || byNumber(a, b);
  if (sort === "dead_first") {
    const newestFirst = rows.toSorted(byChange).reverse();
    return ["dead", "unknown", "active"].flatMap((status) =>
      newestFirst.filter((row) => row.status === status),
    );
  }
  const rising = sort.endsWith("url")
    ? [...rows]
    : rows.toSorted(sort.endsWith("created_at") ? byNumber : byChange);
  return sort.startsWith("-") ? rising.reverse() : rising;
}

/** The links that a list shows, by looking at each. */
function plainly(rows: LinkRow[], query: LinkQuery, now: number): LinkRow[] {
  const statusOf = (row: LinkRow) => ((row.checkingUntil ?? 0) > now ? "checking" : row.status);
  return rows
    .filter((row) => !query.status || statusOf(row) === query.status)
    .filter((row) => !query.service || row.service === query.service)
    .filter((row) => !query.group_id || (row.groupId ?? "none") === query.group_id)
    .filter((row) => !query.site || row.site === query.site)
    .filter((row) => !query.reason || row.reason === query.reason)
    .filter((row) => !query.check_frequency || row.checkFrequency === query.check_frequency)
    .filter((row) => row.url.toLowerCase().includes((query.search ?? "").toLowerCase()));
}

function anyQuery({ roll, oneOf }: Dice, rows: LinkRow[], groups: string[]): LinkQuery {
  const { url } = oneOf(rows);
  const from = roll(url.length);
  const search = url.slice(from, from + 1 + roll(8));
  return {
    status: oneOf([undefined, undefined, "checking" as const, ...VERDICTS]),
    service: oneOf([undefined, undefined, "generic", "not-there", ...SERVICES]),
    group_id: oneOf([undefined, undefined, undefined, "none" as const, ...groups]),
    check_frequency: oneOf([undefined, undefined, undefined, ...FREQUENCIES]),
    site: oneOf([
      undefined,
      undefined,
      undefined,
      undefined,
      "example.org",
      "example.com",
      "not.there",
    ]),
    reason: oneOf([undefined, undefined, undefined, undefined, ...Object.values(REASONS)]),
    sort: oneOf([undefined, ...LINK_SORTS]),
    search: oneOf([
      undefined,
      undefined,
      undefined,
      search,
      search.toUpperCase(),
      "%",
      "_",
      "\\",
      "e",
    ]),
    page: 1 + roll(6),
    per_page: oneOf([1, 7, 100]),
  };
}

/** What may happen to links between two looks at them. */
async function change(server: TestServer, caller: Caller, groups: string[], dice: Dice) {
  const { deps } = server;
  const { roll, oneOf } = dice;
  const { batchId } = await createLinks(
    deps,
    caller,
    Array.from({ length: 150 + roll(150) }, () => ({
      url: `https://Site-${roll(9)}.example.${oneOf(["org", "org", "com"])}/${roll(1e9)}/${oneOf(ENDS)}`,
    })),
  );
  expect(batchId).not.toBeNull();
  // Others take numbers as well.
  await deps.store.update(numbers).set({ next: sql`${numbers.next} + ${roll(900)}` });
  const some = (await rowsOf(server, caller)).filter(() => roll(4) === 0).map(({ id }) => id);
  const [gone, moved, asked, judged] = [
    some.splice(0, 9),
    some.splice(0, 30),
    some.splice(0, 9),
    some,
  ];
  await deleteLinks(deps, caller, gone);
  await moveLinks(deps, caller, oneOf(groups), moved);
  for (const id of asked) await makeChange(deps, caller, (unit) => startCheck(unit, caller, id));
  for (const id of judged.slice(0, 40)) {
    const status = oneOf(VERDICTS);
    await setLink(server, id, {
      status,
      reason: REASONS[status],
      service: oneOf(SERVICES),
      statusChangedAt: deps.clock.now() + roll(20),
    });
  }
  const seldom = judged.slice(20, 60);
  const change = { check_frequency: oneOf(FREQUENCIES) };
  if (seldom.length > 0) await changeLinks(deps, caller, seldom, change);
}

onBothEngines("Any page of any list of links", (server) => {
  test("shows what looking at each link would show, whatever happened to them", async () => {
    const dice = createDice();
    const me = await server().account();
    const caller = await operatorOf(server().deps, me.accountId);
    const stranger = await server().account();
    const groups = [await addGroup(me), await addGroup(me), await addGroup(stranger)];

    for (let round = 0; round < ROUNDS; round++) {
      await change(server(), caller, groups.slice(0, 2), dice);
      await addLink(stranger, { group_id: groups[2] });
      const rows = await rowsOf(server(), caller);
      const now = server().clock.now();
      const { items: counted } = await listGroups(server().deps, caller, {
        page: 1,
        per_page: 9,
        sort: "name",
      });
      for (const { id, counts } of counted) {
        const settled = rows.filter(({ groupId }) => groupId === id).map(({ status }) => status);
        const countOf = (status: string) => settled.filter((each) => each === status).length;
        const expected = {
          active: countOf("active"),
          dead: countOf("dead"),
          unknown: countOf("unknown"),
        };
        expect(counts).toEqual(expected);
      }
      for (let i = 0; i < QUERIES; i++) {
        const query = anyQuery(dice, rows, groups);
        const all = plainlySorted(plainly(rows, query, now), query.sort ?? "-created_at");
        const begin = (query.page - 1) * query.per_page;
        const expected = all.slice(begin, begin + query.per_page).map(({ no }) => no);
        const { items, total } = await listLinks(server().deps, caller, query);
        expect([query, total, items.map(({ no }) => no)]).toEqual([query, all.length, expected]);
      }
      server().clock.moveBy(60_000);
    }
  });

  test("finds a link as soon as it is there, and never when it is gone", async () => {
    const me = await server().account();
    const caller = await operatorOf(server().deps, me.accountId);
    const found = async (search: string) => {
      const query = { search, page: 1, per_page: 20 };
      const { items, total } = await listLinks(server().deps, caller, query);
      return [total, ...items.map(({ id }) => id)];
    };
    const first = await addLink(me, { url: "https://example.org/First" });
    expect(await found("FIRST")).toEqual([1, first]);

    const second = await addLink(me, { url: "https://example.org/first/second" });
    expect(await found("fir")).toEqual([2, second, first]);
    expect(await found("d")).toEqual([1, second]);

    await me.delete(`/api/v1/links/${second}`);
    expect(await found("fir")).toEqual([1, first]);
    expect(await found("//")).toEqual([1, first]);
    expect(await found("f\\")).toEqual([0]);
  });

  test("finds a link by a new frequency at once, and by the old one no more", async () => {
    const me = await server().account();
    const caller = await operatorOf(server().deps, me.accountId);
    const link = await addLink(me, { check_frequency: "daily" });
    const totals = async () => {
      const found = (["daily", "weekly"] as const).map((check_frequency) =>
        listLinks(server().deps, caller, { check_frequency, page: 1, per_page: 20 }),
      );
      return (await Promise.all(found)).map(({ total }) => total);
    };
    expect(await totals()).toEqual([1, 0]);

    await me.patch(`/api/v1/links/${link}`, { check_frequency: "weekly" });

    expect(await totals()).toEqual([0, 1]);
  });

  test("counts a link under its status again once it is no longer being checked", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    const caller = await operatorOf(deps, me.accountId);
    const link = await addLink(me, { url: "https://example.org/waiting" });
    const total = async (status: "unknown" | "checking") => {
      const query = { status, search: "waiting", page: 1, per_page: 20 };
      return (await listLinks(deps, caller, query)).total;
    };
    expect([await total("unknown"), await total("checking")]).toEqual([1, 0]);

    await makeChange(deps, caller, (unit) => startCheck(unit, caller, link));
    expect([await total("unknown"), await total("checking")]).toEqual([0, 1]);

    clock.moveBy(HOUR_MS);
    expect([await total("unknown"), await total("checking")]).toEqual([1, 0]);
  });

  test("comes to each link that fits once, and to none that is made meanwhile", async () => {
    const { deps } = server();
    const me = await server().account();
    const caller = await operatorOf(deps, me.accountId);
    const add = (i: number) => addLink(me, { url: `https://${i % 2 ? "odd" : "even"}.test/${i}` });
    for (let i = 0; i < 40; i++) await add(i);
    const expected = (await rowsOf(server(), caller))
      .filter(({ url }) => url.includes("odd"))
      .map(({ no }) => no);

    const seen: number[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const options = { before, most: 6 };
      const { nos, next } = await nextMatching(deps, caller, { search: "ODD" }, options);
      seen.push(...nos);
      await add(1001 + 2 * seen.length);
      before = next;
    }

    expect(seen).toEqual(expected.toSorted((a, b) => b - a));
  });

  test("shows no retired link under the tags that it keeps", async () => {
    const { deps } = server();
    const me = await server().account();
    const caller = await operatorOf(deps, me.accountId);
    const ids = [await addLink(me), await addLink(me), await addLink(me)];
    for (const id of ids) await me.patch(`/api/v1/links/${id}`, { tags: ["docs", "press"] });
    const rows = await rowsOf(server(), caller);
    const retired = rows.filter(({ id }) => id === ids[1]);

    await deps.store.transaction((tx) => retireLinks({ ...deps, store: tx }, caller, retired));

    for (const tag of [["docs"], ["docs", "press"]]) {
      const { items, total } = await listLinks(deps, caller, { tag, page: 1, per_page: 2 });
      expect([tag, total, items.map(({ id }) => id)]).toEqual([tag, 2, [ids[2]!, ids[0]!]]);
    }
  });

  test("finds no URL by two that follow each other", async () => {
    const me = await server().account();
    const caller = await operatorOf(server().deps, me.accountId);
    const urls = ["https://example.org/b", "https://example.org/a"];
    for (const url of urls) await addLink(me, { url });

    const query = { search: "a\nhttps", page: 1, per_page: 20 };

    expect(await listLinks(server().deps, caller, query)).toEqual({ items: [], total: 0 });
  });
});
