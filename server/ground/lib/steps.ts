import type { Clock } from "./clock.ts";

/** Target length of a step, so that no request waits long for it. */
const STEP_MS = 8;
const FIRST_ROWS = 100;
const LEAST_ROWS = 25;
const MOST_ROWS = 500;

export type StepLimits = {
  /** Stops after this many rows, at the end of a step. */
  most?: number;
  signal?: AbortSignal | undefined;
};

/**
 * Does long work in steps, and lets other work run between them. The size of a step adapts to a few milliseconds.
 * @param step processes at most this many rows, and returns how many there were
 * @returns the number of rows, and whether no rows are left
 */
export async function inSteps(
  clock: Clock,
  step: (rows: number) => Promise<number>,
  { most = Number.POSITIVE_INFINITY, signal }: StepLimits = {},
): Promise<{ rows: number; isDone: boolean }> {
  let [rows, done] = [FIRST_ROWS, 0];
  while (done < most && !signal?.aborted) {
    const began = clock.elapsed();
    const count = await step(rows);
    done += count;
    if (count < rows) return { rows: done, isDone: true };
    rows = rowsFor(rows, clock.elapsed() - began);
    await yieldToEventLoop();
  }
  return { rows: done, isDone: false };
}

function rowsFor(rows: number, tookMs: number): number {
  const inTime = Math.floor((rows * STEP_MS) / Math.max(tookMs, 1));
  return Math.max(LEAST_ROWS, Math.min(inTime, rows * 2, MOST_ROWS));
}

/** Lets waiting requests run before long work continues. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Splits the items into lists of at most `size`, such as the parameters of one statement. */
export function chunksOf<T>(size: number, items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += size) chunks.push(items.slice(i, i + size));
  return chunks;
}

/** How many rows a step returns, and how many it reads to find them, at most. */
export type StepSize = { rowsAtOnce: number; walkedAtOnce: number };

/** A long list in the order of its keys, and how to read a range of it. */
type Walk<Key, Row> = {
  /** The key some rows after this one; null at the end of the list. */
  markAfter(key: Key | null): Promise<Key | null>;
  /** The first matching rows after a key, up to another key or to the end. */
  read(after: Key | null, upTo: Key | null): Promise<Row[]>;
  keyOf(row: Row): Key;
  /** The most rows that `read` returns. */
  rowsAtOnce: StepSize["rowsAtOnce"];
};

/**
 * Reads a list of any length in short steps, even if few rows match. It continues from keys, so it neither skips nor
 * repeats rows when others are inserted or deleted.
 */
export async function* walk<Key, Row>({
  markAfter,
  read,
  keyOf,
  rowsAtOnce,
}: Walk<Key, Row>): AsyncGenerator<Row[], void> {
  let after: Key | null = null;
  for (;;) {
    const mark: Key | null = await markAfter(after);
    for (;;) {
      const rows = await read(after, mark);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsAtOnce) break;
      after = keyOf(rows.at(-1)!);
    }
    if (mark === null) return;
    after = mark;
  }
}
