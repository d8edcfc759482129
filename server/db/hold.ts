import { sql } from "drizzle-orm";
import { rowsOf, type Statement, type Store } from "./store.ts";

/**
 * For the beginning of a batch that changes links, counts or history of accounts: holds the accounts until
 * it is over. Others wait their turn, then see all that this batch wrote, and two never wait for each other.
 * None where a batch has the database for itself.
 */
export const holdAccounts = (store: Store, numbers: Iterable<number>): Statement[] =>
  hold(store, "accounts", numbers);

/** The same for every account that has administrators, and for the one that is named. */
export const holdAdministration = (store: Store, no: number): Statement[] =>
  store.engine.holdRows === ""
    ? []
    : [
        store.run(sql`
          select no from accounts where no = ${no} or id in (select account_id from users where is_admin = 1)
          order by no ${sql.raw(store.engine.holdRows)}
        `),
      ];

/** The same for links, which come after their accounts. */
export const holdLinks = (store: Store, numbers: Iterable<number>): Statement[] =>
  hold(store, "links", numbers);

/** The same for one user, after their account. */
export const holdUser = (store: Store, id: string): Statement =>
  store.run(sql`select id from users where id = ${id} ${sql.raw(store.engine.holdRows)}`);

/** The same for one webhook. */
export const holdWebhook = (store: Store, id: string): Statement =>
  store.run(sql`select id from webhooks where id = ${id} ${sql.raw(store.engine.holdRows)}`);

function hold(store: Store, table: string, numbers: Iterable<number>): Statement[] {
  const { holdRows } = store.engine;
  const rows = [...new Set(numbers)].map((no) => [no]);
  if (holdRows === "" || rows.length === 0) return [];
  return [
    store.run(sql`
      select no from ${sql.raw(table)} where no in (select no from ${rowsOf(store, { no: "bigint" }, rows)} as held)
      order by no ${sql.raw(holdRows)}
    `),
  ];
}
