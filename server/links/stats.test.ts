import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addCheck, addLink } from "../../tests/rows.ts";

const at = (iso: string) => ({ checkedAt: Date.parse(iso) });

onServer("GET /links/{id}/stats", (server) => {
  test("counts the checks of this link, and tells how much of the time it was there", async () => {
    const me = await server().account();
    const [link, other] = [await addLink(me), await addLink(me)];
    for (const responseTimeMs of [100, 120]) await addCheck(server(), me, link, { responseTimeMs });
    await addCheck(server(), me, link, {
      status: "dead",
      responseTimeMs: null,
      statusChanged: true,
    });
    await addCheck(server(), me, link, { status: "unknown", responseTimeMs: null });
    await addCheck(server(), me, other);

    const { status, body } = await me.get(`/api/v1/links/${link}/stats`);

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        totalChecks: 4,
        aliveCount: 2,
        deadCount: 1,
        unknownCount: 1,
        statusChanges: 1,
        avgResponseTimeMs: 110,
        uptimePercent: 66.67,
      },
    });
  });

  test("without a check that could tell there is no uptime", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await addCheck(server(), me, link, { status: "unknown" });

    const { data } = (await me.get(`/api/v1/links/${link}/stats`)).body;

    expect(data).toMatchObject({ totalChecks: 1, uptimePercent: null });
  });

  test("covers the time that is asked for, both ends included", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const moments = [
      "04-30T23:59:59.999",
      "05-01T00:00:00",
      "05-03T10:00:00.001",
      "05-03T10:00:00.002",
    ];
    for (const moment of moments) await addCheck(server(), me, link, at(`2029-${moment}Z`));

    const range = "start_date=2029-05-01&end_date=2029-05-03T10:00:00.001Z";
    const { data } = (await me.get(`/api/v1/links/${link}/stats?${range}`)).body;

    expect(data.totalChecks).toBe(2);
  });

  test("refuses a time that ends before it starts", async () => {
    const me = await server().account();

    const query = "start_date=2029-05-02&end_date=2029-05-01";
    const { status, body } = await me.get(`/api/v1/links/${await addLink(me)}/stats?${query}`);

    expect([status, body.error.details.fields]).toEqual([
      400,
      { start_date: ["must not be after end_date"] },
    ]);
  });

  test("of a stranger's link is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.get(`/api/v1/links/${foreign}/stats`)).status).toBe(403);
  });
});
