import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { addCheck, addLink, anyUrl } from "../../tests/rows.ts";

const path = "/api/v1/history";
const at = (iso: string) => ({ checkedAt: Date.parse(iso) });
const idsIn = (body: { data: { items: { id: string }[] } }) => body.data.items.map(({ id }) => id);

onServer("GET /history", (server) => {
  test("lists what each check saw", async () => {
    const me = await server().account();
    const url = anyUrl();
    const link = await addLink(me, { url });
    const id = await addCheck(server(), me, link, {
      status: "dead",
      statusChanged: true,
      statusCode: 404,
      responseTimeMs: 182,
      reason: "http_404",
      finalUrl: "https://example.org/gone",
      redirectCount: 1,
      trigger: "manual",
      ...at("2029-05-01T00:00:00.5Z"),
    });

    const { status, body } = await me.get(path);

    expect(status).toBe(200);
    expect(body.data.items).toEqual([
      {
        id,
        link_id: link,
        url,
        status: "dead",
        previous_status: "active",
        status_changed: true,
        status_code: 404,
        response_time_ms: 182,
        reason: "http_404",
        message: expect.stringContaining("404"),
        final_url: "https://example.org/gone",
        redirect_count: 1,
        trigger: "manual",
        checked_at: "2029-05-01T00:00:00.500Z",
      },
    ]);
  });

  test("lists checks of all links, newest first, and none of a stranger's", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [one, two] = [await addLink(me), await addLink(me)];
    const old = await addCheck(server(), me, one, at("2029-05-01T00:00:00Z"));
    const recent = await addCheck(server(), me, two, at("2029-06-01T00:00:00Z"));
    await addCheck(server(), stranger, await addLink(stranger));

    const { body } = await me.get(path);

    expect(idsIn(body)).toEqual([recent, old]);
    expect(body.data.pagination).toEqual({ page: 1, per_page: 20, total: 2, total_pages: 1 });
  });

  test("can be narrowed to a link and a status; unknown and foreign links are empty", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [one, two] = [await addLink(me), await addLink(me)];
    const dead = await addCheck(server(), me, one, { status: "dead", statusCode: null });
    await addCheck(server(), me, one);
    await addCheck(server(), me, two, { status: "dead" });
    const foreign = await addLink(stranger);
    await addCheck(server(), stranger, foreign);

    const found = await me.get(`${path}?link_id=${one.toUpperCase()}&status=dead`);

    expect(idsIn(found.body)).toEqual([dead]);
    for (const id of [NO_ID, foreign]) {
      const { status, body } = await me.get(`${path}?link_id=${id}`);
      expect([status, idsIn(body), body.data.pagination.total]).toEqual([200, [], 0]);
    }
  });

  eachRow([
    ["start_date=2029-05-01", [2, 3, 4]],
    ["start_date=2029-05-01T00:00:00.001Z", [3, 4]],
    ["end_date=2029-05-01", [1, 2, 3]],
    ["end_date=2029-05-01T23:59:59.998Z", [1, 2]],
    ["start_date=2029-05-01&end_date=2029-05-01", [2, 3]],
    ["start_date=2029-05-01T02:00:00%2B02:00", [2, 3, 4]],
    ["start_date=2029-05-01T02:00:00+02:00", [2, 3, 4]],
    ["start_date=2029-04-30T22:00:00-02:00", [2, 3, 4]],
    ["start_date=2029-05-02T00:00:00Z&end_date=2029-05-02T00:00:00Z", [4]],
  ])("%s holds both its ends", async (query, expected) => {
    const me = await server().account();
    const link = await addLink(me);
    const moments = [
      "2029-04-30T23:59:59.999Z",
      "2029-05-01T00:00:00.000Z",
      "2029-05-01T23:59:59.999Z",
      "2029-05-02T00:00:00.000Z",
    ];
    for (const moment of moments) await addCheck(server(), me, link, at(moment));

    const { body } = await me.get(`${path}?${query}`);

    const seen = body.data.items.map(
      (check: { checked_at: string }) => moments.indexOf(check.checked_at) + 1,
    );
    expect(seen.sort()).toEqual(expected);
  });

  test("leaves only changes, of one link also changes to a status", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const changed = { statusChanged: true, previousStatus: "unknown" } as const;
    const alive = await addCheck(server(), me, link, { ...changed, ...at("2029-05-01T00:00:00Z") });
    await addCheck(server(), me, link, at("2029-05-02T00:00:00Z"));

    expect(idsIn((await me.get(`${path}?changed=true`)).body)).toEqual([alive]);
    const ofLink = `${path}?changed=true&status=active&link_id=${link}`;
    expect(idsIn((await me.get(ofLink)).body)).toEqual([alive]);
    const { status, body } = await me.get(`${path}?changed=true&status=active`);
    expect([status, Object.keys(body.error.details.fields)]).toEqual([400, ["changed"]]);
  });

  test("refuses a time that ends before it starts, by offset as well", async () => {
    const me = await server().account();

    const range = "start_date=2029-05-01T00:00:00Z&end_date=2029-05-01T00:00:00%2B01:00";
    const { status, body } = await me.get(`${path}?${range}`);

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ start_date: ["must not be after end_date"] });
  });
});
