import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { subscribe } from "../../tests/receiver.ts";

onServer("GET /webhooks/{id}", (server) => {
  test("shows the webhook without its secret", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, "https://example.com/");

    const { status, body } = await me.get(
      path.toUpperCase().replace("/API/V1/WEBHOOKS", "/api/v1/webhooks"),
    );

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, url: "https://example.com/", is_active: true });
    expect(body.data).not.toHaveProperty("signing_secret");
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  test("another account's webhook is forbidden, an unknown one is not found", async () => {
    const me = await server().account();
    const { path } = await subscribe(await server().account(), "https://example.com/");

    expect((await me.get(path)).status).toBe(403);
    expect((await me.get("/api/v1/webhooks/0197a1b2-0000-7000-8000-000000000000")).status).toBe(
      404,
    );
    expect((await me.get("/api/v1/webhooks/nonsense")).status).toBe(404);
  });
});
