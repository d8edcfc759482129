import { DrizzleQueryError, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { FoundLinks, LinkSearch } from "./reader-links.ts";

/**
 * Rules that keep one set of queries true on both databases:
 *
 * 1. Statements that belong together run in one `store.transaction`; inside it only its own statements are awaited.
 * 2. A change of state is conditional; the number of rows it returns is the answer.
 * 3. Ids and moments are made in code; moments are bigint milliseconds.
 * 4. No literal question mark in raw SQL: it is the placeholder.
 * 5. No conflict target: `onConflictDoNothing()`, or catch `Duplicate`.
 * 6. Raw aggregates end in `.mapWith(Number)`.
 * 7. Text search goes through `contains`.
 * 8. Order by columns that are never null, `id` last.
 * 9. A claim repeats its condition on the outer update.
 * 10. A statement for many rows takes them as one JSON parameter (`rowsOf`), so that its text stays the same.
 * 11. Where the databases must differ, the difference is a member of `Engine` or a migration.
 */

export type Query = { sql: string; params: unknown[] };
export type Rows = unknown[][];

/** One of the two databases. Statements carry `?` placeholders; rows come back as arrays. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Whether other processes may serve the same database at the same time. */
  readonly isShared: boolean;
  /** What ends a select that claims rows, so that two processes do not wait for each other. */
  readonly skipLocked: string;
  /** What ends a select whose rows nobody else may change before the batch is done. */
  readonly holdRows: string;
  /** What ends a select whose rows in webhooks must still be there when the batch is done. */
  readonly holdWebhooks: string;
  /** What stands before and after a parameter with a JSON list, to make a table of it with a column `value`. */
  readonly unpack: readonly [before: string, after: string];
  /** A number that changes whenever anyone has written; null where that cannot be known for nothing. */
  version(): number | null;
  run(query: Query): Promise<Rows>;
  /** Finds links of large accounts beside the event loop; null where every query runs beside it. */
  readonly findLinks: ((search: LinkSearch) => Promise<FoundLinks>) | null;
  /** Runs a select that may take long where it holds up nothing else. */
  readBeside(query: Query): Promise<Rows>;
  /** What the database takes up, in bytes. */
  size(): Promise<number>;
  /** Runs all of the queries, or none. */
  batch(queries: Query[]): Promise<Rows[]>;
  /** Runs the work in one transaction, see `Store.transaction`. */
  transaction<T>(work: (run: Engine["run"]) => Promise<T>): Promise<T>;
  /** The migrations that it has: none in a new database. */
  applied(): Promise<Applied[]>;
  /**
   * Runs migrations in one transaction, all of them or none. Who wants to at the same time waits, and then
   * finds them done; what `choose` throws undoes all of it.
   * @returns the names of what ran
   */
  upgrade(upgrade: Upgrade): Promise<string[]>;
  /** What time it is where the database is, in milliseconds since 1970. */
  now(): Promise<number>;
  /** The same database by a connection that nothing else keeps waiting; closed with this one. */
  apart(): Engine;
  /**
   * Does the work unless it is being done under that name, here or in another process that serves the database.
   * Its signal aborts when the database has let go of the name before the end.
   * @returns null when it was not done
   */
  alone<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
  /** Does the work after all earlier work under that name, in whichever process. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Tells all processes that listen, if the database can, and forgets it otherwise. */
  notify(channel: string, text: string): Promise<void>;
  /**
   * Hears what processes tell, this one included, from when it resolves.
   * @param missed is told when something may not have been heard
   * @returns what ends it; null where nothing can be heard
   */
  listen(
    channel: string,
    hear: (text: string) => void,
    missed: () => void,
  ): Promise<(() => Promise<void>) | null>;
  /** What history is kept in, by month; null where its rows go one by one. */
  readonly historyParts: HistoryParts | null;
  /** What holds for a check `c` whose hours are not with the day of its link yet. */
  readonly notWrittenDown: string;
  /** Has `tell` called whenever the database turns out to be damaged. */
  onDamage(tell: () => void): void;
  /** Waits for a server that does not answer for a few seconds at most from now on: the process is about to end. */
  hurry(): void;
  close(): Promise<void>;
  /** Called at once when the disk is found full, which a process may do something about. */
  readonly whenFull: Set<() => void>;
}

/** Parts of history, each the checks of a month (UTC). They go whole. */
export type HistoryParts = {
  /**
   * Makes the parts from the month of the one moment to that of the other, where there are none.
   * @returns the names of those that were made
   */
  make(from: number, until: number): Promise<string[]>;
  /**
   * Drops the parts that end by then, unless they hold a check whose hours are not written down.
   * @returns their names
   */
  drop(before: number): Promise<string[]>;
};

/** A file of drizzle/: `0002_name.sql` for both databases, `0002_name.sqlite.sql` for one. */
export type Migration = { name: string; statements: string };

/** A migration that a database has, with the oldest version that may go on beside it where that is known. */
export type Applied = { name: string; oldest: string | null };

/** A process that serves the database: what its machine is called, and its version. */
export type LiveNode = { name: string; version: string };

/** Without a sign of life for so long a process counts as dead, in milliseconds. */
export const LIVE_MS = 20_000;

