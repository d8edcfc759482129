import { DrizzleQueryError, fillPlaceholders, type Placeholder, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";

/**
 * Rules that keep one set of queries correct on both databases:
 *
 * 1. Statements that belong together run in one `store.transaction`. Inside it, only its own statements are awaited.
 * 2. A change of state is conditional. The number of rows it returns is the answer.
 * 3. Ids and times come from code. Times are whole bigint milliseconds: columns of them are a `moment`, and `rowsOf`
 *    rounds its cells up. Round what raw SQL gets.
 * 4. No literal question mark in raw SQL: it is the placeholder.
 * 5. No conflict target: `onConflictDoNothing()`, or catch `Duplicate` outside the transaction.
 * 6. Raw aggregates end in `.mapWith(Number)`.
 * 7. Text search goes through `contains`.
 * 8. Order by columns that are never null, `id` last.
 * 9. A claim repeats its condition on the outer update.
 * 10. A statement for many rows takes them as one JSON parameter (`rowsOf`), so that its text stays the same. One that
 *     runs often is also built only once (`onRows`, `prepared`).
 * 11. Where the databases must differ, the difference is a member of `Engine` or a migration.
 */

export type Query = { sql: string; params: unknown[] };
export type Rows = unknown[][];

/** One of the two databases. Statements have `?` placeholders; rows are arrays. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Whether other processes may use the same database at the same time. */
  readonly isShared: boolean;
  /** Ends a select that claims rows, so that two processes do not wait for each other. */
  readonly skipLocked: string;
  /** Ends a select that locks its rows until the end of the transaction. Empty on SQLite. */
  readonly holdRows: string;
  /**
   * What surrounds a text in a select that waits until no other transaction holds the text, and then holds it until the
   * end of its own. Null on SQLite.
   */
  readonly holdText: readonly [before: string, after: string] | null;
  /** Ends a select that keeps its rows in webhooks from being deleted until the end of the transaction. */
  readonly holdWebhooks: string;
  /** What surrounds a parameter with a JSON list to make it a table with a column `value`. */
  readonly unpack: readonly [before: string, after: string];
  /** A number that changes with every write of any process; null if reading it would cost a query. */
  version(): number | null;
  run(query: Query): Promise<Rows>;
  /** Runs a select that may take long where it blocks nothing else. */
  runInReadPool(query: Query): Promise<Rows>;
  /** The size of the database in bytes. */
  size(): Promise<number>;
  /** Runs the work in one transaction, see `Store.transaction`. */
  transaction<T>(work: (run: Engine["run"]) => Promise<T>): Promise<T>;
  /** The migrations of the database; none for a new one. */
  applied(): Promise<Applied[]>;
  /**
   * Runs migrations in one transaction. A process that does so at the same time waits, and then finds them done. An
   * error of `choose` rolls back everything.
   * @returns the names of the migrations that ran
   */
  upgrade(upgrade: Upgrade): Promise<string[]>;
  /** The time of the database's clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** The same database on a connection of its own, so that other queries cannot delay it. Closed with this one. */
  apart(): Engine;
  /**
   * Does the work unless work with that name is running, in this or another process that uses the database. The signal
   * aborts if the database releases the name before the end.
   * @returns null if the work was not done
   */
  alone<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
  /** Does the work after all earlier work with that name, in any process. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Sends the text to all processes that listen, if the database can. */
  notify(channel: string, text: string): Promise<void>;
  /**
   * Receives what processes send, including this one, once the promise has resolved.
   * @param missed is called when something may have been lost
   * @returns a function that stops listening; null if the database cannot listen
   */
  listen(
    channel: string,
    receive: (text: string) => void,
    missed: () => void,
  ): Promise<(() => Promise<void>) | null>;
  /** The monthly partitions of checks; null where old checks are deleted row by row. */
  readonly historyPartitions: HistoryPartitions | null;
  /** The condition on a check `c` that its hours are not retained in the days of its link yet. */
  readonly notWrittenDown: string;
  /** Sets the function that is called when the database turns out to be damaged. */
  onDamage(listener: () => void): void;
  /** Waits only a few seconds for a server that does not answer, from now on: the process is about to end. */
  hurry(): void;
  close(): Promise<void>;
  /** Called when a write fails because the disk is full. */
  readonly whenFull: Set<() => void>;
}

/** The partitions of checks, one for each month (UTC). */
export type HistoryPartitions = {
  /**
   * Creates the missing partitions from the month of `from` to that of `until`.
   * @returns their names
   */
  create(from: number, until: number): Promise<string[]>;
  /**
   * Drops the partitions that end by then, unless they have a check whose hours are not retained yet.
   * @returns their names
   */
  drop(before: number): Promise<string[]>;
};

/** A file of drizzle/: `0002_name.sql` for both databases, `0002_name.sqlite.sql` for one. */
export type Migration = { name: string; statements: string };

/** A migration that was applied, with the oldest version that may run next to it, if any. */
export type Applied = { name: string; oldest: string | null };

/** A process that serves the database: its hostname and version. */
export type LiveNode = { name: string; version: string };

