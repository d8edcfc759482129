import { inArray, lt } from "drizzle-orm";
import { completeBatches } from "./checker/batches.ts";
import { PROFILE_LIFE_MS } from "./checker/surroundings/host-profiles.ts";
import type { Deps } from "./deps.ts";
import { forgetOldEvents } from "./events/forget.ts";
import { forgetOldKeys } from "./http/idempotency.ts";
import { forgetEndedSessions } from "./session/sessions.ts";
import type { Statement } from "./store/store.ts";
import { checks, hostProfiles } from "./store/tables.ts";

const DAY_MS = 86_400_000;
/** Small enough that nobody waits for it. */
const ROWS_AT_ONCE = 1000;

/** Forgets what is kept for a time only, and finishes what a crash left open. */
export async function housekeeping(deps: Deps): Promise<void> {
  await completeBatches(deps);
  await deps.store.write([
    forgetOldKeys(deps),
    ...forgetEndedSessions(deps),
    forgetOldProfiles(deps),
  ]);
  await forgetOldEvents(deps);
  while ((await forgetOldChecks(deps)) === ROWS_AT_ONCE);
}

const forgetOldProfiles = ({ store, clock }: Deps): Statement =>
  store.delete(hostProfiles).where(lt(hostProfiles.learnedAt, clock.now() - PROFILE_LIFE_MS));

/** @returns how many checks past their days were deleted, at most `ROWS_AT_ONCE` */
async function forgetOldChecks({ store, clock, config }: Deps): Promise<number> {
  const oldest = clock.now() - config.historyDays * DAY_MS;
  const old = store
    .select({ id: checks.id })
    .from(checks)
    .where(lt(checks.checkedAt, oldest))
    .orderBy(checks.checkedAt)
    .limit(ROWS_AT_ONCE);
  const gone = await store
    .delete(checks)
    .where(inArray(checks.id, old))
    .returning({ id: checks.id });
  return gone.length;
}
