import { SQL } from "bun";
import { Duplicate, type Engine, Gone, type Query, type Rows } from "./store.ts";

const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";
/** A deadlock or a serialization failure undid everything: the same batch may be tried again. */
const TRY_AGAIN = ["40001", "40P01"];
const ATTEMPTS = 5;

export function openPostgres(url: string): Engine {
  const pool = new SQL(url, { max: 10, bigint: true });
  return {
    name: "postgres",
    skipLocked: "for update skip locked",
    holdWebhooks: "for key share of webhooks",
    version: () => null,
    run: (query) => again(() => rowsOf(pool, query)),
    batch: (queries) =>
      again(() =>
        pool.begin(async (connection) => {
          const results: Rows[] = [];
          for (const query of queries) results.push(await rowsOf(connection, query));
          return results;
        }),
      ),
    script: async (statements, after) => {
      await pool.begin(async (connection) => {
        await connection.unsafe(statements).simple();
        await rowsOf(connection, after);
      });
    },
    close: () => pool.close(),
  };
}

async function rowsOf(connection: SQL, { sql, params }: Query): Promise<Rows> {
  try {
    const rows: Rows = await connection.unsafe(numbered(sql), params).values();
    return rows.map((row) => row.map(toNumber));
  } catch (error) {
    if (codeOf(error) === UNIQUE_VIOLATION) throw new Duplicate((error as Error).message);
    if (codeOf(error) === FOREIGN_KEY_VIOLATION) throw new Gone((error as Error).message);
    throw error;
  }
}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !TRY_AGAIN.includes(codeOf(error) ?? "")) throw error;
    }
  }
}

/** `?` becomes `$1`, `$2`, … Our SQL has no other question mark (store.ts, rule 4). */
function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/\?/g, () => `$${++n}`);
}

/** Every BIGINT of ours is a count or a moment, both far below 2^53. */
const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

const codeOf = (error: unknown): string | undefined =>
  error instanceof SQL.PostgresError ? error.errno : undefined;
