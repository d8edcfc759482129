import { sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { onRows, type Store } from "../../db/store.ts";
import { conflict } from "../../lib/errors.ts";

/** Returns the account's links that have one of the external ids: the ids of the links, by the external ones. */
export async function findTakenIds(
  store: Store,
  { accountNo }: Pick<Caller, "accountNo">,
  externalIds: string[],
): Promise<Map<string, string>> {
  const rows = await selectTaken(
    store,
    externalIds.map((id) => [id]),
    { accountNo },
  );
  return new Map(rows as [externalId: string, id: string][]);
}

const selectTaken = onRows(
  { given_id: "text" },
  (rows) => sql`
    select external_id, links.id from link_texts join links on links.no = link_no
    where link_texts.account_no = ${sql.placeholder("accountNo")}
      and external_id in (select given_id from ${rows} as given)
  `,
);

/** The error for an `external_id` that another link has, or another item of the same request. */
export const duplicateId = (details: { existingId: string } | { firstIndex: number }) =>
  conflict("Another link has this external_id.", { reason: "duplicate_external_id", ...details });
