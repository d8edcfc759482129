import { expect, test } from "bun:test";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { addCheck, addLink, setLink } from "../../tests/rows.ts";
import type { Verdict } from "../ground/lib/vocabulary.ts";

const LIST = "/api/v1/links?include=strip";

onServer("GET /links?include=strip", (server) => {
  /** Today is the first of January; each check is so many days ago, and makes the link what it says. */
  async function addStory(me: Asker, checks: [daysAgo: number, status: Verdict][]) {
    const link = await addLink(me);
    const now = server().clock.now();
    let previousStatus: Verdict = "unknown";
    let statusChangedAt = now;
    for (const [daysAgo, status] of checks) {
      const checkedAt = now - Math.round(daysAgo * 86_400_000);
      const statusChanged = status !== previousStatus;
      if (statusChanged) statusChangedAt = checkedAt;
      await addCheck(server(), me, link, { status, previousStatus, statusChanged, checkedAt });
      previousStatus = status;
    }
    await setLink(server(), link, {
      status: previousStatus,
      statusChangedAt,
      lastCheckedAt: now,
      checkingUntil: null,
    });
    return link;
  }

  const stripOf = async (me: Asker, link: string) => {
    const { items } = (await me.get(LIST)).body.data;
    return items.find(({ id }: Parsed) => id === link).strip;
  };

  test("shows for how many days a link was alive and dead, also between its checks", async () => {
    const me = await server().account();
    const weekly = await addStory(me, [
      [60, "active"],
      [9, "dead"],
    ]);
    const steady = await addStory(me, [[200, "active"]]);

    expect(await stripOf(me, weekly)).toEqual([
      ["alive", 20],
      ["dead", 10],
    ]);
    expect(await stripOf(me, steady)).toEqual([["alive", 30]]);
  });

  test("shows the worst of a day, so that a short failure can be seen", async () => {
    const me = await server().account();
    const link = await addStory(me, [
      [40, "active"],
      [12.5, "dead"],
      [12.4, "active"],
      [3.5, "unknown"],
      [3.3, "dead"],
      [1, "active"],
    ]);

    expect(await stripOf(me, link)).toEqual([
      ["alive", 16],
      ["dead", 1],
      ["alive", 8],
      ["dead", 4],
      ["alive", 1],
    ]);
  });

  test("knows nothing of the days before the first check", async () => {
    const me = await server().account();
    const unchecked = await addLink(me);
    const recent = await addStory(me, [[2, "dead"]]);
    const undecided = await addStory(me, [
      [5, "unknown"],
      [2, "active"],
    ]);

    expect(await stripOf(me, unchecked)).toEqual([["none", 30]]);
    expect(await stripOf(me, recent)).toEqual([
      ["none", 27],
      ["dead", 3],
    ]);
    expect(await stripOf(me, undecided)).toEqual([
      ["none", 24],
      ["unknown", 4],
      ["alive", 2],
    ]);
  });

  test("is only there on request, on every page, and next to filters", async () => {
    const me = await server().account();
    await addStory(me, [[2, "dead"]]);
    const alive = await addStory(me, [[2, "active"]]);

    const plain = (await me.get("/api/v1/links")).body.data.items;
    const narrowed = await me.get(`${LIST}&status=active&per_page=1`);

    expect(plain[0]).not.toHaveProperty("strip");
    expect(narrowed.body.data.items).toMatchObject([
      {
        id: alive,
        strip: [
          ["none", 27],
          ["alive", 3],
        ],
      },
    ]);
    expect(narrowed.headers.get("link")).toContain("include=strip");
  });
});
