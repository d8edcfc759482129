import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Migration } from "../../server/ground/db/store.ts";
import { closeAtEnd } from "../shared.ts";

const ROOT = join(import.meta.dir, "../..");

/**
 * This program as another version of it, with more migrations.
 * @returns what starts it, to be followed by its arguments
 */
export function programOf(version: string, more: Migration[] = []): string[] {
  const folder = mkdtempSync(join(tmpdir(), "stillup-version-"));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["server", "drizzle"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const { name, statements } of more) writeFileSync(join(folder, "drizzle", name), statements);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version, type: "module" }));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "web"));
  symlinkSync(join(ROOT, "web/dist"), join(folder, "web/dist"));
  return [process.execPath, join(folder, "server/main.ts")];
}
