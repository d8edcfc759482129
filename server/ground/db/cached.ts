import { LRUCache } from "lru-cache";
import type { Clock } from "../lib/clock.ts";
import { preparedOnce, type Store } from "./store.ts";

const MOST_CACHED = 1000;
/** A slow result is cached for this multiple of its duration, so reading it takes about a twentieth of the time. */
const CACHED_TIMES = 20;
/** No result that began to be read longer ago is given: it may have been slow only because the machine was busy. */
const LONGEST_MS = 10_000;
/** Results that take no longer are not cached, in milliseconds. */
const QUICK_MS = 20;

type Entry = { value: Promise<unknown>; until: number };

const cacheOf = preparedOnce(() => new LRUCache<string, Entry>({ max: MOST_CACHED }));

/** Returns the result of `read`, or a recent one if reading it was slow. Simultaneous calls share one reading. */
export function cached<T>(
  { store, clock }: { store: Store; clock: Clock },
  key: string,
  read: () => PromiseLike<T>,
): Promise<T> {
  const cache = cacheOf(store);
  const known = cache.get(key);
  if (known && clock.elapsed() < known.until) return known.value as Promise<T>;
  const startedAt = clock.elapsed();
  // A query runs each time it is awaited.
  const value = (async () => read())();
  const entry: Entry = { value, until: Number.POSITIVE_INFINITY };
  cache.set(key, entry);
  const settle = (isOk: boolean) => {
    const took = clock.elapsed() - startedAt;
    const age = Math.min(took + took * CACHED_TIMES, LONGEST_MS);
    entry.until = isOk && took > QUICK_MS ? startedAt + age : 0;
  };
  value.then(
    () => settle(true),
    () => settle(false),
  );
  return value;
}
