import { SQL } from "bun";
import { isAnswer, isReadOnly, noAnswer, type SilenceWatch } from "./postgres-connection.ts";
import { Unavailable } from "./store.ts";

export type PostgresOptions = {
  /** The number of connections, without a few for locks and listening. */
  pool?: number;
  /** The statement timeout; 0 = no limit, and the settings of the server apply. */
  timeoutMs?: number;
  /** Whether statements are prepared, with a plan for all parameters. Defaults to true. */
  prepare?: boolean;
  /** How long after the statement timeout an answer may still arrive. */
  silentMs?: number;
};

const CONNECT_SECONDS = 10;
/** Idle connections are closed. All are replaced at times, so that they spread over new servers. */
const IDLE_SECONDS = 300;
const LIFE_SECONDS = 3600;
/** The server ends a statement itself. If no answer arrives for this time after that, the connection is dead. */
const SILENT_MS = 10_000;
const LOOK_MS = 1000;
/** A query that waits longer may wait for a connection that the server, or a proxy before it, does not accept. */
const SUSPECTED_MS = 500;
/** The time that running statements get when their connections are replaced. */
const LEAVE_SECONDS = 5;
/** The longest wait for an answer while the process is about to end. */
const HURRY_MS = 4000;
/** The time that running statements get when the pool is closed. */
const CLOSE_SECONDS = 5;
/** The most queries that may wait: more would fill the memory while the server is slow or does not answer. */
const MOST_WAITING = 10_000;
/** The shortest time between two replacements of the connections. */
const RENEW_MS = 5000;

type Pool = {
  /**
   * @param answered must be called before the first query, and for each answer if there are several: it throws if the
   * caller has already received an error
   */
  use<T>(work: (pool: SQL, answered: () => void) => Promise<T>): Promise<T>;
  /** For work without a time limit, which sets its own statement timeout. */
  useLong<T>(work: (pool: SQL) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Returns the driver's options; `connection` holds the settings of the session. */
export const connectionOptions = (
  { pool = 10, timeoutMs = 0, prepare = true }: PostgresOptions,
  more: { statementTimeoutMs?: number } = {},
): SQL.Options => ({
  max: pool,
  prepare,
  bigint: true,
  connectionTimeout: CONNECT_SECONDS,
  connection: {
    application_name: "stillup",
    ...(timeoutMs > 0 && sessionOf(more.statementTimeoutMs ?? timeoutMs)),
  },
});

/** If this process disappears, the server releases its locks within a minute. */
const sessionOf = (statementTimeoutMs: number) => ({
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: 10_000,
  tcp_keepalives_idle: 20,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
});

/**
 * A pool that reconnects automatically. Its work never waits forever: connections to a server that has disappeared, or
 * that has become read-only, are replaced.
 */
export function createPool(url: string, options: PostgresOptions, silence: SilenceWatch): Pool {
  const connect = () =>
    new SQL(url, {
      ...connectionOptions(options),
      idleTimeout: IDLE_SECONDS,
      maxLifetime: LIFE_SECONDS,
    });
  let pool = connect();
  let renewedAt = Number.NEGATIVE_INFINITY;
  const waiting = new Set<Waiting>();
  const { timeoutMs = 0, silentMs = SILENT_MS } = options;
  const limitMs = timeoutMs > 0 ? timeoutMs + silentMs : 0;
  const watch = setInterval(giveUpLost, LOOK_MS);
  watch.unref();
  const forget = silence.onSilent(() => {
    giveUp([...waiting]);
    replace(0);
  });

  /** The server ends each statement in time, so one without an answer has a dead connection. */
  function giveUpLost() {
    const longestMs = silence.isInHurry() ? HURRY_MS : limitMs || Number.POSITIVE_INFINITY;
    const now = performance.now();
    if ([...waiting].some(({ since }) => since < now - SUSPECTED_MS)) silence.suspect();
    const before = now - longestMs;
    const lost = [...waiting].filter(({ since }) => since < before);
    if (lost.length === 0) return;
    giveUp(lost);
    renew();
  }

  function giveUp(lost: Waiting[]) {
    for (const one of lost) {
      one.isLost = true;
      waiting.delete(one);
      one.fail(noAnswer());
    }
  }

  function renew() {
    if (performance.now() - renewedAt >= RENEW_MS) replace(LEAVE_SECONDS);
  }

  function replace(leaveSeconds: number) {
    renewedAt = performance.now();
    void pool.close({ timeout: leaveSeconds }).catch(() => {});
    pool = connect();
  }

  function wait<T>(
    since: number,
    work: (pool: SQL, answered: () => void) => Promise<T>,
  ): Promise<T> {
    if (silence.isSilent()) return Promise.reject(noAnswer());
    if (waiting.size >= MOST_WAITING)
      return Promise.reject(new Unavailable("Too many queries are waiting for the database."));
    return new Promise<T>((resolve, fail) => {
      const one: Waiting = { since, isLost: false, fail };
      const answered = () => {
        // The caller has received an error, and may have retried.
        if (one.isLost) throw noAnswer();
        silence.answered();
        one.since = Math.max(since, performance.now());
      };
      waiting.add(one);
      work(pool, answered)
        .then(
          (result) => {
            silence.answered();
            resolve(result);
          },
          (error) => {
            if (isAnswer(error)) silence.answered();
            if (isReadOnly(error)) renew();
            fail(error);
          },
        )
        .finally(() => waiting.delete(one));
    });
  }

  return {
    use: (work) => wait(performance.now(), work),
    useLong: (work) => wait(Number.POSITIVE_INFINITY, work),
    close: async () => {
      clearInterval(watch);
      forget();
      await pool.close({ timeout: silence.isSilent() ? 0 : CLOSE_SECONDS });
    },
  };
}

type Waiting = { since: number; isLost: boolean; fail: (error: unknown) => void };
