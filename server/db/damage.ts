import { reading } from "./reading.ts";
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
  try {
    const verdict = reading(path, (database) => {
      database.run("PRAGMA mmap_size = 0");
      return database.query(`PRAGMA ${CHECKS[kind]}(1)`).values()[0]![0] as string;
    });
    if (verdict !== "ok") throw new Damaged(verdict);
  } catch (error) {
    throw isDamage(error) ? new Damaged((error as Error).message) : error;
  }
}

const CHECKS = { quick: "quick_check", full: "integrity_check" };
