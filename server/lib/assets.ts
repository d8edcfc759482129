import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A folder of ours: beside this file's bundle inside the executable, where it has only its last
 * name (`dist`), or at its place in a checkout (`web/dist`).
 */
export function assetFolder(path: string): string {
  const bundled = join(import.meta.dir, path.split("/").at(-1)!);
  return existsSync(bundled) ? bundled : join(import.meta.dir, "../..", path);
}

/** The text files of the folder, by name. */
export const readTexts = (folder: string) =>
  readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
