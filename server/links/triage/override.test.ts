import { expect, test } from "bun:test";
import { DAY, saw } from "../../../tests/checker/ended.ts";
import { onServer } from "../../../tests/harness.ts";
import {
  ALIVE,
  check,
  eventsOf,
  FORBIDDEN,
  GONE,
  newLink,
  read,
  sound,
} from "../../../tests/triage/playing.ts";
import { claimDueLinks } from "../../monitor/claim.ts";
import { recordResults } from "../../monitor/record.ts";

const NOTE = { note: "It works in a browser; they block us." };

onServer("an override", (server) => {
  const subscribed = async () => {
    const me = await server().account();
    const events = ["link.dead", "link.alive", "link.changed"];
    await me.post("/api/v1/webhooks", { url: "https://hooks.example.com/", events });
    return me;
  };

  /** A link that is unknown since the server refuses the check. */
  async function refused() {
    const me = await subscribed();
    const path = await newLink(me);
    await check(server(), me, path, FORBIDDEN);
    expect(await read(me, path)).toMatchObject({ status: "unknown", reason: "http_403" });
    return { me, path };
  }

  test("holds a link alive while checks find the very same, and says what they found", async () => {
    const { me, path } = await refused();
    const { status, body } = await me.post(`${path}/override`, NOTE);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: "active", reason: "ok_overridden" });
    expect(await eventsOf(server(), me)).toEqual(["link.alive ok_overridden", "link.changed"]);
    expect((await read(me, path)).override).toMatchObject({
      ...NOTE,
      overruled: {
        status: "unknown",
        reason: "http_403",
        status_code: 403,
        final_host: "example.org",
      },
    });

    for (let i = 0; i < 20; i++) await check(server(), me, path, FORBIDDEN);
    const link = await read(me, path);
    expect(link).toMatchObject({ status: "active", reason: "ok_overridden" });
    expect(link.last_check.message).toBe(
      "Someone looked and said that it works; the check saw: The server returned 403 (forbidden).",
    );
    const history = await read(me, `${path}/history`);
    expect(history.items[0]).toMatchObject({ status: "active", reason: "ok_overridden" });
    await sound(server());
  });

  test("ends with a death for another reason, and with a recovery", async () => {
    const { me, path } = await refused();
    await me.post(`${path}/override`, NOTE);
    await check(server(), me, path, GONE);
    expect(await read(me, path)).toMatchObject({ status: "dead", override: null });
    expect((await eventsOf(server(), me)).at(-1)).toBe("link.dead http_404");

    await me.post(`${path}/override`, NOTE);
    await check(server(), me, path, ALIVE);
    expect(await read(me, path)).toMatchObject({ reason: "ok", override: null });
    const ends = (await read(me, `${path}/timeline`)).items;
    expect(ends.map(({ kind, detail }: Record<string, string>) => `${kind} ${detail}`)).toEqual([
      "override_ended worked",
      expect.stringMatching(/^override_set 20/),
      "override_ended changed",
      expect.stringMatching(/^override_set 20/),
    ]);
  });

  test("outlives another unknown result, but not its time", async () => {
    const { me, path } = await refused();
    const until = new Date(server().clock.now() + 5 * DAY).toISOString();
    await me.post(`${path}/override`, { ...NOTE, until });
    await check(server(), me, path, saw("http_429", { statusCode: 429 }));
    expect((await read(me, path)).override).not.toBeNull();

    server().clock.moveBy(10 * DAY);
    await check(server(), me, path, FORBIDDEN);
    const link = await read(me, path);
    expect(link.override).toBeNull();
    expect(link.last_check.reason).toBe("http_403");
  });

  test("takes the link from a check that is under way", async () => {
    const { me, path } = await refused();
    const { deps, clock } = server();
    clock.moveBy(2 * DAY);
    const [link] = await claimDueLinks(deps, 1);
    await me.post(`${path}/override`, NOTE);
    await recordResults(deps, [{ link: link!, conclusion: GONE, at: clock.now() }]);

    expect(await read(me, path)).toMatchObject({ status: "active", reason: "ok_overridden" });
  });

  test("is for links that a check found dead or unknown, with a note, for 90 days", async () => {
    const me = await subscribed();
    const path = await newLink(me);
    const refusal = async (body: object) => (await me.post(`${path}/override`, body)).body.error;
    expect((await refusal(NOTE)).details).toEqual({ reason: "nothing_to_override" });
    await check(server(), me, path, ALIVE);
    expect((await refusal(NOTE)).details).toEqual({ reason: "nothing_to_override" });
    expect((await refusal({ note: "short" })).details.fields).toEqual({
      note: ["must have 10 to 500 characters"],
    });
    expect((await refusal({ ...NOTE, until: "2029-12-01" })).details.fields).toEqual({
      until: ["must be in the future"],
    });
    expect((await refusal({ ...NOTE, until: "2030-12-01" })).details.fields).toEqual({
      until: ["must be within 90 days"],
    });
    expect((await me.delete(`${path}/override`)).status).toBe(404);
  });

  test("can be ended, and then the next check decides", async () => {
    const { me, path } = await refused();
    await me.post(`${path}/override`, NOTE);
    expect((await me.delete(`${path}/override`)).status).toBe(204);
    expect(Date.parse((await read(me, path)).next_check_at)).toBe(server().clock.now());
    await check(server(), me, path, GONE);
    expect((await read(me, path)).status).toBe("dead");
  });
});
