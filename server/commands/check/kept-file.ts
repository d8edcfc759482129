import {
  chmodSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";

/**
 * Returns the text of a file that the command writes itself.
 * @throws if it cannot be read, or is not a file but a pipe or a device
 */
export function readKept(path: string): string {
  refuseOther(statSync(path));
  return readFileSync(path, "utf8");
}

/** Replaces such a file as a whole, with its mode. What a link leads to is replaced, and a pipe or a device is not. */
export function replaceKept(path: string, content: string | Uint8Array): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats) refuseOther(stats);
  const target = stats ? realpathSync(path) : path;
  const written = `${target}.${process.pid}`;
  try {
    writeFileSync(written, content);
    if (stats) chmodSync(written, stats.mode);
    renameSync(written, target);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

function refuseOther(stats: Stats) {
  if (!stats.isFile()) throw new Error("it is not a file");
}
