import { Database, type Statement } from "bun:sqlite";
import { LRUCache } from "lru-cache";
import { oneAtATime } from "../lib/concurrency.ts";
import { createAccess } from "./sqlite-access.ts";
import {
  appliedTo,
  libraryVersion,
  refuseOldLibrary,
  unshared,
  upgradeSqlite,
} from "./sqlite-file.ts";
import { type Engine, isRead, type Query, type Rows } from "./store.ts";
import { createReadPool, type ReadPool } from "./threads.ts";

const SETTINGS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA mmap_size = 0;
`;
/**
 * FULL, since a write must survive a power cut once it was acknowledged. Checkpoints run in the reading thread
 * (`createCheckpoints`), and in the writer only if that falls behind. Deleted and replaced content is overwritten where
 * that costs no extra write, so that secrets that were once stored in clear do not stay.
 */
const WRITER_SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = FAST;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA wal_autocheckpoint = 10000;
  PRAGMA busy_timeout = 0;
`;

const NO_CHECKPOINTS = "PRAGMA wal_autocheckpoint = 0;";

/** As often as SQLite's own checkpoints, but not more often than the disk can keep up with. */
const CHECKPOINT_PAGES = 1000;
const CHECKPOINT_GAP_MS = 500;

const LONGEST_WAIT_MS = 5000;

export type SqliteOptions = {
  /** How long a write waits for one of another process. */
  waitMs?: number | undefined;
  /** Litestream reads the journal and makes all checkpoints: we never do. */
  litestream?: boolean;
};

/** @throws if the file cannot be opened or the SQLite library is too old */
export function openSqlite(
  path: string,
  { waitMs = LONGEST_WAIT_MS, litestream = false }: SqliteOptions = {},
): Engine {
  const settings = SETTINGS + WRITER_SETTINGS + (litestream ? NO_CHECKPOINTS : "");
  const writer = connect(path, { create: true, readwrite: true }, settings);
  refuseOldLibrary(libraryVersion(writer.database));
  const reader = connect(path, { readonly: true }, SETTINGS);
  const snapshot = createSnapshot(reader);
  const readPool = createReadPool(path);
  const checkpoints = createCheckpoints(writer, readPool);
  const access = createAccess(snapshot, {
    waitMs,
    written: litestream ? null : checkpoints.written,
  });
  const { read, write, fail } = access;

  const engine: Engine = {
    name: "sqlite",
    apart: () => engine,
    ...onlyProcess(),
    whenFull: access.whenFull,
    skipLocked: "",
    holdRows: "",
    holdText: null,
    unpack: ["json_each(", ")"],
    holdWebhooks: "",
    version: snapshot.enter,
    historyPartitions: null,
    // Checks are deleted in the transaction that retains their hours.
    notWrittenDown: "true",
    size: async () => {
      const sql = "select page_count * page_size from pragma_page_count(), pragma_page_size()";
      return read(() => Number(rowsOf(reader, { sql, params: [] })[0]![0]));
    },
    runInReadPool: (query) => readPool.read(query).catch(fail),
    run: async (query) =>
      isRead(query) ? read(() => rowsOf(reader, query)) : write(() => rowsOf(writer, query)),
    transaction: (work) =>
      access.transaction(writer.database, (run) =>
        work((query) => run(() => rowsOf(writer, query))),
      ),
    applied: async () => read(() => appliedTo(reader.database).map(unshared)),
    upgrade: (upgrade) => write(() => upgradeSqlite(writer.database, upgrade)),
    onDamage: access.onDamage,
    hurry: () => {},
    close: async () => {
      await access.whenIdle(() => {});
      await readPool.close();
      // In the queue, since a write may have begun meanwhile.
      await access.whenIdle(() => {
        snapshot.close();
        checkpoints.close();
        if (litestream) return closeUntouched(writer, reader);
        close(reader);
        // Empties the WAL, so that the file alone is the whole database. If others still read, the last one does it.
        writer.database.run("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
        close(writer);
      });
    },
  };
  return engine;
}

/**
 * Requests a checkpoint once the journal is large enough. The reading thread makes it, since waiting for the disk would
 * block every request.
 */
function createCheckpoints({ database }: Connection, readPool: ReadPool) {
  const state = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  let requestedAt = Number.NEGATIVE_INFINITY;
  const written = () => {
    if (performance.now() - requestedAt < CHECKPOINT_GAP_MS) return;
    const [row] = state.values() as [[busy: number, pages: number, inFile: number]];
    if (row[1] - row[2] < CHECKPOINT_PAGES) return;
    requestedAt = performance.now();
    readPool.checkpoint();
  };
  return { written, close: () => state.finalize() };
}

/** Shorter than a process takes to close the database after a write. */
const SNAPSHOT_MS = 1;

/**
 * One read transaction for all reads of a turn of the event loop, which halves the cost of a point read: locking costs
 * more than finding the row. Our own writes end it, so that later reads see them. Writes of other processes are seen
 * after `SNAPSHOT_MS`: in a long turn, a request may follow a command that has just written.
 */
function createSnapshot({ database }: Connection) {
  const begin = database.prepare("BEGIN");
  const rollback = database.prepare("ROLLBACK");
  const dataVersion = database.prepare("PRAGMA data_version");
  let version: number | null = null;
  let beganAt = 0;
  const end = () => {
    if (version === null) return;
    version = null;
    // In a damaged file COMMIT fails even if nothing was written, and this error could not be handled here.
    if (database.inTransaction) rollback.run();
  };
  /** Starts it if necessary. Returns a number that changes with every commit of any process. */
  const enter = (): number => {
    if (version !== null && performance.now() - beganAt < SNAPSHOT_MS) return version;
    end();
    beganAt = performance.now();
    begin.run();
    version = dataVersion.values()[0]![0] as number;
    setImmediate(end);
    return version;
  };
  const close = () => {
    end();
    for (const statement of [begin, rollback, dataVersion]) statement.finalize();
  };
  return { enter, end, close };
}

type Connection = { database: Database; statements: LRUCache<string, Statement> };

function connect(path: string, mode: object, settings: string): Connection {
  const database = new Database(path, { ...mode, strict: true });
  database.run(settings);
  const statements = new LRUCache<string, Statement>({
    max: 300,
    dispose: (statement) => statement.finalize(),
  });
  return { database, statements };
}

/** The last connection to close empties the journal, unless it is read-only and has read something. */
function closeUntouched(writer: Connection, reader: Connection) {
  rowsOf(reader, { sql: "select 1 from sqlite_schema", params: [] });
  close(writer);
  close(reader);
}

function close({ database, statements }: Connection) {
  statements.clear();
  database.close(true);
}

const rowsOf = (connection: Connection, { sql, params }: Query): Rows =>
  prepared(connection, sql).values(...(params as string[])) as Rows;

function prepared({ database, statements }: Connection, sql: string): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

/** The parts of an engine that need no database if a single process uses it. */
function onlyProcess(): Pick<
  Engine,
  "isShared" | "now" | "alone" | "inTurn" | "notify" | "listen"
> {
  const running = new Set<string>();
  return {
    isShared: false,
    now: async () => Date.now(),
    async alone(name, work) {
      if (running.has(name)) return null;
      running.add(name);
      const { signal } = new AbortController();
      return work(signal).finally(() => running.delete(name));
    },
    inTurn: oneAtATime,
    notify: async () => {},
    listen: async () => null,
  };
}
