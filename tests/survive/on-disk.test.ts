import { expect, onTestFinished, test } from "bun:test";
import { startServer } from "../harness.ts";

test("A change on SQLite is on the disk before it is acknowledged", async () => {
  const { deps, stop } = await startServer("sqlite");
  onTestFinished(stop);
  const pragma = async (name: string) =>
    Object.values((await deps.store.engine.run({ sql: `pragma ${name}`, params: [] }))[0]!);

  // https://sqlite.org/pragma.html#pragma_synchronous: 2 is FULL, with which the journal is synced at each commit.
  expect(await pragma("synchronous")).toEqual([2]);
  expect(await pragma("journal_mode")).toEqual(["wal"]);
});
