import { inArray, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { users } from "../../ground/db/tables.ts";
import { invalid } from "../../ground/lib/errors.ts";
import type { Caller } from "../../http/caller.ts";
import {
  COLUMNS,
  cellsOf,
  detailsIn,
  expressionsOf,
  FIELDS,
  LISTED,
  type LinkDetails,
  type ListedDetails,
} from "./registry.ts";
import { writeTags } from "./tag-rows.ts";

const NAMES = Object.keys(COLUMNS);

/** @returns a function that reads the details of links by their numbers, as far as the fields have them */
function readerOf<Details>(fields: typeof FIELDS) {
  const expressions = expressionsOf(fields);
  const names = Object.keys(expressions);
  const select = onRows(
    { no: "bigint" },
    (rows) => sql`
      select given.no, ${sql.raw(Object.values(expressions).join(", "))}
      from ${rows} as given left join watched_links as links on links.no = given.no
      left join link_details details on details.link_no = given.no
      left join users on users.id = details.assignee_id
      left join groups on groups.id = links.group_id
    `,
  );
  return async <Row extends { no: number }>(
    store: Store,
    rows: Row[],
  ): Promise<(Row & { details: Details })[]> => {
    const found = await select(
      store,
      rows.map(({ no }) => [no]),
    );
    const byNo = new Map(
      found.map(([no, ...cells]) => {
        const named = Object.fromEntries(names.map((name, i) => [name, cells[i] as string | null]));
        return [no as number, detailsIn(named, fields) as Details];
      }),
    );
    return rows.map((row) => ({ ...row, details: byNo.get(row.no)! }));
  };
}

/** Adds to each row what lists show of its link. */
export const withListedDetails = readerOf<ListedDetails>(LISTED);

/** Adds to each row all that is known of its link. */
export const withDetails = readerOf<LinkDetails>(FIELDS);

/** What is known of a link before and after a change. */
export type DetailsChange = { no: number; before: LinkDetails; after: LinkDetails };

/**
 * Writes what changes about links, other than in `links` itself. A link whose handling changes gets `at` as the time of its
 * update. Call it in a transaction that holds the locks of the account and the links.
 */
export async function writeDetails(
  tx: Store,
  caller: Pick<Caller, "accountId" | "accountNo">,
  changes: DetailsChange[],
  at: number,
): Promise<void> {
  const { accountNo } = caller;
  await refuseRemovedPeople(tx, changes);
  const rows = changes.flatMap(({ no, before, after }) => {
    // Most new links have none.
    if (Bun.deepEquals(before, after)) return [];
    const cells = cellsOf(after);
    if (Bun.deepEquals(cellsOf(before), cells)) return [];
    return [[no, accountNo, ...NAMES.map((name) => cells[name]!)]];
  });
  await upsert(tx, rows);
  const handled = changes.filter(({ before, after }) => before.handling !== after.handling);
  await copyHandling(
    tx,
    handled.map(({ no, after }) => [no, accountNo, after.handling]),
    { at },
  );
  await writeTags(
    tx,
    caller,
    changes.map(({ no, before, after }) => ({ no, before: before.tags, after: after.tags })),
  );
}

/** A person may have been removed since the request named them. @throws VALIDATION_ERROR */
async function refuseRemovedPeople(tx: Store, changes: DetailsChange[]): Promise<void> {
  const named = new Set(
    changes.flatMap(({ before, after }) =>
      after.assignee && after.assignee.id !== before.assignee?.id ? [after.assignee.id] : [],
    ),
  );
  if (named.size === 0) return;
  const found = await tx.$count(users, inArray(users.id, [...named]));
  if (found < named.size) throw invalid({ assignee_id: ["no such person"] });
}

const listed = (names: string[]) => sql.raw(names.join(", "));

const upsert = onRows(
  { link: "bigint", account: "bigint", ...COLUMNS },
  (rows) => sql`
    insert into link_details (link_no, account_no, ${listed(NAMES)})
    select link, account, ${listed(NAMES)} from ${rows} as given where true
    on conflict (link_no) do update set ${listed(NAMES.map((name) => `${name} = excluded.${name}`))}
  `,
);

/** SQLite would scan all links of the account if its number were not in each row. */
const copyHandling = onRows(
  { link: "bigint", account: "bigint", given: "text" },
  (rows) => sql`
    update links set handling = given, updated_at = ${sql.placeholder("at")} from ${rows} as decided
    where links.no = link and links.account_no = account and handling <> given
  `,
);
