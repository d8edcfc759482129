import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newScratchFolder } from "../../tests/scratch.ts";
import { deleteOldNotes } from "../work/processes/child.ts";

test("Notes of checker processes that a killed server was starting are deleted, and no other file", () => {
  const folder = newScratchFolder("stillup-notes-");
  const others = ["checker-1", "checker-of-links.json", "stillup.db"];
  for (const name of [`checker-${crypto.randomUUID()}`, ...others]) {
    writeFileSync(join(folder, name), "");
  }

  deleteOldNotes(folder);

  expect(readdirSync(folder).sort()).toEqual(others);
});
