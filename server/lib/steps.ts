import type { Clock } from "./clock.ts";
import { yieldToEventLoop } from "./give-way.ts";

/** What a step may take, so that no request waits long for it. */
const STEP_MS = 8;
const FIRST_ROWS = 100;
const LEAST_ROWS = 25;
const MOST_ROWS = 500;

export type Patience = {
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
  { most = Number.POSITIVE_INFINITY, signal }: Patience = {},
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
