/**
 * Tries each row, and fails with all rows that fail: one test for a table that is about one thing. A row that is a list
 * is spread, as by `test.each`.
 */
export function eachRow<Row extends unknown[] | [unknown]>(
  rows: readonly Row[],
  look: (...row: Row) => unknown,
): Promise<void>;
export function eachRow<Row>(rows: readonly Row[], look: (row: Row) => unknown): Promise<void>;
export async function eachRow(
  rows: readonly unknown[],
  look: (...row: unknown[]) => unknown,
): Promise<void> {
  const failures: string[] = [];
  for (const row of rows) {
    try {
      await look(...(Array.isArray(row) ? row : [row]));
    } catch (error) {
      failures.push(`${JSON.stringify(row)?.slice(0, 200)}: ${(error as Error).message}`);
    }
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} rows fail.\n${failures.join("\n\n")}`);
}