/** What is to run, chosen once nobody else can change what has been applied. */
export type Upgrade = {
  at: number;
  /** @param nodes those that serve the database now; none where only one process may */
  choose(applied: Applied[], nodes: LiveNode[]): Migration[];
  /** Told before each migration, counting from 1. */
  onStep(step: { n: number; of: number; name: string }): void;
};

export const MIGRATIONS_TABLE =
  "create table if not exists migrations (name text primary key, applied_at bigint not null)";

/** A unique column already has this value, or a table of this name is there. */
export class Duplicate extends Error {}

/** The row that another one would refer to is not there, or not any more. */
export class Gone extends Error {}

/** The database cannot be reached or written: full, read-only, stopped. It may heal without us. */
export class Unavailable extends Error {}

/** There was no room on the disk for what was to be written. */
export class DiskFull extends Unavailable {}

/** What the database holds is not what was written to it. It does not heal. */
export class Damaged extends Unavailable {}

/** A statement that has not run yet. */
export type Statement = Parameters<SqliteRemoteDatabase["batch"]>[0][number];

export type Store = Omit<SqliteRemoteDatabase, "transaction"> & {
  engine: Engine;
  /**
   * Runs the work in one transaction: what it writes is kept when it returns, and undone when it throws. Inside a
   * transaction this runs the work in that one.
   *
   * The work may await nothing but statements of `tx`: on SQLite it holds up every other write, so one that is still
   * open when the event loop turns is undone and throws. PostgreSQL runs the work again when it was undone because of
   * another transaction (a deadlock), so the work must change nothing but the database.
   */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>;
  /** For selects that may take long: SQLite runs them in a thread beside the event loop. */
  beside: SqliteRemoteDatabase;
  /** Runs all of the statements, or none. For lists whose length is known only at run time. */
  write(statements: readonly Statement[]): Promise<void>;
};

/** Speaks SQLite's dialect to either engine, which both of them understand by the rules above. */
export function createStore(engine: Engine): Store {
  const database = drizzle(
    async (text, params, method) => ({
      rows: only(method, await engine.run({ sql: text, params })),
    }),
    async (queries) => {
      const results = await engine.batch(queries);
      return results.map((rows, i) => ({ rows: only(queries[i]!.method, rows) }));
    },
  );
  const write = async (statements: readonly Statement[]) => {
    const [first, ...rest] = statements;
    if (first) await database.batch([first, ...rest]);
  };
  const transaction = <T>(work: (tx: Store) => Promise<T>): Promise<T> =>
    engine.transaction((run) => work(createStore(within(engine, run))));
  const beside = drizzle(async (text, params, method) => ({
    rows: only(method, await engine.readBeside({ sql: text, params })),
  }));
  return Object.assign(database, { engine, beside, write, transaction });
}

/** The engine as statements inside a transaction see it. */
const within = (engine: Engine, run: Engine["run"]): Engine => ({
  ...engine,
  run,
  readBeside: run,
  findLinks: null,
  batch: async (queries) => {
    const results: Rows[] = [];
    for (const query of queries) results.push(await run(query));
    return results;
  },
  transaction: (work) => work(run),
});

/** Builds a statement once per store and keeps it: building costs more than running a point read. */
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

/** Whether the error says that a unique value is taken. */
export const isDuplicate = (error: unknown) => causeOf(error) instanceof Duplicate;

/** Whether the error says that another process has already stored the reply of an equal request. */
export const isAnswered = (error: unknown) =>
  isDuplicate(error) && /\bidempotency_keys/.test(String(causeOf(error)));

/** Whether the error says that a row referred to is gone. */
export const isGone = (error: unknown) => causeOf(error) instanceof Gone;

/** Whether the error says that the database is out of order for now. */
export const isUnavailable = (error: unknown) => causeOf(error) instanceof Unavailable;

/** Whether the text is part of the column, letters of either case alike; % and _ stand for themselves. */
export const contains = (column: AnySQLiteColumn, text: string) =>
  sql`lower(${column}) like ${`%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`;

/** The type of a column that is made of JSON. */
type CellType = "text" | "bigint";

/**
 * A table made of lists of cells, to be named and read like any other: its columns in the order of the
 * cells. One parameter carries all of it, so that the statement is prepared only once.
 */
export function rowsOf(
  { engine }: Store,
  columns: Record<string, CellType>,
  rows: readonly (readonly (string | number | null)[])[],
): SQL {
  const cells = Object.entries(columns).map(
    ([name, type], i) => `cast(value ->> ${i} as ${type}) as ${name}`,
  );
  const [before, after] = engine.unpack;
  return sql`(select ${sql.raw(`${cells.join(", ")} from ${before}`)}${JSON.stringify(rows)}${sql.raw(after)})`;
}

/** A table of numbers `no`. */
export const numbersOf = (store: Store, nos: number[]): SQL =>
  rowsOf(
    store,
    { no: "bigint" },
    nos.map((no) => [no]),
  );

/** drizzle takes a single row for `get`, and a list of them for everything else. */
const only = (method: string, rows: Rows): unknown[] =>
  method === "get" ? (rows[0] as unknown[]) : rows;

/** The engine's own error, however deep drizzle wrapped it. */
export const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? causeOf(error.cause) : error;
