import { eq, inArray, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Caller } from "../../api/caller.ts";
import { rowsOf, type Store } from "../../db/store.ts";
import { type GroupRow, groups, linkCounts } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import type { CountedGroup, LinkCounts } from "./model.ts";

export const NO_LINKS: LinkCounts = { active: 0, dead: 0, unknown: 0 };

const sumOf = (column: AnySQLiteColumn) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

const { active, dead, unknown, subject } = linkCounts;
const SUMS = { active: sumOf(active), dead: sumOf(dead), unknown: sumOf(unknown) };

/** @param reader where the counts are added up: one for every thousand links that a group has some of */
export async function withCounts(
  store: Store,
  reader: Pick<Store, "select">,
  rows: GroupRow[],
): Promise<CountedGroup[]> {
  if (rows.length === 0) return [];
  const numbers = rowsOf(
    store,
    { no: "bigint" },
    rows.map(({ no }) => [no]),
  );
  const sums = await reader
    .select({ subject, ...SUMS })
    .from(linkCounts)
    .where(inArray(subject, sql`${numbers}`))
    .groupBy(subject);
  const byNumber = new Map(sums.map(({ subject: no, ...counts }) => [no, counts]));
  return rows.map((row) => ({ ...row, counts: byNumber.get(row.no) ?? NO_LINKS }));
}

/** The account's links that are in none of its groups. */
export async function countUngrouped({ store }: Deps, caller: Caller): Promise<LinkCounts> {
  const ours = store
    .select({ no: groups.no })
    .from(groups)
    .where(eq(groups.accountId, caller.accountId));
  const [counts] = await store.readPool
    .select({
      active: sumOfRest("active"),
      dead: sumOfRest("dead"),
      unknown: sumOfRest("unknown"),
    })
    .from(sql`(
      select active, dead, unknown from link_counts where subject = ${caller.accountNo}
      union all select -active, -dead, -unknown from link_counts where subject in ${ours}
    ) as rest`);
  return counts!;
}

const sumOfRest = (name: string) => sql.raw(`coalesce(sum(${name}), 0)`).mapWith(Number);
