import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The file of a thread's program: beside this one in a checkout. In the executable under the bundle of the whole
 * program, or beside the one of another thread.
 */
export function threadFile(name: "beside" | "copy" | "prepare"): string {
  const places = [`db/${name}-thread.js`, `${name}-thread.js`, `${name}-thread.ts`];
  return places.map((place) => join(import.meta.dir, place)).find(existsSync)!;
}
