import { type SQL, sql } from "drizzle-orm";
import type { CheckFilter } from "./model.ts";

/** All checks that a roll-up counts. */
export const ALL = sql.raw("active + dead + unknown");

export const isNarrowed = ({ status, changed }: CheckFilter) => status !== undefined || !!changed;

/**
 * How many of the checks that a roll-up counts fit the filter. Of a status and a change together it knows
 * neither: then it is the most that there can be.
 */
export function fittingCount({ status, changed }: CheckFilter): SQL {
  if (status && changed) {
    return sql.raw(`case when changes < ${status} then changes else ${status} end`);
  }
  if (changed) return sql.raw("changes");
  return status ? sql.raw(status) : ALL;
}

/** Whether roll-ups know exactly how many checks fit. */
export const isCounted = ({ status, changed }: CheckFilter) => !(status && changed);

/** The condition on `k`, the kind of a check. */
export function fittingKind({ status, changed }: CheckFilter): SQL {
  const conditions = [
    ...(status ? [sql`k.status = ${status}`] : []),
    ...(changed ? [sql`k.status_changed = 1`] : []),
  ];
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`1 = 1`;
}
