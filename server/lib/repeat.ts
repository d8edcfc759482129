import type { Clock } from "./clock.ts";

/** Does the work again and again, with so much time between, until told to end. It must not fail. */
export async function repeat(
  { clock }: { clock: Clock },
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal);
    await work();
  }
}
