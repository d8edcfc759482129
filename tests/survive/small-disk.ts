import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAtEnd } from "../shared.ts";

const PIECE = Buffer.alloc(64 * 1024, 1);

/** A disk of its own with so much room; null where we may not mount one. */
export function createSmallDisk(mebibytes: number) {
  const folder = mkdtempSync(join(tmpdir(), "stillup-disk-"));
  const mount = ["mount", "-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder];
  const isMounted = Bun.which("mount") !== null && Bun.spawnSync(mount).exitCode === 0;
  closeAtEnd(async () => {
    if (isMounted) Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (!isMounted) return null;
  const filler = join(folder, "filler");
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  /** Leaves so many bytes, which is as good as nothing when others write as well. */
  function fill(leaving = 0) {
    const file = openSync(filler, "a");
    try {
      for (;;) {
        const room = free() - leaving;
        if (room <= 0) return;
        if (writeSync(file, PIECE, 0, Math.min(room, PIECE.length)) === 0) return;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  }
  return { folder, free, fill, clear: () => rmSync(filler, { force: true }) };
}
