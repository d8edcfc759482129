import { connect } from "node:net";
import { SQL } from "bun";
import { causeOf, Duplicate, Gone, type Query, Refused, type Rows, Unavailable } from "./store.ts";

/**
 * Runs a query. The driver prepares a statement with parameters once per connection, and keeps about a thousand of
 * the latest.
 */
export async function rowsOf(connection: SQL, { sql, params }: Query): Promise<Rows> {
  const rows: Rows = await connection.unsafe(numbered(sql), params).values();
  return rows.map((row) => row.map(toNumber));
}

/** `?` becomes `$1`, `$2`, … Our SQL has no other question mark (store.ts, rule 4). */
function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/\?/g, () => `$${++n}`);
}

/** Our BIGINT columns hold counts and times, both far below 2^53. */
const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/**
 * A unique column has the value already. Or two processes create the same table at once and "if not exists" saw none:
 * then the table, its type or its row in the catalogue exists.
 */
const ALREADY_THERE = ["23505", "42P07", "42710"];
const FOREIGN_KEY_VIOLATION = "23503";
/** A deadlock, a serialization failure or a lock timeout rolled back everything: the same work may be retried. */
const TRY_AGAIN = ["40001", "40P01", "55P03"];
const ATTEMPTS = 5;
/**
 * Out of disk, memory or connections (class 53), trouble with files (58), connection lost (08), read-only, idle in a
 * transaction, lock or statement timeout, shutting down or starting up.
 */
const OUT_OF_ORDER = /^(53|58|08|25006$|25P03$|55P03$|57014$|57P0[1-5]$)/;
/** The driver's own codes: connection refused, closed, or not established in time. */
const CUT_OFF = /^ERR_POSTGRES_(CONNECTION_|IDLE_TIMEOUT|LIFETIME_TIMEOUT)/;
const READ_ONLY = "25006";
/** The words of PgBouncer, whose SQLSTATE also stands for lost connections. */
const REFUSES_SETTINGS = /^unsupported startup parameter/;

/** Does the work, and retries it if another transaction caused it to be rolled back. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt < ATTEMPTS && isRetryable(causeOf(error))) continue;
      throw toKnown(causeOf(error));
    }
  }
}

/** Maps the error to a class that both engines use, if there is one. */
function toKnown(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error;
  const { message } = error;
  const state = stateOf(error);
  if (REFUSES_SETTINGS.test(message)) return new Refused(refusedSettings(message));
  if (ALREADY_THERE.includes(state ?? "")) return new Duplicate(message);
  if (state === FOREIGN_KEY_VIOLATION) return new Gone(message);
  const isOut = CUT_OFF.test(error.code) || OUT_OF_ORDER.test(state ?? "");
  return isOut ? new Unavailable(message) : error;
}

const refusedSettings = (message: string) =>
  `PgBouncer refuses the settings of our sessions (${message}). Set ignore_startup_parameters there as in ` +
  "docs/postgres.md, or STILLUP_DATABASE_TIMEOUT_MS=0.";

export const asKnown = (error: unknown) => {
  throw toKnown(error);
};

const isRetryable = (error: unknown) => TRY_AGAIN.includes(stateOf(error) ?? "");

/** The same, but keeps an error after which the work may be retried. */
export const asRetryable = (error: unknown) => {
  throw isRetryable(error) ? error : toKnown(error);
};

/** Whether the server is read-only: after a failover another one of the same name may be writable. */
export const isReadOnly = (error: unknown) => stateOf(error) === READ_ONLY;

/** The SQLSTATE; undefined if the error came from the driver. */
const stateOf = (error: unknown): string | undefined =>
  error instanceof SQL.PostgresError ? error.errno : undefined;

/** Watches whether the server answers at all, on any connection. */
export type SilenceWatch = {
  /** Whether the server has not answered for so long that queries are useless. */
  isSilent(): boolean;
  /** Must be called while a query waits longer than usual: finds out whether new connections are turned away. */
  suspect(): void;
  /** Must be called for each answer of the server, including errors. */
  answered(): void;
  /** Calls `listener` when the server stops answering. Returns a function that removes the listener. */
  onSilent(listener: () => void): () => void;
  /** Shortens all waiting from now on, because the process is about to end. */
  hurry(): void;
  isInHurry(): boolean;
  stop(): void;
};

export type SilenceOptions = {
  /** The time between two checks. */
  lookMs?: number;
};

