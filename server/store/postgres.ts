import { SQL } from "bun";
import {
  Duplicate,
  type Engine,
  Gone,
  MIGRATIONS_TABLE,
  type Query,
  type Rows,
  Unavailable,
  type Upgrade,
} from "./store.ts";

/**
 * A unique column has the value; or two make the same table at once, and "if not exists" saw none:
 * the table, its type or its row in the catalogue is then there already, as the moment has it.
 */
const ALREADY_THERE = ["23505", "42P07", "42710"];
const FOREIGN_KEY_VIOLATION = "23503";
/** A deadlock or a serialization failure undid everything: the same batch may be tried again. */
const TRY_AGAIN = ["40001", "40P01"];
const ATTEMPTS = 5;
/** Any number that no other program uses in the same database. */
const UPGRADE_LOCK = 7_814_201_811;
/** Out of disk, memory or connections (class 53), read-only, shutting down or starting up, cut off (08). */
const OUT_OF_ORDER = /^(53|25006$|57P0[1-3]$|08)/;

/** Connects when the first query comes. */
export function openPostgres(url: string): Engine {
  const pool = new SQL(url, { max: 10, bigint: true });
  return {
    name: "postgres",
    whenFull: new Set(),
    skipLocked: "for update skip locked",
    holdRows: "for no key update",
    unpack: ["json_array_elements(cast(cast(", " as text) as json)) as unpacked(value)"],
    holdWebhooks: "for key share of webhooks",
    version: () => null,
    findLinks: null,
    run: (query) => again(() => rowsOf(pool, query)),
    size: async () => {
      const sql = "select pg_database_size(current_database())";
      return Number((await again(() => rowsOf(pool, { sql, params: [] })))[0]![0]);
    },
    readBeside: (query) => again(() => rowsOf(pool, query)),
    batch: (queries) =>
      again(() =>
        pool.begin(async (connection) => {
          const results: Rows[] = [];
          for (const query of queries) results.push(await rowsOf(connection, query));
          return results;
        }),
      ),
    applied: () => again(() => appliedTo(pool)),
    upgrade: (upgrade) => again(() => pool.begin((connection) => runAll(connection, upgrade))),
    // It looks after its own files, and says so in its own log.
    onDamage: () => {},
    close: () => pool.close(),
  };
}

async function appliedTo(connection: SQL): Promise<string[]> {
  const [found] = await rowsOf(connection, { sql: "select to_regclass('migrations')", params: [] });
  if (found![0] === null) return [];
  const rows = await rowsOf(connection, { sql: "select name from migrations", params: [] });
  return rows.map(([name]) => name as string);
}

async function runAll(connection: SQL, { at, choose, onStep }: Upgrade): Promise<string[]> {
  const ask = (sql: string, params: unknown[] = []) => rowsOf(connection, { sql, params });
  // Until the transaction ends. Without, two would meet at the table that both of them make.
  await ask(`select pg_advisory_xact_lock(${UPGRADE_LOCK})`);
  await ask(MIGRATIONS_TABLE);
  const pending = choose(await appliedTo(connection));
  for (const [i, { name, statements }] of pending.entries()) {
    onStep({ n: i + 1, of: pending.length, name });
    await ask("insert into migrations (name, applied_at) values (?, ?)", [name, at]);
    await connection.unsafe(statements).simple();
  }
  return pending.map(({ name }) => name);
}

async function rowsOf(connection: SQL, { sql, params }: Query): Promise<Rows> {
  const rows: Rows = await connection.unsafe(numbered(sql), params).values();
  return rows.map((row) => row.map(toNumber));
}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt < ATTEMPTS && TRY_AGAIN.includes(stateOf(error) ?? "")) continue;
      throw toKnown(error);
    }
  }
}

/** The error in the words of every engine, where they have one for it. */
function toKnown(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error;
  const { message } = error;
  const state = stateOf(error);
  if (ALREADY_THERE.includes(state ?? "")) return new Duplicate(message);
  if (state === FOREIGN_KEY_VIOLATION) return new Gone(message);
  const isCutOff = error.code.startsWith("ERR_POSTGRES_CONNECTION_");
  return isCutOff || OUT_OF_ORDER.test(state ?? "") ? new Unavailable(message) : error;
}

/** `?` becomes `$1`, `$2`, … Our SQL has no other question mark (store.ts, rule 4). */
function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/\?/g, () => `$${++n}`);
}

/** Every BIGINT of ours is a count or a moment, both far below 2^53. */
const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** What the server calls it (SQLSTATE); nothing when the driver itself failed. */
const stateOf = (error: unknown): string | undefined =>
  error instanceof SQL.PostgresError ? error.errno : undefined;
