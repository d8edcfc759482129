import { lockAccounts } from "../db/queries.ts";
import { preparedOnce } from "../db/store.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import type { Deps } from "./deps.ts";

/** What a verb works with: the dependencies, of which `store` is the open transaction of one change. */
export type Unit = Deps & {
  /** Does this outside the transaction, once it is committed. */
  afterCommit(work: (deps: Deps) => void): void;
};

/**
 * Makes one change: opens the transaction, locks the account, runs the verb, commits, and wakes the loops. A verb reads
 * and writes by `unit.store` and awaits nothing else; it never opens a transaction. PostgreSQL may run it twice. Called
 * with a unit, the verb becomes part of its change.
 */
export async function makeChange<T>(
  deps: Deps,
  { accountNo }: { accountNo: number },
  verb: (unit: Unit) => Promise<T>,
): Promise<T> {
  if ("afterCommit" in deps) return verb(deps as Unit);
  let committed: ((deps: Deps) => void)[] = [];
  const change = () =>
    deps.store.transaction(async (store) => {
      committed = [];
      await lockAccounts(store, [accountNo]);
      return verb({ ...deps, store, afterCommit: (work) => void committed.push(work) });
    });
  // Changes of one account wait for each other here, so that they do not occupy a connection each.
  const result = await oneAtATime(`change ${accountNo} in ${nameOf(deps.store)}`, change);
  for (const work of committed) work(deps);
  deps.loops.wake();
  return result;
}

let stores = 0;
const nameOf = preparedOnce(() => ++stores);
