import { expect, test } from "bun:test";
import { join } from "node:path";
import { ownMigrations } from "../../server/db/open.ts";
import { prepareSqlite } from "../../server/db/prepare.ts";
import { rowsOf, schemaOf } from "./dump.ts";
import { preparationOf, unpack } from "./released.ts";

const CHILD = join(import.meta.dir, "upgrade-and-die.ts");

const HEAD = ownMigrations()
  .map(({ name }) => name)
  .filter((name) => !name.endsWith(".postgres.sql"))
  .sort()
  .at(-1)!;

/** Every statement of the last upgrade, and some of the longest. */
test.each([
  ["0010", 1],
  ["0002", 13],
])(
  "whoever is killed in the upgrade from %s has the database as it was",
  async (name, by) => {
    const { folder, path } = unpack(name);
    const [rows, schema] = [rowsOf(path), schemaOf(path)];
    const count = await statementsOf(name);
    expect(count).toBeGreaterThan(8);

    for (let number = 1; number <= count; number += by) {
      const killed = Bun.spawn([process.execPath, CHILD, path, String(number)]);
      await killed.exited;
      expect(killed.signalCode).toBe("SIGKILL");
      expect([number, schemaOf(path)]).toEqual([number, schema]);
      expect([number, rowsOf(path)]).toEqual([number, rows]);
    }

    const applied = await prepareSqlite(preparationOf(folder), () => {});
    expect(applied.at(-1)).toBe(HEAD);
  },
  120_000,
);

async function statementsOf(name: string): Promise<number> {
  const child = Bun.spawn([process.execPath, CHILD, unpack(name).path, "0"], { stdout: "pipe" });
  return Number(await new Response(child.stdout).text());
}
