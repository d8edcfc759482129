import { lt } from "drizzle-orm";
import { finishDeletions } from "./accounts/delete.ts";
import { forgetOldAudit } from "./audit/forget.ts";
import { forgetOldBatches } from "./batches/batches.ts";
import { endOverdueBatches } from "./batches/overdue.ts";
import { tendBatches } from "./batches/tend.ts";
import { PROFILE_LIFE_MS } from "./checker/surroundings/host-profiles.ts";
import type { Deps } from "./deps.ts";
import { forgetOldEvents } from "./events/forget.ts";
import { forgetDoomed } from "./history/forget-doomed.ts";
import { forgetOldChecks } from "./history/forget-old.ts";
import { forgetOldKeys } from "./http/idempotency.ts";
import { forgetSilentCallers } from "./http/shared-rate-limit.ts";
import { forgetOldGuesses } from "./session/delays.ts";
import { recordFailedSignIns } from "./session/failed-sign-ins.ts";
import { forgetEndedSessions } from "./session/sessions.ts";
import type { Statement } from "./store/store.ts";
import { hostProfiles } from "./store/tables.ts";

/**
 * Forgets what is kept for a time only, and finishes what a crash left open. What takes long is done in
 * steps, and left to the next time when the signal comes.
 */
export async function housekeeping(deps: Deps, signal?: AbortSignal): Promise<void> {
  await endOverdueBatches(deps, signal);
  await tendBatches(deps, signal);
  await deps.store.write([
    forgetOldKeys(deps),
    ...forgetEndedSessions(deps),
    ...forgetSilentCallers(deps),
    forgetOldGuesses(deps),
    forgetOldProfiles(deps),
  ]);
  await recordFailedSignIns(deps);
  await finishDeletions(deps, signal);
  await forgetOldEvents(deps);
  await forgetOldAudit(deps, { signal });
  await forgetOldBatches(deps, signal);
  await forgetDoomed(deps, signal);
  await forgetOldChecks(deps, signal);
}

const forgetOldProfiles = ({ store, clock }: Deps): Statement =>
  store.delete(hostProfiles).where(lt(hostProfiles.learnedAt, clock.now() - PROFILE_LIFE_MS));
