import { chmodSync } from "node:fs";
import { assetFolder, readTexts } from "../lib/assets.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Engine } from "./store.ts";

/**
 * @param url `sqlite:PATH` or `postgres://…`
 * @param waitMs how long SQLite waits for another process that writes
 */
export function openEngine(url: string, waitMs?: number): Engine {
  if (!url.startsWith("sqlite:")) return openPostgres(url);
  const path = url.slice("sqlite:".length);
  const engine = openSqlite(path, waitMs);
  chmodSync(path, 0o600);
  return engine;
}

/** Brings the database up to date with the migrations this program carries; returns their names. */
export const migrateToHead = (engine: Engine, now: number): Promise<string[]> => {
  const files = readTexts(assetFolder("drizzle"));
  const migrations = files.map(({ name, text }) => ({ name, statements: text }));
  return migrate(engine, migrations, now);
};
