import { SQL } from "bun";
import { withTimeout } from "../lib/clock.ts";
import {
  again,
  asKnown,
  asRetryable,
  rowsOf,
  type SilenceOptions,
  type SilenceWatch,
  watchSilence,
} from "./postgres-connection.ts";
import { createLocks, HOLD_TEXT } from "./postgres-locks.ts";
import { connectionOptions, createPool, type PostgresOptions } from "./postgres-pool.ts";
import { appliedTo, createHistoryPartitions, runUpgrade } from "./postgres-schema.ts";
import type { Engine, Query } from "./store.ts";

/** Connects on the first query. */
export const openPostgres = (url: string, options: PostgresOptions & SilenceOptions = {}): Engine =>
  open(url, options, watchSilence(url, options));

function open(url: string, options: PostgresOptions, silence: SilenceWatch): Engine {
  const pool = createPool(url, options, silence);
  const searchOptions = { ...options, pool: SEARCHES_AT_ONCE, prepare: false };
  const searching = createPool(url, searchOptions, silence);
  // Waiting for a lock may take long.
  const locks = createLocks(url, connectionOptions(options, { statementTimeoutMs: 0 }), silence);
  const listeners = new Set<SQL>();
  const run = (query: Query) =>
    again(() => (isSearch(query) ? searching : pool).use((all) => rowsOf(all, query)));
  const numberOf = async (sql: string) => Number((await run({ sql, params: [] }))[0]![0]);
  const long = <T>(work: (connection: SQL) => Promise<T>) =>
    again(() => pool.useLong((all) => all.begin(work) as Promise<T>));
  let apart: Engine | undefined;
  return {
    name: "postgres",
    isShared: true,
    apart() {
      // Its queries are short: one that gets no answer soon is retried on another connection.
      const timeoutMs = Math.min(options.timeoutMs ?? 0, APART_MS);
      apart ??= open(url, { ...options, pool: 1, timeoutMs, silentMs: APART_MS }, silence);
      return apart;
    },
    now: () => numberOf("select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"),
    alone: (name, work) => locks.alone(name, work).catch(asKnown),
    inTurn: (name, work) => locks.inTurn(name, work).catch(asKnown),
    notify: (channel, text) =>
      pool.use((connection) => connection.notify(channel, text)).catch(asKnown),
    listen(channel, receive, missed) {
      // A connection for each, so that listening again uses a new one when the old one is dead.
      const listener = new SQL(url, { ...connectionOptions(options), max: 1 });
      listeners.add(listener);
      return listen(listener, { channel, receive, missed }, () => listeners.delete(listener));
    },
    historyPartitions: createHistoryPartitions(long),
    notWrittenDown: NOT_WRITTEN_DOWN,
    whenFull: new Set(),
    skipLocked: "for update skip locked",
    holdRows: "for no key update",
    holdText: HOLD_TEXT,
    unpack: ["json_array_elements(cast(cast(", " as text) as json)) as unpacked(value)"],
    holdWebhooks: "for key share of webhooks",
    version: () => null,
    run,
    size: () => numberOf("select pg_database_size(current_database())"),
    runInReadPool: run,
    transaction: (work) =>
      again(() =>
        pool.use((all, answered) =>
          all.begin((connection) => {
            answered();
            return work(async (query) => {
              const rows = await rowsOf(connection, query).catch(asRetryable);
              answered();
              return rows;
            });
          }),
        ),
      ),
    applied: () => again(() => pool.use(appliedTo)),
    upgrade: (upgrade) => long((connection) => runUpgrade(connection, upgrade)),
    // The server checks its own files, and reports damage in its own log.
    onDamage: () => {},
    hurry: silence.hurry,
    close: async () => {
      const pools = [locks, pool, searching, ...(apart ? [apart] : [])];
      const closed = [...listeners].map((each) => each.close({ timeout: 0 }));
      await Promise.all([...pools.map((each) => each.close()), ...closed]);
      silence.stop();
    },
  };
}

const SEARCHES_AT_ONCE = 3;
const APART_MS = 5000;

/** The best plan depends on the searched text, so plans must not be cached: a cached one reads all links. */
const isSearch = ({ sql }: Query) => sql.includes(" like ? escape ");

const NOT_WRITTEN_DOWN = `not exists (
  select 1 from written_down w
  where w.account_no = c.account_no and (w.checked_at, w.link_no) >= (c.checked_at, c.link_no))`;

type Listening = { channel: string; receive: (text: string) => void; missed: () => void };

/** A listener that is not confirmed within this time has a dead connection. */
const LISTENS_WITHIN_MS = 10_000;

/** Returns null if the server cannot listen, now or at all: the caller polls instead. */
async function listen(listener: SQL, { channel, receive, missed }: Listening, ended: () => void) {
  const close = async () => {
    ended();
    // Does not wait for the server.
    await listener.close({ timeout: 0 });
  };
  try {
    await withTimeout(LISTENS_WITHIN_MS, listener.listen(channel, receive, missed));
    return close;
  } catch {
    await close();
    return null;
  }
}
