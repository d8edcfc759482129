import { and, eq, gt } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { log } from "../lib/log.ts";
import { deliveries } from "../store/tables.ts";
import { LEASE_MS } from "./claim.ts";

/** After wall time was set back: what was due is due, and no lease lasts longer than leases do. */
export async function makeDueAgain({ store, clock }: Deps): Promise<void> {
  const now = clock.now();
  const { status, nextAttemptAt } = deliveries;
  log.warning("the clock was set back; open deliveries are made due again");
  await store.write([
    store
      .update(deliveries)
      .set({ nextAttemptAt: now })
      .where(and(eq(status, "pending"), gt(nextAttemptAt, now))),
    store
      .update(deliveries)
      .set({ nextAttemptAt: now + LEASE_MS })
      .where(and(eq(status, "delivering"), gt(nextAttemptAt, now + LEASE_MS))),
  ]);
}
