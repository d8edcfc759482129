import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What decides how a response is read and judged. */
const FOLDERS = ["judge", "ground/net"];

/** Set by the build, since the executable has no sources. */
declare const RULES: number | undefined;

/** Changes with the rules. */
export function hashOfRules(): number {
  if (typeof RULES !== "undefined") return RULES;
  const server = join(import.meta.dir, "..");
  const texts = FOLDERS.flatMap((folder) =>
    [...new Bun.Glob("**/!(*.test).ts").scanSync(join(server, folder))]
      .sort()
      .map((file) => readFileSync(join(server, folder, file), "utf8")),
  );
  return Bun.hash.xxHash32(texts.join("\0"));
}
