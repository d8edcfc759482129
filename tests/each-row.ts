import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** Of what a failure shows of a row, in characters. */
const LONGEST_ROW = 300;

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

/** @throws one error for all rows that fail */
export async function tryAll(
  rows: readonly unknown[],
  story: (...row: unknown[]) => unknown,
): Promise<void> {
  if (rows.length === 0) throw new Error("There are no rows.");
  const failures: string[] = [];
  for (const row of rows) {
    const cells = Array.isArray(row) ? row : [row];
    try {
      await story(...cells);
    } catch (error) {
      failures.push(`${shown(cells)}\n${textOf(error)}`);
    }
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${rows.length} rows failed.\n${failures.join("\n\n")}`);
}

/** What a row of a table promises, and a way to look at it. Both sides name the same things. */
export type Promised = {
  story: string;
  expected: Record<string, unknown>;
  seen: () => Record<string, unknown> | Promise<Record<string, unknown>>;
};

/** @throws one error for all rows in which something else is seen */
export const agree = (rows: Promised[]): Promise<void> =>
  tryAll(
    rows.map(({ story, ...rest }) => [story, rest]),
    async (_, row) => {
      const { expected, seen } = row as Promised;
      expect(await seen()).toEqual(expected);
    },
  );

const shown = (cells: unknown[]) =>
  cells
    .map((cell) => Bun.inspect(cell, { compact: true, depth: 2 }))
    .join(", ")
    .slice(0, LONGEST_ROW);

/** What `expect` says needs no stack: the row says where it was. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error);
  return error.message.startsWith("expect(") ? error.message : (error.stack ?? error.message);
}

/** Tables that are words rather than code, in a file of YAML. The shape is the reader's claim. */
export const yamlIn = <Tables>(folder: string, file: string): Tables =>
  parse(readFileSync(join(folder, file), "utf8"));
