import { expect, test } from "bun:test";
import { badPathIds } from "../bad-values.ts";
import { onBothEngines } from "../harness.ts";
import { addLink, setLink } from "../rows.ts";

const path = "/api/v1/links";

onBothEngines("GET /links/{id}", (server) => {
  test("tells what the last check saw, and why", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, {
      status: "dead",
      reason: "http_404",
      lastStatus: "dead",
      lastReason: "http_404",
      lastStatusCode: 404,
      lastResponseTimeMs: 182,
      lastCheckedAt: Date.parse("2030-01-01T00:00:05Z"),
      evidence: '{"attempts":[{"status":404}]}',
    });

    const { status, body } = await me.get(`${path}/${link.toUpperCase()}`);

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: link,
      status: "dead",
      reason: "http_404",
      last_check: {
        status: "dead",
        reason: "http_404",
        message: expect.stringContaining("404"),
        status_code: 404,
        response_time_ms: 182,
        checked_at: "2030-01-01T00:00:05.000Z",
      },
      evidence: { attempts: [{ status: 404 }] },
    });
  });

  test("shows checking while a check is under way, and the settled status after its lease", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, { status: "active" });
    await me.post(`${path}/${link}/check`);

    expect((await me.get(`${path}/${link}`)).body.data.status).toBe("checking");
    server().clock.moveBy(120_000);
    expect((await me.get(`${path}/${link}`)).body.data.status).toBe("active");
  });

  test.each(badPathIds)("finds nothing at %p", async (id) => {
    const me = await server().account();

    const { status, body } = await me.get(`${path}/${id}`);

    expect([status, body.error.code]).toEqual([404, "NOT_FOUND"]);
  });

  test("a stranger's link is forbidden, a deleted one of anybody not found", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const foreign = await addLink(stranger);

    expect((await me.get(`${path}/${foreign}`)).status).toBe(403);
    await stranger.delete(`${path}/${foreign}`);
    expect((await me.get(`${path}/${foreign}`)).status).toBe(404);
  });
});
