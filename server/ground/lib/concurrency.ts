import { AppError } from "./errors.ts";

/** Runs work when it is its turn. Those who wait under different keys take turns, so that no key holds up another. */
export type Turns = <T>(work: () => Promise<T>, key?: string) => Promise<T>;

type TurnsOptions = {
  atOnce: number;
  /** How many may wait. When all places are taken, the last one of the key with the most gives up its own. */
  mostWaiting?: number;
};

type Waiter = { run: () => void; sendAway: () => void };

/** @throws SERVICE_UNAVAILABLE, from the turn itself, when too many wait already */
export function createTurns({
  atOnce,
  mostWaiting = Number.POSITIVE_INFINITY,
}: TurnsOptions): Turns {
  /** In the order in which keys have their next turn. */
  const queues = new Map<string, Waiter[]>();
  let waiting = 0;
  let running = 0;

  /** A place that becomes free goes to the next in line, so that a newcomer cannot slip in between. */
  const leave = () => {
    const next = takeNext();
    if (next) next.run();
    else running--;
  };

  function takeNext(): Waiter | undefined {
    const [first] = queues;
    if (!first) return undefined;
    const [key, queue] = first;
    const next = queue.shift();
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    waiting--;
    return next;
  }

  function makeRoom(key: string) {
    const own = queues.get(key)?.length ?? 0;
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (longest.length <= own + 1) throw tooBusy();
    longest.pop()!.sendAway();
    waiting--;
  }

  const wait = (key: string) =>
    new Promise<void>((resolve, reject) => {
      if (waiting >= mostWaiting) makeRoom(key);
      const waiter = { run: resolve, sendAway: () => reject(tooBusy()) };
      const queue = queues.get(key);
      if (queue) queue.push(waiter);
      else queues.set(key, [waiter]);
      waiting++;
    });

  return async (work, key = "") => {
    if (running < atOnce) running++;
    else await wait(key);
    return work().finally(leave);
  };
}

const tooBusy = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "Too much is going on now. Try again in a moment.",
    undefined,
    {
      "retry-after": "5",
    },
  );

const last = new Map<string, Promise<unknown>>();

/**
 * Runs the work after all earlier work under the same name in this process, so that reading a count
 * and writing within a limit are not torn apart by a parallel request.
 */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(name) ?? Promise.resolve();
  const mine = before.then(work, work);
  last.set(name, mine);
  try {
    return await mine;
  } finally {
    if (last.get(name) === mine) last.delete(name);
  }
}

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

/** What `make` gives, made when it is first wanted. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns the result of work that several callers share, or `fallback` as soon as the signal of this caller
 * aborts, while the work goes on for the others. Starts no work if the signal was aborted before.
 */
export async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  { work, fallback }: { work: () => Promise<T>; fallback: T },
): Promise<T> {
  if (!signal) return work();
  if (signal.aborted) return fallback;
  const cut = Promise.withResolvers<T>();
  const leave = () => cut.resolve(fallback);
  signal.addEventListener("abort", leave);
  return Promise.race([work(), cut.promise]).finally(() =>
    signal.removeEventListener("abort", leave),
  );
}

type SharedWork<T> = { key: string; isUrgent?: boolean | undefined; work: () => Promise<T> };

/**
 * Returns a function that runs the work of a key once for all simultaneous callers, so no caller's signal may end it.
 * Urgent work never waits for other work.
 */
export function createOnceAtATime<T>() {
  const running = new Map<string, Promise<T>>();
  return ({ key, isUrgent = false, work }: SharedWork<T>): Promise<T> => {
    const name = `${isUrgent} ${key}`;
    const underWay = running.get(name);
    if (underWay) return underWay;
    const begun = work().finally(() => running.delete(name));
    running.set(name, begun);
    return begun;
  };
}

/**
 * Returns a function that loads values by key: those that are asked for in the same turn of the event loop are loaded
 * together, each once. Null for a key that has none.
 */
export function createLoader<T>(load: (keys: string[]) => Promise<Map<string, T>>) {
  let next: { keys: Set<string>; found: Promise<Map<string, T>> } | null = null;

  function begin() {
    const keys = new Set<string>();
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = null;
      return load([...keys]);
    });
    next = { keys, found };
    return next;
  }

  return async (key: string): Promise<T | null> => {
    const { keys, found } = next ?? begin();
    keys.add(key);
    return (await found).get(key) ?? null;
  };
}
