import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What decides how a response is read and judged. */
const FOLDERS = ["judge", "ground/net"];

/** Changes with the rules. Runs when the program is built, or in a checkout when it is loaded. */
export function hashOfRules(): number {
  const server = join(import.meta.dir, "..");
  const texts = FOLDERS.flatMap((folder) =>
    [...new Bun.Glob("**/!(*.test).ts").scanSync(join(server, folder))]
      .sort()
      .map((file) => readFileSync(join(server, folder, file), "utf8")),
  );
  return Bun.hash.xxHash32(texts.join("\0"));
}
