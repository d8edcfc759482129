import { SQL } from "bun";
import { oneAtATime } from "../lib/concurrency.ts";
import { noAnswer, type SilenceWatch } from "./postgres-connection.ts";
import type { Engine } from "./store.ts";

/**
 * The first half of each lock's key: numbers that no other program uses in the same database. Locks with a single
 * number, which PostgreSQL distinguishes from these, are in postgres-schema.ts.
 */
const [JOBS, TURNS, TEXTS] = [781_420_181, 781_420_182, 781_420_183];
/**
 * How many locks are held or waited for at once. The limit keeps them from taking all connections. Jobs may need a
 * further lock while they run, so they have their own connections, apart from those that wait for a turn.
 */
const [JOBS_AT_ONCE, TURNS_AT_ONCE] = [5, 2];
/** The longest wait for a lock, and how often it is checked. */
const [TAKEN_WITHIN_MS, LATE_LOOK_MS] = [30_000, 500];
/** The longest wait while the process is about to end. */
const HURRY_MS = 3000;
/** The longest wait for the lock to be released, so that the next caller can take it. */
const RELEASE_MS = 1000;
const LOOK_MS = 5000;
/** The time that running work gets when all locks are closed. */
const LEAVE_SECONDS = 1;

/** Released at the end of the transaction that runs it. */
export const HOLD_TEXT = [`select pg_advisory_xact_lock(${TEXTS}, hashtext(`, "))"] as const;

export type Locks = Pick<Engine, "alone" | "inTurn"> & { close(): Promise<void> };

type Take = "pg_try_advisory_xact_lock" | "pg_advisory_xact_lock";
type Lock = { name: string; space: number; take: Take };
type Work<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Advisory locks, each held by a transaction on its own connection, which does nothing else. PostgreSQL releases such a
 * lock at the end of its transaction, so this also works with a connection pooler.
 */
export function createLocks(url: string, options: SQL.Options, silence: SilenceWatch): Locks {
  const jobs = createLocking(url, { ...options, max: JOBS_AT_ONCE }, silence);
  const turns = createLocking(url, { ...options, max: TURNS_AT_ONCE }, silence);
  return {
    alone: (name, work) =>
      jobs.locked({ name, space: JOBS, take: "pg_try_advisory_xact_lock" }, work),
    // Callers of this process wait here, without a connection each.
    inTurn: (name, work) =>
      oneAtATime(name, async () => {
        const turn = { name, space: TURNS, take: "pg_advisory_xact_lock" } as const;
        return (await turns.locked(turn, work))!;
      }),
    close: async () => {
      await Promise.all([jobs.close(), turns.close()]);
    },
  };
}

function createLocking(url: string, options: SQL.Options, silence: SilenceWatch) {
  let pool = new SQL(url, options);
  const pools = new Set([pool]);
  silence.onSilent(() => {
    for (const each of pools) void each.close({ timeout: 0 }).catch(() => {});
    pool = new SQL(url, options);
    pools.clear();
    pools.add(pool);
  });

  /** @returns null if the lock is taken and `take` does not wait */
  async function locked<T>({ name, space, take }: Lock, work: Work<T>): Promise<T | null> {
    if (silence.isSilent()) throw noAnswer();
    const doing = Promise.withResolvers<T | null>();
    const used = pool;
    let isLate = false;
    const giveUpWaiting = () => {
      isLate = true;
      giveUp(used);
      doing.reject(noAnswer());
    };
    const startedAt = performance.now();
    const late = setInterval(() => {
      const limitMs = silence.isInHurry() ? HURRY_MS : TAKEN_WITHIN_MS;
      if (silence.isSilent() || performance.now() - startedAt > limitMs) giveUpWaiting();
    }, LATE_LOOK_MS);
    const holding = used.begin(async (connection) => {
      const keys = [space, hashOf(name)];
      const [row] = await connection.unsafe(`select ${take}($1, $2) as taken`, keys).values();
      clearInterval(late);
      silence.answered();
      if (isLate || row![0] === false) return doing.resolve(null);
      const watching = watch(connection);
      const working = work(watching.signal).finally(watching.stop);
      // The result of the work counts even if the lock is lost.
      doing.resolve(working);
      await working;
    });
    const ended = holding.then(() => {}, doing.reject).finally(() => clearInterval(late));
    return doing.promise.finally(() => Promise.race([ended, Bun.sleep(RELEASE_MS)]));
  }

  /** New connections may reach a server that answers. Those that hold a lock stay open. */
  function giveUp(used: SQL) {
    if (used !== pool) return;
    pool = new SQL(url, options);
    pools.add(pool);
  }

  const close = () => Promise.all([...pools].map((each) => each.close({ timeout: LEAVE_SECONDS })));
  return { locked, close };
}

/** Aborts the signal when the connection is lost, and the lock with it. */
function watch(connection: SQL) {
  const gone = new AbortController();
  let isAnswered = true;
  const timer = setInterval(() => {
    // A server that does not answer may have given the lock to another process.
    if (!isAnswered) return gone.abort();
    isAnswered = false;
    connection.unsafe("select 1").then(
      () => {
        isAnswered = true;
      },
      () => gone.abort(),
    );
  }, LOOK_MS);
  timer.unref();
  return { signal: gone.signal, stop: () => clearInterval(timer) };
}

/** A signed 32-bit number, as PostgreSQL requires. */
const hashOf = (name: string) => Bun.hash.crc32(name) | 0;
