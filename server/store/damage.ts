import { Database } from "bun:sqlite";
import { Damaged } from "./store.ts";

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whether an error of SQLite's, whose code crosses threads, says that the file is damaged. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Damaged || DAMAGE.test((error as { code?: string } | null)?.code ?? "");

/**
 * Looks through the whole file for what does not fit together: about a second for each gigabyte, all of
 * which the thread is taken. `quick` leaves out whether indexes agree with their tables.
 * @throws Damaged with the first thing found
 */
export function checkDatabase(path: string, kind: "quick" | "full"): void {
  const database = new Database(path, { readonly: true, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 5000; PRAGMA mmap_size = 0");
    const statement = database.prepare(`PRAGMA ${CHECKS[kind]}(1)`);
    const [[verdict]] = statement.values() as [[string]];
    statement.finalize();
    if (verdict !== "ok") throw new Damaged(verdict);
  } catch (error) {
    throw isDamage(error) ? new Damaged((error as Error).message) : error;
  } finally {
    database.close(true);
  }
}

const CHECKS = { quick: "quick_check", full: "integrity_check" };
