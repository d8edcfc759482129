import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLocked, lockFolder } from "../../server/ground/db/folder.ts";

test("a check whether a folder is taken does not count as taking it", () => {
  const folder = mkdtempSync(join(tmpdir(), "stillup-lock-"));
  lockFolder(folder).release();
  const other = new Database(join(folder, "stillup.lock"));
  other.run("BEGIN; SELECT 1 FROM sqlite_schema");

  expect(isLocked(folder)).toBeNull();

  other.close();
  const lock = lockFolder(folder);
  expect(isLocked(folder)?.pid).toBe(process.pid);
  expect(() => lockFolder(folder)).toThrow("uses the data folder");
  lock.release();
  expect(isLocked(folder)).toBeNull();
  rmSync(folder, { recursive: true });
});
