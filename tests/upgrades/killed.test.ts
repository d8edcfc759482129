import { expect, test } from "bun:test";
import { join } from "node:path";
import { prepareSqlite } from "../../server/ground/db/open.ts";
import { IS_LONG } from "../long.ts";
import { rowsOf, schemaOf } from "./dump.ts";
import { NEWER_FILES } from "./newer.ts";
import { preparationOf, usedDatabase } from "./used.ts";

const CHILD = join(import.meta.dir, "upgrade-and-die.ts");

test("an upgrade that is killed before any statement leaves the database as it was", async () => {
  const { folder, path } = await usedDatabase();
  const [rows, schema] = [rowsOf(path), schemaOf(path)];
  const count = await statementsOf((await usedDatabase()).path);
  expect(count).toBeGreaterThan(8);

  const all = Array.from({ length: count }, (_, i) => i + 1);
  for (const number of IS_LONG ? all : [1, Math.ceil(count / 2), count]) {
    const killed = Bun.spawn([process.execPath, CHILD, path, String(number)]);
    await killed.exited;
    expect(killed.signalCode).toBe("SIGKILL");
    expect([number, schemaOf(path)]).toEqual([number, schema]);
    expect([number, rowsOf(path)]).toEqual([number, rows]);
  }

  const applied = await prepareSqlite(preparationOf(folder), () => {}, NEWER_FILES);
  expect(applied.at(-1)).toBe("9002_hosts.sql");
}, 60_000);

async function statementsOf(path: string): Promise<number> {
  const child = Bun.spawn([process.execPath, CHILD, path, "0"], { stdout: "pipe" });
  return Number(await new Response(child.stdout).text());
}
