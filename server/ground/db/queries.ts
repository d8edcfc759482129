import { type Column, eq, fillPlaceholders, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { numbersOf, onRows, preparedOnce, type Store } from "./store.ts";
import { accounts, linkCounts, numbers } from "./tables.ts";

/**
 * Locks the accounts' rows until the transaction ends. A transaction that counts toward a limit, or changes links,
 * counts or history of an account, begins with this: others wait, and then see all that it wrote. Rows are locked in
 * the order of their numbers, so two transactions never wait for each other. Does nothing on SQLite, where a
 * transaction has the database for itself.
 */
export const lockAccounts = (tx: Store, numbers: Iterable<number>): Promise<void> =>
  lock(tx, "accounts", numbers);

/** The same for links, which are locked after their accounts. */
export const lockLinks = (tx: Store, numbers: Iterable<number>): Promise<void> =>
  lock(tx, "links", numbers);

/** The same for every account that has administrators, and for the one that is named. */
export async function lockAdministration(tx: Store, no: number): Promise<void> {
  const { holdRows } = tx.engine;
  if (holdRows === "") return;
  await tx.run(sql`
    select no from accounts where no = ${no} or id in (select account_id from users where is_admin = 1)
    order by no ${sql.raw(holdRows)}
  `);
}

/** The same for one user, who is locked after their account. */
export const lockUser = (tx: Store, id: string): Promise<void> => lockById(tx, "users", id);

/** The same for one webhook. */
export const lockWebhook = (tx: Store, id: string): Promise<void> => lockById(tx, "webhooks", id);

/** The same for what has no row, by a text of its own, which is locked after all rows. */
export async function lockText(tx: Store, text: string): Promise<void> {
  const { holdText } = tx.engine;
  if (holdText) await tx.run(sql`${sql.raw(holdText[0])}${text}${sql.raw(holdText[1])}`);
}

async function lockById(tx: Store, table: "users" | "webhooks", id: string): Promise<void> {
  const { holdRows } = tx.engine;
  if (holdRows === "") return;
  await tx.run(sql`select id from ${sql.raw(table)} where id = ${id} ${sql.raw(holdRows)}`);
}

async function lock(tx: Store, table: "accounts" | "links", numbers: Iterable<number>) {
  if (tx.engine.holdRows === "") return;
  const nos = [...new Set(numbers)];
  await LOCKS[table](
    tx,
    nos.map((no) => [no]),
  );
}

const lockOf = (table: string) =>
  onRows(
    { no: "bigint" },
    (rows, { holdRows }) => sql`
      select no from ${sql.raw(table)} where no in (select no from ${rows} as held)
      order by no ${sql.raw(holdRows)}
    `,
  );

const LOCKS = { accounts: lockOf("accounts"), links: lockOf("links") };

const ABOUT_LINKS = ["link_details", "link_tags", "link_actions", "link_urls", "source_links"];

/** Deletes what other tables know of links whose rows the same transaction has deleted. */
export async function deleteAboutLinks(tx: Store, nos: number[]): Promise<void> {
  for (const table of ABOUT_LINKS)
    await tx.run(
      sql`delete from ${sql.raw(table)} where link_no in (select no from ${numbersOf(tx, nos)} as gone)`,
    );
  await tx.run(
    sql`update source_pages set link_no = null where link_no in (select no from ${numbersOf(tx, nos)} as gone)`,
  );
}

const THE_ROW = 1;

/**
 * Reserves numbers for new accounts, groups or links, and returns the first. Later ones are higher, so that links can
 * be listed by number. Unused numbers are lost.
 */
export async function takeNumbers(store: Store, count: number): Promise<number> {
  const [row] = await store
    .update(numbers)
    .set({ next: sql`${numbers.next} + ${count}` })
    .where(eq(numbers.id, THE_ROW))
    .returning({ next: numbers.next });
  return row!.next - count;
}

/** The links of an account or a group by settled status: a link that is being checked has its previous one. */
type LinkTotals = {
  total: number;
  active: number;
  dead: number;
  unknown: number;
  /** Dead links that are neither acknowledged nor muted. */
  attention: number;
};

export const sumOf = (column: AnySQLiteColumn | SQL) =>
  sql`coalesce(sum(${column}), 0)`.mapWith(Number);

/** All links of a row of counts. */
export const allCounted = sql`${linkCounts.active} + ${linkCounts.dead} + ${linkCounts.unknown}`;

/** Dead links of a row of counts that are neither acknowledged nor muted. */
export const openDead = sql`${linkCounts.dead} - ${linkCounts.handled}`;

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
      attention: sumOf(openDead),
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

/** A select as drizzle builds it. */
type Select<Row> = PromiseLike<Row[]> & { toSQL(): { sql: string; params: unknown[] } };

/**
 * A select of one row that nearly every request needs, built once per store. drizzle's own reading of a row creates
 * some hundred objects, more garbage than the rest of a request. This creates only the row.
 */
export function pointRead<Columns extends Record<string, Column>, Row>(
  columns: Columns,
  build: (store: Store, columns: Columns) => Select<Row>,
) {
  const named = Object.entries(columns);
  const statement = preparedOnce((store) => build(store, columns).toSQL());
  return async (store: Store, values: Record<string, unknown>): Promise<Row | undefined> => {
    const { sql, params } = statement(store);
    const [cells] = await store.engine.run({ sql, params: fillPlaceholders(params, values) });
    return cells && (toRow(named, cells) as Row);
  };
}

/** The cells of a row are in the order of the columns. */
function toRow(columns: [string, Column][], cells: unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) {
    const [name, column] = columns[i]!;
    row[name] = cells[i] === null ? null : column.mapFromDriverValue(cells[i]);
  }
  return row;
}
