import { and, eq, inArray } from "drizzle-orm";
import { groups } from "../db/tables.ts";
import type { Deps } from "../work/deps.ts";

/** Those of the ids that are groups of the account. A stranger's group and none look alike. */
export async function existingGroups(
  { store }: Deps,
  accountId: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await store
    .select({ id: groups.id })
    .from(groups)
    .where(and(eq(groups.accountId, accountId), inArray(groups.id, ids)));
  return new Set(rows.map(({ id }) => id));
}
