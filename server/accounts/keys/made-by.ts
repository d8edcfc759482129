import { and, count, eq, inArray, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Actor } from "../../api/caller.ts";
import type { Statement, Store } from "../../db/store.ts";
import { type ApiKeyRow, apiKeys, type UserRow } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import { isThere, recordChange } from "../audit/record.ts";
import { keyTarget } from "../audit/targets.ts";

type Maker = Pick<UserRow, "id" | "accountId">;

/** How many keys each person of these accounts made that are not revoked, by the id of the person. */
export async function countKeysByMaker(
  store: Store,
  accountIds: string[],
): Promise<Map<string, number>> {
  const rows = await store
    .select({ id: apiKeys.madeBy, keys: count() })
    .from(apiKeys)
    .where(
      and(
        inArray(apiKeys.accountId, accountIds),
        isNull(apiKeys.revokedAt),
        isNotNull(apiKeys.madeBy),
      ),
    )
    .groupBy(apiKeys.madeBy);
  return new Map(rows.map(({ id, keys }) => [id!, keys]));
}

/** Keys that are not revoked and whose value this person knows. */
export const keysMadeBy = ({ store }: Deps, { id, accountId }: Maker): Promise<ApiKeyRow[]> =>
  store
    .select()
    .from(apiKeys)
    .where(
      and(eq(apiKeys.accountId, accountId), eq(apiKeys.madeBy, id), isNull(apiKeys.revokedAt)),
    );

/** Statements that revoke a key and record that, if it is not revoked and the condition holds. */
export function revocationOf(
  deps: Deps,
  by: Actor,
  key: ApiKeyRow,
  condition?: SQL,
): [Statement, Statement] {
  const { store, clock } = deps;
  const { id, accountId } = key;
  const isIt = and(
    eq(apiKeys.id, id),
    eq(apiKeys.accountId, accountId),
    isNull(apiKeys.revokedAt),
    condition,
  );
  const now = clock.now();
  return [
    recordChange(deps, {
      action: "key.revoked",
      by,
      accountId,
      target: keyTarget(key),
      onlyIf: isThere(store, apiKeys, isIt),
    }),
    store.update(apiKeys).set({ revokedAt: now, updatedAt: now }).where(isIt),
  ];
}

/** Once the person is gone: also those that were made while they were being removed. */
export async function revokeKeysMadeBy(deps: Deps, by: Actor, maker: Maker): Promise<void> {
  for (;;) {
    const keys = await keysMadeBy(deps, maker);
    if (keys.length === 0) return;
    await deps.store.write(keys.flatMap((key) => revocationOf(deps, by, key)));
  }
}
