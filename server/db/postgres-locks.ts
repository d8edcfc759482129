import { SQL } from "bun";
import { oneAtATime } from "../lib/concurrency.ts";
import { noAnswer, type SilenceWatch } from "./postgres-silence.ts";
import type { Engine } from "./store.ts";

/**
 * Any numbers that no other program uses in the same database: the first half of each lock's name. Locks of one
 * number, which PostgreSQL keeps apart from these, are in postgres-upgrade.ts and history-parts.ts.
 */
const [JOBS, TURNS] = [781_420_181, 781_420_182];
/**
 * Locks that are held or waited for at once: more wait for these, so that they never take all connections. Jobs may
 * need another's lock on their way; who waits for a turn must not keep them from it.
 */
const [JOBS_AT_ONCE, TURNS_AT_ONCE] = [5, 2];
/** A server that has not answered for so long, or a turn that has not come, is waited for no more. */
const [TAKEN_WITHIN_MS, LATE_LOOK_MS] = [30_000, 500];
/** The same when the process is about to end. */
const HURRY_MS = 3000;
/** So long the end of the lock is waited for, that whoever asks next may have it. */
const LET_GO_MS = 1000;
const LOOK_MS = 5000;
/** What may still hold a lock when all is over. */
const LEAVE_SECONDS = 1;

export type Locks = Pick<Engine, "alone" | "inTurn"> & { close(): Promise<void> };

type Take = "pg_try_advisory_xact_lock" | "pg_advisory_xact_lock";
type Lock = { name: string; space: number; take: Take };
type Work<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Advisory locks, each of a transaction on a connection of its own that does nothing else: what is done meanwhile
 * needs others. PostgreSQL lets go of a lock with its transaction, and so also where sessions are pooled.
 */
export function createLocks(url: string, options: SQL.Options, silence: SilenceWatch): Locks {
  const jobs = createLocking(url, { ...options, max: JOBS_AT_ONCE }, silence);
  const turns = createLocking(url, { ...options, max: TURNS_AT_ONCE }, silence);
  return {
    alone: (name, work) =>
      jobs.locked({ name, space: JOBS, take: "pg_try_advisory_xact_lock" }, work),
    // Those of this process wait here, without a connection each.
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

  /** @returns null when the lock is somebody else's and not to be waited for */
  async function locked<T>({ name, space, take }: Lock, work: Work<T>): Promise<T | null> {
    if (silence.isSilent()) throw noAnswer();
    const doing = Promise.withResolvers<T | null>();
    const asked = pool;
    let isLate = false;
    const giveUpTaking = () => {
      isLate = true;
      giveUp(asked);
      doing.reject(noAnswer());
    };
    const askedAt = performance.now();
    const late = setInterval(() => {
      const patienceMs = silence.isInHurry() ? HURRY_MS : TAKEN_WITHIN_MS;
      if (silence.isSilent() || performance.now() - askedAt > patienceMs) giveUpTaking();
    }, LATE_LOOK_MS);
    const holding = asked.begin(async (connection) => {
      const keys = [space, hashOf(name)];
      const [row] = await connection.unsafe(`select ${take}($1, $2) as taken`, keys).values();
      clearInterval(late);
      silence.heard();
      if (isLate || row![0] === false) return doing.resolve(null);
      const watching = watch(connection);
      const working = work(watching.signal).finally(watching.stop);
      // What becomes of the lock does not change what became of the work.
      doing.resolve(working);
      await working;
    });
    const ended = holding.then(() => {}, doing.reject).finally(() => clearInterval(late));
    return doing.promise.finally(() => Promise.race([ended, Bun.sleep(LET_GO_MS)]));
  }

  /** New connections may lead to a server that answers. Those that hold a lock go on. */
  function giveUp(asked: SQL) {
    if (asked !== pool) return;
    pool = new SQL(url, options);
    pools.add(pool);
  }

  const close = () => Promise.all([...pools].map((each) => each.close({ timeout: LEAVE_SECONDS })));
  return { locked, close };
}

/** Finds out that the connection is gone, and the lock with it. */
function watch(connection: SQL) {
  const gone = new AbortController();
  let isAnswered = true;
  const timer = setInterval(() => {
    // A server that is silent may have given the lock to somebody else.
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

/** 32 bits with their sign, as PostgreSQL takes them. */
const hashOf = (name: string) => Bun.hash.crc32(name) | 0;
