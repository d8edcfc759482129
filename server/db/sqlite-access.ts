import { SQLiteError } from "bun:sqlite";
import { isDamage } from "./damage.ts";
import { Damaged, DiskFull, Duplicate, Gone, Unavailable } from "./store.ts";

/** Between two tries of a write. */
const PAUSE_MS = 10;

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
  const write = async <T>(work: () => T): Promise<T> => {
    const done = await untilFree(waitMs, () => {
      // First: who closes the file keeps its lock until all readers are gone, and we may wait for it.
      snapshot.end();
      return work();
    }).catch(fail);
    written?.();
    return done;
  };
  const onDamage = (tell: () => void) => {
    tellOfDamage = tell;
  };
  return { read, write, fail, whenFull, onDamage };
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
