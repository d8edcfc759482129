import { type SQL, sql } from "drizzle-orm";
import { isAnswered, isDuplicate, type Statement, type Store } from "./store.ts";

const ATTEMPTS = 5;

/**
 * For a batch that holds the account already and is to keep within a limit: undoes it with `Duplicate` unless the
 * condition holds when it runs, whatever was read before it. None where a batch has the database for itself.
 */
export const onlyWhile = (store: Store, accountNo: number, condition: SQL): Statement[] =>
  store.engine.isShared
    ? [
        // No database takes the same account twice.
        store.run(sql`
          insert into accounts select * from accounts where no = ${accountNo} and not (${condition})
        `),
      ]
    : [];

/**
 * Does work that looks and then writes by what it saw: once more, from the beginning, when another process was
 * quicker, so that it is refused in the words for that.
 */
export async function asSeen<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDuplicate(error) || isAnswered(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
