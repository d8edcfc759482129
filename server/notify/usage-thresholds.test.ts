import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { events, linkCounts } from "../ground/db/tables.ts";
import { compareUsage } from "./usage-thresholds.ts";

const LIMITS = { business: { links: 100, apiKeys: 1000, webhooks: 1000 } };

/** Events of the account: limit and percent. */
async function reported({ deps }: TestServer, { accountId }: Asker) {
  const rows = await deps.store.select().from(events);
  return rows
    .filter((row) => row.accountId === accountId && row.type === "usage.threshold")
    .map(({ data }) => JSON.parse(data));
}

onServer(
  "the limits of an account",
  (server) => {
    /** As if the account had so many links. */
    const use = async ({ accountNo }: Asker, active: number) => {
      const { store } = server().deps;
      const row = { subject: accountNo, part: 0, active, dead: 0, unknown: 0, handled: 0 };
      await store.delete(linkCounts).where(eq(linkCounts.subject, accountNo));
      await store.insert(linkCounts).values(row);
      await Promise.all([compareUsage(server().deps), compareUsage(server().deps)]);
    };

    const subscribe = (me: Asker) =>
      me.post("/api/v1/webhooks", {
        url: "https://hooks.example.com/",
        events: ["usage.threshold"],
      });

    test("are reported at 80, 95 and 100 percent, once each, and again after they were well below", async () => {
      const me = await server().account();
      await subscribe(me);
      const percents: number[] = [];
      for (const links of [79, 80, 81, 100, 94, 96, 95, 74, 80]) {
        await use(me, links);
        percents.push((await reported(server(), me)).length);
      }

      expect(percents).toEqual([0, 1, 1, 2, 2, 3, 3, 3, 4]);
      expect((await reported(server(), me)).map(({ percent }) => percent)).toEqual([
        80, 100, 96, 80,
      ]);
      expect((await reported(server(), me))[0]).toEqual({
        limit: "links",
        used: 80,
        max: 100,
        percent: 80,
      });
    });

    test("are not reported to an account that does not ask", async () => {
      const me = await server().account();
      await use(me, 100);
      expect(await reported(server(), me)).toEqual([]);
    });

    test("are forgotten without an event when they are raised", async () => {
      const me = await server().account();
      await subscribe(me);
      await use(me, 95);
      const raised = { business: { ...server().config.tierLimits.business, links: 1000 } };
      const config = {
        ...server().config,
        tierLimits: { ...server().config.tierLimits, ...raised },
      };
      await compareUsage({ ...server().deps, config });
      await use(me, 95);
      expect((await reported(server(), me)).map(({ percent }) => percent)).toEqual([95, 95]);
    });
  },
  { STILLUP_TIER_LIMITS: JSON.stringify(LIMITS) },
);
