import { expect, test } from "bun:test";
import { housekeeping } from "../server/app/housekeeping.ts";
import { hostProfiles } from "../server/ground/db/tables.ts";
import { onBothEngines } from "./harness.ts";

const HOUR = 3_600_000;
const WEEK = 7 * 86_400_000;

onBothEngines("Housekeeping", (server) => {
  test("forgets how hosts answer after a week, since they change", async () => {
    const { store, clock } = server().deps;
    const learn = (host: string) =>
      store.insert(hostProfiles).values({ host, kind: "honest", learnedAt: clock.now() });
    await learn("old.example.org");
    server().clock.moveBy(1);
    await learn("recent.example.org");
    server().clock.moveBy(WEEK);

    await housekeeping(server().deps);

    const kept = await store.select({ host: hostProfiles.host }).from(hostProfiles);
    expect(kept).toEqual([{ host: "recent.example.org" }]);
  });

  test("forgets who has not asked for an hour, and counts on for who has", async () => {
    const { store } = server().deps;
    const silent = await server().account();
    const present = await server().account();
    await silent.get("/api/v1/links");
    server().clock.moveBy(HOUR / 2);
    await present.get("/api/v1/links");
    server().clock.moveBy(HOUR / 2 + 1);

    await housekeeping(server().deps);

    if (store.engine.isShared) {
      const counted = "select count(*) from rate_callers, rate_moments";
      expect(await store.engine.run({ sql: counted, params: [] })).toEqual([[1]]);
    }
    const { headers } = await present.get("/api/v1/links");
    expect(headers.get("x-ratelimit-remaining-hour")).toBe("3598");
  });
});
