import { and, asc, inArray, lt, ne } from "drizzle-orm";
import { audit, auditRetention } from "../../db/tables.ts";
import { inSteps, type StepLimits } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";

const KEPT_MS = 365 * 86_400_000;

/**
 * Forgets entries of more than a year ago, step by step, until the signal. The database refuses to let go of
 * any other, so it is told first from when on they are old.
 */
export async function forgetOldAudit(deps: Deps, patience: StepLimits = {}): Promise<void> {
  const { store, clock, online } = deps;
  // By a clock that is a year ahead, all of it would be old.
  if (online.clockIsOff()) return;
  const forgetBefore = clock.now() - KEPT_MS;
  const isOld = lt(audit.createdAt, forgetBefore);
  const [oldest] = await store.select({ id: audit.id }).from(audit).where(isOld).limit(1);
  if (!oldest) return;
  await store
    .update(auditRetention)
    .set({ forgetBefore })
    .where(ne(auditRetention.forgetBefore, forgetBefore));
  await inSteps(
    clock,
    async (rows) => {
      const some = store
        .select({ id: audit.id })
        .from(audit)
        .where(isOld)
        .orderBy(asc(audit.createdAt), asc(audit.id))
        .limit(rows);
      const gone = await store
        .delete(audit)
        .where(and(inArray(audit.id, some), isOld))
        .returning({ id: audit.id });
      return gone.length;
    },
    patience,
  );
}
