import { type SQL, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";

type Choice = {
  most: number;
  /** Which come first; any if it is not said. */
  by?: SQL;
  /** Those that another process takes at this moment are passed over. */
  isClaim?: boolean;
};

/**
 * Events of some deliveries, for the `in` of a statement that changes them. Materialized, since PostgreSQL may
 * otherwise choose anew for each row. Around it the condition is repeated in a form that no index fits: else the
 * databases look through all rows that meet it, and go by this list only to leave some out.
 */
export function someOf(store: Store, which: SQL | undefined, { most, by, isClaim }: Choice): SQL {
  return sql`(
    with chosen as materialized (
      select event_id from deliveries where ${which} ${by ? sql`order by ${by}` : sql``}
      limit ${most} ${sql.raw(isClaim ? store.engine.skipLocked : "")}
    ) select event_id from chosen)`;
}
