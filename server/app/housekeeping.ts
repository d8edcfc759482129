import { lt } from "drizzle-orm";
import { deleteOldAudit } from "../accounts/audit-routes.ts";
import { finishDeletions } from "../accounts/delete.ts";
import { recordFailedSignIns } from "../accounts/failed-sign-ins.ts";
import { deleteOldGuesses } from "../accounts/guard.ts";
import { deleteExpiredSessions } from "../accounts/sessions.ts";
import { hostProfiles } from "../ground/db/tables.ts";
import { forgetOldChecks } from "../history/forget-old.ts";
import { deletePendingHistory } from "../history/pending-deletions.ts";
import { closeYesterday } from "../history/status-days.ts";
import { forgetOldKeys } from "../http/idempotency.ts";
import { forgetSilentCallers } from "../http/rate-limit.ts";
import { PROFILE_LIFETIME_MS } from "../judge/surroundings.ts";
import { endOverdueBatches, forgetOldBatches, tendBatches } from "../links/complete-batches.ts";
import { forgetOldImports } from "../links/imports/imports.ts";
import { deleteOldRetired } from "../links/retired.ts";
import { deleteOldMails } from "../mail/queue.ts";
import { reportDomains } from "../monitor/domains/notices.ts";
import { forgetOldDomains } from "../monitor/note-domains.ts";
import { deleteOldEvents } from "../notify/events.ts";
import { eraseDeletedWebhooks } from "../notify/webhooks.ts";
import { forgetOldCopies } from "../repair/archive/copies.ts";
import { forgetOldReplacements } from "../repair/replacements.ts";
import { deleteOldRuns } from "../sources/erase.ts";
import type { Deps } from "../work/deps.ts";

/**
 * Deletes records whose retention has passed, and finishes what a crash interrupted. Long work has steps, and stops
 * until the next run when the signal aborts.
 */
export async function housekeeping(deps: Deps, signal?: AbortSignal): Promise<void> {
  await closeYesterday(deps);
  await endOverdueBatches(deps, signal);
  await tendBatches(deps, signal);
  await forgetOldKeys(deps);
  await deleteExpiredSessions(deps);
  await forgetSilentCallers(deps);
  await deleteOldGuesses(deps);
  await deleteOldMails(deps);
  await forgetOldProfiles(deps);
  await reportDomains(deps);
  await forgetOldDomains(deps);
  await forgetOldCopies(deps);
  await recordFailedSignIns(deps);
  await finishDeletions(deps, signal);
  await eraseDeletedWebhooks(deps, signal);
  await deleteOldEvents(deps);
  await deleteOldAudit(deps, { signal });
  await forgetOldBatches(deps, signal);
  await forgetOldImports(deps);
  await forgetOldReplacements(deps);
  await deleteOldRuns(deps, signal);
  await deleteOldRetired(deps, signal);
  await deletePendingHistory(deps, signal);
  await forgetOldChecks(deps, signal);
}

const forgetOldProfiles = ({ store, clock }: Deps) =>
  store.delete(hostProfiles).where(lt(hostProfiles.learnedAt, clock.now() - PROFILE_LIFETIME_MS));
