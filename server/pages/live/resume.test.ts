import { expect, test } from "bun:test";
import { callerOf } from "../../../tests/exports/read-csv.ts";
import { onServer } from "../../../tests/harness.ts";
import { addCheck, addChecks, addLink } from "../../../tests/rows.ts";
import { createLive, type Live } from "./live.ts";
import { linksCheckedSince } from "./watch.ts";

type Whose = Parameters<Live["subscribe"]>[0];

/** What a page hears first that knew the state of this name, and the name of the state that it knows then. */
async function comeBack(live: Live, whose: Whose, known: string | null = null) {
  let heard = { topics: [] as string[], id: "" };
  const listener = {
    sessionHash: "",
    receive: ({ topics }: { topics: string[] }, id: string) => {
      heard = { topics, id };
    },
    keepAlive: () => {},
    end: () => {},
  };
  const leave = await live.subscribe(whose, listener, known);
  leave();
  return heard;
}

onServer("Pages that reconnect", (server) => {
  test("get no topics if nothing has changed", async () => {
    const whose = callerOf(await server().account());
    const live = createLive(server().deps);
    const { id } = await comeBack(live, whose);

    expect((await comeBack(live, whose, id)).topics).toEqual([]);
  });

  test("get what a request changed while no page was open", async () => {
    const whose = callerOf(await server().account());
    const live = createLive(server().deps);
    const { id } = await comeBack(live, whose);

    live.changed(whose.accountId);

    expect((await comeBack(live, whose, id)).topics).toContain("links");
  });

  test("get what has changed since they signed in", async () => {
    const whose = callerOf(await server().account());
    const live = createLive(server().deps);
    const state = await live.stateOf(whose.accountId);
    expect((await comeBack(live, whose, state)).topics).toEqual([]);

    live.changed(whose.accountId);

    expect((await comeBack(live, whose, state)).topics).toContain("groups");
  });

  test("get all topics after a restart", async () => {
    const whose = callerOf(await server().account());
    const { id } = await comeBack(createLive(server().deps), whose);

    const { topics } = await comeBack(createLive(server().deps), whose, id);

    expect(topics).toContain("links");
  });

  test("get all topics when so many accounts changed that theirs was dropped", async () => {
    const whose = callerOf(await server().account());
    const live = createLive(server().deps);
    const { id } = await comeBack(live, whose);

    for (let i = 0; i < 10_000; i++) live.changed(`account ${i}`);

    expect((await comeBack(live, whose, id)).topics).toContain("links");
  });
});

onServer("Links that were checked", (server) => {
  test("are listed once, without deleted ones", async () => {
    const me = await server().account();
    const [link, gone] = [await addLink(me), await addLink(me)];
    const now = server().clock.now();
    for (const id of [link, link, gone]) await addCheck(server(), me, id);
    await me.delete(`/api/v1/links/${gone}`);

    expect(await linksCheckedSince(server().deps, callerOf(me), now - 1000)).toMatchObject([
      { id: link },
    ]);
  });

  test("are not listed if the list would be incomplete", async () => {
    const me = await server().account();
    const [often, once] = [await addLink(me), await addLink(me)];
    const now = server().clock.now();
    const rows = Array.from({ length: 101 }, (_, i) => ({ linkId: often, checkedAt: now + i }));
    await addChecks(server(), [{ linkId: once, checkedAt: now - 1 }, ...rows]);

    expect(await linksCheckedSince(server().deps, callerOf(me), now - 1000)).toBeNull();
  });
});
