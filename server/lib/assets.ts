import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A folder of ours: beside this file's bundle inside the executable, where it has only its last
 * name (`dist`), or at its place in a checkout (`web/dist`). The bundle of a thread is a folder deeper.
 */
export function assetFolder(path: string): string {
  const name = path.split("/").at(-1)!;
  const bundled = [join(import.meta.dir, name), join(import.meta.dir, "..", name)].find(existsSync);
  return bundled ?? join(import.meta.dir, "../..", path);
}

/** The text files of the folder, by name. */
export const readTexts = (folder: string) =>
  readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
