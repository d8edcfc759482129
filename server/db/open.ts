import { chmodSync } from "node:fs";
import { assetFolder, readTexts } from "../lib/runtime.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import type { PostgresOptions } from "./postgres-pool.ts";
import { openSqlite, type SqliteOptions } from "./sqlite.ts";
import type { Engine, Migration, Upgrade } from "./store.ts";

/** @param url `sqlite:PATH` or `postgres://…`; each uses its own options and ignores the others */
export function openEngine(url: string, options?: SqliteOptions & PostgresOptions): Engine {
  if (!url.startsWith("sqlite:")) return openPostgres(url, options);
  const path = url.slice("sqlite:".length);
  const engine = openSqlite(path, options);
  chmodSync(path, 0o600);
  return engine;
}

/** Runs the missing migrations of this program, and returns their names. */
export const migrateToHead = (
  engine: Engine,
  now: number,
  onStep?: Upgrade["onStep"],
): Promise<string[]> => migrate(engine, ownMigrations(), now, onStep);

/** The migrations of this program, for both databases. */
export const ownMigrations = (): Migration[] =>
  readTexts(assetFolder("drizzle")).map(({ name, text }) => ({ name, statements: text }));

/** A database that this program can read has no other migrations. */
export const ownMigrationNames = (): Set<string> =>
  new Set(ownMigrations().map(({ name }) => name));
