import { type Database, SQLiteError } from "bun:sqlite";
import { isDamage } from "./damage.ts";
import { Damaged, DiskFull, Duplicate, Gone, Unavailable } from "./store.ts";

/** Between two tries of a write. */
const PAUSE_MS = 10;

const ENDED = "A statement was run in a transaction that has ended.";
const NOT_ONLY_STATEMENTS =
  "A transaction awaited something other than its own statements, and was rolled back.";

const TAKEN = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];
const OUT_OF_ORDER = /^SQLITE_(FULL|READONLY|IOERR|BUSY)/;

type Snapshot = { enter(): number; end(): void };

type Options = {
  /** How long a write waits for that of another process. */
  waitMs: number;
  /** Is told of each write that was made. */
  written: (() => void) | null;
};

/** How the file is read and written, with failures in the words of every engine, and who is told of them. */
export function createAccess(snapshot: Snapshot, { waitMs, written }: Options) {
  const whenFull = new Set<() => void>();
  let tellOfDamage = () => {};
  const fail = (error: unknown): never => {
    const known = toKnown(error);
    if (known instanceof Damaged) tellOfDamage();
    if (known instanceof DiskFull) for (const tell of whenFull) tell();
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
      // First: who closes the file keeps its lock until all readers are gone, and we may wait for it.
      snapshot.end();
      return work();
    }).catch(fail);

  let last: Promise<unknown> = Promise.resolve();
  /** One write after another, since all of them have one connection. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };

  const write = async <T>(work: () => T): Promise<T> => {
    const done = await inOrder(() => attempt(work));
    written?.();
    return done;
  };

  /** `run` makes each statement's failure one that every engine has. */
  const transaction = async <T>(
    database: Database,
    work: (run: <R>(statement: () => R) => R) => Promise<T>,
  ): Promise<T> => {
    const done = await inOrder(async () => {
      await attempt(() => database.run("BEGIN IMMEDIATE"));
      const deadline = untilNextTurn();
      let isOpen = true;
      const run = <R>(statement: () => R): R => {
        if (!isOpen) throw new Error(ENDED);
        try {
          return statement();
        } catch (error) {
          return fail(error);
        }
      };
      try {
        const result = await Promise.race([work(run), deadline.passed]);
        run(() => database.run("COMMIT"));
        return result;
      } finally {
        isOpen = false;
        deadline.cancel();
        // A full disk or a failed commit has rolled back already.
        if (database.inTransaction) database.run("ROLLBACK");
        // What was read meanwhile was read from before the commit.
        snapshot.end();
      }
    });
    written?.();
    return done;
  };
  const onDamage = (tell: () => void) => {
    tellOfDamage = tell;
  };
  return { read, write, transaction, fail, whenFull, onDamage };
}

/** Rejects when the event loop turns: statements alone never let it. */
function untilNextTurn() {
  const { promise, reject } = Promise.withResolvers<never>();
  const immediate = setImmediate(() => reject(new Error(NOT_ONLY_STATEMENTS)));
  return { passed: promise, cancel: () => clearImmediate(immediate) };
}

/** Tries again while another process writes. SQLite's own waiting would hold up all that only reads. */
async function untilFree<T>(waitMs: number, work: () => T): Promise<T> {
  const givesUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY");
      if (!isBusy || performance.now() >= givesUpAt) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** The error in the words of every engine, where they have one for it. One from a thread has its code only. */
function toKnown(error: unknown): unknown {
  const { message, code } = error as { message: string; code?: unknown };
  if (typeof code !== "string") return error;
  if (TAKEN.includes(code)) return new Duplicate(message);
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return new Gone(message);
  if (isDamage(error)) return new Damaged(message);
  if (code === "SQLITE_FULL") return new DiskFull(message);
  return OUT_OF_ORDER.test(code) ? new Unavailable(message) : error;
}
