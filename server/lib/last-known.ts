/**
 * Returns a function that reads again each time, but waits at most `waitMs` (real time) for that: then it gives what was
 * read last. Everyone who asks while a reading is under way shares it.
 */
export function lastKnown<T>(initial: T, waitMs: number, read: () => Promise<T>): () => Promise<T> {
  let known = initial;
  let reading: Promise<T> | null = null;

  async function readOnce() {
    try {
      known = await read();
      return known;
    } finally {
      reading = null;
    }
  }

  return async () => {
    reading ??= readOnce();
    const late = Promise.withResolvers<T>();
    const timer = setTimeout(() => late.resolve(known), waitMs);
    try {
      return await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
