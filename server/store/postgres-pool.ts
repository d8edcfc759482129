import { SQL } from "bun";
import { isReadOnly } from "./postgres-errors.ts";
import { Unavailable } from "./store.ts";

export type PostgresOptions = {
  /** Connections at once, apart from few for locks and for listening. */
  pool?: number;
  /** What one statement may take; 0 is any time, and leaves the connection to the server's own settings. */
  timeoutMs?: number;
  /** Whether statements are kept on their connections, with a plan for all parameters: unless said otherwise. */
  prepare?: boolean;
  /** How much longer an answer may be on its way, where a statement may not take any time. */
  silentMs?: number;
};

const CONNECT_SECONDS = 10;
/** What nobody needs is given back; and all are made anew at times, so that they spread over new servers. */
const IDLE_SECONDS = 300;
const LIFE_SECONDS = 3600;
/** The server ends a statement itself. Who hears nothing for so long after that has lost it. */
const SILENT_MS = 10_000;
const LOOK_MS = 1000;
/** What is under way on connections that are given up for better ones may take so many seconds. */
const LEAVE_SECONDS = 5;
/** A server that only reads is left for another at most so often. */
const RENEW_MS = 5000;

export type Pool = {
  /**
   * @param heard is to be called for each answer of the server, where there are more than one, and before the
   * first question: it throws when nobody waits for the outcome any more
   */
  use<T>(work: (pool: SQL, heard: () => void) => Promise<T>): Promise<T>;
  /** For what may take any time, and says so to the server. */
  useLong<T>(work: (pool: SQL) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** How to connect; `connection` is what the server is told then. */
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

/** Who hears no more of us lets go of what we held within a minute. */
const sessionOf = (statementTimeoutMs: number) => ({
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: 10_000,
  tcp_keepalives_idle: 20,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
});

/**
 * Connections that come back by themselves. None of the work waits without end: a server that has gone
 * without a word is given up, and so is one that has turned into a copy that only reads.
 */
export function createPool(url: string, options: PostgresOptions): Pool {
  const connect = () =>
    new SQL(url, {
      ...connectionOptions(options),
      idleTimeout: IDLE_SECONDS,
      maxLifetime: LIFE_SECONDS,
    });
  let pool = connect();
  let [heardAt, renewedAt] = [0, Number.NEGATIVE_INFINITY];
  const waiting = new Set<Waiting>();
  const { timeoutMs = 0, silentMs = SILENT_MS } = options;
  const limitMs = timeoutMs > 0 ? timeoutMs + silentMs : 0;
  const watch = limitMs > 0 ? setInterval(giveUp, LOOK_MS) : undefined;
  watch?.unref();

  function giveUp() {
    const before = performance.now() - limitMs;
    const lost = [...waiting].filter(({ since }) => since < before);
    if (lost.length === 0) return;
    for (const one of lost) {
      one.isLost = true;
      one.fail(noAnswer());
    }
    if (heardAt < before) renew(0);
  }

  function renew(leaveSeconds: number) {
    if (performance.now() - renewedAt < RENEW_MS) return;
    renewedAt = performance.now();
    void pool.close({ timeout: leaveSeconds }).catch(() => {});
    pool = connect();
  }

  function use<T>(work: (pool: SQL, heard: () => void) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      const one: Waiting = { since: performance.now(), isLost: false, fail };
      const heard = () => {
        // Whoever asked was told that it failed, and may have asked again.
        if (one.isLost) throw noAnswer();
        heardAt = performance.now();
        one.since = heardAt;
      };
      waiting.add(one);
      work(pool, heard)
        .then(resolve, (error) => {
          if (isReadOnly(error)) renew(LEAVE_SECONDS);
          fail(error);
        })
        .finally(() => {
          heardAt = performance.now();
          waiting.delete(one);
        });
    });
  }

  return {
    use,
    useLong: (work) => work(pool),
    close: async () => {
      clearInterval(watch);
      await pool.close();
    },
  };
}

type Waiting = { since: number; isLost: boolean; fail: (error: unknown) => void };

const noAnswer = () => new Unavailable("The database does not answer.");
