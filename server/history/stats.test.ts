import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { onServer } from "../../tests/harness.ts";
import { addCheck, addGroup, addLink } from "../../tests/rows.ts";

const path = "/api/v1/history/stats";
const at = (iso: string) => ({ checkedAt: Date.parse(iso) });

onServer("GET /history/stats", (server) => {
  test("an account without checks has zeros", async () => {
    const me = await server().account();

    const { status, body } = await me.get(path);

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        totalChecks: 0,
        aliveCount: 0,
        deadCount: 0,
        unknownCount: 0,
        statusChanges: 0,
        avgResponseTimeMs: 0,
      },
    });
  });

  test("counts checks by what they found, and averages over those with an answer", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const link = await addLink(me);
    await addCheck(server(), me, link, { responseTimeMs: 100 });
    await addCheck(server(), me, link, { responseTimeMs: 101, statusChanged: true });
    await addCheck(server(), me, link, {
      status: "dead",
      responseTimeMs: null,
      statusChanged: true,
    });
    await addCheck(server(), me, link, { status: "unknown", responseTimeMs: null });
    await addCheck(server(), stranger, await addLink(stranger));

    const { body } = await me.get(path);

    expect(body.data).toEqual({
      totalChecks: 4,
      aliveCount: 2,
      deadCount: 1,
      unknownCount: 1,
      statusChanges: 2,
      avgResponseTimeMs: 101,
    });
  });

  test("without any answer the average is 0", async () => {
    const me = await server().account();
    await addCheck(server(), me, await addLink(me), { status: "unknown", responseTimeMs: null });

    expect((await me.get(path)).body.data).toMatchObject({ totalChecks: 1, avgResponseTimeMs: 0 });
  });

  test("covers the time that is asked for, both ends included", async () => {
    const me = await server().account();
    const link = await addLink(me);
    for (const day of [
      "04-30T23:59:59.999",
      "05-01T00:00:00",
      "05-01T23:59:59.999",
      "05-02T00:00:00",
    ])
      await addCheck(server(), me, link, at(`2029-${day}Z`));

    const total = async (query: string) => (await me.get(`${path}?${query}`)).body.data.totalChecks;

    expect(await total("start_date=2029-05-01&end_date=2029-05-01")).toBe(2);
    expect(await total("start_date=2029-05-02")).toBe(1);
    expect(await total("end_date=2029-05-01")).toBe(3);
  });

  test("can be narrowed to a link, or to a group as its links were in it", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const [inside, outside] = [await addLink(me, { group_id: group }), await addLink(me)];
    await addCheck(server(), me, inside);
    await addCheck(server(), me, outside);
    await me.patch(`/api/v1/links/${inside}`, { group_id: null });
    await addCheck(server(), me, inside);

    const total = async (query: string) => (await me.get(`${path}?${query}`)).body.data.totalChecks;

    expect(await total(`link_id=${inside.toUpperCase()}`)).toBe(2);
    expect(await total(`group_id=${group}`)).toBe(1);
  });

  test("of a stranger's link or group, or of none, are zeros", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const group = await addGroup(stranger);
    const link = await addLink(stranger, { group_id: group });
    await addCheck(server(), stranger, link);

    for (const query of [`link_id=${link}`, `group_id=${group}`, `link_id=${NO_ID}`]) {
      const { status, body } = await me.get(`${path}?${query}`);
      expect([status, body.data.totalChecks]).toEqual([200, 0]);
    }
  });

  test("counts the hours of a group whole", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { group_id: group });
    for (const minute of ["09:59", "10:00", "10:59", "11:00"])
      await addCheck(server(), me, link, at(`2029-05-01T${minute}:00Z`));

    const range = "start_date=2029-05-01T10:30:00Z&end_date=2029-05-01T10:31:00Z";
    const { data } = (await me.get(`${path}?group_id=${group}&${range}`)).body;

    expect(data.totalChecks).toBe(2);
  });

  test("refuses a link and a group at once", async () => {
    const me = await server().account();

    const { status, body } = await me.get(`${path}?link_id=${NO_ID}&group_id=${NO_ID}`);

    expect([status, body.error.details.fields]).toEqual([
      400,
      { group_id: ["must not be given with link_id"] },
    ]);
  });

  test("refuses a time that ends before it starts", async () => {
    const me = await server().account();

    const { body } = await me.get(`${path}?start_date=2029-05-02&end_date=2029-05-01`);

    expect(body.error.details.fields).toEqual({ start_date: ["must not be after end_date"] });
  });
});
