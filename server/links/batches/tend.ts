import type { Deps } from "../../work/deps.ts";
import { completeBatches } from "./complete.ts";
import { fillBatches } from "./fill.ts";

/** Brings batches further: fills them as long as the signal has not come, and tells of those that have ended. */
export async function tendBatches(
  deps: Deps,
  signal?: AbortSignal,
  isFilling?: (startedAt: number) => void,
): Promise<void> {
  await fillBatches(deps, signal, isFilling);
  await completeBatches(deps);
}
