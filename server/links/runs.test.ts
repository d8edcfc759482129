import { expect, test } from "bun:test";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { addCheck, addLink, type Check, setLink } from "../../tests/rows.ts";
import { forgetOldChecks } from "../history/forget-old.ts";

const at = (iso: string) => ({ checkedAt: Date.parse(iso) });
const DIED = { status: "dead", statusChanged: true, reason: "http_404", statusCode: 404 } as const;
const FIRST = { statusChanged: true, previousStatus: "unknown" } as const;

const runsOf = async (me: Asker, link: string, query = ""): Promise<Parsed> =>
  (await me.get(`/api/v1/links/${link}/runs${query}`)).body.data;

onServer("GET /links/{id}/runs", (server) => {
  const check = (me: Asker, link: string, more: Partial<Check>) =>
    addCheck(server(), me, link, more);

  /** Alive for two days, dead for one, and alive since. */
  async function addStory(me: Asker): Promise<string> {
    const link = await addLink(me);
    await check(me, link, { ...FIRST, responseTimeMs: 84, ...at("2029-12-01T10:00:00Z") });
    await check(me, link, { responseTimeMs: 612, ...at("2029-12-02T10:00:00Z") });
    await check(me, link, { ...DIED, responseTimeMs: null, ...at("2029-12-03T10:00:00Z") });
    const back = { statusChanged: true, previousStatus: "dead", responseTimeMs: 100 } as const;
    await check(me, link, { ...back, ...at("2029-12-04T10:00:00Z") });
    await check(me, link, {
      status: "unknown",
      responseTimeMs: null,
      ...at("2029-12-05T10:00:00Z"),
    });
    return link;
  }

  test("shows how long a link was alive or dead, and how fast it responded", async () => {
    const me = await server().account();
    const link = await addStory(me);

    const { items, pagination } = await runsOf(me, link);

    expect(items).toEqual([
      {
        status: "active",
        reason: "ok",
        message: "The server returned 200.",
        status_code: 200,
        started_at: "2029-12-04T10:00:00.000Z",
        ended_at: null,
        checks: 2,
        fastest_ms: 100,
        slowest_ms: 100,
      },
      {
        status: "dead",
        reason: "http_404",
        message: "The server returned 404: there is no such page.",
        status_code: 404,
        started_at: "2029-12-03T10:00:00.000Z",
        ended_at: "2029-12-04T10:00:00.000Z",
        checks: 1,
        fastest_ms: null,
        slowest_ms: null,
      },
      {
        status: "active",
        reason: "ok",
        message: "The server returned 200.",
        status_code: 200,
        started_at: "2029-12-01T10:00:00.000Z",
        ended_at: "2029-12-03T10:00:00.000Z",
        checks: 2,
        fastest_ms: 84,
        slowest_ms: 612,
      },
    ]);
    expect(pagination.total).toBe(3);
  });

  test("comes in pages, each with the whole of its runs", async () => {
    const me = await server().account();
    const link = await addStory(me);
    const { items: all } = await runsOf(me, link);

    for (const [page, run] of all.entries()) {
      const { items } = await runsOf(me, link, `?per_page=1&page=${page + 1}`);
      expect(items).toEqual([run]);
    }
    expect((await runsOf(me, link, "?per_page=1&page=4")).items).toEqual([]);
    expect((await runsOf(me, link, "?per_page=2&page=2")).items).toEqual([all[2]]);
  });

  test("begins with the first check, so a new link has no runs", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const before = await runsOf(me, link);
    await check(me, link, { ...FIRST, ...at("2029-12-01T10:00:00Z") });
    const { items } = await runsOf(me, link);

    expect(before).toMatchObject({ items: [], pagination: { total: 0, total_pages: 0 } });
    expect(items).toMatchObject([{ status: "active", started_at: "2029-12-01T10:00:00.000Z" }]);
  });

  test("includes the time during which a link could not be judged at first", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const unknown = {
      status: "unknown",
      previousStatus: "unknown",
      reason: "conn_timeout",
    } as const;
    await check(me, link, { ...unknown, ...at("2029-12-01T10:00:00Z") });
    await check(me, link, { ...unknown, ...at("2029-12-02T10:00:00Z") });
    const alone = await runsOf(me, link);
    await check(me, link, { ...FIRST, ...at("2029-12-03T10:00:00Z") });
    const { items, pagination } = await runsOf(me, link);
    const { items: oldest } = await runsOf(me, link, "?per_page=1&page=2");

    const run = { status: "unknown", reason: "conn_timeout", checks: 2 };
    expect(alone.items).toMatchObject([
      { ...run, started_at: "2029-12-01T10:00:00.000Z", ended_at: null },
    ]);
    expect(items).toMatchObject([
      { status: "active", checks: 1 },
      { ...run, ended_at: "2029-12-03T10:00:00.000Z" },
    ]);
    expect(pagination.total).toBe(2);
    expect(oldest).toEqual([items[1]]);
  });

  test("refuses pages that are too large", async () => {
    const me = await server().account();

    const path = `/api/v1/links/${await addLink(me)}/runs?per_page=101`;
    const { status, body } = await me.get(path);

    expect([status, Object.keys(body.error.details.fields)]).toEqual([400, ["per_page"]]);
  });

  test("of a link of another account is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.get(`/api/v1/links/${foreign}/runs`)).status).toBe(403);
  });
});

onServer(
  "GET /links/{id}/runs after old checks were deleted",
  (server) => {
    test("still counts the checks of a run, and knows what came before a change", async () => {
      const me = await server().account();
      const link = await addLink(me);
      await addCheck(server(), me, link, {
        ...FIRST,
        responseTimeMs: 84,
        ...at("2029-12-01T10:00:00Z"),
      });
      await addCheck(server(), me, link, { responseTimeMs: 612, ...at("2029-12-29T10:00:00Z") });
      await addCheck(server(), me, link, { ...DIED, ...at("2029-12-30T10:00:00Z") });
      await forgetOldChecks(server().deps);

      const { items, pagination } = await runsOf(me, link);

      expect(pagination.total).toBe(2);
      expect(items).toMatchObject([
        { status: "dead", checks: 1 },
        {
          status: "active",
          reason: null,
          message: null,
          started_at: null,
          checks: 2,
          ended_at: "2029-12-30T10:00:00.000Z",
          fastest_ms: 84,
          slowest_ms: 612,
        },
      ]);
    });

    test("takes the beginning of the present run from the link", async () => {
      const me = await server().account();
      const link = await addLink(me);
      await addCheck(server(), me, link, { ...FIRST, ...at("2029-12-01T10:00:00Z") });
      await addCheck(server(), me, link, at("2029-12-30T10:00:00Z"));
      await setLink(server(), link, {
        status: "active",
        decidedStatus: "active",
        reason: "ok",
        statusChangedAt: Date.parse("2029-12-01T10:00:00Z"),
      });
      await forgetOldChecks(server().deps);

      const { items } = await runsOf(me, link);

      expect(items).toMatchObject([
        {
          status: "active",
          reason: "ok",
          checks: 2,
          started_at: "2029-12-01T10:00:00.000Z",
          ended_at: null,
        },
      ]);
    });
  },
  { STILLUP_HISTORY_DAYS: "7" },
);
