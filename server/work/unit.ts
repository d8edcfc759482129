import { lockAccounts } from "../ground/db/queries.ts";
import { preparedOnce } from "../ground/db/store.ts";
import { oneAtATime } from "../ground/lib/concurrency.ts";
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
  // Changes of one account wait for each other here, so that they do not occupy a connection each.
  const result = await oneAtATime(`change ${accountNo} in ${nameOf(deps.store)}`, () =>
    inUnit(deps, async (unit) => {
      await lockAccounts(unit.store, [accountNo]);
      return verb(unit);
    }),
  );
  deps.loops.wake();
  return result;
}

let stores = 0;
const nameOf = preparedOnce(() => ++stores);

/**
 * Runs a verb in a transaction without an account's lock, and wakes no loop: for changes of people, of several accounts
 * or of one webhook, which lock what they change themselves. Otherwise like `makeChange`.
 */
export async function inUnit<T>(deps: Deps, verb: (unit: Unit) => Promise<T>): Promise<T> {
  let committed: ((deps: Deps) => void)[] = [];
  const result = await deps.store.transaction((store) => {
    committed = [];
    return verb({ ...deps, store, afterCommit: (work) => void committed.push(work) });
  });
  for (const work of committed) work(deps);
  return result;
}
