import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, saw } from "../../tests/checker/ended.ts";
import { onBothEngines } from "../../tests/harness.ts";
import { sized } from "../../tests/long.ts";
import { checks, links } from "../ground/db/tables.ts";
import { claimDueLinks } from "./claim.ts";
import { recordResults } from "./record.ts";

const LINKS = 100;
const ROUNDS = sized(4, 12);

onBothEngines("A result that comes when its lease has just run out", (server) => {
  test("is written whole or not at all, whichever process claims its link meanwhile", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    const urls = Array.from({ length: LINKS }, (_, n) => ({ url: `https://example.org/${n}` }));
    await me.post("/api/v1/links/batch", { links: urls });
    const isMine = eq(links.accountId, me.accountId);
    for (let round = 1; round <= ROUNDS; round++) {
      clock.moveBy(31 * DAY);
      const at = clock.now();
      const results = (await claimDueLinks(deps, LINKS)).map((link) => ({
        link,
        conclusion: saw("http_404"),
        at,
      }));
      expect(results).toHaveLength(LINKS);
      clock.moveBy(DAY);

      await Promise.all([recordResults(deps, results), claimDueLinks(deps, LINKS)]);

      const [rows, history] = await Promise.all([
        deps.store.select().from(links).where(isMine),
        deps.store.select().from(checks).where(eq(checks.checkedAt, at)),
      ]);
      const recorded = new Set(history.map(({ linkNo }) => linkNo));
      const changed = rows.filter(({ lastCheckedAt }) => lastCheckedAt === at);
      expect(new Set(changed.map(({ no }) => no))).toEqual(recorded);
      await deps.store.update(links).set({ nextCheckAt: clock.now(), lease: null }).where(isMine);
    }
  });
});
