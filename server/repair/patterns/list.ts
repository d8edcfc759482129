import { and, asc, desc, eq, gt } from "drizzle-orm";
import * as z from "zod";
import { auditChange } from "../../accounts/audit.ts";
import { type PatternRow, suggestions, urlPatterns } from "../../ground/db/tables.ts";
import { foreign, notFound } from "../../ground/lib/errors.ts";
import { paging } from "../../ground/lib/fields.ts";
import { parseId } from "../../ground/lib/ids.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import { type Page, windowOf } from "../../ground/lib/paging.ts";
import type { Caller } from "../../http/caller.ts";
import type { Pattern } from "../../links/suggestions/model.ts";
import type { Deps } from "../../work/deps.ts";
import type { Unit } from "../../work/unit.ts";
import { restartLookups } from "./loop.ts";

/** Longer than that of a rule that only proposed wrong addresses, since a person knows better. */
const DELETED_RESTS_MS = 90 * 86_400_000;

export const PatternQuery = z.object(paging());
export type PatternQuery = z.output<typeof PatternQuery>;

export const toPattern = (row: PatternRow): z.infer<typeof Pattern> => ({
  id: row.id,
  from: row.oldPrefix,
  to: row.newPrefix,
  pairs: row.pairs,
  tried: row.tried,
  failed: row.failed,
  rests_until: toIsoOrNull(row.restsUntil),
  learned_at: toIso(row.learnedAt),
});

/** Those with the most pairs first. Of a rule without pairs, only its rest is remembered. */
export async function listPatterns(
  { store }: Deps,
  { accountNo }: Caller,
  query: PatternQuery,
): Promise<Page<PatternRow>> {
  const areRules = and(eq(urlPatterns.accountNo, accountNo), gt(urlPatterns.pairs, 0));
  const { limit, offset } = windowOf(query);
  const items = await store
    .select()
    .from(urlPatterns)
    .where(areRules)
    .orderBy(desc(urlPatterns.pairs), asc(urlPatterns.oldPrefix), asc(urlPatterns.id))
    .limit(limit)
    .offset(offset);
  return { items, total: await store.$count(urlPatterns, areRules) };
}

/** Forgets a rule for a while, with what it proposed. @throws NOT_FOUND, FORBIDDEN */
export async function deletePattern(unit: Unit, caller: Caller, id: string): Promise<void> {
  const { store: tx, clock } = unit;
  const isThis = eq(urlPatterns.id, parseId(id) ?? "");
  const [row] = await tx.select().from(urlPatterns).where(isThis);
  if (!row || row.pairs === 0) throw notFound("pattern");
  if (row.accountNo !== caller.accountNo) throw foreign("pattern");
  const now = clock.now();
  await tx
    .update(urlPatterns)
    .set({ pairs: 0, restsUntil: now + DELETED_RESTS_MS })
    .where(isThis);
  const proposed = await tx
    .delete(suggestions)
    .where(and(eq(suggestions.accountNo, row.accountNo), eq(suggestions.patternId, row.id)))
    .returning({ no: suggestions.linkNo });
  await restartLookups(
    tx,
    proposed.map(({ no }) => [no]),
    { now },
  );
  const target = { id: row.id, name: `${row.oldPrefix} → ${row.newPrefix}`.slice(0, 200) };
  await auditChange(unit, caller, { action: "pattern.deleted", target });
}
