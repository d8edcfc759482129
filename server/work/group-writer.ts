import { isUnavailable } from "../ground/db/store.ts";
import { describeError, log, logTransitions } from "../ground/lib/log.ts";

type Options<T> = {
  /** Writes a group in one transaction. */
  write(group: T[]): Promise<void>;
  /** Gets an item that cannot be written, whatever group it is in. */
  drop(item: T, error: unknown): Promise<void> | void;
  /** Returns how many of the waiting items to write together. */
  groupSize(waiting: T[]): number;
  /** After a group the next one follows only if so many items wait; fewer wait for more to arrive. */
  leastNext: number;
  /** Whether nothing may be written at all. */
  isStopped(): boolean;
  log: { failing: string; resumed: string };
};

/** Writes items in groups, so that a durable commit costs one sync for many items. */
export type GroupWriter<T> = {
  add(item: T): void;
  /** Writes what waits, as far as the database is available. */
  flush(): Promise<void>;
  /** Writes everything, unless the database is unavailable. */
  drain(): Promise<void>;
  /** Items that are not written yet, those being written included. */
  unwritten(): T[];
  /** Number of items that wait. */
  waiting(): number;
  /** False after a group failed because the database was unavailable, until one succeeds. */
  isWell(): boolean;
};

/** Writes one group after another, so that a slow database does not get more and more at once. */
export function createGroupWriter<T>(options: Options<T>): GroupWriter<T> {
  let waiting: T[] = [];
  let underWay: T[] = [];
  let writing: Promise<void> | null = null;
  let isWell = true;
  const note = logTransitions(
    (error) => log.error(options.log.failing, describeError(error)),
    () => log.info(options.log.resumed),
  );

  function flush(): Promise<void> {
    if (options.isStopped()) return Promise.resolve();
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  }

  async function writeAll() {
    do {
      underWay = waiting.splice(0, options.groupSize(waiting));
      if (underWay.length === 0) return;
      const { left, error } = await writeHalving(underWay, options);
      isWell = left.length === 0;
      note(isWell ? null : error);
      waiting = [...left, ...waiting];
      underWay = [];
    } while (isWell && waiting.length >= options.leastNext);
  }

  return {
    add: (item) => void waiting.push(item),
    flush,
    async drain() {
      do await flush();
      while (waiting.length > 0 && isWell && !options.isStopped());
    },
    unwritten: () => [...underWay, ...waiting],
    waiting: () => waiting.length,
    isWell: () => isWell,
  };
}

/** What is still to be written, and the error of an unavailable database that is the reason. */
type Left<T> = { left: T[]; error?: unknown };

/** Writes a group; if that fails, its halves, until an item that cannot be written is alone and can be dropped. */
async function writeHalving<T>(group: T[], options: Options<T>): Promise<Left<T>> {
  try {
    await options.write(group);
    return { left: [] };
  } catch (error) {
    if (isUnavailable(error)) return { left: group, error };
    const [only] = group;
    if (group.length !== 1 || only === undefined) return writeHalves(group, options);
    await options.drop(only, error);
    return { left: [] };
  }
}

async function writeHalves<T>(group: T[], options: Options<T>): Promise<Left<T>> {
  const middle = Math.ceil(group.length / 2);
  const [first, second] = [group.slice(0, middle), group.slice(middle)];
  const { left, error } = await writeHalving(first, options);
  return left.length > 0 ? { left: [...left, ...second], error } : writeHalving(second, options);
}
