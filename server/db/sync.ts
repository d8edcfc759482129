import { closeSync, fsyncSync, openSync } from "node:fs";

/** So that a file, or its name in a folder, survives a power cut. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
