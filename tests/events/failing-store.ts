import { createStore, type Engine, type Query } from "../../server/db/store.ts";
import type { Deps } from "../../server/work/deps.ts";

/**
 * The same database through an engine that fails as it is told: `problemOf` hears of each thing before it is done
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
    async batch(queries) {
      await refuse(queries);
      return engine.batch(queries);
    },
  };
  return { ...deps, store: createStore(failing) };
}
