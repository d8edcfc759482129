import { SQL } from "bun";
import { withTimeout } from "../lib/clock.ts";
import { createHistoryParts } from "./history-parts.ts";
import { again, asKnown, asRetryable } from "./postgres-errors.ts";
import { createLocks } from "./postgres-locks.ts";
import { connectionOptions, createPool, type PostgresOptions } from "./postgres-pool.ts";
import { rowsOf } from "./postgres-rows.ts";
import { type SilenceOptions, type SilenceWatch, watchSilence } from "./postgres-silence.ts";
import { appliedTo, runUpgrade } from "./postgres-upgrade.ts";
import type { Engine, Query, Rows } from "./store.ts";

/** Connects when the first query comes. */
export const openPostgres = (url: string, options: PostgresOptions & SilenceOptions = {}): Engine =>
  open(url, options, watchSilence(url, options));

function open(url: string, options: PostgresOptions, silence: SilenceWatch): Engine {
  const pool = createPool(url, options, silence);
  const searchOptions = { ...options, pool: SEARCHES_AT_ONCE, prepare: false };
  const searching = createPool(url, searchOptions, silence);
  const poolFor = (queries: Query[]) => (queries.some(isSearch) ? searching : pool);
  // Whoever waits for a lock may wait long.
  const locks = createLocks(url, connectionOptions(options, { statementTimeoutMs: 0 }), silence);
  const ears = new Set<SQL>();
  const run = (query: Query) =>
    again(() => poolFor([query]).use((connection) => rowsOf(connection, query)));
  const numberOf = async (sql: string) => Number((await run({ sql, params: [] }))[0]![0]);
  const long = <T>(work: (connection: SQL) => Promise<T>) =>
    again(() => pool.useLong((all) => all.begin(work) as Promise<T>));
  let alongside: Engine | undefined;
  return {
    name: "postgres",
    isShared: true,
    apart() {
      // Its questions are short: one that is not answered soon is asked anew on another connection.
      const timeoutMs = Math.min(options.timeoutMs ?? 0, APART_MS);
      alongside ??= open(url, { ...options, pool: 1, timeoutMs, silentMs: APART_MS }, silence);
      return alongside;
    },
    now: () => numberOf("select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"),
    alone: (name, work) => locks.alone(name, work).catch(asKnown),
    inTurn: (name, work) => locks.inTurn(name, work).catch(asKnown),
    notify: (channel, text) =>
      pool.use((connection) => connection.notify(channel, text)).catch(asKnown),
    listen(channel, hear, missed) {
      // A connection for each, since a new one is what helps where one has gone deaf.
      const ear = new SQL(url, { ...connectionOptions(options), max: 1 });
      ears.add(ear);
      return listen(ear, { channel, hear, missed }, () => ears.delete(ear));
    },
    historyParts: createHistoryParts(long),
    notWrittenDown: NOT_WRITTEN_DOWN,
    whenFull: new Set(),
    skipLocked: "for update skip locked",
    holdRows: "for no key update",
    unpack: ["json_array_elements(cast(cast(", " as text) as json)) as unpacked(value)"],
    holdWebhooks: "for key share of webhooks",
    version: () => null,
    findLinks: null,
    run,
    size: () => numberOf("select pg_database_size(current_database())"),
    readBeside: run,
    batch: (queries) =>
      again(() =>
        poolFor(queries).use((all, heard) =>
          all.begin(async (connection) => {
            const results: Rows[] = [];
            heard();
            for (const query of queries) {
              results.push(await rowsOf(connection, query));
              heard();
            }
            return results;
          }),
        ),
      ),
    transaction: (work) =>
      again(() =>
        pool.use((all, heard) =>
          all.begin((connection) => {
            heard();
            return work(async (query) => {
              const rows = await rowsOf(connection, query).catch(asRetryable);
              heard();
              return rows;
            });
          }),
        ),
      ),
    applied: () => again(() => pool.use(appliedTo)),
    upgrade: (upgrade) => long((connection) => runUpgrade(connection, upgrade)),
    // It looks after its own files, and says so in its own log.
    onDamage: () => {},
    hurry: silence.hurry,
    close: async () => {
      const pools = [locks, pool, searching, ...(alongside ? [alongside] : [])];
      const deaf = [...ears].map((ear) => ear.close({ timeout: 0 }));
      await Promise.all([...pools.map((each) => each.close()), ...deaf]);
      silence.stop();
    },
  };
}

const SEARCHES_AT_ONCE = 3;
const APART_MS = 5000;

/** What is looked for decides how to find it, so that no plan may be kept: a kept one reads all links. */
const isSearch = ({ sql }: Query) => sql.includes(" like ? escape ");

const NOT_WRITTEN_DOWN = `not exists (
  select 1 from written_down w
  where w.account_no = c.account_no and (w.checked_at, w.link_no) >= (c.checked_at, c.link_no))`;

type Listening = { channel: string; hear: (text: string) => void; missed: () => void };

/** A listener that has not been confirmed by then is on a connection that leads nowhere. */
const LISTENS_WITHIN_MS = 10_000;

/** Whatever the server cannot do, or not now, is made up for by looking. */
async function listen(ear: SQL, { channel, hear, missed }: Listening, ended: () => void) {
  const close = async () => {
    ended();
    // No word of the server is waited for.
    await ear.close({ timeout: 0 });
  };
  try {
    await withTimeout(LISTENS_WITHIN_MS, ear.listen(channel, hear, missed));
    return close;
  } catch {
    await close();
    return null;
  }
}
