import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import {
  ALIVE,
  batchOf,
  CHECK,
  checkAll,
  checkedLinks,
  GONE,
} from "../../tests/batches/playing.ts";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { addGroup, addLink } from "../../tests/rows.ts";

const key = (text: string) => ({ "idempotency-key": text });

onServer("POST /links/check", (server) => {
  test("checks the caller's links, and says why for each of the rest", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [link, foreign] = [await addLink(me), await addLink(stranger)];

    const { status, body } = await me.post(CHECK, { link_ids: [link, foreign, NO_ID] });

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        batch_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        summary: { total: 3, started: 1, failed: 2 },
        failures: [
          {
            id: foreign,
            error: {
              code: "FORBIDDEN",
              message: "This link belongs to another account.",
              status: 403,
            },
          },
          { id: NO_ID, error: { code: "NOT_FOUND", message: "No such link.", status: 404 } },
        ],
      },
    });
    expect(await batchOf(me, body.data.batch_id)).toMatchObject({ status: "running", total: 1 });
  });

  test("an id given twice counts once, in either case", async () => {
    const me = await server().account();
    const link = await addLink(me);

    const link_ids = [link, NO_ID, link.toUpperCase(), NO_ID.toUpperCase()];
    const { body } = await me.post(CHECK, { link_ids });

    expect(body.data.summary).toEqual({ total: 2, started: 1, failed: 1 });
    expect(body.data.failures).toHaveLength(1);
  });

  test("without a link to check there is no batch", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    await addLink(me);

    for (const asked of [{ link_ids: [NO_ID] }, { group_id: group }, { status: "dead" }]) {
      const { status, body } = await me.post(CHECK, asked);
      expect([status, body.data.batch_id, body.data.summary.started]).toEqual([200, null, 0]);
    }
  });

  test("takes a thousand ids, and no more", async () => {
    const me = await server().account();
    const links = Array.from({ length: 1000 }, (_, i) => ({ url: `https://example.org/${i}` }));
    const made = await me.post("/api/v1/links/batch", { links });
    const ids: string[] = made.body.data.results.map((result: Parsed) => result.link.id);

    const refused = await me.post(CHECK, { link_ids: [...ids, NO_ID] });
    const started = await me.post(CHECK, { link_ids: ids });

    expect(refused.body.error.details.fields).toEqual({
      link_ids: ["must have at most 1000 items"],
    });
    expect(started.body.data.summary).toEqual({ total: 1000, started: 1000, failed: 0 });
  });

  test("takes all of a group, of a status, or of both, and nothing of anybody else", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [group, other] = [await addGroup(me), await addGroup(me)];
    const urls = ["dead/1", "dead/2", "live/3", "dead/4"].map((path) => `https://a.test/${path}`);
    const ids = await checkedLinks(server(), me, urls, endOf);
    await checkedLinks(server(), stranger, ["https://b.test/dead"], endOf);
    await me.post(`/api/v1/groups/${group}/links`, { link_ids: [ids[0], ids[2]] });
    await me.post(`/api/v1/groups/${other}/links`, { link_ids: [ids[1]] });

    const totals: number[] = [];
    for (const asked of [
      { group_id: group },
      { status: "dead" },
      { status: "unknown" },
      { group_id: group.toUpperCase(), status: "dead" },
    ])
      totals.push((await me.post(CHECK, asked)).body.data.summary.started);

    expect(totals).toEqual([2, 3, 0, 1]);
    const checked = await checkAll(server());
    expect(checked.filter((url) => /^https:..[ab]\.test/.test(url))).toEqual(urls.sort());
  });

  test("takes all that fit a filter, of which an empty one is all", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const group = await addGroup(me);
    const urls = ["a/1", "a/2", "b/3", "b/4"].map((path) => `https://f.test/${path}`);
    const ids = await checkedLinks(server(), me, urls);
    await checkedLinks(server(), stranger, ["https://g.test/a/"]);
    await me.post(`/api/v1/groups/${group}/links`, { link_ids: [ids[0], ids[2]] });
    await me.patch(`/api/v1/links/${ids[1]}`, { check_frequency: "hourly" });

    const totals: number[] = [];
    for (const filter of [
      { search: "/A/" },
      { group_id: "none" },
      { group_id: group, search: "b" },
      { group_id: group, status: "active" },
      { check_frequency: "hourly" },
      { service: "generic", check_frequency: "monthly" },
      { service: "youtube" },
      { site: "f.test" },
      { site: "f.test", reason: "ok", search: "/b/" },
      { reason: "http_404" },
      { group_id: NO_ID },
      {},
    ])
      totals.push((await me.post(CHECK, { filter })).body.data.summary.started);

    expect(totals).toEqual([2, 2, 1, 2, 1, 3, 0, 4, 2, 0, 0, 4]);
    expect((await checkAll(server())).filter((url) => /[fg].test/.test(url))).toEqual(urls);
  });

  test("links are due at once, but not shown as being checked before they are", async () => {
    const me = await server().account();
    const url = "https://due.test/";
    const [link] = await checkedLinks(server(), me, [url]);

    await me.post(CHECK, { link_ids: [link] });

    const { status, next_check_at } = (await me.get(`/api/v1/links/${link}`)).body.data;
    expect(status).toBe("active");
    expect(next_check_at).toBe(new Date(server().clock.now()).toISOString());
    expect(await checkAll(server())).toContain(url);
    const { items } = (await me.get(`/api/v1/links/${link}/history`)).body.data;
    expect(items.map(({ trigger }: Parsed) => trigger)).toEqual(["batch", "batch"]);
  });

  test("a link that waits for its first check, or for one by hand, keeps what asked for it", async () => {
    const me = await server().account();
    const [asked] = await checkedLinks(server(), me, ["https://example.org/asked"]);
    const fresh = await addLink(me);
    await me.post(`/api/v1/links/${asked}/check`);

    await me.post(CHECK, { link_ids: [asked, fresh] });
    await checkAll(server());

    const triggers = await Promise.all([asked, fresh].map((id) => latestTrigger(me, id!)));
    expect(triggers).toEqual(["manual", "initial"]);
  });

  test("ten by group or status may run at once, and one more when one of them is complete", async () => {
    const me = await server().account();
    await addLink(me, { group_id: await addGroup(me) });
    for (let n = 0; n < 10; n++) await me.post(CHECK, { status: "unknown" });

    const refused = await me.post(CHECK, { status: "unknown" });
    await checkAll(server());
    const later = await me.post(CHECK, { status: "active" });

    expect([refused.status, later.status]).toEqual([409, 200]);
    expect(refused.body.error).toMatchObject({
      code: "CONFLICT",
      message: "10 batches by group or status are running. Wait until one of them is complete.",
      details: { reason: "too_many_batches", limit: 10, used: 10 },
    });
  });

  test("ten may run also when many are asked for at the same moment", async () => {
    const me = await server().account();
    await addLink(me);

    const asked = Array.from({ length: 25 }, () => me.post(CHECK, { status: "unknown" }));

    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(10).fill(200), ...Array(15).fill(409)]);
  });

  test("is not put off by a new frequency of a link that it waits for", async () => {
    const me = await server().account();
    const [id] = await checkedLinks(server(), me, ["https://a.test/waited-for"]);
    await me.post(CHECK, { link_ids: [id] });

    await me.patch(`/api/v1/links/${id}`, { check_frequency: "weekly" });

    expect(await checkAll(server())).toContain("https://a.test/waited-for");
  });

  test("happens once for one idempotency key, however often it is asked", async () => {
    const me = await server().account();
    const link_ids = [await addLink(me)];

    const first = await me.post(CHECK, { link_ids }, key("one"));
    const second = await me.post(CHECK, { link_ids }, key("one"));
    const other = await me.post(CHECK, { status: "dead" }, key("one"));

    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect([other.status, other.body.error.code]).toEqual([409, "CONFLICT"]);
    const again = await me.post(CHECK, { link_ids }, key("two"));
    expect(again.body.data.batch_id).not.toBe(first.body.data.batch_id);
  });

  test("keeps the reply for its key also when there was nothing to check", async () => {
    const me = await server().account();
    await me.post(CHECK, { status: "dead" }, key("none"));

    const again = await me.post(CHECK, { status: "dead" }, key("none"));

    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.data.batch_id).toBeNull();
  });

  test("a stranger's group is not found", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const group = await addGroup(stranger);
    await addLink(stranger, { group_id: group });

    const { status, body } = await me.post(CHECK, { group_id: group });

    expect([status, body.error.details.fields]).toEqual([400, { group_id: ["no such group"] }]);
  });
});

const endOf = (url: string) => (url.includes("dead") ? GONE : ALIVE);

const latestTrigger = async (me: Asker, id: string) =>
  (await me.get(`/api/v1/links/${id}/history`)).body.data.items[0].trigger;