/** A node without a heartbeat for this time counts as dead, in milliseconds. */
export const LIVE_MS = 20_000;

/** `choose` returns what to run. It is called once no other process can change what is applied. */
export type Upgrade = {
  at: number;
  /** @param nodes the live nodes; none on SQLite */
  choose(applied: Applied[], nodes: LiveNode[]): Migration[];
  /** Called before each migration; `n` counts from 1. */
  onStep(step: { n: number; of: number; name: string }): void;
};

export const MIGRATIONS_TABLE =
  "create table if not exists migrations (name text primary key, applied_at bigint not null)";

/** A unique column already has this value, or a table of this name exists. */
export class Duplicate extends Error {}

/** The row that another row would refer to does not exist. */
export class Gone extends Error {}

/** The database cannot be reached or written: full, read-only, stopped. It may recover. */
export class Unavailable extends Error {}

/** The disk is full. */
export class DiskFull extends Unavailable {}

/** The database file is damaged. It does not recover. */
export class Damaged extends Unavailable {}

/** The database is not used. The message tells the operator why, and what to do. */
export class Refused extends Error {}

/** A statement that has not run yet. */
export type Statement = Parameters<SqliteRemoteDatabase["batch"]>[0][number];

export type Store = Omit<SqliteRemoteDatabase, "transaction"> & {
  engine: Engine;
  /**
   * Runs the work in one transaction: its writes are committed when it returns, and rolled back when it throws or when
   * one of its statements fails, even if it catches that error. Inside a transaction this runs the work in that one.
   *
   * The work may await nothing but statements of `tx`: on SQLite it blocks every other write, so one that is still open
   * when the event loop turns is rolled back and throws. PostgreSQL runs the work again after a deadlock, so the work
   * must change nothing but the database.
   */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>;
  /** For selects that may take long: SQLite runs them in a thread of their own. */
  readPool: SqliteRemoteDatabase;
  /** Runs all of the statements, or none. */
  write(statements: readonly Statement[]): Promise<void>;
};

/** Uses drizzle's SQLite dialect with either engine: by the rules above, both understand it. */
export function createStore(engine: Engine): Store {
  const database = drizzle(
    async (text, params, method) => ({
      rows: only(method, await engine.run({ sql: text, params })),
    }),
    async (queries) => {
      const results = await runAll(engine, queries);
      return results.map((rows, i) => ({ rows: only(queries[i]!.method, rows) }));
    },
  );
  const write = async (statements: readonly Statement[]) => {
    const [first, ...rest] = statements;
    if (first) await database.batch([first, ...rest]);
  };
  const transaction = <T>(work: (tx: Store) => Promise<T>): Promise<T> =>
    engine.transaction(async (run) => {
      const statements = untilFailure(run);
      const result = await work(createStore(within(engine, statements.run)));
      statements.throwFailure();
      return result;
    });
  const readPool = drizzle(async (text, params, method) => ({
    rows: only(method, await engine.runInReadPool({ sql: text, params })),
  }));
  return Object.assign(database, { engine, readPool, write, transaction });
}

/** Runs queries in one transaction if any of them writes. On SQLite, reads share the snapshot of this turn of the event loop. */
export const runAll = (engine: Engine, queries: Query[]): Promise<Rows[]> =>
  queries.every(isRead)
    ? Promise.all(queries.map(engine.run))
    : engine.transaction(async (run) => {
        const results: Rows[] = [];
        for (const query of queries) results.push(await run(query));
        return results;
      });

export const isRead = ({ sql }: Query) => /^\s*select\s/.test(sql);

/**
 * A failed statement ends a transaction of PostgreSQL, whose commit then rolls back silently. SQLite may have rolled
 * back already, so that further statements would be committed one by one. So both refuse to go on.
 */
function untilFailure(run: Engine["run"]) {
  let failure: { error: unknown } | undefined;
  const throwFailure = () => {
    if (failure) throw failure.error;
  };
  return {
    throwFailure,
    run: async (query: Query) => {
      throwFailure();
      return run(query).catch((error) => {
        failure = { error };
        throw error;
      });
    },
  };
}

/** The engine for statements inside a transaction. */
const within = (engine: Engine, run: Engine["run"]): Engine => ({
  ...engine,
  run,
  runInReadPool: run,
  transaction: (work) => work(run),
});

/** Runs a statement with the values of its placeholders. */
type Prepared = (store: Pick<Store, "engine">, values?: Record<string, unknown>) => Promise<Rows>;

/**
 * Builds a statement once for each kind of database, for statements that run often: building one costs more than
 * running it for a few rows. What changes from call to call is a `sql.placeholder`.
 */
export function prepared(build: (engine: Engine) => SQL): Prepared {
  const built = new Map<Engine["name"], Query>();
  return ({ engine }, values = {}) => {
    const known = built.get(engine.name);
    const { sql: text, params } = known ?? DIALECT.sqlToQuery(build(engine));
    if (!known) built.set(engine.name, { sql: text, params });
    return engine.run({ sql: text, params: fillPlaceholders(params, values) });
  };
}

