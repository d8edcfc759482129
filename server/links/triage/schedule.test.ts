import { describe, expect, test } from "bun:test";
import { DAY, HOUR } from "../../../tests/checker/ended.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, setLink } from "../../../tests/rows.ts";
import { ALIVE, check, LINKS, newLink, read } from "../../../tests/triage/playing.ts";
import { limitWaits } from "../../monitor/longest-waits.ts";
import { nextTurns, problemOfCron, turnAfter } from "../../work/schedule.ts";

const QUARTER = 15 * 60_000;
const MORNING = { cron: "0 6 * * *", time_zone: "Europe/Berlin" };

describe("The turns of a schedule", () => {
  const at = (cron: string, from: string, count = 2) =>
    nextTurns({ cron, timeZone: "Europe/Berlin" }, Date.parse(from), count).map((turn) =>
      turn.toISOString(),
    );

  test("follow the clock of their zone over both of its changes", () => {
    expect(at("30 2 * * *", "2030-03-30T12:00:00Z")).toEqual([
      "2030-03-31T01:00:00.000Z",
      "2030-04-01T00:30:00.000Z",
    ]);
    expect(at("30 2 * * *", "2030-10-26T12:00:00Z")).toEqual([
      "2030-10-27T00:30:00.000Z",
      "2030-10-28T01:30:00.000Z",
    ]);
    expect(at("0 6 * * 1-5", "2030-03-29T12:00:00Z")).toEqual([
      "2030-04-01T04:00:00.000Z",
      "2030-04-02T04:00:00.000Z",
    ]);
  });

  test("are spread over a quarter of an hour, each link at its own place", () => {
    const schedule = { cron: "0 6 * * *", timeZone: "UTC" };
    const six = Date.parse("2030-01-02T06:00:00Z");
    const turns = Array.from({ length: 50_000 }, (_, i) =>
      turnAfter(schedule, { linkId: `link-${i}`, from: six - HOUR }),
    );
    const minutes = Map.groupBy(turns, (turn) => Math.floor((turn! - six) / 60_000));
    expect([...minutes.keys()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 15 }, (_, i) => i),
    );
    for (const some of minutes.values()) expect(some.length).toBeWithin(2800, 3900);
    const [first] = turns;
    const again = turnAfter(schedule, { linkId: "link-0", from: first! });
    expect(again! - first!).toBe(DAY);
  });

  eachRow([
    ["* * * * *", "minute"],
    ["*/5 * * * *", "minute"],
    ["0,30 * * * *", "minute"],
    ["0 0 6 * * *", "five fields"],
    ["@daily", "five fields"],
    ["0 0 31 2 *", "never comes"],
    ["0 25 * * *", "must be a pattern"],
  ])("never are those of %s", (cron, why) => {
    expect(problemOfCron(cron)).toContain(why);
  });
});

onServer("a schedule", (server, { test, testOnBoth }) => {
  const dueAt = async (me: Parameters<typeof read>[0], path: string) =>
    Date.parse((await read(me, path)).next_check_at);
  /** After six o'clock in Berlin: by at most a quarter of an hour, within a day. */
  const isDueNextMorning = async (me: Parameters<typeof read>[0], path: string) => {
    const due = await dueAt(me, path);
    const { cron, time_zone: timeZone } = MORNING;
    const [six] = nextTurns({ cron, timeZone }, due - QUARTER, 1);
    const late = due - six!.getTime();
    return late >= 0 && late < QUARTER && due - server().clock.now() <= DAY + QUARTER;
  };

  testOnBoth(
    "of a link comes before that of its group, and that before the frequency",
    async () => {
      const me = await server().account();
      const group = await addGroup(me);
      const path = await newLink(me, { group_id: group });
      await check(server(), me, path, ALIVE);
      const daily = await dueAt(me, path);

      await me.patch(`/api/v1/groups/${group}`, { check_schedule: MORNING });
      expect((await read(me, path)).check_schedule).toEqual({ ...MORNING, from: "group" });
      expect(await isDueNextMorning(me, path)).toBe(true);

      const own = { cron: "0 0 1 * *", time_zone: "UTC" };
      await me.patch(path, { check_schedule: own });
      expect((await read(me, path)).check_schedule).toEqual({ ...own, from: "link" });
      await me.patch(`/api/v1/groups/${group}`, { check_schedule: null });
      expect((await read(me, path)).check_schedule).toEqual({ ...own, from: "link" });

      await me.patch(path, { check_schedule: null });
      expect((await read(me, path)).check_schedule).toBeNull();
      expect(await dueAt(me, path)).toBe(daily);
    },
  );

  testOnBoth("moves with a link into another group, and holds for its next checks", async () => {
    const me = await server().account();
    const { body } = await me.post("/api/v1/groups", { name: "Early", check_schedule: MORNING });
    const path = await newLink(me);
    await check(server(), me, path, ALIVE);
    await me.post(`/api/v1/groups/${body.data.id}/links`, {
      link_ids: [path.slice(LINKS.length + 1)],
    });
    expect(await isDueNextMorning(me, path)).toBe(true);

    for (let i = 0; i < 3; i++) {
      await check(server(), me, path, ALIVE);
      expect(await isDueNextMorning(me, path)).toBe(true);
    }
    // Three missed turns are made up for by one check.
    server().clock.moveBy(3 * DAY);
    await check(server(), me, path, ALIVE);
    expect(await dueAt(me, path)).toBeGreaterThan(server().clock.now());
  });

  test("of a group that is deleted holds no link back", async () => {
    const me = await server().account();
    const [yearly, daily] = [
      { cron: "0 6 24 12 *", time_zone: "UTC" },
      { check_schedule: MORNING },
    ];
    const { body } = await me.post("/api/v1/groups", { name: "Yearly", check_schedule: yearly });
    const group_id = body.data.id;
    const [path, own] = [
      await newLink(me, { group_id }),
      await newLink(me, { ...daily, group_id, url: "https://example.org/b" }),
    ];
    await check(server(), me, path, ALIVE);
    expect(await dueAt(me, path)).toBeGreaterThan(server().clock.now() + 300 * DAY);

    await me.delete(`/api/v1/groups/${group_id}`);

    expect(await dueAt(me, path)).toBeLessThan(server().clock.now() + 3 * DAY);
    expect(await isDueNextMorning(me, own)).toBe(true);
  });

  testOnBoth(
    "leaves no link waiting beyond its next turn after the clock was set back",
    async () => {
      const me = await server().account();
      const path = await newLink(me, { check_frequency: "hourly", check_schedule: MORNING });
      await check(server(), me, path, ALIVE);
      const before = await dueAt(me, path);
      const id = path.slice(LINKS.length + 1);

      const { deps } = server();
      const ended = new AbortController();
      await limitWaits(deps, ended.signal, true);
      expect(await dueAt(me, path)).toBe(before);

      await setLink(server(), id, { nextCheckAt: server().clock.now() + 365 * DAY });
      await limitWaits(deps, ended.signal, true);
      expect(await isDueNextMorning(me, path)).toBe(true);
    },
  );
});
