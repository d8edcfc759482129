import { eq } from "drizzle-orm";
import { links } from "../server/ground/db/tables.ts";
import type { Conclusion } from "../server/judge/probe/conclusion.ts";
import type { Reason } from "../server/judge/reasons/reasons.ts";
import { claimDueLinks } from "../server/monitor/claim.ts";
import { recordResults } from "../server/monitor/record.ts";
import { saw } from "./checker/ended.ts";
import type { TestServer } from "./harness.ts";

/** Ends a check of each link now, and lets a second pass. */
export async function check(
  { deps, clock }: TestServer,
  ids: string[],
  reason: Reason,
  more: Partial<Conclusion> = {},
) {
  for (const id of ids)
    await deps.store.update(links).set({ nextCheckAt: clock.now() }).where(eq(links.id, id));
  const claimed = await claimDueLinks(deps, 1000);
  const results = claimed
    .filter(({ id }) => ids.includes(id))
    .map((link) => ({ link, conclusion: saw(reason, more), at: clock.now() }));
  await recordResults(deps, results);
  clock.moveBy(1000);
}

/** Lets three inconclusive checks make the links unknown. */
export async function becomeUnknown(server: TestServer, ids: string[], reason: Reason) {
  for (let n = 0; n < 3; n++) await check(server, ids, reason);
}
