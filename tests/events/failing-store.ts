import { createStore, type Engine, type Query } from "../../server/ground/db/store.ts";
import type { Deps } from "../../server/work/deps.ts";

/**
 * The same database through an engine that fails on request: `problemOf` hears of each thing before it is done
 * and says what comes of it; null is that all is well.
 */
export function failingDeps<D extends Pick<Deps, "store">>(
  deps: D,
  problemOf: (queries: Query[]) => Error | null | Promise<Error | null>,
): D {
  const { engine } = deps.store;
  const refuse = async (queries: Query[]) => {
    const problem = await problemOf(queries);
    if (problem) throw problem;
  };
  const failing: Engine = {
    ...engine,
    async run(query) {
      await refuse([query]);
      return engine.run(query);
    },
    async transaction(work) {
      await refuse([]);
      return engine.transaction(work);
    },
  };
  return { ...deps, store: createStore(failing) };
}

/** The same database, where statements inside transactions fail as `problemOf` says. */
export function failingInside<D extends Pick<Deps, "store">>(
  deps: D,
  problemOf: (query: Query) => Error | null,
): D {
  const { engine } = deps.store;
  const transaction: Engine["transaction"] = (work) =>
    engine.transaction((run) =>
      work((query) => {
        const problem = problemOf(query);
        return problem ? Promise.reject(problem) : run(query);
      }),
    );
  return { ...deps, store: createStore({ ...engine, transaction }) };
}

/**
 * Does the work until it comes through, each time with one more step at the database before that is gone.
 * @returns what was seen after each time
 */
export async function cutEverywhere<D extends Pick<Deps, "store">, Seen>(
  deps: D,
  work: (cut: D) => Promise<unknown>,
  look: () => Promise<Seen>,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let [most, isCut] = [0, true]; isCut; most++) {
    let steps = 0;
    const dying = failingDeps(deps, () => (++steps > most ? new Error("cut") : null));
    isCut = await work(dying).then(
      () => false,
      () => true,
    );
    seen.push(await look());
  }
  return seen;
}
