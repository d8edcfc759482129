import { eq, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Store } from "./store.ts";
import { accounts, linkCounts, numbers } from "./tables.ts";

const THE_ROW = 1;

/**
 * Takes so many numbers for new accounts, groups or links, which share one row of them, and gives the
 * first. Later ones are higher, so that links are listed by their number. What is not used is lost.
 */
export async function takeNumbers(store: Store, count: number): Promise<number> {
  const [row] = await store
    .update(numbers)
    .set({ next: sql`${numbers.next} + ${count}` })
    .where(eq(numbers.id, THE_ROW))
    .returning({ next: numbers.next });
  return row!.next - count;
}

/** Of an account or a group, by settled status: a link that is being checked counts as what it was. */
type LinkTotals = { total: number; active: number; dead: number; unknown: number };

export const sumOf = (column: AnySQLiteColumn | SQL) =>
  sql`coalesce(sum(${column}), 0)`.mapWith(Number);

/** All links of a row of counts, whatever their status. */
export const allCounted = sql`${linkCounts.active} + ${linkCounts.dead} + ${linkCounts.unknown}`;

/** @param subject the number of the account or the group */
export async function totalLinks(
  { store }: { store: Store },
  subject: number | SQL,
): Promise<LinkTotals> {
  const [totals] = await store
    .select({
      total: sumOf(allCounted),
      active: sumOf(linkCounts.active),
      dead: sumOf(linkCounts.dead),
      unknown: sumOf(linkCounts.unknown),
    })
    .from(linkCounts)
    .where(eq(linkCounts.subject, subject));
  return totals!;
}

/** How many links the account has. */
export async function countLinks(deps: { store: Store }, accountId: string): Promise<number> {
  const { no, id } = accounts;
  const numberOf = deps.store.select({ no }).from(accounts).where(eq(id, accountId));
  return (await totalLinks(deps, sql`(${numberOf})`)).total;
}
