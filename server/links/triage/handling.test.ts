import { expect, test } from "bun:test";
import { DAY, HOUR } from "../../../tests/checker/ended.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import {
  ALIVE,
  check,
  eventsOf,
  GONE,
  LINKS,
  newLink,
  PARKED,
  read,
  sound,
  URL_A,
} from "../../../tests/triage/playing.ts";
import { claimDueLinks } from "../../monitor/claim.ts";
import { recordResults } from "../../monitor/record.ts";
import { endMutes } from "./end-mutes.ts";

onServer("what people decide about a dead link", (server) => {
  const subscribe = (me: Asker, more = {}) =>
    me.post("/api/v1/webhooks", {
      url: "https://hooks.example.com/",
      events: ["link.dead", "link.alive"],
      ...more,
    });
  const slack = { url: "https://hooks.slack.com/services/T/B/x", format: "slack" };

  /** The number of deliveries by the format of their webhooks. */
  async function deliveredTo(me: Asker): Promise<Record<string, number>> {
    const { body } = await me.get("/api/v1/webhooks?per_page=100");
    const counts: Record<string, number> = {};
    for (const { id, format } of body.data.items) {
      const page = await me.get(`/api/v1/webhooks/${id}/deliveries`);
      counts[format] = page.body.data.pagination.total;
    }
    return counts;
  }

  const in30Days = () => new Date(server().clock.now() + 30 * DAY).toISOString();

  test("an acknowledged death is quiet until the reason changes, and a recovery ends it", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await check(server(), me, path, GONE);

    const { status, body } = await me.patch(path, { handling: "acknowledged" });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ handling: "acknowledged", status: "dead" });
    expect(body.data.handled_by).toBe(me.key.slice(0, body.data.handled_by.length));
    for (let i = 0; i < 20; i++) await check(server(), me, path, GONE);
    expect(await read(me, path)).toMatchObject({ handling: "acknowledged" });

    await check(server(), me, path, PARKED);
    expect(await read(me, path)).toMatchObject({ handling: "open", handled_at: null });

    server().clock.moveBy(1000);
    await me.patch(path, { handling: "acknowledged" });
    await check(server(), me, path, ALIVE);
    expect(await read(me, path)).toMatchObject({ handling: "open", status: "active" });
    const { body: timeline } = await me.get(`${path}/timeline`);
    expect(
      timeline.data.items.map(({ kind, by }: { kind: string; by: string | null }) => [
        kind,
        by !== null,
      ]),
    ).toEqual([
      ["acknowledgement_ended", false],
      ["acknowledged", true],
      ["acknowledgement_ended", false],
      ["acknowledged", true],
    ]);
    await sound(server());
  });

  eachRow([
    { seen: GONE, after: "acknowledged" },
    { seen: PARKED, after: "open" },
    { seen: ALIVE, after: "open" },
  ])("a check that is under way meanwhile counts: $seen.reason", async ({ seen, after }) => {
    const me = await server().account();
    const path = await newLink(me);
    await check(server(), me, path, GONE);
    const { deps, clock } = server();
    clock.moveBy(2 * DAY);
    const claimed = await claimDueLinks(deps, 100);
    await me.patch(path, { handling: "acknowledged" });

    await recordResults(
      deps,
      claimed.map((link) => ({ link, conclusion: seen, at: clock.now() })),
    );

    const { handling, status, last_check } = await read(me, path);
    expect([handling, status, last_check.reason]).toEqual([after, seen.status, seen.reason]);
    await sound(server());
  });

  test("nothing is acknowledged that is alive", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await check(server(), me, path, ALIVE);

    const { status, body } = await me.patch(path, { handling: "acknowledged" });
    expect(status).toBe(409);
    expect(body.error.details).toEqual({ reason: "nothing_to_acknowledge" });

    const many = await me.post(`${LINKS}/batch-change`, {
      filter: {},
      change: { handling: "acknowledged" },
    });
    expect(many.body.data.summary).toEqual({ total: 1, changed: 0, unchanged: 0, failed: 1 });
  });

  test("a mute has an end within a year", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const problems = async (change: object) => {
      const { status, body } = await me.patch(path, change);
      expect(status).toBe(400);
      return body.error.details.fields;
    };

    expect(await problems({ handling: "muted" })).toEqual({
      muted_until: ["is required for `handling: muted`"],
    });
    expect(await problems({ muted_until: in30Days() })).toEqual({
      muted_until: ["is only for `handling: muted`"],
    });
    expect(await problems({ handling: "muted", muted_until: "2029-01-01" })).toEqual({
      muted_until: ["must be in the future"],
    });
    expect(await problems({ handling: "muted", muted_until: "2031-02-01" })).toEqual({
      muted_until: ["must be within a year"],
    });
    expect((await me.patch(path, { handling: "muted", muted_until: in30Days() })).status).toBe(200);
  });

  test("people hear of the death of a muted link when the mute ends, once, and programs at once", async () => {
    const me = await server().account();
    await subscribe(me);
    await subscribe(me, slack);
    const path = await newLink(me);
    await check(server(), me, path, ALIVE);
    await me.patch(path, { handling: "muted", muted_until: in30Days() });

    await check(server(), me, path, GONE);
    expect(await deliveredTo(me)).toEqual({ standard: 2, slack: 0 });
    expect((await read(me, path)).status).toBe("dead");

    server().clock.moveBy(31 * DAY);
    await Promise.all([endMutes(server().deps), endMutes(server().deps)]);
    await endMutes(server().deps);

    expect(await deliveredTo(me)).toEqual({ standard: 2, slack: 1 });
    expect(await eventsOf(server(), me)).toEqual([
      "link.alive ok",
      "link.dead http_404",
      "link.dead http_404 late",
    ]);
    expect(await read(me, path)).toMatchObject({ handling: "open", muted_until: null });
    await sound(server());
  });

  test("what died and came back during a mute is not reported", async () => {
    const me = await server().account();
    await subscribe(me, slack);
    const path = await newLink(me);
    await check(server(), me, path, ALIVE);
    await me.patch(path, { handling: "muted", muted_until: in30Days() });
    await check(server(), me, path, GONE);
    await check(server(), me, path, ALIVE);

    await me.patch(path, { handling: "open" });

    expect(await deliveredTo(me)).toEqual({ slack: 0 });
  });

  test("unmuting by hand reports the death as well, and one that was reported before is not", async () => {
    const me = await server().account();
    await subscribe(me, slack);
    const path = await newLink(me);
    await check(server(), me, path, GONE);
    expect(await deliveredTo(me)).toEqual({ slack: 1 });
    await me.patch(path, { handling: "muted", muted_until: in30Days() });
    await me.patch(path, { handling: "open" });
    expect(await deliveredTo(me)).toEqual({ slack: 1 });

    await check(server(), me, path, ALIVE);
    await me.patch(path, { handling: "muted", muted_until: in30Days() });
    await check(server(), me, path, GONE);
    await me.patch(path, { handling: "open" });
    expect(await deliveredTo(me)).toEqual({ slack: 3 });
  });

  test("links are handled by the hundred, and each tells who did it", async () => {
    const me = await server().account();
    const urls = Array.from({ length: 300 }, (_, i) => ({ url: `https://example.org/${i}` }));
    await me.post(`${LINKS}/batch`, { links: urls });
    const { body } = await me.post(`${LINKS}/batch-change`, {
      filter: {},
      change: { handling: "muted", muted_until: in30Days(), add_tags: ["Docs", "docs "] },
    });
    expect(body.data.summary).toEqual({ total: 300, changed: 300, unchanged: 0, failed: 0 });
    const page = (await me.get(`${LINKS}?per_page=100&page=3`)).body.data;
    expect(page.items).toHaveLength(100);
    for (const item of page.items)
      expect(item).toMatchObject({ handling: "muted", tags: ["docs"] });
    const again = await me.post(`${LINKS}/batch-change`, {
      filter: {},
      change: { remove_tags: ["docs", "none"], handling: "open" },
    });
    expect(again.body.data.summary.changed).toBe(300);
    await sound(server());
    server().clock.moveBy(HOUR);
  });

  test("all that need attention are acknowledged, although each then needs none", async () => {
    const me = await server().account();
    const urls = Array.from({ length: 600 }, (_, i) => ({ url: `https://example.org/${i}` }));
    await me.post(`${LINKS}/batch`, { links: urls });
    for (let left = urls.length; left > 0; )
      left -= await checkDueLinks({ ...server().deps, check: async () => GONE });
    const filter = { attention: true };
    const change = { handling: "acknowledged" };

    const { body } = await me.post(`${LINKS}/batch-change`, { filter, change });

    expect(body.data.summary).toEqual({ total: 600, changed: 600, unchanged: 0, failed: 0 });
    expect((await read(me, `${LINKS}?attention=true`)).pagination.total).toBe(0);
    await sound(server());
  });

  test("a new link may be muted as it is created, and its timeline says so", async () => {
    const me = await server().account();
    const until = new Date(server().clock.now() + 86_400_000).toISOString();
    const muted = { handling: "muted", muted_until: until };
    const one = await me.post(LINKS, { url: URL_A, ...muted });
    const many = [
      { url: `${URL_A}1`, ...muted },
      { url: `${URL_A}2`, handling: "muted" },
    ];
    const batch = await me.post(`${LINKS}/batch`, { links: many });

    expect(one.body.data).toMatchObject({ ...muted, handled_by: expect.stringMatching(/^su_/) });
    const [first, second] = batch.body.data.results;
    expect(first.link).toMatchObject(muted);
    expect(second.error.details.fields).toEqual({
      muted_until: ["is required for `handling: muted`"],
    });
    const refused = await me.post(LINKS, { url: `${URL_A}3`, ...muted, handling: "open" });
    expect(Object.keys(refused.body.error.details.fields)).toEqual(["muted_until"]);
    const entries = await me.get(`${LINKS}/${one.body.data.id}/timeline`);
    expect(JSON.stringify(entries.body.data)).toContain("muted");
    await sound(server());
  });
});
