import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { addCheck, addLink } from "../../tests/rows.ts";

const at = (iso: string) => ({ checkedAt: Date.parse(iso) });
/** A moment of a day of May, so many hours after noon. */
const day = (number: number, hour = 0) => at(`2029-05-0${number}T${12 + hour}:00:00Z`);
const idsIn = (body: { data: { items: { id: string }[] } }) => body.data.items.map(({ id }) => id);
const CHANGED = { statusChanged: true, previousStatus: "unknown" } as const;
const SIGNAL = { rule: "soft404_title", text: "The title says that there is no such page." };

onServer("GET /links/{id}/history", (server) => {
  test("lists the checks of this link only, newest first", async () => {
    const me = await server().account();
    const [link, other] = [await addLink(me), await addLink(me)];
    const old = await addCheck(server(), me, link, at("2029-05-01T00:00:00Z"));
    const recent = await addCheck(server(), me, link, at("2029-06-01T00:00:00Z"));
    await addCheck(server(), me, other);

    const { status, body } = await me.get(`/api/v1/links/${link}/history`);

    expect(status).toBe(200);
    expect(idsIn(body)).toEqual([recent, old]);
    expect(body.data.pagination.total).toBe(2);
  });

  test("shows what the checks that changed the status saw", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const evidence = JSON.stringify({ address: "192.0.2.7", signals: [SIGNAL] });
    await addCheck(server(), me, link, { ...CHANGED, evidence, ...at("2029-05-03T00:00:00Z") });
    await addCheck(server(), me, link, at("2029-05-02T00:00:00Z"));
    await addCheck(server(), me, link, { ...CHANGED, ...at("2029-05-01T00:00:00Z") });

    const { items } = (await me.get(`/api/v1/links/${link}/history`)).body.data;

    expect(items).toMatchObject([
      { status_changed: true, evidence: { address: "192.0.2.7", signals: [SIGNAL] } },
      { status_changed: false, evidence: null },
      // Of a time when nothing was kept.
      { status_changed: true, evidence: null },
    ]);
    expect((await me.get("/api/v1/history")).body.data.items[0]).not.toHaveProperty("evidence");
  });

  test("names the cause where the reason alone does not tell what was seen", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const unconfirmed = { status: "unknown", reason: "unconfirmed", cause: "http_404" } as const;
    await addCheck(server(), me, link, { ...unconfirmed, ...at("2029-05-01T00:00:00Z") });
    const persistent = { status: "dead", reason: "persistent_failure", cause: "http_502" } as const;
    await addCheck(server(), me, link, { ...persistent, ...at("2029-05-02T00:00:00Z") });

    const { items } = (await me.get(`/api/v1/links/${link}/history`)).body.data;

    expect(items.map(({ message }: { message: string }) => message)).toEqual([
      "The link has been failing the same way for days: The server returned 502: it has a problem.",
      "The link seemed dead, but further attempts did not confirm it: The server returned 404: there is no such page.",
    ]);
  });

  test("can be narrowed to a time, and comes in pages", async () => {
    const me = await server().account();
    const link = await addLink(me);
    for (const day of ["01", "02", "03", "04"])
      await addCheck(server(), me, link, at(`2029-05-${day}T12:00:00Z`));

    const range = "start_date=2029-05-02&end_date=2029-05-04";
    const { body } = await me.get(`/api/v1/links/${link}/history?${range}&per_page=2&page=2`);

    expect(body.data.items.map((c: { checked_at: string }) => c.checked_at)).toEqual([
      "2029-05-02T12:00:00.000Z",
    ]);
    expect(body.data.pagination).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
  });

  test("can be narrowed to a status, to changes, and to changes to a status", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const dead = { status: "dead", reason: "http_404" } as const;
    const died = await addCheck(server(), me, link, { ...dead, ...CHANGED, ...day(1) });
    const stayed = await addCheck(server(), me, link, { ...dead, ...day(2) });
    const back = await addCheck(server(), me, link, { ...CHANGED, ...day(3) });
    await addCheck(server(), me, link, day(3, 1));
    const again = await addCheck(server(), me, link, { ...dead, ...CHANGED, ...day(3, 2) });
    const still = await addCheck(server(), me, link, { ...dead, ...day(3, 3) });
    const narrowed = async (query: string) => {
      const { body } = await me.get(`/api/v1/links/${link}/history?${query}`);
      expect(body.data.pagination.total).toBe(body.data.items.length);
      return idsIn(body);
    };

    expect(await narrowed("status=dead")).toEqual([still, again, stayed, died]);
    expect(await narrowed("changed=true")).toEqual([again, back, died]);
    expect(await narrowed("status=dead&changed=true")).toEqual([again, died]);
    expect(await narrowed("status=dead&changed=true&end_date=2029-05-02")).toEqual([died]);
    expect(await narrowed("status=unknown&changed=true")).toEqual([]);
    expect(await narrowed("changed=false")).toHaveLength(6);
  });

  eachRow(["", "1", "yes", "TRUE"])("refuses %p as what is true or false", async (word) => {
    const me = await server().account();

    const path = `/api/v1/links/${await addLink(me)}/history?changed=${word}`;
    const { status, body } = await me.get(path);

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ changed: ["must be true or false"] });
  });

  test("refuses a time that ends before it starts", async () => {
    const me = await server().account();

    const query = "start_date=2029-05-02&end_date=2029-05-01";
    const { status, body } = await me.get(`/api/v1/links/${await addLink(me)}/history?${query}`);

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ start_date: ["must not be after end_date"] });
  });

  test("of a stranger's link is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.get(`/api/v1/links/${foreign}/history`)).status).toBe(403);
  });
});
