import { expect, test } from "bun:test";
import { onServer, START } from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";

onServer("GET /account", (server) => {
  test("tells who asks, what the tier allows, and how many links are used", async () => {
    const me = await server().account("enterprise");
    await addLink(me);
    await me.delete(`/api/v1/links/${await addLink(me)}`);

    const { status, body } = await me.get("/api/v1/account");

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        id: me.accountId,
        email: expect.stringMatching(/^user\d+@example\.org$/),
        tier: "enterprise",
        limits: {
          links: 1_000_000,
          linksUsed: 1,
          apiKeys: 100,
          webhooks: 100,
          sources: 1000,
          sourcesUsed: 0,
        },
        archive_lookup: "off",
        archive_save: "forbidden",
        createdAt: START,
      },
    });
  });

  test("counts nothing of a stranger's", async () => {
    const me = await server().account();
    await addLink(await server().account());

    expect((await me.get("/api/v1/account")).body.data.limits.linksUsed).toBe(0);
  });
});

onServer(
  "GET /account with other limits",
  (server) => {
    test("tells the operator's limits", async () => {
      const me = await server().account();

      const { limits } = (await me.get("/api/v1/account")).body.data;

      expect(limits).toEqual({
        links: 3,
        linksUsed: 0,
        apiKeys: 25,
        webhooks: 0,
        sources: 100,
        sourcesUsed: 0,
      });
    });
  },
  { STILLUP_TIER_LIMITS: '{"business":{"links":3,"webhooks":0}}' },
);
