import { Database, SQLiteError, type Statement } from "bun:sqlite";
import { LRUCache } from "lru-cache";
import { type Beside, createBeside } from "./beside.ts";
import { Duplicate, type Engine, Gone, type Query, type Rows, Unavailable } from "./store.ts";

/** Older ones can corrupt a WAL database that two connections write (sqlite.org/wal.html#walresetbug). */
const OLDEST = "3.51.3";

const SETTINGS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA mmap_size = 0;
`;
/**
 * FULL, since a write we have answered and told others about must survive a power cut. Checkpoints are made
 * beside the event loop (`createCheckpoints`), and by the writer only when that falls behind.
 */
const WRITER_SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA wal_autocheckpoint = 10000;
  PRAGMA busy_timeout = 0;
`;

/** As SQLite's own checkpoints, and not more often than the disk can follow. */
const CHECKPOINT_PAGES = 1000;
const CHECKPOINT_GAP_MS = 500;

const LONGEST_WAIT_MS = 5000;
/** Between two tries of a write. */
const PAUSE_MS = 10;

const TAKEN = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];
const OUT_OF_ORDER = /^SQLITE_(FULL|READONLY|IOERR|BUSY)/;

/**
 * @param waitMs how long a write waits for that of another process
 * @throws when the file cannot be opened or the SQLite library is too old.
 */
export function openSqlite(path: string, waitMs = LONGEST_WAIT_MS): Engine {
  const writer = connect(path, { create: true, readwrite: true }, SETTINGS + WRITER_SETTINGS);
  refuseOldLibrary(writer.database);
  const reader = connect(path, { readonly: true }, SETTINGS);
  const snapshot = createSnapshot(reader);
  const beside = createBeside(path);
  const checkpoints = createCheckpoints(writer, beside);
  const read = <T>(work: () => T): T =>
    inOurWords(() => {
      snapshot.enter();
      return work();
    });
  const write = async <T>(work: () => T): Promise<T> => {
    const done = await untilFree(waitMs, () => {
      // First: who closes the file keeps its lock until all readers are gone, and we may wait for it.
      snapshot.end();
      return work();
    });
    checkpoints.written();
    return done;
  };

  return {
    name: "sqlite",
    skipLocked: "",
    holdRows: "",
    unpack: ["json_each(", ")"],
    holdWebhooks: "",
    version: snapshot.enter,
    findLinks: (search) => beside.find(search).catch(throwKnown),
    size: async () => {
      const sql = "select page_count * page_size from pragma_page_count(), pragma_page_size()";
      return read(() => Number(rowsOf(reader, { sql, params: [] })[0]![0]));
    },
    readBeside: (query) => beside.read(query).catch(throwKnown),
    run: async (query) =>
      isRead(query) ? read(() => rowsOf(reader, query)) : write(() => rowsOf(writer, query)),
    // Reads alone need no lock, and their snapshot holds them together as a transaction would.
    batch: async (queries) =>
      queries.every(isRead)
        ? read(() => queries.map((query) => rowsOf(reader, query)))
        : write(() => inTransaction(writer, () => queries.map((query) => rowsOf(writer, query)))),
    script: async (record, statements) =>
      write(() =>
        inTransaction(writer, () => {
          rowsOf(writer, record);
          writer.database.run(toStrict(statements));
        }),
      ),
    close: async () => {
      await beside.close();
      snapshot.close();
      checkpoints.close();
      close(reader);
      // An empty WAL is left behind, so that the file alone is the whole database. Not worth a wait:
      // where others still read, the last of them does it.
      writer.database.run("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
      close(writer);
    },
  };
}

/**
 * Tries again while another process writes. SQLite's own waiting would hold up all that only reads.
 * @throws errors in the words of every engine: Unavailable when it takes too long
 */
async function untilFree<T>(waitMs: number, work: () => T): Promise<T> {
  const givesUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      const isBusy = error.code?.startsWith("SQLITE_BUSY") && performance.now() < givesUpAt;
      if (!isBusy) throw toKnown(error);
      await Bun.sleep(PAUSE_MS);
    }
  }
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
  const commit = database.prepare("COMMIT");
  const dataVersion = database.prepare("PRAGMA data_version");
  let version: number | null = null;
  const end = () => {
    if (version === null) return;
    version = null;
    commit.run();
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
    for (const statement of [begin, commit, dataVersion]) statement.finalize();
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

function close({ database, statements }: Connection) {
  statements.clear();
  database.close(true);
}

/** Synchronous from begin to commit, so nothing of another request can come between. */
function inTransaction<T>({ database }: Connection, work: () => T): T {
  database.run("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.run("COMMIT");
    return result;
  } catch (error) {
    // A full disk or a failed commit has rolled back already.
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}

const rowsOf = (connection: Connection, { sql, params }: Query): Rows =>
  prepared(connection, sql).values(...(params as string[])) as Rows;

/** Throws errors in the words of every engine, where they have one for it. */
function inOurWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SQLiteError ? toKnown(error) : error;
  }
}

const throwKnown = (error: Error & { code?: string }): never => {
  throw toKnown(error);
};

function toKnown(error: Error & { code?: string }): Error {
  const { message, code = "" } = error;
  if (TAKEN.includes(code)) return new Duplicate(message);
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return new Gone(message);
  return OUT_OF_ORDER.test(code) ? new Unavailable(message) : error;
}

function prepared({ database, statements }: Connection, sql: string): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

const isRead = ({ sql }: Query) => sql.startsWith("select ");

/**
 * STRICT tables refuse a text in a number's column; they know INTEGER, not BIGINT. A table whose primary
 * key is also the order of its rows says so in a comment, which PostgreSQL does not read.
 */
const toStrict = (statements: string) =>
  statements
    .replaceAll("BIGINT", "INTEGER")
    .replaceAll(") /* WITHOUT ROWID */;", ") STRICT, WITHOUT ROWID;")
    .replace(/^\);$/gm, ") STRICT;");

function refuseOldLibrary(database: Database) {
  const { version } = database.query("SELECT sqlite_version() AS version").get() as {
    version: string;
  };
  if (Bun.semver.order(version, OLDEST) < 0) {
    throw new Error(`SQLite ${version} is too old; ${OLDEST} or newer is needed.`);
  }
}
