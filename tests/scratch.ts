import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
const ENOUGH_BYTES = 3 * 2 ** 30;

/** Makes a folder for data that no test needs after it: in memory where there is room, since databases sync a lot. */
export const newScratchFolder = (prefix: string) => mkdtempSync(join(scratchRoot(), prefix));

function scratchRoot(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
