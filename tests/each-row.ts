import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const LONGEST_STORY = 300;

type RowTest<Cells extends readonly unknown[]> = (
  name: string,
  run: (...cells: Cells) => unknown,
) => void;

export function eachRow<T extends Readonly<[unknown, ...unknown[]]>>(
  rows: readonly T[],
): RowTest<[...T]>;
export function eachRow<T extends readonly unknown[]>(rows: readonly T[]): RowTest<[...T]>;
export function eachRow<const T>(rows: readonly T[]): RowTest<[row: T]>;
/**
 * Makes one test of a table. It runs every row, also after one that failed, and its failure shows all that did.
 * The story throws, as `expect` does, where a row does not hold.
 */
export function eachRow(rows: readonly unknown[]): RowTest<unknown[]> {
  return (name, run) => {
    test(name, async () => {
      if (rows.length === 0) throw new Error("There are no rows.");
      const failures: string[] = [];
      for (const row of rows) {
        const cells = Array.isArray(row) ? row : [row];
        try {
          await run(...cells);
        } catch (error) {
          failures.push(`${storyOf(cells)}\n${textOf(error)}`);
        }
      }
      if (failures.length > 0)
        throw new Error(`${failures.length} of ${rows.length} rows failed\n${failures.join("\n")}`);
    });
  };
}

const storyOf = (cells: unknown[]) =>
  cells
    .map((cell) => Bun.inspect(cell, { compact: true, depth: 2 }))
    .join(", ")
    .slice(0, LONGEST_STORY);

/** What `expect` says needs no stack: the story says which row it is. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error);
  return error.message.startsWith("expect(") ? error.message : (error.stack ?? error.message);
}

/** Tables that are words rather than code, in a file of YAML. The shape is the reader's claim. */
export const yamlIn = <Tables>(folder: string, file: string): Tables =>
  parse(readFileSync(join(folder, file), "utf8"));