const LOOK_MS = 1000;
/** Checks in a row without an answer. Counting them ignores the time in which the process was suspended. */
const [PROBED_AFTER, SILENT_AFTER, SILENT_AFTER_IN_HURRY] = [8, 14, 4];
/** After this many checks without an answer, a new probe replaces the last one. */
const LOOKS_PER_PROBE = 3;
const PROBE_CONNECT_SECONDS = 5;

export const noAnswer = () => new Unavailable("The database does not answer.");

/**
 * Normal traffic shows that the server answers. After a while without any, this probes the server on new connections
 * until it answers.
 */
export function watchSilence(url: string, { lookMs = LOOK_MS }: SilenceOptions = {}): SilenceWatch {
  const listeners = new Set<() => void>();
  let unanswered = 0;
  let isInHurry = false;
  let isSilent = false;
  let probe: SQL | null = null;
  let isSuspecting = false;
  let isStopped = false;
  let answers = 0;
  const timer = setInterval(look, lookMs);
  timer.unref();

  function look() {
    unanswered++;
    const probed = unanswered - (isInHurry ? 1 : PROBED_AFTER);
    if (probed >= 0 && probed % LOOKS_PER_PROBE === 0) sendProbe();
    if (!isSilent && unanswered >= (isInHurry ? SILENT_AFTER_IN_HURRY : SILENT_AFTER)) fallSilent();
  }

  function fallSilent() {
    isSilent = true;
    for (const listener of [...listeners]) listener();
  }

  async function suspect() {
    if (isSuspecting || isSilent) return;
    isSuspecting = true;
    const before = answers;
    const isGone = await isTurnedAway(url);
    isSuspecting = false;
    if (!isGone || isSilent || isStopped || answers > before) return;
    // The next look sends the probe that finds out when the server is back.
    unanswered = PROBED_AFTER + LOOKS_PER_PROBE - 1;
    fallSilent();
  }

  function sendProbe() {
    dropProbe();
    const current = new SQL(url, { max: 1, connectionTimeout: PROBE_CONNECT_SECONDS });
    probe = current;
    const reached = () => {
      if (current === probe) dropProbe();
      answered();
    };
    current.unsafe("select 1").then(reached, (error) => {
      if (isAnswer(error)) reached();
    });
  }

  function dropProbe() {
    void probe?.close({ timeout: 0 }).catch(() => {});
    probe = null;
  }

  function answered() {
    answers++;
    unanswered = 0;
    isSilent = false;
  }

  return {
    isSilent: () => isSilent,
    suspect: () => void suspect(),
    answered,
    onSilent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hurry() {
      isInHurry = true;
    },
    isInHurry: () => isInHurry,
    stop() {
      isStopped = true;
      clearInterval(timer);
      dropProbe();
    },
  };
}

/** Whether the error came from the server: errors of the driver have no SQLSTATE. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof SQL.PostgresError && error.errno !== undefined;

/** `SSLRequest` of the protocol (PostgreSQL 18, 54.7 "Message Formats"): every server answers one byte to it. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const DEFAULT_PORT = 5432;
const LONGEST_MS = 4000;

/**
 * Whether a new connection is accepted and closed without a byte: a proxy then stands before a server that is gone.
 * The driver retries such a connection for as long as one may take. False for sockets of the file system and for several
 * hosts, which are not asked, and if nothing happens within four seconds.
 */
async function isTurnedAway(databaseUrl: string): Promise<boolean> {
  const address = addressIn(databaseUrl);
  // A single closed connection may be an accident.
  return address !== null && (await closesAtOnce(address)) && (await closesAtOnce(address));
}

type Address = { host: string; port: number };

function addressIn(databaseUrl: string): Address | null {
  if (!URL.canParse(databaseUrl)) return null;
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const isElsewhere = ["host", "hostaddr", "path"].some((name) => searchParams.has(name));
  if (hostname === "" || isElsewhere || /,|%2[cf]/i.test(hostname)) return null;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || DEFAULT_PORT };
}

function closesAtOnce(address: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isAccepted = false;
  const socket = connect(address, () => {
    isAccepted = true;
    socket.write(SSL_REQUEST);
  });
  socket.unref();
  const timer = setTimeout(() => resolve(false), LONGEST_MS);
  timer.unref();
  socket.on("data", () => resolve(false));
  socket.on("error", () => {});
  socket.on("close", () => resolve(isAccepted));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
