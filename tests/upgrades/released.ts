import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "bun";

/** Who uses every released database: made up, and known to nobody else. */
export const EMAIL = "me@example.org";
export const PASSWORD = "correct horse battery staple";
/** What the databases' webhook secrets are sealed with. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");

/** What the database alone does not tell of itself: it keeps only the key's hash. */
export type Released = { key: string };

const FOLDER = join(import.meta.dir, "databases");

/** The schemas of which a database is kept, each named after its last migration. */
export const RELEASED = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".db.gz"))
  .map((name) => name.slice(0, 4))
  .sort();

/** A copy of the database, in a data folder of its own. */
export function unpack(name: string) {
  const folder = mkdtempSync(join(tmpdir(), "stillup-upgrade-"));
  const path = join(folder, "stillup.db");
  const packed = readFileSync(join(FOLDER, `${name}.db.gz`));
  writeFileSync(path, gunzipSync(new Uint8Array(packed)), { mode: 0o600 });
  writeFileSync(join(folder, "secret.key"), SECRET_KEY, { mode: 0o600 });
  const { key } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as Released;
  return { folder, path, key };
}

/** What to do with it before it is used, as a server has it done. */
export const preparationOf = (folder: string) => ({
  path: join(folder, "stillup.db"),
  backups: join(folder, "backups"),
  keyFile: join(folder, "secret.key"),
  fresh: false,
  check: true,
  copy: true,
  heldBy: null,
  now: Date.parse("2031-01-01T00:00:00Z"),
});
