import { type ReservedSQL, SQL } from "bun";
import { again } from "./postgres-connection.ts";
import { connectionOptions, type PostgresOptions } from "./postgres-pool.ts";
import { Refused } from "./store.ts";

/**
 * Makes sure that each connection has a session of its own, which prepared statements and notifications need. Behind a
 * pooler in transaction mode, a connection without a transaction has none: what one leaves, the next one gets.
 * @throws Refused
 */
export const requireSessions = (url: string, options: PostgresOptions): Promise<void> =>
  again(async () => {
    const pool = new SQL(url, { ...connectionOptions(options), max: 2 });
    try {
      if (await sharesSessions(await pool.reserve(), await pool.reserve()))
        throw new Refused(SHARED);
    } finally {
      await pool.close({ timeout: 0 });
    }
  });

const SHARED =
  "The database is behind a connection pooler that gives each transaction another session. " +
  "Set pool_mode = session in PgBouncer, or connect to PostgreSQL directly.";

async function sharesSessions(one: ReservedSQL, other: ReservedSQL): Promise<boolean> {
  const before = await sessionOf(one);
  await other.unsafe("begin").simple();
  const between = await sessionOf(other);
  const after = await sessionOf(one);
  await other.unsafe("commit").simple();
  return between === before || after !== before;
}

async function sessionOf(connection: ReservedSQL): Promise<unknown> {
  const [[id]] = await connection.unsafe("select pg_backend_pid()").simple().values();
  return id;
}
