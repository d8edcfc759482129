import { rmSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";

/** Written at once, so that other work gets its turn. */
const PIECE = 1024 * 1024;

/** Room on the disk that is kept back, to be given away when there is none left. */
type Reserve = {
  isTaken(): boolean;
  /** Whether it is there now: not when the disk has no room for it. */
  take(bytes: number): Promise<boolean>;
  free(): void;
};

export function createReserve(path: string): Reserve {
  const isTaken = () => statSync(path, { throwIfNoEntry: false }) !== undefined;
  const unfinished = `${path}.unfinished`;
  return {
    isTaken,
    async take(bytes) {
      if (isTaken()) return true;
      try {
        await fill(unfinished, bytes);
        await rename(unfinished, path);
        return true;
      } catch {
        rmSync(unfinished, { force: true });
        return false;
      }
    },
    free: () => {
      for (const file of [path, unfinished]) rmSync(file, { force: true });
    },
  };
}

/** With noise: a hole, or what can be compressed, would take no room. */
async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for (let left = bytes; left > 0; left -= PIECE) await file.write(noise(Math.min(left, PIECE)));
    await file.sync();
  } finally {
    await file.close();
  }
}

function noise(bytes: number): Uint8Array {
  const piece = new Uint8Array(bytes);
  // As much as is given at once.
  for (let at = 0; at < bytes; at += 65_536)
    crypto.getRandomValues(piece.subarray(at, at + 65_536));
  return piece;
}