const DIALECT = new SQLiteAsyncDialect();

type Cells = readonly (string | number | null)[];

/**
 * A prepared statement on a list of rows, whose cells are in the order of the columns. Does nothing without rows.
 * @param build receives the rows as a table, which it may use several times
 */
export function onRows(
  columns: Record<string, CellType>,
  build: (rows: SQL, engine: Engine) => SQL,
) {
  const list = sql.placeholder("rows");
  const run = prepared((engine) => build(tableOf(engine, columns, list), engine));
  return async (
    store: Pick<Store, "engine">,
    rows: readonly Cells[],
    values: Record<string, unknown> = {},
  ): Promise<Rows> => (rows.length === 0 ? [] : run(store, { ...values, rows: listOf(rows) }));
}

/** Builds a value once per store: building a statement costs more than running a point read. */
export function preparedOnce<T>(build: (store: Store) => T): (store: Store) => T {
  const built = new WeakMap<Store, T>();
  return (store) => {
    const known = built.get(store);
    if (known) return known;
    const statement = build(store);
    built.set(store, statement);
    return statement;
  };
}

/** Whether a unique value is taken. */
export const isDuplicate = (error: unknown) => causeOf(error) instanceof Duplicate;

/** Whether another process has already stored the reply to the same request. */
export const isAnswered = (error: unknown) =>
  isDuplicate(error) && /\bidempotency_keys/.test(String(causeOf(error)));

/** Whether a row that is referred to does not exist. */
export const isGone = (error: unknown) => causeOf(error) instanceof Gone;

/** Whether the database is unavailable for now. */
export const isUnavailable = (error: unknown) => causeOf(error) instanceof Unavailable;

/** Whether the column contains the text, ignoring case. `%` and `_` are literal. */
export const contains = (column: AnySQLiteColumn | SQL, text: string) =>
  sql`lower(${column}) like ${`%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`;

/** Consecutive characters by which texts are found in an index, as SQLite's `trigram` tokenizer has them. */
const TRIGRAM = 3;
/** More of them find no fewer links. */
const MOST_TRIGRAMS = 20;

/**
 * Selects the numbers of links, of any account, whose URL may contain the text, or whose title and external id may. On
 * PostgreSQL, and for texts of one or two characters, there is no such index: undefined.
 */
export function mayContain({ engine }: Store, text: string, isInTexts: boolean): SQL | undefined {
  // As `contains` compares them.
  const characters = [...text.toLowerCase()];
  if (engine.name === "postgres" || characters.length < TRIGRAM || text.includes("\0"))
    return undefined;
  const trigrams = characters.slice(0, 1 - TRIGRAM).map(
    (_, i) =>
      `"${characters
        .slice(i, i + TRIGRAM)
        .join("")
        .replaceAll('"', '""')}"`,
  );
  const all = trigrams.slice(0, MOST_TRIGRAMS).join(" AND ");
  const inUrls = sql`select rowid as no from link_url_trigrams where link_url_trigrams match ${all}`;
  return isInTexts
    ? sql`${inUrls} union select rowid from link_text_trigrams where link_text_trigrams match ${all}`
    : inUrls;
}

type CellType = "text" | "bigint";

/**
 * Makes a table of lists of cells, whose columns are in the order of the cells. All of it is one parameter, so that the
 * statement is prepared only once.
 */
export function rowsOf(
  { engine }: Store,
  columns: Record<string, CellType>,
  rows: readonly Cells[],
): SQL {
  return tableOf(engine, columns, listOf(rows));
}

const hasFraction = (cell: Cells[number]) => typeof cell === "number" && !Number.isInteger(cell);

/** No column has fractions. A moment with one is rounded up, as in `moment` of the tables. */
function listOf(rows: readonly Cells[]): string {
  const list = JSON.stringify(rows);
  if (!MAY_HAVE_FRACTION.test(list)) return list;
  return JSON.stringify(
    rows.map((cells) => cells.map((cell) => (hasFraction(cell) ? Math.ceil(Number(cell)) : cell))),
  );
}

/** A cell, or part of a text. */
const MAY_HAVE_FRACTION = /[[,]-?\d+(\.\d|e-)/;

function tableOf(
  engine: Engine,
  columns: Record<string, CellType>,
  list: string | Placeholder,
): SQL {
  const cells = Object.entries(columns).map(
    ([name, type], i) => `cast(value ->> ${i} as ${type}) as ${name}`,
  );
  const [before, after] = engine.unpack;
  return sql`(select ${sql.raw(`${cells.join(", ")} from ${before}`)}${list}${sql.raw(after)})`;
}

/** Makes a table of numbers `no`. */
export const numbersOf = (store: Store, nos: number[]): SQL =>
  rowsOf(
    store,
    { no: "bigint" },
    nos.map((no) => [no]),
  );

/** drizzle expects a single row for `get`, and a list of rows otherwise. */
const only = (method: string, rows: Rows): unknown[] =>
  method === "get" ? (rows[0] as unknown[]) : rows;

/** Returns the engine's own error, which drizzle may have wrapped. */
export const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? causeOf(error.cause) : error;
