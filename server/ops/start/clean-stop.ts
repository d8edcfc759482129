import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";

/**
 * Notes that the database was closed in order. Its size and time are noted too, so that the note is not taken
 * for one about another file put in its place.
 */
export function noteCleanStop(config: Config, path: string): void {
  writeFileSync(noteOf(config), stateOf(path));
}

/** Whether the database is as it was closed in order. The note is gone then: the next stop makes another. */
export function takeCleanStop(config: Config, path: string): boolean {
  try {
    return readFileSync(noteOf(config), "utf8") === stateOf(path);
  } catch {
    return false;
  } finally {
    rmSync(noteOf(config), { force: true });
  }
}

const noteOf = ({ dataDir }: Config) => join(dataDir, "stopped-in-order");

function stateOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}\n`;
}
