import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { subscribe } from "../../tests/receiver.ts";

onServer("PATCH /webhooks/{id}", (server) => {
  test("changes what is named and keeps the rest", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/", ["link.dead", "link.alive"]);

    const first = await me.patch(path, { url: "https://example.com/new" });
    const second = await me.patch(path, { events: ["link.created", "link.dead"] });

    expect(first.body.data).toMatchObject({
      url: "https://example.com/new",
      events: ["link.dead", "link.alive"],
    });
    expect(second.status).toBe(200);
    expect(second.body.data).toMatchObject({
      url: "https://example.com/new",
      events: ["link.created", "link.dead"],
      is_active: true,
    });
    expect(JSON.stringify(second.body)).not.toContain("secret");
    expect((await me.get(path)).body).toEqual(second.body);
  });

  test("an empty change changes nothing, not even the time of the last change", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/");
    const before = (await me.get(path)).body;
    server().clock.moveBy(1000);

    const { status, body } = await me.patch(path, {});

    expect(status).toBe(200);
    expect(body).toEqual(before);
  });

  test("switching off and on is remembered with its reason", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/");
    const at = new Date(server().clock.now()).toISOString();

    const off = await me.patch(path, { is_active: false });
    const on = await me.patch(path, { is_active: true });

    expect(off.body.data).toMatchObject({
      is_active: false,
      disabled_reason: "user",
      disabled_at: at,
    });
    expect(on.body.data).toMatchObject({
      is_active: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
    });
  });

  test("tells every problem of a change at once", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/");

    const { status, body } = await me.patch(path, {
      url: null,
      events: [],
      is_active: null,
      id: "another",
      signing_secret: "whsec_AAAA",
      format: "slack",
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      url: ["must be a text"],
      events: ["must have at least 1 item"],
      is_active: ["must be true or false"],
      id: ["cannot be changed"],
      signing_secret: ["cannot be changed"],
      format: ["cannot be changed; delete it and create another"],
    });
  });

  test("the format that it has may be sent along", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/");

    const { status, body } = await me.patch(path, { format: "standard", events: ["link.dead"] });

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ format: "standard", events: ["link.dead"] });
  });

  eachRow([
    [
      "telegram",
      "https://example.com/sendMessage?chat_id=1",
      "https://example.com/",
      "must name the method and the chat",
    ],
    ["ntfy", "https://ntfy.sh/links", "https://ntfy.sh/", "must name the topic"],
  ])("a URL that %s could not use is refused", async (format, url, without, problem) => {
    const me = await server().account();
    const { body } = await me.post("/api/v1/webhooks", { url, events: ["link.dead"], format });
    const path = `/api/v1/webhooks/${body.data.id}`;

    const refused = await me.patch(path, { url: without });
    const taken = await me.patch(path, { url: `${url}2`, is_active: false });

    expect(refused.status).toBe(400);
    expect(refused.body.error.details.fields.url[0]).toInclude(problem);
    expect(taken.body.data).toMatchObject({ url: `${url}2`, format, is_active: false });
  });

  test("a URL where we may not send is refused", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/");

    const { body } = await me.patch(path, { url: "http://10.0.0.1/", is_active: false });

    expect(body.error.details.fields.url[0]).toContain("must not lead to 10.0.0.1");
    expect((await me.get(path)).body.data.is_active).toBe(true);
  });

  test("a change meant for an earlier state is refused", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, "https://example.com/");
    const etag = (await me.get(path)).headers.get("etag") ?? "";
    await me.patch(path, { is_active: false });

    const { status } = await me.patch(path, { is_active: true }, { "if-match": etag });

    expect(status).toBe(412);
  });

  test("another account's webhook stays as it is", async () => {
    const owner = await server().account();
    const { path } = await subscribe(owner, "https://example.com/");
    const me = await server().account();

    expect((await me.patch(path, { is_active: false })).status).toBe(403);
    expect((await owner.get(path)).body.data.is_active).toBe(true);
  });
});
