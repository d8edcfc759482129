import { expect, setDefaultTimeout, test } from "bun:test";
import { housekeeping } from "../server/housekeeping.ts";
import { hostProfiles } from "../server/store/tables.ts";
import { onBothEngines } from "./harness.ts";

setDefaultTimeout(60_000);

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
});
