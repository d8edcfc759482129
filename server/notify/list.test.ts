import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { subscribe } from "../../tests/receiver.ts";

const PATH = "/api/v1/webhooks";

onServer("GET /webhooks", (server) => {
  test("all webhooks of the account come on one page, newest first, without secrets", async () => {
    const me = await server().account();
    await subscribe(me, "https://example.com/1", ["link.deleted", "link.dead"]);
    server().clock.moveBy(1000);
    await subscribe(me, "https://example.com/2");
    await subscribe(await server().account(), "https://example.com/3");

    const { status, body } = await me.get(PATH);

    expect(status).toBe(200);
    expect(body.data.items.map((each: { url: string }) => each.url)).toEqual([
      "https://example.com/2",
      "https://example.com/1",
    ]);
    expect(body.data.items[1].events).toEqual(["link.deleted", "link.dead"]);
    expect(body.data.pagination).toEqual({ page: 1, per_page: 100, total: 2, total_pages: 1 });
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  test("a format is all that is listed when it is asked for", async () => {
    const me = await server().account();
    await subscribe(me, "https://example.com/1");
    const slack = {
      url: "https://hooks.slack.com/services/x",
      events: ["link.dead"],
      format: "slack",
    };
    await me.post(PATH, slack);

    const { body } = await me.get(`${PATH}?format=slack`);

    expect(body.data.pagination.total).toBe(1);
    expect(body.data.items).toMatchObject([{ format: "slack" }]);
    expect((await me.get(`${PATH}?format=fax`)).status).toBe(400);
  });

  test("an account without webhooks has an empty list", async () => {
    const me = await server().account();

    const { body } = await me.get(PATH);

    expect(body.data).toEqual({
      items: [],
      pagination: { page: 1, per_page: 100, total: 0, total_pages: 0 },
    });
  });

  test("a page holds as many as were asked for", async () => {
    const me = await server().account();
    for (const n of [1, 2, 3]) await subscribe(me, `https://example.com/${n}`);

    const { body, headers } = await me.get(`${PATH}?page=2&per_page=2`);

    expect(body.data.items).toHaveLength(1);
    expect(body.data.pagination).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
    expect(headers.get("link")).toContain('rel="prev"');
  });

  test("a page beyond the most that fits is refused", async () => {
    const me = await server().account();

    const { status, body } = await me.get(`${PATH}?per_page=101`);

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ per_page: ["must be at most 100"] });
  });
});
