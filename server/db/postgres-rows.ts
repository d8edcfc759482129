import type { SQL } from "bun";
import type { Query, Rows } from "./store.ts";

/**
 * A statement with parameters is prepared under a name, once on each connection, which keeps about a thousand
 * of those that it had last.
 */
export async function rowsOf(connection: SQL, { sql, params }: Query): Promise<Rows> {
  const rows: Rows = await connection.unsafe(numbered(sql), params).values();
  return rows.map((row) => row.map(toNumber));
}

/** `?` becomes `$1`, `$2`, … Our SQL has no other question mark (store.ts, rule 4). */
function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/\?/g, () => `$${++n}`);
}

/** Every BIGINT of ours is a count or a moment, both far below 2^53. */
const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
