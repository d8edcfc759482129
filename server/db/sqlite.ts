import { Database, type Statement } from "bun:sqlite";
import { LRUCache } from "lru-cache";
import { type Beside, createBeside } from "./beside.ts";
import { onlyProcess } from "./only-process.ts";
import { createAccess } from "./sqlite-access.ts";
import { libraryVersion, refuseOldLibrary } from "./sqlite-library.ts";
import { inTransaction } from "./sqlite-transaction.ts";
import { appliedTo, unshared, upgradeSqlite } from "./sqlite-upgrade.ts";
import type { Engine, Query, Rows } from "./store.ts";

const SETTINGS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA mmap_size = 0;
`;
/**
 * FULL, since a write we have answered and told others about must survive a power cut. Checkpoints are made
 * beside the event loop (`createCheckpoints`), and by the writer only when that falls behind. What is deleted or
 * replaced is overwritten where that costs no write of its own: secrets that were stored in clear once do not stay.
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

/** As SQLite's own checkpoints, and not more often than the disk can follow. */
const CHECKPOINT_PAGES = 1000;
const CHECKPOINT_GAP_MS = 500;

const LONGEST_WAIT_MS = 5000;

export type SqliteOptions = {
  /** How long a write waits for that of another process. */
  waitMs?: number | undefined;
  /** Litestream reads the journal and decides when it goes into the file: we never do it. */
  litestream?: boolean;
};

/** @throws when the file cannot be opened or the SQLite library is too old. */
export function openSqlite(
  path: string,
  { waitMs = LONGEST_WAIT_MS, litestream = false }: SqliteOptions = {},
): Engine {
  const settings = SETTINGS + WRITER_SETTINGS + (litestream ? NO_CHECKPOINTS : "");
  const writer = connect(path, { create: true, readwrite: true }, settings);
  refuseOldLibrary(libraryVersion(writer.database));
  const reader = connect(path, { readonly: true }, SETTINGS);
  const snapshot = createSnapshot(reader);
  const beside = createBeside(path);
  const checkpoints = createCheckpoints(writer, beside);
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
    unpack: ["json_each(", ")"],
    holdWebhooks: "",
    version: snapshot.enter,
    historyParts: null,
    // Checks go in the moment in which they are written down.
    notWrittenDown: "true",
    findLinks: (search) => beside.find(search).catch(fail),
    size: async () => {
      const sql = "select page_count * page_size from pragma_page_count(), pragma_page_size()";
      return read(() => Number(rowsOf(reader, { sql, params: [] })[0]![0]));
    },
    readBeside: (query) => beside.read(query).catch(fail),
    run: async (query) =>
      isRead(query) ? read(() => rowsOf(reader, query)) : write(() => rowsOf(writer, query)),
    // Reads alone need no lock, and their snapshot holds them together as a transaction would.
    batch: async (queries) =>
      queries.every(isRead)
        ? read(() => queries.map((query) => rowsOf(reader, query)))
        : write(() =>
            inTransaction(writer.database, () => queries.map((query) => rowsOf(writer, query))),
          ),
    transaction: (work) =>
      access.transaction(writer.database, (run) =>
        work(async (query) => run(() => rowsOf(writer, query))),
      ),
    applied: async () => read(() => appliedTo(reader.database).map(unshared)),
    upgrade: (upgrade) => write(() => upgradeSqlite(writer.database, upgrade)),
    onDamage: access.onDamage,
    hurry: () => {},
    close: async () => {
      await beside.close();
      snapshot.close();
      checkpoints.close();
      if (litestream) return closeUntouched(writer, reader);
      close(reader);
      // An empty WAL is left behind, so that the file alone is the whole database. Not worth a wait:
      // where others still read, the last of them does it.
      writer.database.run("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
      close(writer);
    },
  };
  return engine;
}

/**
 * Has what was written brought into the file once so much of it has gathered in the journal: in the thread
 * beside, since waiting for the disk would hold up every request.
 */
function createCheckpoints({ database }: Connection, beside: Beside) {
  const state = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  let askedAt = Number.NEGATIVE_INFINITY;
  const written = () => {
    if (performance.now() - askedAt < CHECKPOINT_GAP_MS) return;
    const [row] = state.values() as [[busy: number, pages: number, inFile: number]];
    if (row[1] - row[2] < CHECKPOINT_PAGES) return;
    askedAt = performance.now();
    beside.checkpoint();
  };
  return { written, close: () => state.finalize() };
}

/**
 * One read transaction for all reads of a turn of the event loop, which halves the cost of a point
 * read: taking and leaving the locks costs more than finding the row. Our own writes end it, so that
 * what was written is read; those of other processes are seen from the next turn on.
 */
function createSnapshot({ database }: Connection) {
  const begin = database.prepare("BEGIN");
  const rollback = database.prepare("ROLLBACK");
  const dataVersion = database.prepare("PRAGMA data_version");
  let version: number | null = null;
  const end = () => {
    if (version === null) return;
    version = null;
    // In a damaged file COMMIT fails even where nothing was written, and nobody would hear of it here.
    if (database.inTransaction) rollback.run();
  };
  /** Begins it unless it has begun; gives a number that changes with every commit of anyone. */
  const enter = (): number => {
    if (version !== null) return version;
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

/** Whoever closes last empties the journal, unless it may only read. It counts once it has read something. */
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

const isRead = ({ sql }: Query) => sql.startsWith("select ");
