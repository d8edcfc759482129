import { sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { conflict } from "../../ground/lib/errors.ts";
import { text } from "../../ground/lib/fields.ts";
import type { Caller } from "../../http/caller.ts";
import { textField, textFilter } from "./text-field.ts";

export const externalId = {
  ...textField({
    name: "external_id",
    key: "externalId",
    input: text(255),
    description: "Your own id of the link, unique in the account.",
    isListed: true,
    isSearched: true,
    example: "p-17",
  }),
  ...textFilter(
    "external_id",
    text(255).meta({ description: "Only the link with this external id." }),
  ),
};

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
    select external_id, links.id from link_details details join watched_links as links on links.no = link_no
    where details.account_no = ${sql.placeholder("accountNo")}
      and external_id in (select given_id from ${rows} as given)
  `,
);

/** The error for an `external_id` that another link has, or another item of the same request. */
export const duplicateId = (details: { existingId: string } | { firstIndex: number }) =>
  conflict("Another link has this external_id.", { reason: "duplicate_external_id", ...details });
