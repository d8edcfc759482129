import { type Database, SQLiteError } from "bun:sqlite";
import { yieldToEventLoop } from "../lib/steps.ts";
import { isDamage } from "./sqlite-file.ts";
import { Damaged, DiskFull, Duplicate, Gone, Unavailable } from "./store.ts";

/** The time between two attempts of a write. */
const PAUSE_MS = 10;

/** After writes of this length, other work runs before the next statement. */
const HELD_MS = 5;

const ENDED = "A statement was run in a transaction that has ended.";
const NOT_ONLY_STATEMENTS =
  "A transaction awaited something other than its own statements, and was rolled back.";

const TAKEN = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];
const OUT_OF_ORDER = /^SQLITE_(FULL|READONLY|IOERR|BUSY)/;

type Snapshot = { enter(): number; end(): void };

type Options = {
  /** How long a write waits for one of another process. */
  waitMs: number;
  /** Called after each committed write. */
  written: (() => void) | null;
};

/** Reads and writes the file, and maps errors to the classes that both engines use. */
export function createAccess(snapshot: Snapshot, { waitMs, written }: Options) {
  const whenFull = new Set<() => void>();
  let reportDamage = () => {};
  const fail = (error: unknown): never => {
    const known = toKnown(error);
    if (known instanceof Damaged) reportDamage();
    if (known instanceof DiskFull) for (const listener of whenFull) listener();
    throw known;
  };
  const read = <T>(work: () => T): T => {
    try {
      snapshot.enter();
      return work();
    } catch (error) {
      return fail(error);
    }
  };
  const attempt = <T>(work: () => T): Promise<T> =>
    untilFree(waitMs, () => {
      // First: a process that closes the file keeps its lock until all readers are gone, and we may wait for that lock.
      snapshot.end();
      return work();
    }).catch(fail);

  const hold = watchHold();
  let last: Promise<unknown> = Promise.resolve();
  /** Runs one write after another, since they share one connection. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last
      .then(() => (hold.isLong() ? yieldToEventLoop() : undefined))
      .then(() => {
        hold.begin();
        return work();
      });
    last = done.catch(() => {});
    return done;
  };

  const write = async <T>(work: () => T): Promise<T> => {
    const done = await inOrder(() => attempt(work));
    written?.();
    return done;
  };

  /** `run` maps the errors of statements, and lets other work run between them when they take long. */
  const transaction = async <T>(
    database: Database,
    work: (run: <R>(statement: () => R) => Promise<R>) => Promise<T>,
  ): Promise<T> => {
    const done = await inOrder(async () => {
      await attempt(() => database.run("BEGIN IMMEDIATE"));
      const deadline = untilNextTurn();
      let isOpen = true;
      const run = async <R>(statement: () => R): Promise<R> => {
        if (hold.isLong()) await deadline.turn();
        hold.begin();
        if (!isOpen) throw new Error(ENDED);
        try {
          return statement();
        } catch (error) {
          return fail(error);
        }
      };
      try {
        const result = await Promise.race([work(run), deadline.passed]);
        await run(() => database.run("COMMIT"));
        return result;
      } finally {
        isOpen = false;
        deadline.cancel();
        // A full disk or a failed commit may have rolled back already.
        if (database.inTransaction) database.run("ROLLBACK");
        // The snapshot of reads that ran meanwhile is from before the commit.
        snapshot.end();
      }
    });
    written?.();
    // What follows may take long as well.
    if (hold.isLong()) await yieldToEventLoop();
    return done;
  };
  const onDamage = (listener: () => void) => {
    reportDamage = listener;
  };
  /** Runs the work when no write is under way. */
  const whenIdle = (work: () => void) => inOrder(async () => work());
  return { read, write, transaction, whenIdle, fail, whenFull, onDamage };
}

/** Measures how long writes have held this turn of the event loop, from the first call of `begin` in it. */
function watchHold() {
  let beganAt: number | null = null;
  return {
    isLong: () => beganAt !== null && performance.now() - beganAt >= HELD_MS,
    begin() {
      if (beganAt !== null) return;
      beganAt = performance.now();
      setImmediate(() => {
        beganAt = null;
      });
    },
  };
}

/** `passed` rejects when the event loop turns, which awaiting statements never causes, unless by `turn`. */
function untilNextTurn() {
  const { promise, reject } = Promise.withResolvers<never>();
  const arm = () => setImmediate(() => reject(new Error(NOT_ONLY_STATEMENTS)));
  let immediate = arm();
  let turning: Promise<void> | null = null;
  return {
    passed: promise,
    cancel: () => clearImmediate(immediate),
    /** Lets the event loop turn. */
    turn(): Promise<void> {
      clearImmediate(immediate);
      turning ??= yieldToEventLoop().then(() => {
        turning = null;
        immediate = arm();
      });
      return turning;
    },
  };
}

/** Retries while another process writes. SQLite's own waiting would block the event loop. */
async function untilFree<T>(waitMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY");
      if (!isBusy || performance.now() >= deadline) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** Maps the error to a class that both engines use, if there is one. An error from a thread has only its code. */
function toKnown(error: unknown): unknown {
  const { message, code } = error as { message: string; code?: unknown };
  if (typeof code !== "string") return error;
  if (TAKEN.includes(code)) return new Duplicate(message);
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return new Gone(message);
  if (isDamage(error)) return new Damaged(message);
  if (code === "SQLITE_FULL") return new DiskFull(message);
  return OUT_OF_ORDER.test(code) ? new Unavailable(message) : error;
}
