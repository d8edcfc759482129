import { expect } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink } from "../../../tests/rows.ts";
import { ALIVE, check, GONE, newLink } from "../../../tests/triage/playing.ts";
import { endMutes } from "./end-mutes.ts";

const DAY = 86_400_000;

onServer("A group or a site that is muted", (server, { testOnBoth }) => {
  const soon = (days: number) => new Date(server().clock.now() + days * DAY).toISOString();

  testOnBoth(
    "mutes its links until a date, also those that join it, and none that people decided about",
    async () => {
      const me = await server().account();
      const group = await addGroup(me, "Docs");
      const path = `/api/v1/groups/${group}`;
      const show = async (id: string) => {
        const { handling, muted_until, muted_from } = (await me.get(`/api/v1/links/${id}`)).body
          .data;
        return [handling, muted_from, muted_until];
      };
      const inIt = await addLink(me, { group_id: group });
      const own = await addLink(me, { group_id: group });
      const out = await addLink(me);
      await me.patch(`/api/v1/links/${own}`, { handling: "muted", muted_until: soon(1) });

      const until = soon(7);
      const { body } = await me.patch(path, { muted_until: until });
      expect(body.data).toMatchObject({ muted_until: until, muted_by: expect.any(String) });
      expect((await me.get(path)).body.data.muted_until).toBe(until);
      expect(await show(inIt)).toEqual(["muted", "group", until]);
      expect(await show(own)).toEqual(["muted", "link", soon(1)]);
      expect(await show(out)).toEqual(["open", null, null]);

      const added = (await me.post("/api/v1/links", { url: "https://new.test/", group_id: group }))
        .body;
      expect(added.data).toMatchObject({
        handling: "muted",
        muted_from: "group",
        muted_until: until,
      });
      expect(await show(added.data.id)).toEqual(["muted", "group", until]);
      await me.patch(`/api/v1/links/${out}`, { group_id: group });
      expect(await show(out)).toEqual(["muted", "group", until]);
      await me.patch(`/api/v1/links/${out}`, { group_id: null });
      expect(await show(out)).toEqual(["open", null, null]);

      server().clock.moveBy(2 * DAY);
      await endMutes(server().deps);
      expect(await show(own)).toEqual(["muted", "group", until]);
      await me.patch(`/api/v1/links/${inIt}`, { handling: "open" });
      expect(await show(inIt)).toEqual(["open", null, null]);
      server().clock.moveBy(6 * DAY);
      await endMutes(server().deps);
      expect(await show(own)).toEqual(["open", null, null]);
      await endMutes(server().deps);
      expect((await me.get(path)).body.data.muted_until).toBe(null);
    },
  );

  testOnBoth("sends people the deaths of its links when it ends, and not before", async () => {
    const me = await server().account();
    const group = await addGroup(me, "Docs");
    const path = await newLink(me, { group_id: group });
    await check(server(), me, path, ALIVE);
    const chat = { url: "https://hooks.slack.com/services/T/B/x", format: "slack" };
    const { id } = (await me.post("/api/v1/webhooks", { ...chat, events: ["link.dead"] })).body
      .data;
    const sent = async () =>
      (await me.get(`/api/v1/webhooks/${id}/deliveries`)).body.data.pagination.total;

    await me.patch(`/api/v1/groups/${group}`, { muted_until: soon(7) });
    await check(server(), me, path, GONE);
    expect(await sent()).toBe(0);
    await me.patch(`/api/v1/groups/${group}`, { muted_until: null });
    expect(await sent()).toBe(1);
  });

  testOnBoth(
    "is a site, whose mute ends before its time, or lasts as long as that of the group",
    async () => {
      const me = await server().account();
      const group = await addGroup(me, "Docs");
      const { id, site } = (
        await me.post("/api/v1/links", { url: "https://docs.pears.test/a", group_id: group })
      ).body.data;
      const path = `/api/v1/sites/${site}`;
      const show = async () => {
        const { handling, muted_until, muted_from } = (await me.get(`/api/v1/links/${id}`)).body
          .data;
        return [handling, muted_from, muted_until];
      };

      expect((await me.patch(path, { muted_until: soon(9) })).body.data.muted_until).toBe(soon(9));
      await me.patch(`/api/v1/groups/${group}`, { muted_until: soon(3) });
      expect(await show()).toEqual(["muted", "site", soon(9)]);
      expect((await me.get("/api/v1/sites")).body.data.items[0].muted_until).toBe(soon(9));
      await me.patch(path, { muted_until: null });
      expect(await show()).toEqual(["muted", "group", soon(3)]);
      await me.delete(`/api/v1/groups/${group}`);
      expect(await show()).toEqual(["open", null, null]);
      expect((await me.patch("/api/v1/sites/none.test", { muted_until: soon(1) })).status).toBe(
        404,
      );
      expect((await me.patch(path, { muted_until: soon(-1) })).status).toBe(400);
    },
  );
});
