import type { Deps } from "../work/deps.ts";

/** Makes room for the checks of this month and of the two after it, where history is kept by the month. */
export async function makeParts({ store, clock }: Pick<Deps, "store" | "clock">): Promise<void> {
  const now = clock.now();
  const inTwoMonths = new Date(now).setUTCMonth(new Date(now).getUTCMonth() + 2, 1);
  await store.engine.historyPartitions?.create(now, inTwoMonths);
}
