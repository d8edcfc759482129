import { expect, onTestFinished, test } from "bun:test";
import { startServer } from "../harness.ts";

/** What the connection that writes to SQLite is set to. */
async function pragma(name: string): Promise<unknown> {
  const { deps, stop } = await startServer("sqlite");
  onTestFinished(stop);
  return (await deps.store.engine.run({ sql: `pragma ${name}`, params: [] }))[0]![0];
}

test("A change on SQLite is on the disk before it is acknowledged", async () => {
  // https://sqlite.org/pragma.html#pragma_synchronous: 2 is FULL, with which the journal is synced at each commit.
  expect(await pragma("synchronous")).toBe(2);
  expect(await pragma("journal_mode")).toBe("wal");
});

test("What is deleted or replaced on SQLite is overwritten where it stood", async () => {
  // https://sqlite.org/pragma.html#pragma_secure_delete: 2 is FAST.
  expect(await pragma("secure_delete")).toBe(2);
});

test("A row on SQLite refers only to what is there, also when no migration has run before", async () => {
  expect(await pragma("foreign_keys")).toBe(1);
});
