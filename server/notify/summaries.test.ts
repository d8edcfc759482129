import { describe, expect } from "bun:test";
import { eq } from "drizzle-orm";
import { check } from "../../tests/checked.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { deliveriesOf, startReceiver } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { addGroup, addLink } from "../../tests/rows.ts";
import { events, webhooks } from "../ground/db/tables.ts";
import { sendSummaries } from "./summaries.ts";
import { nextSummaryAt, type Schedule } from "./summary-schedule.ts";

const PATH = "/api/v1/webhooks";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const DAILY = { frequency: "daily", at: "08:00", time_zone: "UTC" };

describe("The next summary", () => {
  const schedule = (at: string, zone: string, weekday: Schedule["weekday"] = null): Schedule => ({
    frequency: weekday ? "weekly" : "daily",
    weekday,
    at,
    time_zone: zone,
    always: false,
  });

  eachRow<[what: string, schedule: Schedule, after: string, next: string]>([
    ["is later today", schedule("08:00", "UTC"), "2030-01-01T07:59", "2030-01-01T08:00"],
    ["is tomorrow", schedule("08:00", "UTC"), "2030-01-01T08:00", "2030-01-02T08:00"],
    ["is next year", schedule("08:00", "UTC"), "2029-12-31T09:00", "2030-01-01T08:00"],
    [
      "is in winter in Berlin",
      schedule("08:00", "Europe/Berlin"),
      "2026-03-27T12:00",
      "2026-03-28T07:00",
    ],
    [
      "is in summer in Berlin",
      schedule("08:00", "Europe/Berlin"),
      "2026-03-28T12:00",
      "2026-03-29T06:00",
    ],
    [
      "is in winter again",
      schedule("08:00", "Europe/Berlin"),
      "2026-10-24T12:00",
      "2026-10-25T07:00",
    ],
    [
      "is an hour later when its time is skipped",
      schedule("02:30", "Europe/Berlin"),
      "2026-03-28T12:00",
      "2026-03-29T01:00",
    ],
    [
      "is the first of two such times",
      schedule("02:30", "Europe/Berlin"),
      "2026-10-24T12:00",
      "2026-10-25T00:30",
    ],
    [
      "is on the next day after two such times",
      schedule("02:30", "Europe/Berlin"),
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ],
    ["is on a Monday", schedule("08:00", "UTC", "monday"), "2030-01-01T00:00", "2030-01-07T08:00"],
    ["is on a Sunday", schedule("08:00", "UTC", "sunday"), "2030-01-06T08:00", "2030-01-13T08:00"],
    [
      "is a day ahead of UTC",
      schedule("08:00", "Pacific/Kiritimati", "monday"),
      "2030-01-05T12:00",
      "2030-01-06T18:00",
    ],
    [
      "is behind UTC",
      schedule("20:00", "America/Anchorage"),
      "2030-01-01T12:00",
      "2030-01-02T05:00",
    ],
  ])("%s", (_, wanted, after, next) => {
    expect(new Date(nextSummaryAt(wanted, Date.parse(`${after}Z`))).toISOString()).toBe(
      `${next}:00.000Z`,
    );
  });
});

async function withSummary(me: Asker, summary: object = {}, more: object = {}) {
  const body = { url: "https://hooks.example.com/", events: ["summary.ready"], ...more };
  const made = await me.post(PATH, { ...body, summary: { ...DAILY, ...summary } });
  expect(made.status).toBe(201);
  return made.body.data.id as string;
}

/** Summaries of the webhook, oldest first. */
async function summariesOf(server: TestServer, id: string) {
  const ids = (await deliveriesOf(server, id)).map(({ eventId }) => eventId);
  const rows = await server.deps.store.select().from(events);
  return rows.filter((row) => ids.includes(row.id)).map(({ data }) => JSON.parse(data));
}

const totalsOf = (summary: Awaited<ReturnType<typeof summariesOf>>[number]) => ({
  died: summary.died.total,
  cameBack: summary.cameBack.total,
  stillDead: summary.stillDead.total,
  unknown: summary.unknown.total,
});

