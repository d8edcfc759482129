import { expect } from "bun:test";
import { check } from "../../../tests/checked.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import { onServer } from "../../../tests/harness.ts";
import { addLink } from "../../../tests/rows.ts";
import { closeYesterday } from "../../history/status-days.ts";

const PATH = "/api/v1/overview/series";

onServer("GET /overview/series", (server, { test, testOnBoth }) => {
  /** Until a new day has begun that many times. */
  async function passDays(count: number) {
    for (let day = 0; day < count; day++) {
      server().clock.moveBy(DAY);
      await closeYesterday(server().deps);
    }
  }

  test("begins on the day on which the account was made", async () => {
    server().clock.moveBy(DAY);
    const me = await server().account();
    const id = await addLink(me, { url: "https://docs.example.com/" });
    const today = new Date(server().clock.now()).toISOString().slice(0, 10);
    await check(server(), [id], "ok");

    const { days, first_day } = (await me.get(`${PATH}?days=30`)).body.data;

    expect(first_day).toBe(today);
    expect(days).toHaveLength(1);
  });

  testOnBoth("has the links at the end of each day, and what happened on it", async () => {
    await passDays(1);
    const me = await server().account();
    const add = (path: string) => addLink(me, { url: `https://docs.example.com/${path}` });
    const ids = [await add("a"), await add("b"), await add("c"), await add("d")];
    await check(server(), ids, "ok");
    await passDays(1);
    await check(server(), ids.slice(0, 3), "http_404");
    await passDays(2);
    await check(server(), ids.slice(0, 3), "ok");

    const { status, body } = await me.get(`${PATH}?days=30`);

    expect(status).toBe(200);
    const { days, ...rest } = body.data;
    const none = { unknown: 0, died: 0, came_back: 0, median_dead_ms: null };
    const first = days[0].day;
    const dayAfter = (count: number) =>
      new Date(Date.parse(first) + count * DAY).toISOString().slice(0, 10);
    expect(days).toEqual([
      { ...none, day: dayAfter(0), alive: 4, dead: 0 },
      { ...none, day: dayAfter(1), alive: 1, dead: 3, died: 3 },
      { ...none, day: dayAfter(2), alive: 1, dead: 3 },
      {
        ...none,
        day: dayAfter(3),
        alive: 4,
        dead: 0,
        came_back: 3,
        median_dead_ms: expect.any(Number),
      },
    ]);
    expect(rest).toEqual({
      previous: [],
      notes: [{ day: dayAfter(1), site: "example.com", died: 3, ended_day: dayAfter(3) }],
      median_dead_ms: expect.any(Number),
      previous_median_dead_ms: null,
      first_day: first,
    });
    expect(rest.median_dead_ms).toBeGreaterThan(DAY);
    expect(rest.median_dead_ms).toBeLessThan(4 * DAY);
  });

  test("has as many days before, which continue those that are shown", async () => {
    await passDays(1);
    const me = await server().account();
    const id = await addLink(me, { url: "https://example.com/" });
    await check(server(), [id], "http_404");
    await passDays(1);
    await check(server(), [id], "ok");
    await passDays(3);

    const { days, previous } = (await me.get(`${PATH}?days=2`)).body.data;

    expect(days.map(({ dead }: { dead: number }) => dead)).toEqual([0, 0]);
    expect(previous.map(({ dead }: { dead: number }) => dead)).toEqual([0, 0]);
    expect(Date.parse(days[0].day) - Date.parse(previous[1].day)).toBe(DAY);
  });

  test("has only today for a new account, and nothing of others", async () => {
    await passDays(1);
    const [me, other] = [await server().account(), await server().account()];
    await check(server(), [await addLink(me, { url: "https://example.com/" })], "http_404");

    expect((await me.get(PATH)).body.data.days).toMatchObject([{ dead: 1, died: 0 }]);
    expect((await other.get(PATH)).body.data.days).toMatchObject([{ alive: 0, dead: 0 }]);
  });

  testOnBoth("can be limited to a group or a site", async () => {
    await passDays(1);
    const me = await server().account();
    const group = (await me.post("/api/v1/groups", { name: "Docs" })).body.data.id;
    const ids = await Promise.all([
      addLink(me, { url: "https://docs.example.com/a", group_id: group }),
      addLink(me, { url: "https://docs.example.com/b" }),
      addLink(me, { url: "https://example.org/", group_id: group }),
    ]);
    await check(server(), ids, "ok");
    await passDays(1);
    await check(server(), ids.slice(0, 2), "http_404");

    const series = async (query: string) => (await me.get(`${PATH}?${query}`)).body.data;

    expect((await series(`group_id=${group}`)).days).toMatchObject([
      { alive: 2, dead: 0, died: 0 },
      { alive: 1, dead: 1, died: 1 },
    ]);
    expect((await series("site=Example.com")).days).toMatchObject([
      { alive: 2, dead: 0, died: 0 },
      { alive: 0, dead: 2, died: 2 },
    ]);
    expect((await series("site=example.net")).days).toMatchObject([{ alive: 0, dead: 0 }]);
    const other = await server().account();
    expect((await other.get(`${PATH}?group_id=${group}`)).body.data.days).toEqual([]);
    const both = await me.get(`${PATH}?group_id=${group}&site=example.com`);
    expect(both.status).toBe(400);
    expect(both.body.error.details.fields).toEqual({ site: ["must not be given with group_id"] });
  });
});
