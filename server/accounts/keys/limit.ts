import { and, eq, isNull, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { onlyWhile } from "../../db/as-seen.ts";
import type { Statement } from "../../db/store.ts";
import { apiKeys } from "../../db/tables.ts";
import { limitReached } from "../../lib/errors.ts";
import type { Deps } from "../../work/deps.ts";

/** @throws CONFLICT when the account has as many keys as it may */
export async function refuseAtLimit(deps: Deps, caller: Caller): Promise<void> {
  const isOurs = and(eq(apiKeys.accountId, caller.accountId), isNull(apiKeys.revokedAt));
  const used = await deps.store.$count(apiKeys, isOurs);
  const limit = limitOf(deps, caller);
  if (used >= limit) throw limitReached("API keys", limit, used);
}

/** For the batch that makes one more, once it holds the account. */
export const onlyBelowLimit = (deps: Deps, caller: Caller): Statement[] =>
  onlyWhile(
    deps.store,
    caller.accountNo,
    sql`(select count(*) from api_keys where account_id = ${caller.accountId} and revoked_at is null)
      < ${limitOf(deps, caller)}`,
  );

const limitOf = ({ config }: Deps, { tier }: Caller): number => config.tierLimits[tier].apiKeys;
