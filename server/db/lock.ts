import { sql } from "drizzle-orm";
import { numbersOf, type Store } from "./store.ts";

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

async function lockById(tx: Store, table: "users" | "webhooks", id: string): Promise<void> {
  const { holdRows } = tx.engine;
  if (holdRows === "") return;
  await tx.run(sql`select id from ${sql.raw(table)} where id = ${id} ${sql.raw(holdRows)}`);
}

async function lock(tx: Store, table: "accounts" | "links", numbers: Iterable<number>) {
  const { holdRows } = tx.engine;
  const nos = [...new Set(numbers)];
  if (holdRows === "" || nos.length === 0) return;
  await tx.run(sql`
    select no from ${sql.raw(table)} where no in (select no from ${numbersOf(tx, nos)} as held)
    order by no ${sql.raw(holdRows)}
  `);
}
