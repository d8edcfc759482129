import { test } from "bun:test";

type Test<Row extends readonly unknown[]> = (
  name: string,
  story: (...row: Row) => unknown,
  timeoutMs?: number,
) => void;

/**
 * As `test.each`, but one test for all rows, which has "…" in its name where they differ. Each row is looked at, also
 * after one that fails; the failure shows those that did, and why.
 */
export function eachRow<Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
): Test<[...Row]>;
export function eachRow<Row extends readonly unknown[]>(rows: readonly Row[]): Test<[...Row]>;
export function eachRow<const Row>(rows: readonly Row[]): Test<[Row]>;
export function eachRow(rows: readonly unknown[]): Test<unknown[]> {
  return (name, story, timeoutMs) =>
    test(name.replace(/%[a-z]|\$\w+/g, "…"), () => tryAll(rows, story), timeoutMs);
}

async function tryAll(rows: readonly unknown[], story: (...row: unknown[]) => unknown) {
  if (rows.length === 0) throw new Error("There are no rows.");
  const failures: string[] = [];
  for (const row of rows) {
    try {
      await story(...(Array.isArray(row) ? row : [row]));
    } catch (error) {
      failures.push(`${Bun.inspect(row)}\n${error instanceof Error ? error.stack : error}`);
    }
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${rows.length} rows failed.\n${failures.join("\n\n")}`);
}
