import { SQL } from "bun";
import { isReadOnly } from "./postgres-errors.ts";
import { isAnswer, noAnswer, type SilenceWatch } from "./postgres-silence.ts";
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
/** When the process is about to end, no question waits longer. */
const HURRY_MS = 4000;
/** At the end, what is under way may take so many seconds. */
const CLOSE_SECONDS = 5;
/** More questions than this do not wait at once: they would fill the memory while the server is slow or silent. */
const MOST_WAITING = 10_000;
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

  /** The server ends a statement in time, so that one without an answer was on a connection that leads nowhere. */
  function giveUpLost() {
    const patienceMs = silence.isInHurry() ? HURRY_MS : limitMs || Number.POSITIVE_INFINITY;
    const before = performance.now() - patienceMs;
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

  function wait<T>(since: number, work: (pool: SQL, heard: () => void) => Promise<T>): Promise<T> {
    if (silence.isSilent()) return Promise.reject(noAnswer());
    if (waiting.size >= MOST_WAITING) return Promise.reject(tooMany());
    return new Promise<T>((resolve, fail) => {
      const one: Waiting = { since, isLost: false, fail };
      const heard = () => {
        // The caller has received an error, and may have asked again.
        if (one.isLost) throw noAnswer();
        silence.heard();
        one.since = Math.max(since, performance.now());
      };
      waiting.add(one);
      work(pool, heard)
        .then(
          (result) => {
            silence.heard();
            resolve(result);
          },
          (error) => {
            if (isAnswer(error)) silence.heard();
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

const tooMany = () => new Unavailable("Too many questions wait for the database.");
