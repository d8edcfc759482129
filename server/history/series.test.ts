import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { addCheck, addGroup, addLink } from "../../tests/rows.ts";

const path = "/api/v1/history/series";
const at = (iso: string) => ({ checkedAt: Date.parse(iso) });
const NOTHING = {
  totalChecks: 0,
  aliveCount: 0,
  deadCount: 0,
  unknownCount: 0,
  statusChanges: 0,
  avgResponseTimeMs: 0,
  fastestMs: null,
  slowestMs: null,
};

type Point = typeof NOTHING & { start: string };
const totalsOf = (points: Point[]) => points.map(({ totalChecks }) => totalChecks);

onServer("GET /history/series", (server) => {
  test("returns every bucket that the range touches, whole and in order", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await addCheck(server(), me, link, { responseTimeMs: 100, ...at("2029-05-01T10:00:00Z") });
    const dead = { status: "dead", statusChanged: true, responseTimeMs: null } as const;
    await addCheck(server(), me, link, { ...dead, ...at("2029-05-01T12:59:59.999Z") });

    const range = "start_date=2029-05-01T10:30:00Z&end_date=2029-05-01T12:00:00Z";
    const { status, body } = await me.get(`${path}?bucket=hour&${range}`);

    expect(status).toBe(200);
    expect(body.data).toEqual({
      bucket: "hour",
      points: [
        {
          ...NOTHING,
          start: "2029-05-01T10:00:00.000Z",
          totalChecks: 1,
          aliveCount: 1,
          avgResponseTimeMs: 100,
        },
        { ...NOTHING, start: "2029-05-01T11:00:00.000Z" },
        {
          ...NOTHING,
          start: "2029-05-01T12:00:00.000Z",
          totalChecks: 1,
          deadCount: 1,
          statusChanges: 1,
        },
      ],
    });
  });

  test("can be narrowed to a link, and to the group that links were in", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const [inside, outside] = [await addLink(me, { group_id: group }), await addLink(me)];
    await addCheck(server(), me, inside, at("2029-05-01T10:00:00Z"));
    await addCheck(server(), me, outside, at("2029-05-01T10:00:00Z"));
    await me.patch(`/api/v1/links/${inside}`, { group_id: null });
    await addCheck(server(), me, inside, at("2029-05-02T10:00:00Z"));

    const range = "start_date=2029-05-01&end_date=2029-05-02";
    const totals = async (query: string) =>
      totalsOf((await me.get(`${path}?${range}&${query}`)).body.data.points);

    expect(await totals("")).toEqual([2, 1]);
    expect(await totals(`link_id=${inside}`)).toEqual([1, 1]);
    expect(await totals(`group_id=${group}`)).toEqual([1, 0]);
  });

  test("shows the fastest and the slowest response of each bucket, for one link only", async () => {
    const me = await server().account();
    const link = await addLink(me);
    for (const [hour, responseTimeMs] of [
      ["10:00", 120],
      ["10:30", 84],
      ["12:00", 612],
      ["12:30", null],
      ["13:00", null],
    ] as const)
      await addCheck(server(), me, link, { responseTimeMs, ...at(`2029-05-01T${hour}:00Z`) });

    const range = "start_date=2029-05-01T10:00:00Z&end_date=2029-05-01T13:00:00Z";
    const extremes = async (query: string) =>
      (await me.get(`${path}?${range}&${query}`)).body.data.points.map((point: Point) => [
        point.fastestMs,
        point.slowestMs,
      ]);

    expect(await extremes(`bucket=hour&link_id=${link}`)).toEqual([
      [84, 120],
      [null, null],
      [612, 612],
      [null, null],
    ]);
    expect(await extremes(`bucket=day&link_id=${link}`)).toEqual([[84, 612]]);
    expect(await extremes("bucket=day")).toEqual([[null, null]]);
  });

  test("of a stranger's link or group, or of none, is empty", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const group = await addGroup(stranger);
    const link = await addLink(stranger, { group_id: group });
    await addCheck(server(), stranger, link);

    for (const query of [`link_id=${link}`, `group_id=${group}`, `link_id=${NO_ID}`]) {
      const { status, body } = await me.get(`${path}?${query}`);
      expect([status, totalsOf(body.data.points).reduce((a, b) => a + b)]).toEqual([200, 0]);
    }
  });

  eachRow([
    ["", 90, "2029-10-04T00:00:00.000Z", "2030-01-01T00:00:00.000Z"],
    ["bucket=hour", 168, "2029-12-25T01:00:00.000Z", "2030-01-01T00:00:00.000Z"],
    ["end_date=2029-06-30", 90, "2029-04-02T00:00:00.000Z", "2029-06-30T00:00:00.000Z"],
    ["start_date=2029-12-31", 2, "2029-12-31T00:00:00.000Z", "2030-01-01T00:00:00.000Z"],
    ["start_date=2031-01-01", 1, "2031-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"],
  ])(
    "without all of the dates it returns the default range: %p",
    async (query, count, first, last) => {
      const me = await server().account();

      const { points } = (await me.get(`${path}?${query}`)).body.data;

      expect([points.length, points[0].start, points.at(-1).start]).toEqual([count, first, last]);
    },
  );

  test("returns up to a thousand buckets at once", async () => {
    const me = await server().account();
    const until = "end_date=2029-12-31T23:59:59Z";

    const most = await me.get(`${path}?start_date=2027-04-07&${until}`);
    const refused = await me.get(`${path}?start_date=2027-04-06&${until}`);

    expect(most.body.data.points).toHaveLength(1000);
    expect([refused.status, refused.body.error.details.fields]).toEqual([
      400,
      {
        start_date: [
          "must not be so early: of these 1001 days at most 1000 can be returned at once",
        ],
      },
    ]);
  });

  test("refuses what makes no sense, all of it at once", async () => {
    const me = await server().account();

    const unknown = await me.get(`${path}?bucket=week&link_id=x`);
    const both = await me.get(`${path}?link_id=${NO_ID}&group_id=${NO_ID}`);
    const backwards = await me.get(`${path}?start_date=2029-05-02&end_date=2029-05-01`);

    expect(unknown.body.error.details.fields).toEqual({
      bucket: ["must be one of: hour, day"],
      link_id: ["must be a UUID"],
    });
    expect(both.body.error.details.fields).toEqual({
      group_id: ["must not be given with link_id"],
    });
    expect(backwards.body.error.details.fields).toEqual({
      start_date: ["must not be after end_date"],
    });
  });
});
