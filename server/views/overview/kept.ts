import { LRUCache } from "lru-cache";
import { preparedOnce } from "../../db/store.ts";
import type { Deps } from "../../work/deps.ts";

const MOST_KEPT = 1000;
/** An answer serves for so many times as long as it took, so that at most a twentieth of all time is spent on it. */
const KEPT_TIMES = 20;
/** What takes no longer is looked up whenever it is asked for, in milliseconds. */
const QUICK_MS = 20;

type Kept = { value: Promise<unknown>; until: number };

const keptOf = preparedOnce(() => new LRUCache<string, Kept>({ max: MOST_KEPT }));

/** What `make` gives, or gave a short while ago where that took long. Who asks meanwhile waits for the same. */
export function kept<T>(
  { store, clock }: Pick<Deps, "store" | "clock">,
  key: string,
  make: () => PromiseLike<T>,
): Promise<T> {
  const answers = keptOf(store);
  const known = answers.get(key);
  if (known && clock.elapsed() < known.until) return known.value as Promise<T>;
  const startedAt = clock.elapsed();
  // A query that is not awaited here would run again for each that awaits it.
  const value = (async () => make())();
  const entry: Kept = { value, until: Number.POSITIVE_INFINITY };
  answers.set(key, entry);
  const settle = (isGood: boolean) => {
    const took = clock.elapsed() - startedAt;
    entry.until = isGood && took > QUICK_MS ? clock.elapsed() + took * KEPT_TIMES : 0;
  };
  value.then(
    () => settle(true),
    () => settle(false),
  );
  return value;
}
