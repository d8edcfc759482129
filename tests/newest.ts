import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isTest } from "./imports.ts";

/** The time of the last change of the file, or of anything but tests in the folder; 0 when it is not there. */
export function newest(path: string): number {
  try {
    const own = statSync(path);
    if (!own.isDirectory()) return own.mtimeMs;
    const names = readdirSync(path, { recursive: true, encoding: "utf8" });
    const used = names.filter((name) => !isTest(name));
    return Math.max(0, ...used.map((name) => statSync(join(path, name)).mtimeMs));
  } catch {
    return 0;
  }
}