onServer("a summary", (server, { test, testOnBoth }) => {
  const pass = async (ms: number) => {
    server().clock.moveBy(ms);
    await sendSummaries(server().deps);
  };

  test("counts what people have decided about, and lists the rest", async () => {
    const me = await server().account();
    const id = await withSummary(me, { always: true });
    const names = ["open", "known", "quiet", "works"];
    const [, known, quiet, works] = await Promise.all(
      names.map((name) => addLink(me, { url: `https://example.com/${name}` })),
    );
    for (const link of [known, quiet, works]) await check(server(), [link!], "http_404");
    const { items } = (await me.get("/api/v1/links?search=open")).body.data;
    await check(server(), [items[0].id], "http_404");
    const until = new Date(server().clock.now() + 30 * DAY).toISOString();
    await me.patch(`/api/v1/links/${known}`, { handling: "acknowledged" });
    await me.patch(`/api/v1/links/${quiet}`, { handling: "muted", muted_until: until });
    await me.post(`/api/v1/links/${works}/override`, { note: "It works in a browser." });

    await pass(DAY);

    const [summary] = await summariesOf(server(), id);
    expect(summary.handled).toEqual({ acknowledged: 1, muted: 1, overridden: 1 });
    expect(summary.died).toMatchObject({
      total: 1,
      links: [{ url: "https://example.com/open" }],
    });
  });

  testOnBoth("counts what died, came back, is dead and unknown, each with its links", async () => {
    const me = await server().account();
    const links: string[] = [];
    for (let n = 0; n < 6; n++) links.push(await addLink(me, { url: `https://example.com/${n}` }));
    const [a, b, c, d, e, f] = links as [string, string, string, string, string, string];
    await check(server(), links, "ok");
    await check(server(), [a, b], "http_404");
    const id = await withSummary(me);
    server().clock.moveBy(HOUR);
    await check(server(), [b], "ok");
    await check(server(), [c, d], "dns_nxdomain");
    for (let n = 0; n < 5; n++) await check(server(), [e], "http_403");

    await pass(DAY);

    const [summary] = await summariesOf(server(), id);
    expect(totalsOf(summary)).toEqual({ died: 2, cameBack: 1, stillDead: 1, unknown: 1 });
    expect(summary.died.links.map((link: { linkId: string }) => link.linkId).sort()).toEqual(
      [c, d].sort(),
    );
    expect(summary.died.links[0]).toMatchObject({ reason: "dns_nxdomain" });
    expect(summary.cameBack.links).toMatchObject([
      { linkId: b, url: "https://example.com/1", reason: "http_404", deadForSeconds: 3601 },
    ]);
    expect(summary.stillDead.links).toMatchObject([{ linkId: a }]);
    expect(summary.unknown.reasons).toMatchObject([
      { reason: "http_403", total: 1, links: [{ linkId: e }] },
    ]);
    expect(summary.checks).toBeGreaterThan(0);
    expect(JSON.stringify(summary)).not.toContain(f);
    const { summary: record } = (await me.get(`${PATH}/${id}`)).body.data;
    expect(record.last_at).not.toBeNull();
  });

  test("is not sent on a quiet day, unless it is always wanted", async () => {
    const me = await server().account();
    const link = await addLink(me, { url: "https://example.com/quiet" });
    await check(server(), [link], "ok");
    await check(server(), [link], "http_404");
    const [quiet, always] = [await withSummary(me), await withSummary(me, { always: true })];

    await pass(DAY);

    expect(await summariesOf(server(), quiet)).toEqual([]);
    const [sent] = await summariesOf(server(), always);
    expect(totalsOf(sent)).toEqual({ died: 0, cameBack: 0, stillDead: 1, unknown: 0 });
    const nextAt = async (id: string) =>
      Date.parse((await me.get(`${PATH}/${id}`)).body.data.summary.next_at);
    expect(await nextAt(quiet)).toBeGreaterThan(server().clock.now());
    expect((await me.get(`${PATH}/${quiet}`)).body.data.summary.last_at).toBeNull();
  });

  test("covers three days at once after the server was down, or the webhook off", async () => {
    const me = await server().account();
    const id = await withSummary(me);
    const paused = await withSummary(me);
    await me.patch(`${PATH}/${paused}`, { is_active: false });
    const link = await addLink(me, { url: "https://example.com/down" });
    await check(server(), [link], "ok");
    await check(server(), [link], "http_404");

    await pass(3 * DAY);
    await pass(60_000);

    const sent = await summariesOf(server(), id);
    expect(sent).toHaveLength(1);
    const days = (Date.parse(sent[0].until) - Date.parse(sent[0].from)) / DAY;
    expect(Math.floor(days)).toBe(3);
    expect(await summariesOf(server(), paused)).toEqual([]);
    await me.patch(`${PATH}/${paused}`, { is_active: true });
    await pass(60_000);
    expect(await summariesOf(server(), paused)).toEqual([]);
    await pass(DAY);
    expect(totalsOf((await summariesOf(server(), paused))[0])).toMatchObject({ died: 1 });
  });

  test("is queued once by two nodes in the same minute", async () => {
    const me = await server().account();
    const id = await withSummary(me, { always: true });
    server().clock.moveBy(DAY);

    await Promise.all([sendSummaries(server().deps), sendSummaries(server().deps)]);

    expect(await summariesOf(server(), id)).toHaveLength(1);
  });

  test("tells only of links that pass the webhook's filter", async () => {
    const me = await server().account();
    const group = await addGroup(me, "Docs");
    const links = [
      await addLink(me, { url: "https://example.com/in", group_id: group }),
      await addLink(me, { url: "https://example.com/in-2", group_id: group }),
      await addLink(me, { url: "https://example.com/out" }),
    ];
    await check(server(), links, "ok");
    const filter = { group_ids: [group], reasons: ["http_404"] };
    const id = await withSummary(me, {}, { filter });
    server().clock.moveBy(HOUR);
    await check(server(), links, "http_404");
    await check(server(), [links[1]!], "ok");

    await pass(DAY);

    const [summary] = await summariesOf(server(), id);
    expect(totalsOf(summary)).toEqual({ died: 1, cameBack: 1, stillDead: 0, unknown: 0 });
  });

  test("goes to its own webhook only, in no digest, and is sent now on request", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const more = { url: receiver.url, events: ["link.dead", "summary.ready"], format: "slack" };
    const id = await withSummary(me, {}, more);
    const other = await withSummary(me, {}, { url: "https://hooks.example.com/other" });
    const links: string[] = [];
    for (let n = 0; n < 12; n++)
      links.push(await addLink(me, { url: `https://example.com/f${n}` }));
    await check(server(), links, "ok");
    await check(server(), links, "http_404");
    await pass(DAY);
    await deliverDue(server().deps);

    const types = (await deliveriesOf(server(), id)).map(({ type, status }) => `${type} ${status}`);
    expect(types).toContain("summary.ready succeeded");
    expect(await summariesOf(server(), other)).toHaveLength(1);
    const text = receiver.requests
      .map(({ body }) => String(body))
      .find((body) => body.includes("Summary:"));
    expect(text).toContain("12 died");
    const before = (await me.get(`${PATH}/${id}`)).body.data.summary;
    const now = await me.post(`${PATH}/${id}/summary`);
    expect([now.status, now.body.data.success]).toEqual([200, true]);
    expect((await me.get(`${PATH}/${id}`)).body.data.summary).toEqual(before);
  });

  test("needs a schedule, and the schedule its event", async () => {
    const me = await server().account();
    const post = async (body: object) => {
      const reply = await me.post(PATH, { url: "https://hooks.example.com/", ...body });
      return reply.body.error?.details?.fields ?? reply.body.error?.details ?? reply.status;
    };
    expect(await post({ events: ["summary.ready"] })).toMatchObject({
      summary: ["is required with summary.ready in events"],
    });
    expect(await post({ events: ["link.dead"], summary: DAILY })).toMatchObject({
      summary: ["needs summary.ready in events"],
    });
    const bad = (more: object) =>
      post({ events: ["summary.ready"], summary: { ...DAILY, ...more } });
    expect(await bad({ at: "8:00" })).toHaveProperty(["summary.at"]);
    expect(await bad({ at: "24:00" })).toHaveProperty(["summary.at"]);
    expect(await bad({ time_zone: "Mars/Olympus" })).toHaveProperty(["summary.time_zone"]);
    expect(await bad({ weekday: "monday" })).toHaveProperty(["summary.weekday"]);
    expect(await bad({ frequency: "hourly" })).toHaveProperty(["summary.frequency"]);

    const id = await withSummary(me);
    expect((await me.patch(`${PATH}/${id}`, { summary: null })).status).toBe(400);
    const weekly = { ...DAILY, frequency: "weekly", weekday: "friday" };
    const changed = await me.patch(`${PATH}/${id}`, { summary: weekly });
    expect(changed.body.data.summary).toMatchObject({ weekday: "friday", last_at: null });
    const without = await me.patch(`${PATH}/${id}`, { events: ["link.dead"] });
    expect(without.body.data.summary).toBeNull();
    expect((await me.post(`${PATH}/${id}/summary`)).status).toBe(409);
    const [row] = await server().deps.store.select().from(webhooks).where(eq(webhooks.id, id));
    expect([row!.summaryAt, row!.summarySince]).toEqual([null, null]);
  });
});
