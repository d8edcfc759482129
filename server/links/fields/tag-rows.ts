import { and, count, eq, inArray, sql } from "drizzle-orm";
import { takeNumbers } from "../../ground/db/queries.ts";
import { onRows, type Store } from "../../ground/db/store.ts";
import { tags } from "../../ground/db/tables.ts";
import { limitReached } from "../../ground/lib/errors.ts";
import type { Caller } from "../../http/caller.ts";

const MOST_TAGS = 1000;

/** Returns the numbers of the account's tags that have one of the names. */
export async function findTags(
  store: Store,
  { accountId }: Pick<Caller, "accountId">,
  names: string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const found = await store
    .select({ name: tags.name, no: tags.no })
    .from(tags)
    .where(and(eq(tags.accountId, accountId), inArray(tags.name, names)));
  return new Map(found.map(({ name, no }) => [name, no]));
}

/**
 * Returns the numbers of tags by their names, and creates those that are missing. Call it in a transaction that holds the
 * account's lock.
 * @throws CONFLICT when the account would have too many
 */
export async function numbersOfTags(
  tx: Store,
  { accountId }: Pick<Caller, "accountId">,
  names: string[],
): Promise<Map<string, number>> {
  const byName = await findTags(tx, { accountId }, names);
  const missing = [...new Set(names)].filter((name) => !byName.has(name));
  if (missing.length === 0) return byName;
  const [used] = await tx
    .select({ count: count() })
    .from(tags)
    .where(eq(tags.accountId, accountId));
  if (used!.count + missing.length > MOST_TAGS) throw limitReached("tags", MOST_TAGS, used!.count);
  const first = await takeNumbers(tx, missing.length);
  const fresh = missing.map((name, i) => ({ no: first + i, accountId, name }));
  await tx.insert(tags).values(fresh);
  for (const { name, no } of fresh) byName.set(name, no);
  return byName;
}

/** The tags of a link before and after a change. */
export type TagChange = { no: number; before: string[]; after: string[] };

/** Writes which tags links have. Call it in a transaction that holds the locks of the account and the links. */
export async function writeTags(
  tx: Store,
  caller: Pick<Caller, "accountId">,
  changes: TagChange[],
): Promise<void> {
  const added = changes.flatMap(({ no, before, after }) =>
    after.filter((tag) => !before.includes(tag)).map((tag) => ({ no, tag })),
  );
  const removed = changes.flatMap(({ no, before, after }) =>
    before.filter((tag) => !after.includes(tag)).map((tag) => ({ no, tag })),
  );
  const numbers = await numbersOfTags(
    tx,
    caller,
    [...added, ...removed].map(({ tag }) => tag),
  );
  const toRow = ({ no, tag }: { no: number; tag: string }) => [numbers.get(tag)!, no];
  await insertTags(tx, added.map(toRow));
  await deleteTags(tx, removed.map(toRow));
}

const insertTags = onRows(
  { tag_no: "bigint", link_no: "bigint" },
  (rows) => sql`
    insert into link_tags (tag_no, link_no) select tag_no, link_no from ${rows} as added where true
    on conflict do nothing
  `,
);

const deleteTags = onRows(
  { tag: "bigint", link: "bigint" },
  (rows) => sql`
    delete from link_tags where (tag_no, link_no) in (select tag, link from ${rows} as removed)
  `,
);
