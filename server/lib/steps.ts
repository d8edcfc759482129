import type { Clock } from "./clock.ts";

/** What a step may take, so that no request waits long for it. */
const STEP_MS = 8;
const FIRST_ROWS = 100;
const LEAST_ROWS = 25;
const MOST_ROWS = 500;

export type StepLimits = {
  /** So many rows and a step more are done at most. */
  most?: number;
  signal?: AbortSignal | undefined;
};

/**
 * Does long work in steps, between which whatever came meanwhile goes first. Steps grow and shrink to what
 * the machine does in a few milliseconds.
 * @param step does at most so many rows, and tells how many there were
 * @returns how many there were in all, and whether nothing is left
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
  const fitting = Math.floor((rows * STEP_MS) / Math.max(tookMs, 1));
  return Math.max(LEAST_ROWS, Math.min(fitting, rows * 2, MOST_ROWS));
}

/** Lets requests that came meanwhile go first: long work is done in steps with this between them. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The items in their order, cut into lists of at most `size`: what one statement takes at a time. */
export function chunksOf<T>(size: number, items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += size) chunks.push(items.slice(i, i + size));
  return chunks;
}

/** How many rows a step gives at most, and how many it looks at, of which few may be wanted. */
export type StepSize = { rowsAtOnce: number; walkedAtOnce: number };

/** A long list in the order of its keys, and how to read a stretch of it. */
type Walk<Key, Row> = {
  /** The key some way further on; null when the list ends before. */
  markAfter(key: Key | null): Promise<Key | null>;
  /** The first rows that are wanted after the one key, up to the other or to the end. */
  read(after: Key | null, upTo: Key | null): Promise<Row[]>;
  keyOf(row: Row): Key;
  /** `read` gives so many rows at most. */
  rowsAtOnce: StepSize["rowsAtOnce"];
};

/**
 * Reads a list of any length in short steps, however few of its rows are wanted. It goes on from keys, so
 * that rows which come or go meanwhile make it neither skip nor repeat any other.
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
