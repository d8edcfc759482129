import { expect, test } from "bun:test";
import { badPathIds } from "../bad-values.ts";
import { onBothEngines } from "../harness.ts";
import { addCheck, addLink } from "../rows.ts";

const at = (iso: string) => ({ checkedAt: Date.parse(iso) });
const idsIn = (body: { data: { items: { id: string }[] } }) => body.data.items.map(({ id }) => id);

onBothEngines("GET /links/{id}/history", (server) => {
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

  test("refuses a time that ends before it starts", async () => {
    const me = await server().account();

    const query = "start_date=2029-05-02&end_date=2029-05-01";
    const { status, body } = await me.get(`/api/v1/links/${await addLink(me)}/history?${query}`);

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ start_date: ["must not be after end_date"] });
  });

  test.each(badPathIds)("finds nothing at %p", async (id) => {
    const me = await server().account();

    expect((await me.get(`/api/v1/links/${id}/history`)).status).toBe(404);
  });

  test("of a stranger's link is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.get(`/api/v1/links/${foreign}/history`)).status).toBe(403);
  });
});
